// Targets as a part of a comment of a pull request: what is missed or undecided with its reason, the rest folded away.
#include "ci/report/markdown_text.hpp"
#include "ci/report/number_text.hpp"
#include "ci/report/target_report.hpp"
#include "regress/targets/target_wording.hpp"

namespace steelyard {
namespace {

constexpr std::size_t kMostRows = 60;  // with a name and a reason each, a quarter of what a comment may hold
const std::string kHead = "| | benchmark | target | found |\n|---|---|---|---|\n";

const char* mark_of_target(TargetVerdict verdict) {
  switch (verdict) {
    case TargetVerdict::met:
      return "\u2713";
    case TargetVerdict::missed:
      return "\u2717";
    case TargetVerdict::undecided:
      return "?";
  }
  return "";
}

// The share with its ceiling is in the reason; here also the rate itself, and what keeps it from being more.
std::string found_text(const TargetRow& row) {
  std::string text = row.reason;
  if (row.achieved && row.target.of != Target::Of::rate) text += "; " + rate_text(*row.achieved, row.metric);
  if (!row.bound.empty()) text += "; bound by " + row.bound;
  return text;
}

std::string row_text(const TargetRow& row) {
  return std::string("| ") + mark_of_target(row.verdict) + ' ' + std::string(to_text(row.verdict)) + " | " +
         markdown::code(row.benchmark, true) + " | " + markdown::words(row.target.text) + " | " +
         markdown::words(found_text(row)) + " |\n";
}

}  // namespace

std::string markdown_targets(const TargetReport& report) {
  std::string open;
  std::string met;
  std::size_t rows = 0;
  for (const TargetRow& row : report.targets) {
    if (++rows > kMostRows) break;
    (row.verdict == TargetVerdict::met ? met : open) += row_text(row);
  }
  if (rows == 0) return "";
  std::string text = "**Targets**: " + target_summary(report) + "\n\n";
  if (!open.empty()) text += kHead + open + "\n";
  const std::int64_t count = report.count_by_verdict().at(static_cast<std::size_t>(TargetVerdict::met));
  if (!met.empty()) {
    text += "<details><summary>" + grouped_text(count) + " met</summary>\n\n" + kHead + met + "\n</details>\n\n";
  }
  if (report.targets.size() > kMostRows) {
    text += grouped_text(static_cast<std::int64_t>(report.targets.size() - kMostRows)) +
            " more targets do not fit here; the JSON report has them all.\n\n";
  }
  return text;
}

}  // namespace steelyard
