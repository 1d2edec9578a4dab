// All samples of one benchmark and metric in one run, grouped by invocation. Three levels, always kept apart:
// an iteration is a pass of the timed loop, a sample one timed block of iterations, an invocation one process.
// Samples of one invocation are not independent of each other; invocations are, and inference counts those.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/metric.hpp"

namespace steelyard {

// What went on around a process while it ran, as far as the system tells: absent is not zero. Never looks at what was
// measured. Times in ns; those of a core come in the ticks of the kernel's accounting (10 ms on most systems).
struct InvocationConditions {
  std::optional<std::int64_t> voluntary_switches;    // it waited for something
  std::optional<std::int64_t> involuntary_switches;  // something else wanted its core
  std::optional<std::int64_t> migrations;            // its first thread moved to another core
  std::optional<std::int64_t> minor_faults;
  std::optional<std::int64_t> major_faults;  // pages that came from a disk
  std::optional<std::int64_t> user_ns;
  std::optional<std::int64_t> system_ns;
  std::optional<std::int64_t> steal_ns;       // a hypervisor ran something else on its core (not pinned: on any core)
  std::optional<std::int64_t> other_busy_ns;  // its core worked for others (pinned ones only)
  std::optional<double> mhz_before;           // of its core, read off a chain of dependent additions
  std::optional<double> mhz_after;
  bool operator==(const InvocationConditions&) const = default;
};

// One process of the measured program. Two runs that were measured together share Run::header.session, and their
// invocations of equal `round` are one round.
struct Invocation {
  std::int32_t round = 0;  // 0-based
  std::int32_t slot = 0;   // 0: ran first (interleaved) or on the first core (duet); 1: the other
  std::int32_t core = -1;  // the core it was pinned to; -1: not pinned
  std::int64_t started_at_unix_ns = 0;
  std::int64_t duration_ns = 0;  // wall time of the whole process; 0: unknown
  InvocationConditions conditions = {};
  std::vector<std::string> disturbed_by = {};  // what was unusual (bench/runner/disturbance.hpp); empty: nothing seen
  bool excluded = false;                       // of the judgement; its samples stand in Measurement::excluded
  bool operator==(const Invocation&) const = default;
};

// What one invocation yielded for one measurement. values: at least one, per iteration, in the metric's unit;
// iterations: as long as values, or empty where the source does not say.
struct InvocationSamples {
  std::uint32_t invocation = 0;  // index into Run::invocations
  std::vector<double> values;
  std::vector<std::int64_t> iterations;
  bool operator==(const InvocationSamples&) const = default;
};

// What was counted over.
enum class CountScope {
  timed_region,     // exactly while the benchmark's clock ran
  whole_functions,  // the benchmark's function with its set-up: nothing could be wrapped
  whole_program,    // everything from the start of the process
};
std::string_view to_text(CountScope scope);  // "timed region", "whole functions", "whole program"
std::span<const std::string_view> words_of(CountScope);

// Where the values of a count come from.
enum class CountOrigin {
  counted,        // from running this program
  reused,         // kept from an earlier count under the same key
  equal_program,  // from the other side: programs, libraries and what they read are equal
};
std::span<const std::string_view> words_of(CountOrigin);  // "counted", "reused", "equal program"

// What a count stands on. Noisy metrics leave it as it is.
struct CountBasis {
  CountScope scope = CountScope::timed_region;
  // How far counts of one build lie apart, relative; absent: nobody looked, and the values' own range stands for it.
  std::optional<double> jitter = {};
  std::string jitter_from;  // "one thread, timed region: 3 of 3 equal", "learned from 5 repeats"
  // Why these values hold though this program was not counted: "every loaded section is equal: sha256 ...". Empty:
  // it was counted.
  std::string proof;
  CountOrigin origin = CountOrigin::counted;
  bool operator==(const CountBasis&) const = default;
};

struct Measurement {
  BenchmarkId benchmark;
  Metric metric;
  // Counted metrics: the conditions under which the count holds (CPU features as the counter shows them, libc,
  // allocator, counter's version, library dispatch). Counts under different keys are not comparable. Empty for noisy
  // ones.
  std::string count_key;
  std::vector<InvocationSamples> invocations;
  // What is kept and never judged: the samples of invocations that are excluded, because they were disturbed and their
  // round was measured again.
  std::vector<InvocationSamples> excluded = {};
  CountBasis count_basis = {};
  bool operator==(const Measurement&) const = default;
};

}  // namespace steelyard
