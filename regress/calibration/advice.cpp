#include "regress/calibration/advice.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "regress/ab/steady_digits.hpp"
#include "bench/model/number_text.hpp"
#include "regress/calibration/calibrate.hpp"

namespace steelyard {
namespace {

constexpr int kMostRounds = 200;      // beyond that more rounds are no advice
constexpr int kMostRepetitions = 30;  // likewise
constexpr double kMostFloor = 0.25;   // a floor above it is told as what it is

// Rounds for a floor of the margin: it shrinks with their root. Even, because rounds come in pairs.
int rounds_for(double floor, const NoiseCircumstances& now) {
  const double factor = steady_log1p(floor) / steady_log1p(now.margin);
  const double rounds = std::ceil(now.rounds * factor * factor / 2) * 2;
  return static_cast<int>(std::min(rounds, 1e6));
}

// What the samples of an invocation add to the deviation of its median (pi / 2: a median's variance over a mean's).
double added_by_samples(double within, int repetitions) {
  return within * std::sqrt(1.5707963267948966 / std::max(repetitions, 1));
}

std::string more_rounds(double floor, const NoiseCircumstances& now) {
  const int rounds = rounds_for(floor, now);
  if (rounds <= kMostRounds)
    return "--rounds " + std::to_string(rounds) + " would bring the floor to " + share_text(now.margin);
  return "no sensible number of rounds brings the floor to " + share_text(now.margin) +
         ": let it do more work an iteration, or gate its instructions instead (--metric instructions)";
}

std::string of_samples(double within, double between, const NoiseCircumstances& now) {
  const double added = added_by_samples(within, now.repetitions);
  std::string text = "samples of one process differ by " + share_text(within) + ", processes by " +
                     share_text(between) + ": longer samples (--min-time " + now.longer_time + ")";
  const double ratio = added / std::max(between, added / 4);
  const int wanted = static_cast<int>(std::ceil(now.repetitions * ratio * ratio));
  const int repetitions = std::min(wanted, kMostRepetitions);
  if (repetitions > now.repetitions) {
    text += " or more of them (--repetitions " + std::to_string(repetitions) + ")";
  }
  return text + " help first";
}

// By chance alone, copies that make no difference look like this in 1 of 50 tries (regress/ab/rounds.hpp).
bool copies_dominate(const CalibratedBenchmark& benchmark) {
  constexpr double kTimes = 2;
  return benchmark.copies && benchmark.processes && *benchmark.copies > kTimes * *benchmark.processes;
}

}  // namespace

int threads_of(const std::string& benchmark) {
  constexpr std::string_view kWord = "/threads:";
  const std::size_t at = benchmark.find(kWord);
  if (at == std::string::npos) return 1;
  const char* const begin = benchmark.data() + at + kWord.size();
  int threads = 1;
  std::from_chars(begin, benchmark.data() + benchmark.size(), threads);
  return std::max(threads, 1);
}

std::string advice_for(const CalibratedBenchmark& benchmark, const NoiseCircumstances& now) {
  std::string text;
  if (benchmark.alarms.interval.low > kNominalLevel) {
    text = "p was at most .05 in " + std::to_string(benchmark.alarms.count) + " of " +
           plural_text(benchmark.alarms.tries, "gate") +
           " of equal builds: something within a round favours one slot; run steelyard doctor, and do not gate on it";
  }
  if (benchmark.floor <= now.margin) return text;
  const auto add = [&text](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
  const int threads = threads_of(benchmark.benchmark);
  if (threads > 1 && threads > now.cores / 2) {
    add("it runs " + std::to_string(threads) + " threads on " + plural_text(now.cores, "core") +
        ": they wait for each other and for other processes; fewer threads or more cores help");
  }
  const double within = benchmark.within.value_or(0);
  const double between = benchmark.between.value_or(0);
  if (copies_dominate(benchmark)) {
    add("copies of the program differ by " + share_text(*benchmark.copies) + ", processes of one copy by " +
        share_text(*benchmark.processes) +
        ": its speed depends on which physical pages its code lies in: more rounds help, longer samples do not");
  } else if (added_by_samples(within, now.repetitions) > between) {
    add(of_samples(within, between, now));
  } else if (between > 0) {
    add("processes differ by " + share_text(between) +
        " whatever their samples do: only more rounds help, longer samples do not");
  }
  if (benchmark.floor > kMostFloor && now.shared && *now.shared > between) {
    add("the machine itself drifts by " + share_text(*now.shared) + " from round to round: run steelyard doctor");
  }
  add(more_rounds(benchmark.floor, now));
  return text;
}

}  // namespace steelyard
