#include "ci/report/terminal_writer.hpp"

#include <algorithm>

#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"
#include "ci/report/headline.hpp"
#include "ci/report/promise.hpp"
#include "ci/report/terminal_table.hpp"

namespace steelyard::ci {
namespace {

constexpr const char* kSelfTitle = "self";
constexpr const char* kInclusiveTitle = "incl.";
constexpr std::size_t kMaxPathLines = 3;
constexpr std::size_t kMaxCommandColumns = 400;  // what is longer nobody copies from a screen

// What a warning says is done about it stands behind its last semicolon: of one with too many lines its middle is cut
// before that. A long word, as a path is, is broken and stays whole.
std::vector<std::string> warned_lines(const std::string& words, std::size_t room, std::size_t max_lines, bool unicode) {
  constexpr Wrapping kBroken{0, false, true};
  std::vector<std::string> lines = wrapped(words, room, kBroken);
  const std::size_t last = words.rfind("; ");
  if (lines.size() <= max_lines || last == std::string::npos) return lines;
  const std::string end = (unicode ? " \u2026 " : " ... ") + words.substr(last + 2);
  constexpr std::size_t kMaxBytesOfColumn = 4;
  std::size_t begin = std::min(last, kMaxBytesOfColumn * room * max_lines);
  while (begin > 0 && (begin = words.rfind(' ', begin - 1)) != std::string::npos && begin > 0) {
    std::vector<std::string> cut = wrapped(words.substr(0, begin) + end, room, kBroken);
    if (cut.size() <= max_lines) return cut;
  }
  return lines;
}

}  // namespace

std::size_t TerminalWriter::width() const { return style_.columns(); }

std::size_t TerminalWriter::lines() const {
  return static_cast<std::size_t>(std::count(text_.begin(), text_.end(), '\n'));
}

void TerminalWriter::paragraph(const Lead& lead, const std::string& words, std::size_t indent, Tone t,
                               std::size_t max_lines) {
  write(lead, wrapped(printable(words, style_.unicode), room_below(indent)), indent, t, max_lines);
}

std::size_t TerminalWriter::room_below(std::size_t indent) const {
  return std::max<std::size_t>(width() > indent ? width() - indent : 0, 20);
}

void TerminalWriter::write(const Lead& lead, std::vector<std::string> lines, std::size_t indent, Tone t,
                           std::size_t max_lines) {
  const std::size_t room = room_below(indent);
  if (lines.size() > max_lines) {
    lines.resize(max_lines);
    const std::string more = style_.unicode ? " \u2026" : " ...";
    std::string& last = lines.back();
    while (columns_of(last + more) > room && last.find(' ') != std::string::npos) last.erase(last.rfind(' '));
    last += more;
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string fill = padded("", indent - std::min(indent, i == 0 ? columns_of(lead.text) : 0));
    text_ +=
        (i == 0 ? tone(lead.text, lead.tone) : "") + fill + tone(shortened(lines[i], room, style_.unicode), t) + "\n";
  }
}

void TerminalWriter::side(const char* word, const RunHeader& header) {
  std::string line = shown_sha(header.commit.sha);
  if (header.commit.dirty) line += "+";
  for (const std::string& part : {header.commit.subject, header.program}) {
    if (!part.empty()) line += (line.empty() ? "" : "  ") + printable(part, style_.unicode);
    if (!line.empty() && part == header.commit.subject && !part.empty()) break;
  }
  if (line.empty()) line = "run " + header.id.substr(0, 12);
  constexpr std::size_t kIndent = 11;
  text_ += tone(padded(word, kIndent), Tone::dim) + shortened(line, width() - kIndent, style_.unicode) + "\n";
}

void TerminalWriter::sides() {
  side("baseline", comparison_.baseline);
  side("candidate", comparison_.candidate);
  text_ += "\n";
}

void TerminalWriter::no_change(SidesFrom from) {
  constexpr std::size_t kMaxLines = 3;
  const std::optional<NoChangeAnswer> found = no_change_answer(comparison_);
  if (!found) return;
  const bool is_shown = found->answer == NoChange::nothing_changed;
  const std::string advice = is_shown ? "" : deciding_text(deciding_step(comparison_, from));
  paragraph({}, found->text + advice, 0, is_shown ? Tone::good : Tone::strong, kMaxLines);
  text_ += "\n";
}

void TerminalWriter::functions(const ComparisonRow& row, const FunctionTable& table) {
  const std::size_t indent = table.indent;
  std::vector<FunctionLine> lines = function_lines(index_, row);
  const std::size_t excluded = lines.size() - std::min(lines.size(), table.most);
  lines.resize(lines.size() - excluded);
  FunctionColumns columns{columns_of(kSelfTitle), columns_of(kInclusiveTitle), 0, 0, indent, table.is_short};
  std::string title = table.whose.empty() ? "" : printable("in " + table.whose, style_.unicode);
  columns.name = columns_of(title);
  for (FunctionLine& line : lines) {
    line.place = printable(line.place, style_.unicode);
    columns.self = std::max(columns.self, columns_of(line.self));
    columns.inclusive = std::max(columns.inclusive, columns_of(line.inclusive));
    columns.place = std::max(columns.place, columns_of(line.place));
    columns.name = std::max(columns.name, columns_of(printable(line.name, style_.unicode)));
  }
  const std::size_t others = indent + 2 + columns.self + columns.inclusive + columns.place + 6;
  constexpr std::size_t kMinName = 16;
  columns.name = std::min(columns.name, std::max(width() > others ? width() - others : 0, kMinName));
  std::vector<std::string> names;
  for (const FunctionLine& line : lines) names.push_back(printable(line.name, style_.unicode));
  names = shortened_apart(names, style_.cuts_names ? columns.name : kWholeNameColumns, style_.unicode);
  for (const std::string& name : names) columns.name = std::max(columns.name, columns_of(name));
  if (!title.empty() && columns.name >= kMinName) title = shortened(title, columns.name, style_.unicode);
  text_ += std::string(indent + 2, ' ') +
           tone(padded(title, columns.name) + "  " + padded(kSelfTitle, columns.self, Align::right) + "  " +
                    padded(kInclusiveTitle, columns.inclusive, Align::right),
                Tone::dim) +
           "\n";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    lines[i].name = names[i];
    function(lines[i], columns, i == 0);
  }
  if (excluded > 0) {
    add(std::string(indent + 2, ' ') + tone("and " + plural_text(excluded, "more function"), Tone::dim) + "\n");
  }
  if (!table.is_short) path(row, indent);
}

// What happened stands behind, or below where there is no room.
void TerminalWriter::function(const FunctionLine& line, const FunctionColumns& columns, bool is_first) {
  const std::size_t indent = columns.indent;
  const std::string mark = !is_first ? "  " : style_.unicode ? "\u2514 " : "` ";
  const std::string what = printable(line.what, style_.unicode);
  const std::size_t used = indent + 2 + columns.name + columns.self + columns.inclusive + columns.place + 8;
  const bool fits = used + columns_of(what) <= width();
  std::string rest = fits ? padded(line.place, columns.place) + "  " + what : line.place;
  rest.erase(rest.find_last_not_of(' ') + 1);
  std::string cells = tone(padded(line.name, columns.name), is_first ? Tone::strong : Tone::plain) + "  " +
                      padded(line.self, columns.self, Align::right) + "  " +
                      padded(line.inclusive, columns.inclusive, Align::right);
  if (!rest.empty()) cells += "  " + tone(rest, Tone::dim);
  text_ += std::string(indent, ' ') + tone(mark, Tone::dim) + cells + "\n";
  if (!fits && (is_first || !columns.is_short)) paragraph({}, what, indent + 4, Tone::dim, 2);
}

void TerminalWriter::path(const ComparisonRow& row, std::size_t indent) {
  constexpr std::size_t kMinNames = 3;  // two are the culprit and its caller: nothing to add
  const std::vector<std::string> names = call_path_names(row);
  if (names.size() < kMinNames) return;
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "through " : " > ") + name;
  paragraph({}, text, indent + 2, Tone::dim, kMaxPathLines);
}

void TerminalWriter::summary(bool has_rest) {
  const auto counts = comparison_.count_by_verdict();
  const auto count = [&](Verdict verdict) { return counts.at(static_cast<std::size_t>(verdict)); };
  const bool is_bad = std::any_of(comparison_.rows.begin(), comparison_.rows.end(), [](const ComparisonRow& row) {
    return tone_of(row.verdict) == Tone::bad && !is_told_only(row);
  });
  const bool is_open = count(Verdict::incomparable) + count(Verdict::inconclusive) > 0;
  text_ += tone(summary_line(comparison_) + counted_text(comparison_), is_bad    ? Tone::bad
                                                                       : is_open ? Tone::strong
                                                                                 : Tone::good) +
           "\n";
  const std::string promise = promise_line(comparison_);
  if (!promise.empty()) paragraph({}, promise, 0, Tone::plain);
  if (const std::string margin = margin_line(comparison_); !margin.empty()) paragraph({}, margin, 0, Tone::plain);
  if (const std::string gate = gate_line(comparison_); !gate.empty()) paragraph({}, gate, 0, Tone::plain);
  if (const std::string conditions = conditions_line(comparison_); !conditions.empty())
    paragraph({}, conditions, 0, Tone::dim);
  if (const std::string levels = levels_line(comparison_); !levels.empty()) paragraph({}, levels, 0, Tone::dim);
  if (!has_rest) return;
  if (const std::string policy = policy_line(comparison_); !policy.empty()) paragraph({}, policy, 0, Tone::dim);
  if (const std::string drift = drift_line(comparison_); !drift.empty()) paragraph({}, drift, 0, Tone::plain);
  if (const std::string equal = equality_line(comparison_); !equal.empty()) paragraph({}, equal, 0, Tone::dim);
}

void TerminalWriter::facts(std::size_t most, std::size_t max_lines) {
  const std::vector<std::string> environment = environment_lines(comparison_);
  if (!environment.empty() || !comparison_.warnings.empty()) text_ += "\n";
  some("differs", environment, Tone::plain, most, max_lines);
  some("warning", warning_lines(comparison_), Tone::doubtful, most, max_lines);
}

void TerminalWriter::some(const std::string& word, const std::vector<std::string>& lines, Tone t, std::size_t most,
                          std::size_t max_lines) {
  constexpr std::size_t kIndent = 11;
  for (std::size_t i = 0; i < std::min(lines.size(), most); ++i) {
    write({word}, warned_lines(printable(lines[i], style_.unicode), room_below(kIndent), max_lines, style_.unicode),
          kIndent, t, max_lines);
  }
  if (lines.size() > most) {
    text_ += padded("", kIndent) + "and " + std::to_string(lines.size() - most) + " more (--json)\n";
  }
}

void TerminalWriter::next(std::size_t most, SidesFrom from) {
  const std::vector<NextStep> steps = next_steps(comparison_, from);
  if (steps.empty()) return;
  text_ += "\n";
  constexpr std::size_t kIndent = 11;
  for (std::size_t i = 0; i < std::min(steps.size(), most); ++i) {
    const std::string lead = i == 0 ? "next" : "";
    std::string command = printable(steps[i].command, style_.unicode);
    if (columns_of(command) > kMaxCommandColumns) command.clear();
    const std::string line = steps[i].advice + (command.empty() ? "" : ":  " + command);
    if (kIndent + columns_of(line) <= width() && !command.empty()) {
      text_ += padded(lead, kIndent) + printable(steps[i].advice, style_.unicode) + ":  " +
               tone(command, Tone::strong) + "\n";
      continue;
    }
    paragraph({lead}, steps[i].advice + (command.empty() ? "" : ":"), kIndent, Tone::plain);
    // A command is never broken: it is there to be copied.
    if (!command.empty()) text_ += std::string(kIndent + 2, ' ') + tone(command, Tone::strong) + "\n";
  }
  if (steps.size() > most) {
    text_ += padded("", kIndent) + "and " + std::to_string(steps.size() - most) + " more (--details)\n";
  }
}

}  // namespace steelyard::ci
