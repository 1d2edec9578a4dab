// What a person sees while something long runs, on the error stream: on a terminal a few lines that are drawn over
// themselves, with what was found so far below a bar; on a terminal that cannot move its cursor the bar alone; in a
// pipe a line now and then, or nothing. Not for results.
//
//     ProgressLine progress = app.live_view();
//     progress.show("timing BM_sort, round 3 of 12", 0.25, seconds(40));
//     progress.found({{"BM_sort: 25 % slower", Tone::bad}});
#pragma once

#include <iosfwd>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bench/model/quantity.hpp"
#include "ci/app/terminal_text.hpp"

namespace steelyard::ci {

enum class ProgressForm {
  none,
  lines,  // for a pipe: whole lines, kSecondsBetweenLines apart at least
  bar,    // one line that is drawn over itself
  live,   // the same with what was found below it
};
inline constexpr double kSecondsBetweenLines = 5;

struct ProgressStyle {
  ProgressForm form = ProgressForm::none;
  int width = 80;      // columns
  int rows = 24;       // of the terminal: what is drawn has to fit, or it could not be drawn over
  bool erases = true;  // it knows the code that clears the rest of a line (ECMA-48, EL)
  bool color = false;
  bool unicode = true;
};

// Something that was found, in words, the most important first.
struct FoundLine {
  std::string text;
  Tone tone = Tone::plain;
  // What it is said of, without figures: in a pipe it is told once, however its figures change. Empty: the text.
  std::string subject = {};
  const std::string& told_as() const { return subject.empty() ? text : subject; }
  bool operator==(const FoundLine&) const = default;
};

class ProgressLine {
 public:
  ProgressLine(std::ostream& err, const ProgressStyle& style);
  // A bar or nothing.
  ProgressLine(std::ostream& err, bool enabled, int width);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();  // clears what is drawn

  // `done` from 0 to 1; `left` as estimated by the caller (0: unknown). Redraws at most ten times a second, and of that
  // only the lines that differ.
  void show(const std::string& what, double done, Nanoseconds left);
  // Of work whose steps know no more than the time that all of it still takes: what is done is the time since begin(),
  // within() or the line's own beginning, of that and `left`. More work that turns up takes the bar back.
  void show_until_end(const std::string& what, Nanoseconds left);
  void begin();
  // All that is found so far, in place of what was told before. Seen with the next show().
  void found(std::vector<FoundLine> lines) { found_ = std::move(lines); }
  // Whether anybody would see that: to find it out may cost time.
  bool shows_found() const { return style_.form == ProgressForm::live || style_.form == ProgressForm::lines; }
  void clear();

  // Of something longer: what is shown from here on is the part `from` to `to` of it (0 to 1), and `name` stands
  // before.
  struct Part {
    std::string name;
    double from = 0;
    double to = 1;
  };
  void within(Part part) {
    part_ = std::move(part);
    begin();
  }

 private:
  // What there is to say, without its layout.
  struct ProgressNow {
    std::string what;
    double done = 0;
    std::string left;
  };
  ProgressNow progress_now(const std::string& what, double done, Nanoseconds left) const;
  std::string bar_text(const ProgressNow& now) const;
  std::vector<std::string> live_lines(const ProgressNow& now) const;
  void draw(std::vector<std::string> lines);
  void print(const ProgressNow& now);

  std::ostream& err_;
  ProgressStyle style_;
  Part part_;
  std::vector<FoundLine> found_;
  double begun_s_;
  double last_drawn_s_ = -1;
  std::vector<std::string> drawn_;    // lines that stand on the terminal; the cursor is behind the last
  std::set<std::string> told_found_;  // in a pipe: told_as() of what was told already
};

}  // namespace steelyard::ci
