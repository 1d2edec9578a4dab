#include "regress/ab/recordings.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "bench/model/adjusted_p.hpp"
#include "bench/model/quantile.hpp"
#include "regress/ab/distributions.hpp"
#include "regress/ab/joint.hpp"
#include "regress/ab/moments.hpp"
#include "regress/ab/rules.hpp"
#include "regress/ab/steady_digits.hpp"

namespace steelyard::regress {

std::span<const std::string_view> words_of(RecordingOrder) {
  static constexpr std::array<std::string_view, 3> kWords{"one_each", "one_after_other", "alternating"};
  return kWords;
}

std::span<const std::string_view> words_of(RecordingDoubt) {
  static constexpr std::array<std::string_view, 5> kWords{"none", "one_recording", "one_after_other",
                                                          "not_beyond_noise", "below_minimum"};
  return kWords;
}

RecordingOrder order_of_recordings(std::span<const std::int64_t> baseline, std::span<const std::int64_t> candidate) {
  if (baseline.size() == 1 && candidate.size() == 1) return RecordingOrder::one_each;
  std::vector<std::pair<std::int64_t, bool>> all;
  for (const std::int64_t start : baseline) all.emplace_back(start, false);
  for (const std::int64_t start : candidate) all.emplace_back(start, true);
  std::sort(all.begin(), all.end());
  bool alternates = baseline.size() == candidate.size() && all.front().first > 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i].first == all[i - 1].first) alternates = false;
    if (i % 2 == 1 && all[i].second == all[i - 1].second) alternates = false;
  }
  return alternates ? RecordingOrder::alternating : RecordingOrder::one_after_other;
}

std::vector<bool> rounds_with_candidate_second(std::span<const std::int64_t> baseline,
                                               std::span<const std::int64_t> candidate) {
  std::vector<std::int64_t> b(baseline.begin(), baseline.end()), c(candidate.begin(), candidate.end());
  std::sort(b.begin(), b.end());
  std::sort(c.begin(), c.end());
  std::vector<bool> second;
  for (std::size_t round = 0; round < std::min(b.size(), c.size()); ++round) second.push_back(c[round] > b[round]);
  return second;
}

namespace {

// More values of one process make its level no better: they are of one occasion.
constexpr std::size_t kMaxSamples = 32;
constexpr double kMaxNeighbourCorrelation = 0.95;
constexpr double kMinIndependent = 1.5;  // fewer values tell nothing of how far apart they would lie

double mean_of_repeats(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Means of as many stretches of equal length as are wanted at most.
std::vector<double> thinned(std::span<const double> values) {
  const std::size_t n = std::min(values.size(), kMaxSamples);
  std::vector<double> means;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t from = i * values.size() / n, to = (i + 1) * values.size() / n;
    means.push_back(mean_of_repeats(values.subspan(from, to - from)));
  }
  return means;
}

LogInvocation invocation_of(std::span<const double> logs, std::size_t round, int slot) {
  LogInvocation invocation{static_cast<std::int32_t>(round), slot, thinned(logs)};
  invocation.level = median(invocation.logs);
  return invocation;
}

// Of processes that alternate.
PairedRounds rounds_of(const RecordedTimes& times, const std::vector<bool>& candidate_second) {
  PairedRounds paired;
  const std::size_t n = std::min(times.baseline.size(), times.candidate.size());
  for (std::size_t i = 0; i < n; ++i) {
    const bool is_known = i < candidate_second.size();
    const int of_baseline = is_known && !candidate_second[i] ? 1 : 0;
    const int of_candidate = is_known && candidate_second[i] ? 1 : 0;
    paired.rounds.push_back(
        {invocation_of(times.baseline[i], i, of_baseline), invocation_of(times.candidate[i], i, of_candidate)});
  }
  return paired;
}

Effect effect_of(const RecordedTimes& times, RecordingOrder order, const RecordingQuestion& question,
                 const std::vector<bool>& candidate_second) {
  if (order == RecordingOrder::one_each) {
    return effect_of_repeats(times.baseline.front(), times.candidate.front(), question.confidence);
  }
  const EffectQuestion asked{.confidence = question.confidence, .margin = question.margin};
  if (order == RecordingOrder::one_after_other) {
    std::array<std::vector<LogInvocation>, 2> sides;
    for (const std::vector<double>& logs : times.baseline) {
      sides[0].push_back(invocation_of(logs, sides[0].size(), 0));
    }
    for (const std::vector<double>& logs : times.candidate) {
      sides[1].push_back(invocation_of(logs, sides[1].size(), 1));
    }
    return effect_of_invocations(sides[0], sides[1], asked);
  }
  return effect_of_rounds(rounds_of(times, candidate_second), asked);
}

// From kMinRounds rounds on jointly over all times, whose least value does not grow with their number; below by Holm.
std::vector<double> adjusted(std::span<const RecordedTimes> times, std::span<const JudgedTime> judged,
                             const RecordingQuestion& question, const std::vector<bool>& candidate_second) {
  std::vector<double> p;
  for (const JudgedTime& time : judged) p.push_back(time.p.value_or(1));
  std::vector<JointEvidence> evidence;
  std::size_t rounds = 0;
  for (const RecordedTimes& one : times) {
    const PairedRounds paired = rounds_of(one, candidate_second);
    rounds = std::max(rounds, paired.rounds.size());
    evidence.push_back(joint_evidence(paired, {}, EffectQuestion{}.disturbed));
  }
  if (rounds < static_cast<std::size_t>(kMinRounds)) return holm_adjusted(p);
  std::vector<const JointEvidence*> rows;
  for (const JointEvidence& one : evidence) rows.push_back(&one);
  std::vector<double> q = adjust_jointly(rows, {}, {question.level, question.seed}).q;
  for (std::size_t i = 0; i < q.size(); ++i) q[i] = std::max(q[i], p[i]);
  return q;
}

// Precondition: `judged` has its q and all before it.
void give_verdict(const Effect& effect, const RecordingQuestion& question, JudgedTime& judged) {
  if (judged.q.value_or(1) <= question.level) {
    if (!is_relevant(steady_exp(judged.log_ratio), question.minimum_effect)) {
      judged.doubt = RecordingDoubt::below_minimum;
    } else {
      judged.verdict = judged.log_ratio > 0 ? Verdict::regression : Verdict::improvement;
      return;
    }
  } else {
    judged.doubt = RecordingDoubt::not_beyond_noise;
  }
  if (!effect.within_margin) return;
  judged.verdict = Verdict::unchanged;
  judged.doubt = RecordingDoubt::none;
}

}  // namespace

Effect effect_of_repeats(std::span<const double> baseline, std::span<const double> candidate, double confidence) {
  const double mean_of_baseline = mean_of_repeats(baseline), mean_of_candidate = mean_of_repeats(candidate);
  Effect effect;
  effect.log_ratio = mean_of_candidate - mean_of_baseline;
  const std::size_t fewer = std::min(baseline.size(), candidate.size());
  effect.units = static_cast<int>(fewer);
  if (fewer < kMinRepeats) return effect;
  NeighbourSums b, c;
  add_neighbours(baseline, mean_of_baseline, b);
  add_neighbours(candidate, mean_of_candidate, c);
  const NeighbourSums both{b.squares + c.squares, b.products + c.products};
  const double correlation = neighbour_correlation(both, static_cast<double>(fewer), kMaxNeighbourCorrelation);
  const double share = (1 - correlation) / (1 + correlation);
  const auto part = [&](double squares, std::size_t repeats) {  // variance of a mean
    const auto n = static_cast<double>(repeats);
    return squares / n / (std::max(n * share, kMinIndependent) - 1);
  };
  const double error = std::sqrt(part(b.squares, baseline.size()) + part(c.squares, candidate.size()));
  effect.standard_error = error;
  effect.degrees = std::max(static_cast<double>(fewer) * share - 1, 1.0);
  const double half = student_quantile(0.5 + confidence / 2, effect.degrees) * error;
  effect.interval = Interval{effect.log_ratio - half, effect.log_ratio + half};
  return effect;
}

std::vector<JudgedTime> judge_recordings(std::span<const RecordedTimes> times, RecordingOrder order,
                                         const RecordingQuestion& question, const std::vector<bool>& candidate_second) {
  std::vector<JudgedTime> judged;
  std::vector<Effect> effects;
  for (const RecordedTimes& one : times) {
    const Effect& effect = effects.emplace_back(effect_of(one, order, question, candidate_second));
    JudgedTime& time = judged.emplace_back();
    time.log_ratio = effect.log_ratio;
    time.interval = effect.interval;
    time.covers_processes = order != RecordingOrder::one_each;
    time.doubt = order == RecordingOrder::one_each ? RecordingDoubt::one_recording : RecordingDoubt::one_after_other;
    if (order == RecordingOrder::alternating) time.p = effect.p;
  }
  if (order != RecordingOrder::alternating || times.empty()) return judged;
  const std::vector<double> q = adjusted(times, judged, question, candidate_second);
  for (std::size_t i = 0; i < judged.size(); ++i) {
    judged[i].q = q[i];
    judged[i].doubt = RecordingDoubt::none;
    give_verdict(effects[i], question, judged[i]);
  }
  return judged;
}

}  // namespace steelyard::regress
