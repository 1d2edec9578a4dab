// What both forms of a terminal's report are put together from: the brief one, and that of --details.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/model/comparison.hpp"
#include "ci/app/terminal_text.hpp"
#include "ci/report/comparison_text.hpp"
#include "ci/report/function_lines.hpp"
#include "ci/report/next_steps.hpp"

namespace steelyard::ci {

// Lines of text, each at most as wide as the terminal where its words allow it.
class TerminalWriter {
 public:
  // Keeps references.
  TerminalWriter(const Comparison& comparison, const RowIndex& index, const TerminalStyle& style)
      : comparison_(comparison), index_(index), style_(style) {}

  std::size_t width() const;  // columns, 40 at least
  std::string tone(std::string_view text, Tone t) const { return paint(text, t, style_.color); }
  std::size_t lines() const;  // written until now
  std::string take() { return std::move(text_); }
  void add(std::string_view text) { text_ += text; }

  // What stands before the first line of a paragraph.
  struct Lead {
    std::string text = {};
    Tone tone = Tone::plain;
  };
  // Words from outside, wrapped below `indent` columns.
  void paragraph(const Lead& lead, const std::string& words, std::size_t indent, Tone t, std::size_t max_lines = 100);

  void sides();  // which builds, and a blank line
  // Where no row changed: whether that is shown, what would decide it where it is not, and a blank line.
  void no_change(SidesFrom from);
  // The functions behind a changed count, and the calls that lead there. What is cut is counted.
  struct FunctionTable {
    std::size_t indent = 0;
    std::size_t most = 100;
    std::string whose = {};  // stands above them; empty: nothing has to be said
    // Without the calls that lead there; of all but the first what happened is told only where it fits into the line.
    bool is_short = false;
  };
  void functions(const ComparisonRow& row, const FunctionTable& table);
  // How many of each verdict, and what they are worth. `has_rest`: with what explains figures of single rows.
  void summary(bool has_rest);
  // How the environments differ, and the warnings: of each `most`, in `max_lines` lines each, which keep the fix.
  void facts(std::size_t most, std::size_t max_lines);
  void next(std::size_t most, SidesFrom from);  // what to do

 private:
  struct FunctionColumns {
    std::size_t self, inclusive, place, name, indent;
    bool is_short;
  };
  std::size_t room_below(std::size_t indent) const;
  void write(const Lead& lead, std::vector<std::string> lines, std::size_t indent, Tone t, std::size_t max_lines);
  void side(const char* word, const RunHeader& header);
  void function(const FunctionLine& line, const FunctionColumns& columns, bool is_first);
  void path(const ComparisonRow& row, std::size_t indent);
  void some(const std::string& word, const std::vector<std::string>& lines, Tone t, std::size_t most,
            std::size_t max_lines);

  const Comparison& comparison_;
  const RowIndex& index_;
  TerminalStyle style_;
  std::string text_;
};

}  // namespace steelyard::ci
