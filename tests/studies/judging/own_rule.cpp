#include <cstdio>
#include <cstdlib>

#include "regress/ab/sequential.hpp"
#include "regress/compare_runs.hpp"
#include "tests/studies/judging/rule.hpp"

namespace steelyard::judging {
namespace {

constexpr double kNominal = 0.05;

// A row that is not there would be scored as "no change found": the worst mistake a scorer can make.
[[noreturn]] void stop(const std::string& why) {
  std::fprintf(stderr, "scoring: %s\n", why.c_str());
  std::exit(70);
}

std::vector<Finding> judge(const Window& window, const OwnRuleOptions& options) {
  auto [baseline, candidate] = to_runs(window, options.with_order);
  if (!options.looks_setting.empty()) {
    baseline.header.settings[std::string(kLooksSetting)] = options.looks_setting;
    candidate.header.settings[std::string(kLooksSetting)] = options.looks_setting;
  }
  ComparisonPolicy policy;
  policy.false_alarm_rate = options.false_alarm_rate;
  const Comparison comparison =
      regress::compare_runs(baseline, candidate, policy, nullptr, options.rules, options.memory).comparison;
  std::vector<Finding> findings;
  for (const BenchmarkWindow& benchmark : window.benchmarks) {
    const ComparisonRow* found = nullptr;
    for (const ComparisonRow& row : comparison.rows) {
      if (row.benchmark == benchmark.name) found = &row;
    }
    if (found == nullptr) stop("the comparison has no row for " + benchmark.name);
    if (!found->ratio) stop(benchmark.name + " has no ratio: it is " + std::string(to_text(found->verdict)));
    Finding finding;
    finding.p = found->p;
    finding.interval = found->interval;
    finding.verdict = found->verdict;
    if (found->p && *found->p <= kNominal) finding.says = *found->ratio > 1 ? 1 : -1;
    findings.push_back(finding);
  }
  return findings;
}

}  // namespace

Rule own_rule(const OwnRuleOptions& options) {
  return {options.with_order ? "steelyard" : "steelyard, order unknown",
          [options](const Window& window) { return judge(window, options); }};
}

bool calls_change(const Finding& finding) { return finding.verdict && is_change(*finding.verdict); }

}  // namespace steelyard::judging
