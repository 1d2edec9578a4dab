#include "bench/cuda/recording_cost.hpp"

#include <algorithm>

#include "bench/model/quantile.hpp"
#include "bench/model/quantity.hpp"
#include "bench/model/text.hpp"

namespace steelyard::cuda {
namespace {

constexpr double kMinPassNs = 5e6;
constexpr std::int64_t kMaxPassIterations = 1024;
constexpr std::size_t kRounds = 5;
constexpr double kMaxRoundsNs = 2e9;

template <class Value>
double median_of(const std::vector<RecordingCost::Round>& rounds, Value value) {
  std::vector<double> values;
  for (const RecordingCost::Round& round : rounds) values.push_back(value(round));
  return median(std::move(values));
}

std::int64_t iterations_of_a_pass(const RunPass& run_pass) {
  std::int64_t iterations = 1;
  while (run_pass({.iterations = iterations}) < kMinPassNs && iterations < kMaxPassIterations) iterations *= 2;
  return iterations;
}

}  // namespace

double RecordingCost::plain_ns() const {
  return median_of(rounds, [](const Round& round) { return round.plain_ns; });
}
double RecordingCost::recorded_ns() const {
  return median_of(rounds, [](const Round& round) { return round.recorded_ns; });
}

RecordingCost recording_cost(std::int64_t iterations, const RunPass& run_pass) {
  RecordingCost cost{.iterations = iterations, .rounds = {}};
  if (iterations == 0) {
    cost.iterations = iterations_of_a_pass(run_pass);
  } else {
    run_pass({.iterations = iterations});
  }
  run_pass({.iterations = cost.iterations, .is_recorded = true});
  const auto count = static_cast<double>(cost.iterations);
  double taken_ns = 0;
  while (cost.rounds.size() < kRounds && taken_ns < kMaxRoundsNs) {
    RecordingCost::Round round;
    const bool recorded_first = cost.rounds.size() % 2 == 1;
    for (const bool is_recorded : {recorded_first, !recorded_first}) {
      const double ns = run_pass({.iterations = cost.iterations, .is_recorded = is_recorded, .is_timed = true});
      (is_recorded ? round.recorded_ns : round.plain_ns) = ns / count;
      taken_ns += ns;
    }
    cost.rounds.push_back(round);
  }
  return cost;
}

std::string profile_table(const std::vector<ProfiledCase>& cases) {
  std::vector<std::vector<std::string>> cells{{"benchmark", "iterations", "plain", "recorded", "ratio", "of a round"}};
  for (const ProfiledCase& one : cases) {
    if (!one.failure.empty()) {
      cells.push_back({one.name, "", one.is_skipped ? "skipped" : "failed", "", "", ""});
      continue;
    }
    const RecordingCost& cost = one.cost;
    const auto is_less = [](const RecordingCost::Round& a, const RecordingCost::Round& b) {
      return a.ratio() < b.ratio();
    };
    const auto [least, most] = std::minmax_element(cost.rounds.begin(), cost.rounds.end(), is_less);
    cells.push_back({one.name, std::to_string(cost.rounds.size()) + " x " + std::to_string(cost.iterations),
                     to_text(Nanoseconds(cost.plain_ns())), to_text(Nanoseconds(cost.recorded_ns())),
                     decimals_text(cost.recorded_ns() / cost.plain_ns(), 3),
                     decimals_text(least->ratio(), 3) + " to " + decimals_text(most->ratio(), 3)});
  }
  return aligned_rows(cells, {Align::left, Align::right, Align::right, Align::right, Align::right, Align::right}, "");
}

}  // namespace steelyard::cuda
