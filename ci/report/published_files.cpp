#include "ci/report/published_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/model/number_text.hpp"
#include "bench/model/run.hpp"
#include "bench/model/text.hpp"
#include "ci/report/charts/svg_picture.hpp"
#include "ci/report/comparison_text.hpp"
#include "ci/report/ended_gate.hpp"
#include "ci/report/headline.hpp"
#include "ci/report/markup.hpp"

namespace steelyard::ci {

std::string headline_of(const Comparison* comparison, int status) {
  if (comparison == nullptr) return "not judged: " + words_of_nothing(status);
  const std::optional<NoChangeAnswer> doubtful = doubtful_answer(*comparison);
  const std::string rows = doubtful ? doubtful->text : summary_line(*comparison);
  if (status == 0 || (status == 1 && any_regression_gates(*comparison)))
    return rows.empty() ? std::string(status_words(status)) : rows;
  return std::string(status_words(status)) + (rows.empty() ? "" : ": " + rows);
}

std::string headline_of_strangers_nothing(int status) {
  constexpr int kNothingJudged = 2;
  return status == kNothingJudged ? "not judged: the run left no archives" : headline_of(nullptr, status);
}

namespace {

constexpr const char* kSchema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
constexpr std::size_t kLongestFileKey = 40;  // columns, as shown

std::string shown_key(const Publication& publication) {
  return shortened(printable_line(publication.key, true), kLongestFileKey, true);
}

struct SarifRule {
  const char* id;
  const char* name;
  const char* short_text;
  const char* full_text;
  const char* level;
};
enum RuleIndex : std::size_t { kRegressionRule, kImprovementRule };
constexpr std::array<SarifRule, 2> kRules{
    {{"performance-regression", "PerformanceRegression", "A benchmark got slower, or does more work.",
      "Measured against the baseline, the function at this line answers for the change, or has a part in it. An error "
      "fails the gate; a warning is reported and does not.",
      "error"},
     {"performance-improvement", "PerformanceImprovement", "A benchmark got faster, or does less work.",
      "Measured against the baseline, the function at this line answers for the change, or has a part in it. It is no "
      "problem.",
      "none"}}};

Json sarif_text(const std::string& text) { return {{"text", text}}; }

Json sarif_rules() {
  Json rules = Json::array();
  for (const SarifRule& rule : kRules) {
    rules.push_back({{"id", rule.id},
                     {"name", rule.name},
                     {"shortDescription", sarif_text(rule.short_text)},
                     {"fullDescription", sarif_text(rule.full_text)},
                     {"help", sarif_text(rule.full_text)},
                     {"defaultConfiguration", {{"level", rule.level}}}});
  }
  return rules;
}

// A path as a reference (RFC 3986, 4.2): a colon in its first segment would else be a scheme's.
std::string path_reference(const std::string& path) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
  std::string reference;
  for (const char c : path) {
    reference += kPlain.find(c) != std::string_view::npos ? std::string(1, c)
                                                          : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return reference;
}

// All results have the member, or none may (3.27.23): that of what nobody accepted is empty.
Json sarif_suppressions(const Annotation& note) {
  if (note.accepted.empty()) return Json::array();
  return Json::array({{{"kind", "external"}, {"status", "accepted"}, {"justification", note.accepted}}});
}

Json sarif_result(const Annotation& note) {
  const bool is_problem = note.level != Annotation::Level::notice;
  const std::size_t rule = is_problem ? kRegressionRule : kImprovementRule;
  const char* level = note.level == Annotation::Level::failure ? "error" : is_problem ? "warning" : "none";
  const Json place{{"artifactLocation", {{"uri", path_reference(note.path)}, {"uriBaseId", "%SRCROOT%"}}},
                   {"region", {{"startLine", note.line}}}};
  return {{"ruleId", kRules.at(rule).id},
          {"ruleIndex", rule},
          {"kind", is_problem ? "fail" : "informational"},
          {"level", level},
          {"message", sarif_text(note.title + ". " + note.message)},
          {"locations", Json::array({{{"physicalLocation", place}}})},
          {"suppressions", sarif_suppressions(note)},
          {"partialFingerprints", {{"steelyardFinding/v1", identity_of(note)}}}};
}

Json sarif_notification(const char* level, const std::string& text) {
  return {{"level", level}, {"message", sarif_text(text)}};
}

// What came out in all, and what no line can be named for.
Json sarif_notifications(const Comparison* comparison, const Publication& publication) {
  Json all = Json::array();
  all.push_back(sarif_notification(comparison == nullptr ? "error" : "note", publication.headline));
  if (comparison == nullptr) return all;
  for (const Annotation& finding : findings_without_line(*comparison)) {
    const char* level = finding.level == Annotation::Level::failure   ? "error"
                        : finding.level == Annotation::Level::warning ? "warning"
                                                                      : "note";
    all.push_back(sarif_notification(level, finding.title + ". " + finding.message));
  }
  return all;
}

// Whether all that should have been judged was: neither a regression nor a store that is away takes from it.
bool is_judged(const Comparison* comparison, int status) {
  return comparison != nullptr && (status == 0 || status == 1 || status == 5);
}

}  // namespace

std::string sarif_report(const Comparison* comparison, const Publication& publication) {
  const std::string tool = kToolName;
  Json results = Json::array();
  for (const Annotation& note : publication.annotations) results.push_back(sarif_result(note));
  const Json invocation{{"executionSuccessful", is_judged(comparison, publication.status)},
                        {"exitCode", publication.status},
                        {"exitCodeDescription", status_words(publication.status)},
                        {"toolExecutionNotifications", sarif_notifications(comparison, publication)}};
  const Json driver{{"name", "Steelyard"}, {"version", tool.substr(tool.rfind(' ') + 1)}, {"rules", sarif_rules()}};
  const Json run{{"tool", {{"driver", driver}}},
                 {"automationDetails", {{"id", "steelyard/" + shown_key(publication) + "/"}}},
                 {"invocations", Json::array({invocation})},
                 {"results", std::move(results)}};
  return json_document(Json{{"$schema", kSchema}, {"version", "2.1.0"}, {"runs", Json::array({run})}});
}

std::string code_quality_report(const std::vector<Annotation>& annotations) {
  Json issues = Json::array();
  for (const Annotation& one : annotations) {
    const char* severity = one.level == Annotation::Level::failure   ? "major"
                           : one.level == Annotation::Level::warning ? "minor"
                                                                     : "info";
    issues.push_back({{"description", one.title + ". " + one.message},
                      {"check_name", "steelyard"},
                      {"fingerprint", identity_of(one)},
                      {"severity", severity},
                      {"location", {{"path", one.path}, {"lines", {{"begin", one.line}}}}}});
  }
  return json_document(issues);
}

namespace {

constexpr const char* kBadgeStyle =
    ".back{fill:#24292f}.good{fill:#1a7f37}.bad{fill:#cf222e}.open{fill:#57606a}"
    ".key,.outcome{font:11px Verdana,'DejaVu Sans',sans-serif;fill:#fff}";
constexpr double kBadgeHeight = 20;
constexpr double kColumnWidth = 6.8;  // of that font's letters on average; the text is set to it whatever the font
constexpr double kBadgePadding = 7;

struct BadgeOutcome {
  std::string text;
  const char* style;
};

BadgeOutcome badge_outcome(const Comparison* comparison, int status) {
  if (!is_judged(comparison, status) || comparison->rows.empty()) return {"not judged", "open"};
  const bool any_fails = any_regression_gates(*comparison);
  if (status == 1) return {any_fails ? "regressed" : "target missed", "bad"};
  // What failed and fails nothing is nobody's trouble; of regressions it is said that they are told only.
  const auto count = [comparison](Verdict verdict) {
    return std::ranges::count_if(comparison->rows, [verdict](const ComparisonRow& row) {
      return row.verdict == verdict && (verdict != Verdict::failed || !is_told_only(row));
    });
  };
  const auto found = std::ranges::find_if(kWorstFirst, [&count](Verdict verdict) { return count(verdict) > 0; });
  const Verdict worst = found == kWorstFirst.end() ? Verdict::unchanged : *found;
  if (worst == Verdict::unchanged || worst == Verdict::improvement || worst == Verdict::fresh) {
    return {"nothing regressed", "good"};
  }
  std::string text = fmt::format("{} of {} {}", count(worst), comparison->rows.size(), to_text(worst));
  // A status of another policy than the rows', as after a change that is meant.
  if (worst == Verdict::regression) text += any_fails ? ", passed" : ", told only";
  return {std::move(text), "open"};
}

void badge_part(SvgPicture& picture, double left, const char* style, const std::string& text) {
  const double width = kColumnWidth * static_cast<double>(columns_of(text));
  picture.words(left + kBadgePadding, 14, style, text, fmt::format(" textLength=\"{:.1f}\"", width));
}

double badge_part_width(const std::string& text) {
  return 2 * kBadgePadding + kColumnWidth * static_cast<double>(columns_of(text));
}

}  // namespace

std::string badge_svg(const Comparison* comparison, const Publication& publication) {
  const std::string key = shown_key(publication);
  BadgeOutcome outcome = badge_outcome(comparison, publication.status);
  if (comparison != nullptr) {
    const RunHeader& candidate = comparison->candidate;
    if (candidate.created_at_unix_ns > 0)
      outcome.text += ", " + date_text(candidate.created_at_unix_ns / 1'000'000'000);
    if (!candidate.commit.sha.empty()) {
      outcome.text +=
          ", " + printable_line(shown_sha(candidate.commit.sha), true) + (candidate.commit.dirty ? "+" : "");
    }
  }
  const double left = badge_part_width(key);
  const double right = badge_part_width(outcome.text);
  const std::string description = shortened(printable_line(publication.headline, true), 300, true);
  SvgPicture picture({left + right, kBadgeHeight, key + ": " + outcome.text, description, kBadgeStyle});
  picture.add(fmt::format("<rect x=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.0f}\" class=\"{}\"/>\n", left, right,
                          kBadgeHeight, outcome.style));
  badge_part(picture, 0, "key", key);
  badge_part(picture, left, "outcome", outcome.text);
  return std::move(picture).finish();
}

}  // namespace steelyard::ci
