#include "regress/ab/rounds.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "bench/model/quantile.hpp"
#include "bench/model/text.hpp"
#include "regress/ab/steady_digits.hpp"

namespace steelyard::regress {
namespace {

// One invocation per round, samples of the same round together.
std::map<std::int32_t, LogInvocation> by_round(std::span<const LogInvocation> invocations) {
  std::map<std::int32_t, LogInvocation> rounds;
  for (const LogInvocation& invocation : invocations) {
    const auto [at, is_new] = rounds.try_emplace(invocation.round, invocation);
    if (is_new) continue;
    LogInvocation& merged = at->second;
    merged.logs.insert(merged.logs.end(), invocation.logs.begin(), invocation.logs.end());
    merged.level = median(merged.logs);
  }
  return rounds;
}

}  // namespace

std::variant<std::vector<LogInvocation>, Defect> log_invocations(const Run& run,
                                                                 std::span<const Measurement* const> measurements) {
  std::vector<LogInvocation> result;
  for (const Measurement* measurement : measurements) {
    for (const InvocationSamples& samples : measurement->invocations) {
      if (samples.invocation >= run.invocations.size()) {
        return Defect{DefectKind::unknown_invocation, samples.invocation, run.invocations.size()};
      }
      const Invocation& invocation = run.invocations[samples.invocation];
      if (invocation.round < 0 || invocation.round >= kRoundsLimit) {
        return Defect{DefectKind::impossible_round, samples.invocation, 0, invocation.round};
      }
      LogInvocation logs{invocation.round, invocation.slot, {}, 0};
      logs.logs.reserve(samples.values.size());
      for (const double value : samples.values) {
        if (!std::isfinite(value) || value <= 0) {
          return Defect{DefectKind::no_logarithm, 0, 0, invocation.round, value, measurement->metric.unit};
        }
        logs.logs.push_back(steady_log(value));
      }
      if (logs.logs.empty()) continue;
      logs.level = median(logs.logs);
      result.push_back(std::move(logs));
    }
  }
  if (result.empty()) return Defect{DefectKind::no_samples};
  std::stable_sort(result.begin(), result.end(),
                   [](const LogInvocation& a, const LogInvocation& b) { return a.round < b.round; });
  return result;
}

PairedRounds pair_rounds(std::span<const LogInvocation> baseline, std::span<const LogInvocation> candidate) {
  auto baseline_rounds = by_round(baseline);
  auto candidate_rounds = by_round(candidate);
  PairedRounds paired;
  for (auto& [round, invocation] : baseline_rounds) {
    const auto other = candidate_rounds.find(round);
    if (other != candidate_rounds.end()) paired.rounds.push_back({std::move(invocation), std::move(other->second)});
  }
  paired.dropped = static_cast<int>(baseline_rounds.size() + candidate_rounds.size() - 2 * paired.rounds.size());
  return paired;
}

Layout mutual_layout(const RunHeader& baseline, const RunHeader& candidate) {
  // The enumerators stand in order of falling trust.
  const Layout claimed = std::max(baseline.layout, candidate.layout);
  if (baseline.session == candidate.session) {
    // Files that claim a concurrent layout without a session are taken at their word; nothing pairs their rounds.
    return claimed;
  }
  return Layout::separate;
}

namespace {

constexpr const char* kInDuetSetting = "in_duet";

}  // namespace

void keep_in_duet(const std::set<std::string>& benchmarks, std::map<std::string, std::string>& settings) {
  std::string text = joined_text(benchmarks, "\n");
  if (!text.empty()) settings[kInDuetSetting] = std::move(text);
}

bool is_in_duet(const RunHeader& header, std::string_view benchmark) {
  const auto setting = header.settings.find(kInDuetSetting);
  if (setting == header.settings.end()) return false;
  const std::string line = '\n' + std::string(benchmark) + '\n';
  return ('\n' + setting->second + '\n').find(line) != std::string::npos;
}

namespace {

constexpr std::size_t kFarthestPair = 100;
constexpr std::size_t kFarthestCopy = 2;
// kVarianceOfMedian, with the digits that the noise of kept comparisons was found by.
constexpr double kMedianLoss = 1.5707963;
// Of an invocation's many pairs of samples those half the series apart are taken, 5 of 10 samples. All would cost as
// much as the test itself.
constexpr std::size_t kMaxSamplesPaired = 1000;

void add_pairs(std::span<const double> values, std::vector<double>& distances) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i + 1; j < std::min(values.size(), i + 1 + kFarthestPair); ++j) {
      distances.push_back(std::fabs(values[i] - values[j]));
    }
  }
}

std::optional<double> spread(std::vector<double> distances) {
  if (distances.empty()) return std::nullopt;
  return median(std::move(distances)) / kMedianOfPairs;
}

// What is left of a variance when a known part is taken off.
double left_of(double variance, double part) { return std::sqrt(std::max(0.0, variance - part)); }

// Collects the pairs inside invocations, and how many samples an invocation has on (harmonic) average.
class Within {
 public:
  void add(const LogInvocation& invocation) {
    const std::size_t count = std::min(invocation.logs.size(), kMaxSamplesPaired);
    const std::size_t lag = std::max<std::size_t>(1, count / 2);
    for (std::size_t i = 0; i + lag < count; ++i) {
      distances_.push_back(std::fabs(invocation.logs[i] - invocation.logs[i + lag]));
    }
    inverse_counts_ += 1 / static_cast<double>(invocation.logs.size());
    ++invocations_;
  }
  std::optional<double> deviation() const { return spread(distances_); }
  // Variance of a level that the samples alone explain.
  double of_level() const {
    const std::optional<double> found = deviation();
    if (!found || invocations_ == 0) return 0;
    return *found * *found * kMedianLoss * inverse_counts_ / static_cast<double>(invocations_);
  }

 private:
  std::vector<double> distances_;
  double inverse_counts_ = 0;
  std::size_t invocations_ = 0;
};

// Levels of the two processes of one copy.
struct CopyLevels {
  double first = 0;
  double second = 0;
};

std::vector<CopyLevels> levels_of_copies(std::span<const LogInvocation> invocations) {
  std::map<std::int32_t, std::vector<double>> by_copy;
  for (const LogInvocation& invocation : invocations) {
    by_copy[invocation.round / kRoundsOfCopy].push_back(invocation.level);
  }
  std::vector<CopyLevels> copies;
  for (const auto& [copy, levels] : by_copy) {
    if (levels.size() == kRoundsOfCopy) copies.push_back({levels[0], levels[1]});
  }
  return copies;
}

}  // namespace

std::optional<double> spread_of_pairs(std::span<const double> values) {
  std::vector<double> distances;
  add_pairs(values, distances);
  return spread(std::move(distances));
}

NoiseParts noise_of_rounds(std::span<const PairedRound> rounds) {
  NoiseParts parts;
  Within within;
  // Differences are compared among rounds of the same order, so that a slot effect stays out of them.
  std::vector<double> differences[2];
  std::vector<double> middles;
  for (const PairedRound& round : rounds) {
    within.add(round.baseline);
    within.add(round.candidate);
    differences[round.candidate.slot > round.baseline.slot ? 1 : 0].push_back(round.difference());
    middles.push_back(0.5 * (round.baseline.level + round.candidate.level));
  }
  parts.within = within.deviation();
  if (rounds.size() < kMinRoundsForNoise) return parts;
  std::vector<double> distances;
  for (const std::vector<double>& of_order : differences) add_pairs(of_order, distances);
  const std::optional<double> of_difference = spread(std::move(distances));
  const std::optional<double> of_middle = spread_of_pairs(middles);
  if (!of_difference || !of_middle) return parts;
  const double difference_variance = *of_difference * *of_difference;
  // A difference has two invocations, the middle of a round a quarter of that.
  parts.between = left_of(difference_variance / 2, within.of_level());
  parts.rounds = left_of(*of_middle * *of_middle, difference_variance / 4);
  return parts;
}

NoiseParts noise_of_invocations(std::span<const LogInvocation> baseline, std::span<const LogInvocation> candidate) {
  NoiseParts parts;
  Within within;
  std::vector<double> distances;
  for (const auto side : {baseline, candidate}) {
    std::vector<double> levels;
    for (const LogInvocation& invocation : side) {
      within.add(invocation);
      levels.push_back(invocation.level);
    }
    add_pairs(levels, distances);
  }
  parts.within = within.deviation();
  if (std::min(baseline.size(), candidate.size()) < kMinRoundsForNoise) return parts;
  if (const std::optional<double> of_levels = spread(std::move(distances))) {
    parts.between = left_of(*of_levels * *of_levels, within.of_level());
  }
  return parts;
}

CopyNoise noise_of_copies(std::span<const LogInvocation> invocations) {
  const std::vector<CopyLevels> copies = levels_of_copies(invocations);
  if (copies.size() < kMinCopies) return {};
  std::vector<double> of_one;
  std::vector<double> of_two;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    of_one.push_back(std::fabs(copies[i].first - copies[i].second));
    for (std::size_t j = i + 1; j < std::min(copies.size(), i + 1 + kFarthestCopy); ++j) {
      for (const double a : {copies[i].first, copies[i].second}) {
        for (const double b : {copies[j].first, copies[j].second}) of_two.push_back(std::fabs(a - b));
      }
    }
  }
  const double processes = spread(std::move(of_one)).value_or(0);
  const double all = spread(std::move(of_two)).value_or(0);
  return {left_of(all * all, processes * processes), processes};
}

}  // namespace steelyard::regress
