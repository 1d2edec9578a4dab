// The report as a comment of a pull request or a job summary: GitHub's and GitLab's Markdown, worst rows first, what
// did not change folded away. Names and messages come from strangers' code: none of it can format, mention or link.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"
#include "ci/report/benchmark_lines.hpp"
#include "ci/report/comparison.hpp"
#include "ci/report/comparison_text.hpp"
#include "ci/report/findings.hpp"
#include "ci/report/function_lines.hpp"
#include "ci/report/headline.hpp"
#include "ci/report/markup.hpp"
#include "ci/report/next_steps.hpp"
#include "ci/report/promise.hpp"
#include "ci/report/reasons.hpp"
#include "ci/report/row_text.hpp"
#include "ci/report/targets.hpp"

namespace steelyard::ci {
namespace {

using markdown::code;
using markdown::replaced;
using markdown::words;

constexpr std::size_t kMaxCharacters = 65000;

// How much of what stands around the rows is told.
struct Surroundings {
  std::size_t targets = kMaxMarkdownTargets;
  std::size_t facts = 12;  // warnings, differences of the environments
  std::size_t steps = 100;
  bool has_rest = true;        // what explains figures of single rows
  bool has_detectable = true;  // the column of that name
};

// Of a cell: services break lines at blanks, and a number alone on its line says nothing.
std::string unbroken(const std::string& text) { return replaced(text, " ", "\u00a0"); }

// Both sides in one scale, as on a terminal; each with its unit, or empty.
std::pair<std::string, std::string> side_levels(const ComparisonRow& row) {
  const LevelPair levels = level_pair(row.baseline, row.candidate, row.metric.unit);
  const auto cell = [&](const std::string& level) {
    return level.empty() || levels.unit.empty() ? words(level) : words(level + " " + levels.unit);
  };
  return {cell(levels.baseline), row.notes.has(RowNote::not_timed) ? "not timed" : cell(levels.candidate)};
}

const std::string kTableHead =
    "| | benchmark | metric | baseline | candidate | change | interval | detectable | q |\n"
    "|---|---|---|---:|---:|---:|---:|---:|---:|\n";

// Names as their program wrote them; long ones cut so that rows stay apart, and Markdown's own characters made safe.
class MarkdownNames {
 public:
  explicit MarkdownNames(const Comparison& comparison) {
    std::vector<std::string> names;
    for (const ComparisonRow& row : comparison.rows) names.push_back(printable(name_as_given(row.benchmark), true));
    names = shortened_apart(names, markdown::kLongestName, true);
    for (std::size_t i = 0; i < names.size(); ++i) names_.emplace(comparison.rows[i].benchmark, std::move(names[i]));
  }
  const std::string& of(const std::string& benchmark) const { return names_.at(benchmark); }

 private:
  std::map<std::string, std::string> names_;
};

std::string table_row(const ComparisonRow& row, const MarkdownNames& names) {
  const bool is_changed = is_change(row.verdict);
  const std::string change = row.ratio ? change_text(*row.ratio) : "";
  std::string text = "| " + std::string(mark_of(row.verdict).unicode) + " " + std::string(to_text(row.verdict));
  text += " | " + code(names.of(row.benchmark), true) + " | " + words(metric_label(row.metric));
  const auto [baseline, candidate] = side_levels(row);
  text += " | " + baseline + " | " + candidate;
  text += " | " + (is_changed && !change.empty() ? "**" + change + "**" : change);
  text += " | " + words(interval_cell(row));
  text += " | " + (row.minimum_detectable_effect ? detectable_text(*row.minimum_detectable_effect) : "");
  text += " | " + (row.q ? p_value_text(*row.q) : "") + " |\n";
  return text;
}

const std::string kFunctionHead =
    "| function | self | with callees | where | what happened |\n"
    "|---|---:|---:|---|---|\n";
// The culprit and what stands next to it; the others are folded.
constexpr std::size_t kShownFunctions = 4;

std::string function_row(const FunctionLine& line, bool is_first) {
  const std::string inclusive = is_first ? "**" + line.inclusive + "**" : line.inclusive;
  return "| " + code(line.name, true) + " | " + unbroken(line.self) + " | " + unbroken(inclusive) + " | " +
         code(line.place, true) + " | " + words(line.what) + " |\n";
}

std::string call_path(const ComparisonRow& row) {
  constexpr std::size_t kMinNames = 3;
  const std::vector<std::string> names = call_path_names(row);
  if (names.size() < kMinNames) return "";
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "\nThrough " : " \u2192 ") + code(name, false);
  return text + "\n";
}

std::string function_table(const RowIndex& index, const ComparisonRow& row) {
  const std::vector<FunctionLine> lines = function_lines(index, row);
  // A fold for a single row would be longer than the row.
  const std::size_t shown = lines.size() <= kShownFunctions + 1 ? lines.size() : kShownFunctions;
  std::string text = "\n" + kFunctionHead;
  std::string folded;
  for (std::size_t i = 0; i < lines.size(); ++i) (i < shown ? text : folded) += function_row(lines[i], i == 0);
  text += call_path(row);
  if (folded.empty()) return text;
  return text + "\n<details><summary>" + plural_text(lines.size() - shown, "more function") + "</summary>\n\n" +
         kFunctionHead + folded + "\n</details>\n";
}

// What stands below the table for the rows of one group; empty for most.
std::string behind(const Comparison& comparison, const RowIndex& index, const RowGroup& group,
                   const MarkdownNames& names, std::set<std::string>& told) {
  std::string text;
  const std::string story = told.insert(group.benchmark).second ? combined_explanation(index, group.benchmark) : "";
  if (!story.empty()) text += words(story) + "\n";
  const bool is_changed = is_change(group.verdict);
  for (const std::string& note : solo_notes(group.rows)) text += (text.empty() ? "" : "\n") + words(note) + "\n";
  if (is_changed) {
    for (const std::string& note : code_layout_notes(group.rows))
      text += (text.empty() ? "" : "\n") + words(note) + "\n";
  }
  for (const std::string& note : gate_notes(group.rows)) text += (text.empty() ? "" : "\n") + words(note) + "\n";
  if (group.verdict != Verdict::unchanged && group.verdict != Verdict::fresh) {
    for (const std::string& note : policy_notes(comparison, group.rows)) {
      text += (text.empty() ? "" : "\n") + words(note) + "\n";
    }
  }
  const auto row =
      std::find_if(group.rows.begin(), group.rows.end(), [](const auto* r) { return !r->functions.empty(); });
  if (is_changed && row != group.rows.end()) text += function_table(index, **row);
  return text.empty() ? "" : "\n" + code(names.of(group.benchmark), false) + ": " + text;
}

// Whom a reason is about, and the reason.
std::string reasons(const SharedReason& shared, const MarkdownNames& names) {
  if (shared.texts.empty()) return "";
  constexpr std::size_t kMaxNamed = 8;
  std::string text = "\n" + some_joined(shared.groups, kMaxNamed, ", ", " and ",
                                        [&](const RowGroup& group) { return code(names.of(group.benchmark), false); });
  for (std::size_t i = 0; i < shared.texts.size(); ++i) {
    text += (i == 0 ? ": " : "") + words(shared.texts[i]) + "\n";
  }
  return text;
}

std::string side(const RunHeader& header) {
  std::string text;
  if (!header.commit.sha.empty()) text = code(shown_sha(header.commit.sha) + (header.commit.dirty ? "+" : ""), false);
  const std::string& about = header.commit.subject.empty() ? header.program : header.commit.subject;
  if (!about.empty()) text += (text.empty() ? "" : " ") + words(about);
  return text.empty() ? "run " + code(header.id.substr(0, 12), false) : text;
}

// "Cannot tell: ..." in place of the counts of rows, which follow with what would decide them.
std::string title(const Comparison& comparison, const std::string& promised, SidesFrom from) {
  const std::string counts = summary_line(comparison) + counted_text(comparison);
  const std::optional<NoChangeAnswer> doubtful = doubtful_answer(comparison);
  if (!doubtful) return "Performance: " + counts + promised + "\n\n";
  std::string text = words(doubtful->text) + promised + "\n\n" + counts;
  if (const std::optional<NextStep> step = deciding_step(comparison, from, ReadAt::comment)) {
    text += "; " + words(step->advice) + (step->command.empty() ? "" : ": " + code(step->command, false));
  }
  return text + "\n\n";
}

std::string head(const Comparison& comparison, const TargetReport& targets, const Surroundings& size, SidesFrom from) {
  const Verdict worst = headline_verdict(comparison);
  const bool any_missed = targets.count_by_verdict().at(static_cast<std::size_t>(TargetVerdict::missed)) > 0;
  const std::string promised = target_summary(targets);
  return "### " + std::string(mark_of(any_missed ? Verdict::regression : worst).unicode) + " " +
         title(comparison, promised.empty() ? "" : "; " + promised, from) + side(comparison.baseline) + " \u2192 " +
         side(comparison.candidate) + "\n\n" + markdown_targets(targets, size.targets);
}

void add_list(std::string& text, const std::string& title, const std::vector<std::string>& lines, std::size_t most) {
  if (lines.empty()) return;
  text += "\n**" + title + "**\n\n";
  for (std::size_t i = 0; i < std::min(lines.size(), most); ++i) text += "- " + words(lines[i]) + "\n";
  if (lines.size() > most) text += "- and " + std::to_string(lines.size() - most) + " more\n";
}

void add_steps(std::string& text, const std::vector<NextStep>& steps, std::size_t most) {
  if (steps.empty()) return;
  text += "\n**Next**\n\n";
  for (std::size_t i = 0; i < std::min(steps.size(), most); ++i) {
    const NextStep& step = steps[i];
    text += "- " + words(step.advice) + (step.command.empty() ? "" : ": " + code(step.command, false)) + "\n";
  }
}

bool has_detectable(const Comparison& comparison) {
  return std::any_of(comparison.rows.begin(), comparison.rows.end(),
                     [](const ComparisonRow& row) { return row.minimum_detectable_effect.has_value(); });
}

std::string foot(const Comparison& comparison, const Surroundings& size, SidesFrom from) {
  std::string text;
  add_steps(text, next_steps(comparison, from, ReadAt::comment), size.steps);
  add_list(text, "Warnings", warning_lines(comparison), size.facts);
  add_list(text, "The environments differ", environment_lines(comparison), size.facts);
  text += "\n<sub>";
  for (const std::string& line :
       {promise_line(comparison), margin_line(comparison), gate_line(comparison), measured_sentence(comparison)}) {
    if (!line.empty()) text += (text.ends_with('>') ? "" : " ") + words(line);
  }
  if (const std::string levels = levels_line(comparison); !levels.empty()) text += " " + words(levels) + ".";
  if (!size.has_rest) return text + "</sub>\n";
  if (const std::string policy = policy_line(comparison); !policy.empty()) text += " " + words(policy) + ".";
  if (const std::string drift = drift_line(comparison); !drift.empty()) text += " " + words(drift) + ".";
  if (size.has_detectable && has_detectable(comparison))
    text += " Detectable: the smallest change that 4 of 5 such measurements would find.";
  if (const std::string equal = equality_line(comparison); !equal.empty()) text += " " + words(equal) + ".";
  text += "</sub>\n";
  return text;
}

std::string sentence(const ToldFinding& told) {
  const std::string mark = mark_of(told.kind).unicode;
  // A "+" there would begin a list of its own.
  std::string text = "- " + (mark == "+" ? "\\+" : mark) + " **" + std::string(to_text(told.kind)) + "** ";
  text += code(told.words.subject, false) + words(told.words.text);
  if (!told.words.worst.empty()) text += ", worst " + code(told.words.worst, false);
  return text + "\n";
}

// The sentences alone, at most a fifth of the report; the rows have what is behind them.
std::string all_findings(const Comparison& comparison) {
  const std::vector<Finding> findings = findings_of(comparison);
  const std::vector<ToldFinding> told = told_findings(comparison, findings);
  std::string text;
  for (std::size_t i = 0; i < told.size(); ++i) {
    if (!told[i].finding) continue;
    const std::string line = sentence(told[i]);
    if (text.size() + line.size() > kMaxCharacters / 5) return text + "- " + words(excluded_text(told, i)) + "\n\n";
    text += line;
  }
  return text.empty() ? text : text + "\n";
}

// Every row that fits.
std::string whole_report(const Comparison& comparison, const TargetReport& targets, SidesFrom from) {
  const std::string begin = head(comparison, targets, {}, from) + all_findings(comparison);
  const std::string end = foot(comparison, {}, from);
  // Kept free for the fold around the unchanged rows and the count of what was dropped.
  constexpr std::size_t kFrame = 600;
  const std::size_t room = kMaxCharacters - std::min(kMaxCharacters, begin.size() + end.size() + kFrame);
  std::string table;
  std::string below;
  std::string folded;
  std::string folded_below;
  std::size_t folded_rows = 0;
  std::size_t dropped = 0;
  std::set<std::string> told;
  const RowIndex index(comparison);
  const MarkdownNames names(comparison);
  for (const SharedReason& shared : groups_by_reason(comparison)) {
    const std::string reason = reasons(shared, names);
    bool any_fits = false;
    for (const RowGroup& group : shared.groups) {
      std::string lines;
      for (const ComparisonRow* row : group.rows) lines += table_row(*row, names);
      const std::string notes = behind(comparison, index, group, names, told);
      const std::size_t used = table.size() + below.size() + folded.size() + folded_below.size();
      // Once something did not fit nothing better may follow it, or the count would hide a worse row.
      if (dropped > 0 || used + lines.size() + notes.size() + (any_fits ? 0 : reason.size()) > room) {
        dropped += group.rows.size();
      } else if (group.verdict == Verdict::unchanged) {
        folded += lines;
        folded_rows += group.rows.size();
        if (!any_fits) folded_below += reason;
        any_fits = true;
      } else {
        table += lines;
        below += notes + (any_fits ? "" : reason);
        any_fits = true;
      }
    }
  }
  std::string text = begin;
  if (!table.empty()) text += kTableHead + table;
  text += below;
  if (!folded.empty()) {
    text += "\n<details><summary>" + plural_text(folded_rows, "row") + " unchanged</summary>\n\n" + kTableHead +
            folded + folded_below + "\n</details>\n";
  }
  if (dropped > 0) {
    text += "\n" + grouped_text(dropped) +
            " more rows, none worse than these, do not fit here; the JSON report has them all.\n";
  }
  return text + end;
}

// What is cut off on a narrow screen stands last.
const std::string kLineHead = "| | benchmark | metric | change | interval | level |";

// "812 \u2192 871 ns": the unit once where both have it.
std::string levels_of(const ComparisonRow& row) {
  auto [baseline, candidate] = side_levels(row);
  if (baseline.empty() || candidate.empty()) return unbroken(baseline + candidate);
  const std::size_t unit = candidate.rfind(' ');
  if (unit != candidate.npos && baseline.ends_with(candidate.substr(unit))) {
    baseline.resize(baseline.size() - (candidate.size() - unit));
  }
  return unbroken(baseline + " \u2192 " + candidate);
}

// A line a benchmark.
std::string line_of(const ComparisonRow& row, const BenchmarkLines& lines, const MarkdownNames& names) {
  const bool is_changed = is_change(row.verdict);
  const std::string change = row.ratio ? change_text(*row.ratio) : "";
  std::string text = "| " + std::string(mark_of(row.verdict).unicode) + " | " + code(names.of(row.benchmark), true) +
                     " | " + words(metric_label(row.metric)) + " | ";
  text += unbroken(is_changed && !change.empty() ? "**" + change + "**" : change);
  // What stands behind the range, of its margin, may have a line of its own.
  const std::string interval = words(interval_cell(row));
  const std::size_t end = interval.find(']');
  const std::size_t range = end == interval.npos ? 0 : std::min(interval.find(", margin", end), interval.size());
  text += " | " + unbroken(interval.substr(0, range)) + interval.substr(range) + " | " + levels_of(row);
  if (!lines.others_title.empty()) text += " | " + words(lines.others_text(row));
  return text + " |\n";
}

// What happened, and as many benchmarks as fit, what did not change folded away.
class BriefMarkdown {
 public:
  BriefMarkdown(const Comparison& comparison, const TargetReport& targets, SidesFrom from)
      : comparison_(comparison),
        targets_(targets),
        from_(from),
        index_(comparison),
        names_(comparison),
        lines_(benchmark_lines(comparison)) {}

  std::string write() const {
    std::string begin, end;
    // Less of what stands around where it is long: two fifths of the report at most, where that can be.
    constexpr std::array kSizes{Surroundings{20, 5, 8, true, false}, Surroundings{10, 3, 5, true, false},
                                Surroundings{4, 2, 4, false, false}, Surroundings{2, 1, 2, false, false},
                                Surroundings{0, 0, 1, false, false}};
    for (const Surroundings& size : kSizes) {
      begin = head(comparison_, targets_, size, from_);
      end = foot(comparison_, size, from_);
      if (begin.size() + end.size() <= kBriefMarkdownBytes * 2 / 5) break;
    }
    constexpr std::size_t kFrame = 300;  // of the folds, and what is said of what was cut
    const std::size_t used = begin.size() + end.size() + kFrame;
    std::size_t room = kBriefMarkdownBytes - std::min(kBriefMarkdownBytes, used);
    const std::string told = findings(room * 3 / 5);
    room -= std::min(room, told.size());
    return begin + told + table(room) + end;
  }

 private:
  // The sentences of as many as fit, and as far as there is room what is behind them.
  std::string findings(std::size_t room) const {
    const std::vector<Finding> found = findings_of(comparison_);
    const std::vector<ToldFinding> told = told_findings(comparison_, found);
    constexpr std::size_t kRest = 300;
    constexpr std::size_t kBehindTheFirst = 1200;
    std::vector<std::string> sentences;
    std::size_t needed = kRest;
    std::size_t shown = 0;
    for (; shown < told.size(); ++shown) {
      sentences.push_back(sentence(told[shown]));
      const std::size_t kept = shown == 0 ? 0 : std::min(kBehindTheFirst, room / 2);
      if (needed + kept + sentences.back().size() > room) break;
      needed += sentences.back().size();
    }
    std::string text;
    for (std::size_t i = 0; i < shown; ++i) {
      text += sentences[i];
      const std::string more = told[i].finding ? behind_finding(*told[i].finding, i == 0) : "";
      if (needed + more.size() > room) continue;
      needed += more.size();
      text += more;
    }
    if (shown < told.size()) text += "- " + words(excluded_text(told, shown)) + "; `--details` shows them\n";
    return text.empty() ? text : text + "\n";
  }

  std::string behind_finding(const Finding& finding, bool is_first) const {
    std::string text;
    for (const std::string& note : finding_notes(comparison_, index_, finding)) text += "  - " + words(note) + "\n";
    if (!finding.explained) return text;
    const std::string table = function_table(index_, *finding.explained);
    const bool is_one = finding.benchmarks.size() == 1;
    const std::string whose = is_one ? "" : "\nin " + code(names_.of(finding.explained->benchmark), false) + "\n";
    if (is_first) return text + whose + table + "\n";
    return text + "\n<details><summary>functions</summary>\n" + whose + table + "\n</details>\n\n";
  }

  std::string table_of(const std::vector<const ComparisonRow*>& rows) const {
    if (rows.empty()) return "";
    const bool has_others = !lines_.others_title.empty();
    std::string text = kLineHead + (has_others ? " " + words(lines_.others_title) + " |" : "") + "\n";
    text += std::string("|---|---|---|---:|---:|---:|") + (has_others ? "---|" : "") + "\n";
    for (const ComparisonRow* row : rows) text += line_of(*row, lines_, names_);
    return text;
  }

  std::string text_of(const ChosenLines& chosen) const {
    std::vector<const ComparisonRow*> changed, unchanged;
    for (const ComparisonRow* row : chosen.shown) {
      (row->verdict == Verdict::unchanged ? unchanged : changed).push_back(row);
    }
    std::string text = table_of(changed);
    if (!unchanged.empty()) {
      text += "\n<details><summary>" + plural_text(unchanged.size(), "benchmark") + " unchanged</summary>\n\n" +
              table_of(unchanged) + "\n</details>\n";
    }
    if (!chosen.hidden.empty()) {
      text += "\nand " + words(hidden_lines_text(chosen.hidden)) + "; `--details` shows them\n";
    }
    return text;
  }

  // The most lines that fit, found by halving: with more lines the text is longer.
  std::string table(std::size_t room) const {
    std::size_t fits = 0;
    std::size_t too_many = lines_.leading.size() + 1;
    while (fits + 1 < too_many) {
      const std::size_t middle = fits + (too_many - fits) / 2;
      (text_of(chosen_lines(lines_, middle)).size() <= room ? fits : too_many) = middle;
    }
    return lines_.leading.empty() ? "" : text_of(chosen_lines(lines_, fits));
  }

  const Comparison& comparison_;
  const TargetReport& targets_;
  SidesFrom from_;
  RowIndex index_;
  MarkdownNames names_;
  BenchmarkLines lines_;
};

}  // namespace

std::string markdown_report(const Comparison& comparison, const TargetReport& targets, Extent extent, SidesFrom from) {
  return extent == Extent::brief ? BriefMarkdown(comparison, targets, from).write()
                                 : whole_report(comparison, targets, from);
}

}  // namespace steelyard::ci
