// One line on a terminal that is drawn over itself while something long runs; nothing at all in a pipe.
#pragma once

#include <iosfwd>
#include <string>
#include <utility>

#include "bench/model/quantity.hpp"

namespace steelyard {

class ProgressLine {
 public:
  // enabled: err is a terminal and the user did not say --quiet.
  ProgressLine(std::ostream& err, bool enabled, int width);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();  // clears the line

  // `done` from 0 to 1; `left` as estimated by the caller (0: unknown). Redraws at most ten times a second.
  void show(const std::string& what, double done, Nanoseconds left);
  void clear();

  // Of something longer: what is shown from here on is the part `from` to `to` of it (0 to 1), and `name` stands
  // before.
  struct Part {
    std::string name;
    double from = 0;
    double to = 1;
  };
  void within(Part part) { part_ = std::move(part); }

 private:
  std::ostream& err_;
  bool enabled_;
  int width_;
  Part part_;
  double last_drawn_s_ = -1;
  bool drawn_ = false;
};

}  // namespace steelyard
