// A comparison for the places of a CI service other than a page of text: notes at the lines that attribution names, and
// the files that services read themselves. All are bounded, worst first, and hold names from strangers' code as plain
// text. Pure: values in, text out.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/comparison.hpp"

namespace steelyard::ci {

// A note at a line of the candidate's source.
struct Annotation {
  enum class Level { failure, warning, notice };  // fails the gate, is reported and does not, got better
  std::string path;                               // below the repository's root, in '/'
  int line = 1;
  Level level = Level::notice;
  std::string title;    // plain text in one line
  std::string message;  // plain text
  // Of a regression all of which somebody accepted: by whom and why; empty: nobody did.
  std::string accepted = {};
  bool operator==(const Annotation&) const = default;
};
// As GitHub calls them.
constexpr std::string_view to_text(Annotation::Level level) {
  constexpr std::array<std::string_view, 3> kWords{"failure", "warning", "notice"};
  return kWords.at(static_cast<std::size_t>(level));
}

// What changed, at the culprit and at the functions of the project's own that changed the same way; one a line of
// source and finding, failures first. Functions outside of the project, and those whose line nobody knows, have none.
inline constexpr std::size_t kMaxAnnotations = 100;
std::vector<Annotation> annotations_of(const Comparison& comparison);

// Changes that no line can be named for, and what was to be judged and was not; path and line are those of no file.
// Failures first, at most kMaxAnnotations.
std::vector<Annotation> findings_without_line(const Comparison& comparison);

// An identity that the next commit's same finding has, too: a hash of its place and title, without line and figures.
std::string identity_of(const Annotation& annotation);

// JUnit XML, a case for each row: a regression that gates is a failure; what was to be judged and was not an error;
// inconclusive and skipped rows are skipped. `suite` names what was measured.
inline constexpr std::size_t kMaxTestCases = 5000;
std::string junit_report(const Comparison& comparison, const std::string& suite);
// Of a gate that ended before it compared anything: one case, which is an error. `error`: its lines; empty: unknown.
std::string junit_report_of_nothing(const std::string& suite, const std::string& why, const std::string& error = "");

// OpenMetrics 1.0: baseline, candidate and ratio of each row, in the metric's unit.
inline constexpr std::size_t kMaxMetricRows = 2000;
std::string open_metrics_report(const Comparison& comparison);
std::string open_metrics_label(std::string_view name, std::string_view text);  // name="text"

}  // namespace steelyard::ci
