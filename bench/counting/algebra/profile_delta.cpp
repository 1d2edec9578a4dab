#include "bench/counting/algebra/profile_delta.hpp"

#include <algorithm>

namespace steelyard::bench {
namespace {

using Costs = std::vector<std::int64_t>;
__extension__ typedef __int128 Wide;

struct Iterations {
  std::int64_t baseline = 1;
  std::int64_t candidate = 1;

  // Candidate minus baseline, times the iterations of both: exact, and within 127 bits.
  Wide scaled_change(std::int64_t before, std::int64_t after) const {
    return Wide{after} * baseline - Wide{before} * candidate;
  }
  double change(std::int64_t before, std::int64_t after) const {
    return static_cast<double>(static_cast<long double>(scaled_change(before, after)) /
                               static_cast<long double>(baseline) / static_cast<long double>(candidate));
  }
  std::vector<double> change(const Costs& before, const Costs& after) const {
    std::vector<double> changes;
    for (std::size_t event = 0; event < before.size(); ++event) {
      changes.push_back(change(before[event], after[event]));
    }
    return changes;
  }
};

FunctionSide side_of(const ProfiledFunction& function) {
  return {{function.object, function.file, function.name},
          function.line,
          function.calls,
          function.self,
          function.inclusive};
}

Result<void> require_costs(const CountedProfile& profile, const char* side) {
  const std::size_t events = profile.events.size();
  const auto is_complete = [&](const ProfiledFunction& function) {
    return function.self.size() == events && function.inclusive.size() == events;
  };
  const bool all = std::all_of(profile.functions.begin(), profile.functions.end(), is_complete);
  if (all && profile.totals.size() == events) return {};
  return input_error(std::string(side) + "'s profile", "costs without an event", "one cost for each event");
}

Result<void> require_noise(const LearnedNoise* noise, const std::vector<std::string>& events) {
  if (!noise || (noise->kind == CountKind::self && noise->events == events)) return {};
  return input_error("noise", "counts of another kind or of other events", "self counts of the profiles' events");
}

Result<Iterations> iterations_of(const CountedProfile& baseline, const CountedProfile& candidate) {
  if (baseline.iterations < 0 || candidate.iterations < 0) {
    return input_error("profile", "a negative number of iterations");
  }
  if ((baseline.iterations == 0) != (candidate.iterations == 0)) {
    return input_error("profiles", "a whole program and a benchmark's iterations", "two of one kind",
                       "count both in the same way");
  }
  return Iterations{std::max<std::int64_t>(baseline.iterations, 1), std::max<std::int64_t>(candidate.iterations, 1)};
}

class Overlay {
 public:
  Overlay(const CountedProfile& baseline, const CountedProfile& candidate, const ProfileDeltaOptions& options,
          const Iterations& iterations)
      : baseline_(baseline), candidate_(candidate), options_(options), iterations_(iterations) {}

  FunctionDelta delta(const FunctionMatch& match) const {
    FunctionDelta delta;
    delta.how = match.how;
    delta.score = match.score;
    delta.copy_of = match.copy_of;
    if (match.baseline) delta.baseline = side_of(baseline_.functions[*match.baseline]);
    if (match.candidate) delta.candidate = side_of(candidate_.functions[*match.candidate]);
    const FunctionSide nothing{{}, 0, 0, Costs(baseline_.events.size(), 0), Costs(baseline_.events.size(), 0)};
    const FunctionSide& before = delta.baseline ? *delta.baseline : nothing;
    const FunctionSide& after = delta.candidate ? *delta.candidate : nothing;
    delta.self_change = iterations_.change(before.self, after.self);
    delta.inclusive_change = iterations_.change(before.inclusive, after.inclusive);
    delta.calls_change = iterations_.change(before.calls, after.calls);
    set_noise(delta, before.self, after.self);
    return delta;
  }

 private:
  // A function that one side lacks varies there as on the other, for all that is known. Compared as integers: the
  // largest change that noise can make must not fall out of it by rounding.
  void set_noise(FunctionDelta& delta, const Costs& before, const Costs& after) const {
    const FunctionKey& key = delta.baseline ? delta.baseline->key : delta.candidate->key;
    const Costs zeros(before.size(), 0);
    const Costs spread_before = options_.baseline_noise ? options_.baseline_noise->spread_of(key) : zeros;
    const Costs spread_after =
        options_.candidate_noise ? options_.candidate_noise->spread_of(delta.shown().key) : zeros;
    bool is_changed = false;
    bool is_beyond = false;
    for (std::size_t event = 0; event < before.size(); ++event) {
      const Wide change = iterations_.scaled_change(before[event], after[event]);
      const Wide noise = std::max(Wide{spread_before[event]} * iterations_.candidate,
                                  Wide{spread_after[event]} * iterations_.baseline);
      is_changed = is_changed || change != 0;
      is_beyond = is_beyond || change > noise || -change > noise;
      delta.noise.push_back(
          std::max(static_cast<double>(spread_before[event]) / static_cast<double>(iterations_.baseline),
                   static_cast<double>(spread_after[event]) / static_cast<double>(iterations_.candidate)));
    }
    delta.within_noise = is_changed && !is_beyond;
  }

  const CountedProfile& baseline_;
  const CountedProfile& candidate_;
  const ProfileDeltaOptions& options_;
  const Iterations& iterations_;
};

}  // namespace

Result<ProfileDelta> profile_delta(const CountedProfile& baseline, const CountedProfile& candidate,
                                   const ProfileDeltaOptions& options) {
  if (baseline.events != candidate.events) {
    return input_error("profiles", "different events", "the same events in the same order",
                       "count both sides with the same options");
  }
  STEELYARD_CHECK(require_costs(baseline, "baseline"));
  STEELYARD_CHECK(require_costs(candidate, "candidate"));
  STEELYARD_CHECK(require_noise(options.baseline_noise, baseline.events));
  STEELYARD_CHECK(require_noise(options.candidate_noise, baseline.events));
  STEELYARD_TRY(const Iterations iterations, iterations_of(baseline, candidate));
  ProfileDelta delta;
  delta.events = baseline.events;
  delta.of_iterations = baseline.iterations > 0;
  delta.total_change = iterations.change(baseline.totals, candidate.totals);
  const Overlay overlay(baseline, candidate, options, iterations);
  for (const FunctionMatch& match : match_functions(baseline, candidate, options.match)) {
    delta.functions.push_back(overlay.delta(match));
  }
  return delta;
}

}  // namespace steelyard::bench
