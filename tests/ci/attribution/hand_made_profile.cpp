#include "tests/ci/attribution/hand_made_profile.hpp"

#include <stdexcept>

#include "bench/counting/count.hpp"

namespace steelyard::ci {
namespace {

std::int64_t inclusive_of(const CountedProfile& profile, const std::vector<std::int64_t>& given, std::uint32_t at,
                          int depth) {
  if (given[at] >= 0) return given[at];
  if (depth > 100) throw std::logic_error("a recursive profile needs its inclusive costs given");
  std::int64_t cost = profile.functions[at].self.front();
  for (const CallArc& arc : profile.arcs) {
    if (arc.caller == at) cost += inclusive_of(profile, given, arc.callee, depth + 1);
  }
  return cost;
}

}  // namespace

HandMadeProfile::HandMadeProfile(const std::string& benchmark, std::int64_t iterations) {
  profile_.benchmark = parse_google_benchmark_name(benchmark);
  profile_.iterations = iterations;
  profile_.events = {"Ir"};
  profile_.totals = {0};
}

HandMadeProfile& HandMadeProfile::function(const std::string& name, const std::string& file, std::int64_t self,
                                           const std::string& object, std::int64_t inclusive) {
  ProfiledFunction function;
  function.name = name;
  function.file = file;
  function.object = object;
  function.line = file == "???" ? 0 : static_cast<std::int32_t>(10 + profile_.functions.size());
  function.self = {self};
  profile_.functions.push_back(function);
  profile_.totals[0] += self;
  given_inclusive_.push_back(inclusive);
  return *this;
}

std::uint32_t HandMadeProfile::index_of(const std::string& name) const {
  for (std::uint32_t i = 0; i < profile_.functions.size(); ++i) {
    if (profile_.functions[i].name == name) return i;
  }
  throw std::logic_error("no function " + name);
}

HandMadeProfile& HandMadeProfile::call(const std::string& caller, const std::string& callee, std::int64_t calls) {
  profile_.arcs.push_back({index_of(caller), index_of(callee), calls, {0}});
  profile_.functions[index_of(callee)].calls += calls;
  return *this;
}

CountedProfile HandMadeProfile::build() const {
  CountedProfile profile = profile_;
  for (std::uint32_t i = 0; i < profile.functions.size(); ++i) {
    profile.functions[i].inclusive = {inclusive_of(profile_, given_inclusive_, i, 0)};
  }
  for (CallArc& arc : profile.arcs) arc.inclusive = profile.functions[arc.callee].inclusive;
  return profile;
}

namespace attribution_test {

ComparisonRow row_of(const CountedProfile& baseline, const CountedProfile& candidate, std::string_view metric) {
  ComparisonRow row;
  row.benchmark = baseline.benchmark.canonical();
  row.metric = *well_known_metric(metric);
  row.baseline = static_cast<double>(baseline.totals[0]) / static_cast<double>(baseline.iterations);
  row.candidate = static_cast<double>(candidate.totals[0]) / static_cast<double>(candidate.iterations);
  row.ratio = *row.candidate / *row.baseline;
  row.verdict = *row.ratio > 1 ? Verdict::regression : *row.ratio < 1 ? Verdict::improvement : Verdict::unchanged;
  return row;
}

Run run_of(const std::vector<CountedProfile>& profiles) {
  Run run;
  run.header.settings[std::string(bench::kCountReaderSetting)] = std::to_string(bench::kCountReader);
  run.profiles = profiles;
  return run;
}

std::vector<FunctionChange> behind(const CountedProfile& baseline, const CountedProfile& candidate,
                                   const ci::AttributionOptions& options) {
  Comparison comparison;
  comparison.rows = {row_of(baseline, candidate, kInstructions)};
  ci::attribute(comparison, run_of({baseline}), run_of({candidate}), options);
  return comparison.rows[0].functions;
}

std::vector<std::string> names(const std::vector<FunctionChange>& functions) {
  std::vector<std::string> result;
  for (const FunctionChange& function : functions) result.push_back(function.name);
  return result;
}

}  // namespace attribution_test
}  // namespace steelyard::ci
