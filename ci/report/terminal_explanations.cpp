// Why rows got their verdicts, step by step, below a report in a terminal.
#include <algorithm>

#include "ci/app/terminal_text.hpp"
#include "ci/report/report.hpp"

namespace steelyard {
namespace {

constexpr std::size_t kIndent = 4;

std::string step_text(const std::string& step, std::size_t width, const TerminalStyle& style) {
  std::string text;
  const std::vector<std::string> lines = wrapped(printable(step, style.unicode), width - kIndent);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string line = lines[i];
    // The word before the first colon says what the step is about.
    const std::size_t colon = i == 0 ? line.find(": ") : std::string::npos;
    if (colon != std::string::npos) line = paint(line.substr(0, colon), Tone::strong, style.color) + line.substr(colon);
    text += std::string(i == 0 ? kIndent - 2 : kIndent, ' ') + line + "\n";
  }
  return text;
}

}  // namespace

std::string terminal_explanations(const std::vector<Explanation>& explanations, const TerminalStyle& style) {
  const auto width = static_cast<std::size_t>(std::max(style.width, 40));
  std::string text;
  for (const Explanation& one : explanations) {
    text += "\n" + paint("why", Tone::dim, style.color) + " " +
            paint(printable(one.benchmark + "  " + one.metric, style.unicode), Tone::strong, style.color) + "\n";
    for (const std::string& step : one.steps) text += step_text(step, width, style);
  }
  return text;
}

}  // namespace steelyard
