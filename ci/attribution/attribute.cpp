#include "ci/attribution/attribute.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "ci/attribution/library_dispatch.hpp"
#include "ci/attribution/own_source.hpp"
#include "ci/attribution/profile_difference.hpp"

namespace steelyard {
namespace {

// The contract of a verdict, "Which function".
constexpr double kCulpritCoverage = 0.9;
// A function below this part of the change explains nothing.
constexpr double kLeastShare = 0.01;

FunctionChange change_of(const FunctionDifference& difference, double share, bool is_own,
                         const AttributionOptions& options) {
  FunctionChange change;
  change.name = difference.shown->name;
  change.file = path_below(difference.shown->file, options.own_sources);
  change.line = difference.shown->line;
  change.self_change = difference.self_change;
  change.inclusive_change = difference.inclusive_change;
  change.calls_change = difference.calls_change;
  change.share = share;
  change.own_source = is_own;
  return change;
}

// The deepest own function that covers the change, or null. Of two at one depth the one with less inclusive cost is the
// narrower answer.
const FunctionDifference* find_culprit(const ProfileDifference& difference, const AttributionOptions& options) {
  const FunctionDifference* culprit = nullptr;
  for (const FunctionDifference& function : difference.functions) {
    const double coverage = function.inclusive_change / difference.total_change;
    if (!(coverage >= kCulpritCoverage) || !is_own_source(*function.shown, options.own_sources)) continue;
    const bool is_narrower = !culprit || function.depth > culprit->depth ||
                             (function.depth == culprit->depth && function.inclusive < culprit->inclusive);
    if (is_narrower) culprit = &function;
  }
  return culprit;
}

std::vector<FunctionChange> functions_behind(const CountedProfile& baseline, const CountedProfile& candidate,
                                             const AttributionOptions& options) {
  const ProfileDifference difference = subtract(baseline, candidate, options.own_sources);
  std::vector<FunctionChange> result;
  const auto most = static_cast<std::size_t>(std::max(options.most_functions, 0));
  if (difference.total_change == 0 || most == 0) return result;
  const FunctionDifference* culprit = find_culprit(difference, options);
  if (culprit)
    result.push_back(change_of(*culprit, culprit->inclusive_change / difference.total_change, true, options));

  std::vector<const FunctionDifference*> by_self;
  for (const FunctionDifference& function : difference.functions) {
    const bool explains = std::abs(function.self_change) >= kLeastShare * std::abs(difference.total_change);
    if (&function != culprit && explains) by_self.push_back(&function);
  }
  std::stable_sort(by_self.begin(), by_self.end(), [](const FunctionDifference* a, const FunctionDifference* b) {
    if (std::abs(a->self_change) != std::abs(b->self_change)) {
      return std::abs(a->self_change) > std::abs(b->self_change);
    }
    return a->shown->name < b->shown->name;
  });
  for (const FunctionDifference* function : by_self) {
    if (result.size() >= most) break;
    result.push_back(change_of(*function, function->self_change / difference.total_change,
                               is_own_source(*function->shown, options.own_sources), options));
  }
  return result;
}

std::map<std::string, const CountedProfile*> profiles_by_benchmark(const Run& run) {
  std::map<std::string, const CountedProfile*> profiles;
  for (const CountedProfile& profile : run.profiles) profiles.emplace(profile.benchmark.canonical(), &profile);
  return profiles;
}

const CountedProfile* find_profile(const std::map<std::string, const CountedProfile*>& profiles,
                                   const std::string& benchmark) {
  const auto found = profiles.find(benchmark);
  return found == profiles.end() ? nullptr : found->second;
}

// One profile is enough to know; without any the benchmark may have called it, and silence would be a claim.
bool may_call_a_dispatching_library(const CountedProfile* baseline, const CountedProfile* candidate) {
  if (!baseline && !candidate) return true;
  return (baseline && calls_a_dispatching_library(*baseline)) || (candidate && calls_a_dispatching_library(*candidate));
}

// What a changed count has to say for the time of its benchmark.
struct CountFinding {
  Verdict verdict = Verdict::unchanged;
  bool same_code = true;  // as ran natively
  std::vector<FunctionChange> functions;
};

bool is_change(const ComparisonRow& row) {
  return row.verdict == Verdict::regression || row.verdict == Verdict::improvement;
}

}  // namespace

void attribute(Comparison& comparison, const Run& baseline, const Run& candidate, const AttributionOptions& options) {
  const std::string* dispatch = different_dispatch(candidate);
  if (!dispatch) dispatch = different_dispatch(baseline);
  const auto baseline_profiles = profiles_by_benchmark(baseline);
  const auto candidate_profiles = profiles_by_benchmark(candidate);
  // Benchmarks whose instructions changed. The profiles count instructions; of another counted metric (bytes allocated)
  // they could name functions that have nothing to do with it.
  std::map<std::string, CountFinding> findings;
  for (ComparisonRow& row : comparison.rows) {
    if (row.metric.name != kInstructions) continue;
    const CountedProfile* a = find_profile(baseline_profiles, row.benchmark);
    const CountedProfile* b = find_profile(candidate_profiles, row.benchmark);
    const bool same_code = !dispatch || !may_call_a_dispatching_library(a, b);
    if (!same_code) {
      row.reason += (row.reason.empty() ? "" : "; ") + std::string("library dispatch: ") + *dispatch;
    }
    if (!is_change(row) || !a || !b) continue;
    row.functions = functions_behind(*a, *b, options);
    findings[row.benchmark] = {row.verdict, same_code, row.functions};
  }
  // Fewer instructions do not explain more time, nor does code that the time was not spent in.
  for (ComparisonRow& row : comparison.rows) {
    if (!is_change(row) || row.metric.kind != MetricKind::noisy) continue;
    const auto found = findings.find(row.benchmark);
    if (found == findings.end() || !found->second.same_code || found->second.verdict != row.verdict) continue;
    row.functions = found->second.functions;
  }
}

}  // namespace steelyard
