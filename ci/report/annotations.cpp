#include "ci/report/annotations.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <sstream>
#include <tuple>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/number_text.hpp"
#include "bench/model/sha256.hpp"
#include "bench/model/text.hpp"
#include "ci/attribution/own_source.hpp"
#include "ci/report/comparison_text.hpp"
#include "ci/report/findings.hpp"
#include "ci/report/markup.hpp"
#include "ci/report/reason_text.hpp"
#include "regress/policy/pattern_policy.hpp"

namespace steelyard::ci {
namespace {

constexpr std::size_t kLongestPath = 500;         // bytes
constexpr std::size_t kLongestNoteTitle = 200;    // columns; GitHub takes 255 characters
constexpr std::size_t kLongestAnnotation = 2000;  // columns; GitHub takes 64 KiB
constexpr double kMinAnnotatedShare = 0.1;        // of the benchmark's change, of a function that is no culprit
constexpr std::size_t kMaxNotedFunctions = 3;     // of a finding
constexpr std::size_t kLongestSaid = 600;         // columns
constexpr std::size_t kMaxErrorLines = 60;        // a build's error has its last 40

std::string plain_text(const std::string& text, std::size_t columns) {
  return shortened(printable_line(text, true), columns, true);
}

// Whether a service can find the file: below the root, without detours. What a run says of paths may be a stranger's.
bool is_path_below_root(const std::string& path) {
  if (path.empty() || path.size() > kLongestPath || path.front() == '/' || path == "???") return false;
  if (path.find('\\') != std::string::npos || printable_line(path, true) != path) return false;
  return ("/" + path + "/").find("/../") == std::string::npos;
}

Annotation::Level level_of(const Finding& finding) {
  if (finding.kind == Verdict::improvement) return Annotation::Level::notice;
  return finding.gates ? Annotation::Level::failure : Annotation::Level::warning;
}

std::string message_of(const Comparison& comparison, const RowIndex& index, const Finding& finding) {
  std::string message = finding_line(finding);
  for (const std::string& note : finding_notes(comparison, index, finding)) message += "; " + note;
  return plain_text(message, kLongestAnnotation);
}

std::string title_of(const Finding& finding, const std::string& what) {
  return plain_text(std::string(to_text(finding.kind)) + ": " + what, kLongestNoteTitle);
}

// What is said of its rows, each thing once, where each is of a benchmark whose changes somebody accepted.
std::string acceptance_of(const ComparisonPolicy& policy, const Finding& finding) {
  if (finding.kind != Verdict::regression || finding.gates) return "";
  const bool all = std::ranges::all_of(finding.rows, [&policy](const ComparisonRow* row) {
    const PatternPolicy* const table = regress::table_for(policy, row->benchmark, &PatternPolicy::gates);
    return table != nullptr && !table->accepted_by.empty() && !row->gates;
  });
  if (!all) return "";
  std::set<std::string> notes;
  for (const ComparisonRow* row : finding.rows) notes.insert(row->gate_note);
  return plain_text(joined_text(notes, "; "), kLongestAnnotation);
}

// Failures first, as many as there may be.
void order_and_bound(std::vector<Annotation>& annotations) {
  std::stable_sort(annotations.begin(), annotations.end(),
                   [](const Annotation& a, const Annotation& b) { return a.level < b.level; });
  if (annotations.size() > kMaxAnnotations) annotations.resize(kMaxAnnotations);
}

// The functions of a finding that a line can be named for: the culprit, then whoever has a good part of the same
// change.
std::vector<const FunctionChange*> noted_functions(const Finding& finding) {
  std::vector<const FunctionChange*> noted;
  const bool is_growth = finding.kind == Verdict::regression;
  for (const FunctionChange& function : finding.functions()) {
    const bool is_culprit = finding.culprit && noted.empty() && function.name == finding.culprit->name;
    const bool has_part = (function.inclusive_change > 0) == is_growth && function.share >= kMinAnnotatedShare;
    const bool has_place = function.own_source && function.line > 0 && is_path_below_root(function.file);
    if (has_place && (is_culprit || has_part) && noted.size() < kMaxNotedFunctions) noted.push_back(&function);
  }
  return noted;
}

}  // namespace

std::vector<Annotation> annotations_of(const Comparison& comparison) {
  std::vector<Annotation> annotations;
  const RowIndex index(comparison);
  for (const Finding& finding : findings_of(comparison)) {
    if (!is_change(finding.kind)) continue;
    const std::string message = message_of(comparison, index, finding);
    const std::string accepted = acceptance_of(comparison.policy, finding);
    for (const FunctionChange* function : noted_functions(finding)) {
      annotations.push_back({function->file, function->line, level_of(finding),
                             title_of(finding, short_function_name(function->name)), message, accepted});
    }
  }
  order_and_bound(annotations);
  return annotations;
}

std::vector<Annotation> findings_without_line(const Comparison& comparison) {
  std::vector<Annotation> findings;
  const RowIndex index(comparison);
  for (const Finding& finding : findings_of(comparison)) {
    const bool is_unjudged = finding.gates && !is_change(finding.kind);
    const bool has_no_line = is_change(finding.kind) && noted_functions(finding).empty();
    if (!is_unjudged && !has_no_line) continue;
    findings.push_back(
        {"", 0, level_of(finding), title_of(finding, cause_title(finding)), message_of(comparison, index, finding)});
  }
  order_and_bound(findings);
  return findings;
}

std::string identity_of(const Annotation& annotation) { return sha256_hex(annotation.path + '\n' + annotation.title); }

namespace {

std::vector<const ComparisonRow*> rows_worst_first(const Comparison& comparison) {
  std::vector<const ComparisonRow*> rows;
  for (const RowGroup& group : worst_first(comparison)) rows.insert(rows.end(), group.rows.begin(), group.rows.end());
  return rows;
}

enum class CaseOutcome { passed, failed, broken, skipped };

CaseOutcome case_outcome(const ComparisonRow& row) {
  switch (row.verdict) {
    case Verdict::regression:
      return row.gates ? CaseOutcome::failed : CaseOutcome::passed;
    case Verdict::missing:
    case Verdict::incomparable:
    case Verdict::failed:
      return row.gates ? CaseOutcome::broken : CaseOutcome::skipped;
    case Verdict::inconclusive:
    case Verdict::skipped:
      return CaseOutcome::skipped;
    case Verdict::improvement:
    case Verdict::unchanged:
    case Verdict::fresh:
      break;
  }
  return CaseOutcome::passed;
}

std::string xml_attribute(std::string_view name, const std::string& text) {
  return " " + std::string(name) + "=\"" + html::text(text, kLongestSaid) + '"';
}

std::string case_text(const ComparisonRow& row) {
  std::string said = std::string(to_text(row.verdict));
  if (row.ratio) said += " " + change_text(*row.ratio);
  if (!row.reason.empty()) said += ": " + shown_reason(row);
  std::string text = "  <testcase" + xml_attribute("classname", name_as_given(row.benchmark)) +
                     xml_attribute("name", name_as_given(row.benchmark) + " " + metric_label(row.metric));
  const FunctionChange* const culprit = culprit_of(row);
  if (culprit != nullptr && is_path_below_root(culprit->file)) text += xml_attribute("file", culprit->file);
  const std::string message = xml_attribute("message", said);
  switch (case_outcome(row)) {
    case CaseOutcome::failed:
      return text + "><failure" + message + "/></testcase>\n";
    case CaseOutcome::broken:
      return text + "><error" + message + "/></testcase>\n";
    case CaseOutcome::skipped:
      return text + "><skipped" + message + "/></testcase>\n";
    case CaseOutcome::passed:
      break;
  }
  return text + "><system-out>" + html::text(said, kLongestSaid) + "</system-out></testcase>\n";
}

using CaseCounts = std::array<std::size_t, 4>;  // by CaseOutcome

std::string junit_text(const std::string& suite, const CaseCounts& counts, const std::string& cases) {
  const auto count = [&counts](CaseOutcome outcome) {
    return std::to_string(counts.at(static_cast<std::size_t>(outcome)));
  };
  const std::size_t tests = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  const std::string totals = xml_attribute("name", suite) + " tests=\"" + std::to_string(tests) + "\" failures=\"" +
                             count(CaseOutcome::failed) + "\" errors=\"" + count(CaseOutcome::broken) +
                             "\" skipped=\"" + count(CaseOutcome::skipped) + '"';
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n <testsuite" + totals + ">\n" + cases +
         " </testsuite>\n</testsuites>\n";
}

}  // namespace

std::string junit_report(const Comparison& comparison, const std::string& suite) {
  const std::vector<const ComparisonRow*> rows = rows_worst_first(comparison);
  const std::size_t shown = std::min(rows.size(), kMaxTestCases);
  CaseCounts counts{};
  std::string cases;
  for (std::size_t i = 0; i < shown; ++i) {
    ++counts.at(static_cast<std::size_t>(case_outcome(*rows[i])));
    cases += case_text(*rows[i]);
  }
  if (shown < rows.size()) {
    cases += "  <system-out>" + std::to_string(rows.size() - shown) +
             " more rows, none worse than these, are in the comparison</system-out>\n";
  }
  return junit_text(suite, counts, cases);
}

namespace {

// Each line by itself, as html::text() makes one of all.
std::string text_of_lines(const std::string& text) {
  std::string lines;
  std::istringstream stream(text);
  std::size_t count = 0;
  for (std::string line; count < kMaxErrorLines && std::getline(stream, line); ++count) {
    lines += (count == 0 ? "" : "\n") + html::text(line, kLongestSaid);
  }
  return lines;
}

}  // namespace

std::string junit_report_of_nothing(const std::string& suite, const std::string& why, const std::string& error) {
  CaseCounts counts{};
  counts.at(static_cast<std::size_t>(CaseOutcome::broken)) = 1;
  return junit_text(suite, counts,
                    "  <testcase" + xml_attribute("classname", "gate") + xml_attribute("name", "gate") + "><error" +
                        xml_attribute("message", why) + '>' + text_of_lines(error) + "</error></testcase>\n");
}

// Its value is an escaped-string (OpenMetrics 1.0, "ABNF").
std::string open_metrics_label(std::string_view name, std::string_view text) {
  std::string label = std::string(name) + "=\"";
  for (const char c : printable_line(text, true)) {
    if (c == '\\' || c == '"') label += '\\';
    label += c;
  }
  return label + '"';
}

std::string open_metrics_report(const Comparison& comparison) {
  std::vector<const ComparisonRow*> rows = rows_worst_first(comparison);
  if (rows.size() > kMaxMetricRows) rows.resize(kMaxMetricRows);
  using Value = std::optional<double> ComparisonRow::*;
  constexpr std::array<std::tuple<const char*, const char*, Value>, 3> kFamilies{
      {{"steelyard_baseline", "Level of the baseline in the metric's unit.", &ComparisonRow::baseline},
       {"steelyard_candidate", "Level of the candidate in the metric's unit.", &ComparisonRow::candidate},
       {"steelyard_ratio", "Candidate over baseline.", &ComparisonRow::ratio}}};
  std::string text;
  for (const auto& [family, help, value] : kFamilies) {
    text += "# HELP " + std::string(family) + " " + help + "\n# TYPE " + family + " gauge\n";
    std::set<std::string> written;
    for (const ComparisonRow* row : rows) {
      const std::optional<double>& found = row->*value;
      const std::string labels = '{' + open_metrics_label("benchmark", row->benchmark) + ',' +
                                 open_metrics_label("metric", row->metric.name) + ',' +
                                 open_metrics_label("unit", row->metric.unit) + '}';
      // Of two rows that printing made one the worse is told: a series has one value.
      if (!found || !written.insert(labels).second) continue;
      text += std::string(family) + labels + " " + shortest_text(*found) + "\n";
    }
  }
  return text + "# EOF\n";
}

}  // namespace steelyard::ci
