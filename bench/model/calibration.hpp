// What A/A runs of a user's own benchmarks showed on a machine: how often equal builds were called different, and how
// large a difference noise alone makes. Known for one fingerprint; later comparisons quote it and are widened by it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/model/fields.hpp"
#include "bench/model/interval.hpp"
#include "bench/model/run.hpp"

namespace steelyard {

// Of A/A gates that a calibration is made of, and a floor. Where none of 6 was false at most 46 % of such gates are
// (the upper end of the interval of C. J. Clopper and E. S. Pearson, 1934, at 95 %); with 5 it is 52 %: every second
// gate could be false.
inline constexpr std::int64_t kMinCalibrationGates = 6;
// The widest margin that a calibration may give. Whoever asks whether a build got slower does not mean that 10 % are
// the same; a wider one takes a user who says so (--margin).
inline constexpr double kMaxCalibratedMargin = 0.10;

// How often something happened, with the exact binomial interval (C. J. Clopper and E. S. Pearson, 1934).
struct ObservedRate {
  std::int64_t count = 0;
  std::int64_t tries = 0;
  Interval interval;  // 95 %, of the share
  double share() const { return tries > 0 ? static_cast<double>(count) / static_cast<double>(tries) : 0; }
  bool operator==(const ObservedRate&) const = default;

  static constexpr std::int64_t kMaxTries = INT64_C(1) << 53;  // a double still holds each of them
  static void fields(auto& visit, auto& self) {
    visit("count", self.count, {.high = kMaxTries});
    visit("tries", self.tries, {.high = kMaxTries});
    visit("interval", self.interval);
  }
};

struct CalibratedBenchmark {
  std::string benchmark;  // canonical text
  std::string metric;
  ObservedRate alarms;  // p at most the nominal .05, of equal builds
  double floor = 0;     // noise floor: 95 % of A/A ratios lie within 1 / (1 + floor) to 1 + floor
  std::optional<double> minimum_detectable_effect;  // median over the gates
  std::optional<double> within;                     // as NoiseParts
  std::optional<double> between;
  std::optional<double> copies;     // standard deviation of what copies of the program differ by
  std::optional<double> processes;  // of processes of one copy, with what their samples add
  std::string advice;               // what would make it quieter, as a sentence; empty: it is good enough to gate
  // Of its gates, of which each may stop early: their median. Absent where an older version measured it.
  std::optional<std::int32_t> rounds = {};
  bool operator==(const CalibratedBenchmark&) const = default;

  static void fields(auto& visit, auto& self) {
    visit("benchmark", self.benchmark);
    visit("metric", self.metric);
    visit("alarms", self.alarms);
    visit("floor", self.floor, {.null = Null::accepted, .not_negative = true});
    visit("minimum_detectable_effect", self.minimum_detectable_effect, {.not_negative = true});
    visit("within", self.within, {.not_negative = true});
    visit("between", self.between, {.not_negative = true});
    // Where they are known: what is named by the hash of an older calibration's document stays as it is.
    visit("copies", self.copies, {.not_negative = true, .omitted = true});
    visit("processes", self.processes, {.not_negative = true, .omitted = true});
    visit("rounds", self.rounds, {.high = kRoundCount.high, .omitted = true});
    visit("advice", self.advice, {.null = Null::written});
  }
};

struct Calibration {
  std::string fingerprint;
  std::int64_t at_unix_s = 0;
  std::string program;
  Layout layout = Layout::interleaved;
  std::uint64_t seed = 0;
  std::int32_t rounds = 0;                 // of the gates' longest benchmark
  double level = 0.05;                     // the gates' configured false alarm rate
  ObservedRate false_gates;                // gates that called any change
  ObservedRate false_alarms;               // comparisons with p at most the nominal .05
  std::optional<double> drift_sequential;  // standard deviation of log ratios of equal builds, one after the other
  std::vector<CalibratedBenchmark> benchmarks;
  // The A/A runs contradict the level: the lower bound of either rate lies above it. Such a machine gets no verdicts.
  bool failed = false;
  std::string reason;  // why it failed, as a sentence; empty: it did not
  bool operator==(const Calibration&) const = default;

  static void fields(auto& visit, auto& self) {
    visit("fingerprint", self.fingerprint);
    visit("at_unix_s", self.at_unix_s, kAnyTime);
    visit("program", self.program);
    visit("layout", self.layout);
    visit("seed", self.seed);
    visit("rounds", self.rounds, kRoundCount);
    visit("level", self.level);
    visit("false_gates", self.false_gates);
    visit("false_alarms", self.false_alarms);
    visit("drift_sequential", self.drift_sequential, {.not_negative = true});
    visit("failed", self.failed);
    visit("reason", self.reason, {.null = Null::written});
    visit("benchmarks", self.benchmarks, {.most = 100'000});
  }
};

}  // namespace steelyard
