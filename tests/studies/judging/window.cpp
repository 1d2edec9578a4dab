#include "tests/studies/judging/window.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <tuple>
#include <utility>

#include "bench/model/quantile.hpp"
#include "regress/ab/confirmation.hpp"

namespace steelyard::judging {
namespace {

double log_median(const RecordedProcess& process) { return std::log(median(process.values)); }

double sd_of_slot_differences(const RecordedBenchmark& benchmark) {
  double mean = 0;
  double squares = 0;
  double count = 0;
  for (const RecordedRound& round : benchmark.rounds) {
    const double difference = log_median(round[1]) - log_median(round[0]);
    ++count;
    const double step = difference - mean;
    mean += step / count;
    squares += step * (difference - mean);
  }
  return std::sqrt(squares / (count - 1));
}

SideProcess side_process(const RecordedProcess& recorded, int round, int slot, double factor) {
  SideProcess process{round, slot, recorded.started_unix_s, recorded.values};
  if (factor == 1) return process;
  for (double& value : process.values) value *= factor;
  return process;
}

int place(const Recording& recording, int rounds, Draw& draw) {
  assert(recording.rounds() >= rounds);
  return draw.below(recording.rounds() - rounds + 1);
}

Measurement add_side(const std::vector<SideProcess>& processes, bool with_order, const BenchmarkId& benchmark,
                     Run& run) {
  Measurement measurement;
  measurement.benchmark = benchmark;
  measurement.metric = {std::string(kRealTime), "ns", Better::lower, MetricKind::noisy};
  for (const SideProcess& process : processes) {
    Invocation invocation;
    invocation.round = process.round;
    invocation.slot = with_order ? process.slot : 0;
    invocation.started_at_unix_ns = static_cast<std::int64_t>(process.started_unix_s * 1e9);
    measurement.invocations.push_back({static_cast<std::uint32_t>(run.invocations.size()), process.values, {}});
    run.invocations.push_back(invocation);
  }
  return measurement;
}

std::vector<regress::LogInvocation> log_side(const std::vector<SideProcess>& processes) {
  std::vector<regress::LogInvocation> side;
  for (const SideProcess& process : processes) {
    regress::LogInvocation invocation{process.round, process.slot, {}, 0};
    for (const double value : process.values) invocation.logs.push_back(std::log(value));
    invocation.level = median(invocation.logs);
    side.push_back(std::move(invocation));
  }
  return side;
}

void multiply(std::vector<SideProcess>& side, double ratio) {
  for (SideProcess& process : side) {
    for (double& value : process.values) value *= ratio;
  }
}

}  // namespace

std::vector<int> balanced_slots(int rounds, Draw& draw) {
  std::vector<int> slots;
  for (int round = 0; round < rounds; ++round) {
    slots.push_back(round % 2 == 0 ? static_cast<int>(draw.coin()) : 1 - slots.back());
  }
  return slots;
}

BenchmarkWindow concurrent_benchmark(const RecordedBenchmark& benchmark, int first,
                                     const std::vector<int>& candidate_slots, double slot_effect_sds) {
  const double slot_factor = slot_effect_sds == 0 ? 1 : std::exp(slot_effect_sds * sd_of_slot_differences(benchmark));
  BenchmarkWindow window;
  window.name = benchmark.name;
  for (std::size_t round = 0; round < candidate_slots.size(); ++round) {
    const std::size_t at = (static_cast<std::size_t>(first) + round) % benchmark.rounds.size();
    for (int slot = 0; slot < 2; ++slot) {
      const RecordedProcess& recorded = benchmark.rounds[at][static_cast<std::size_t>(slot)];
      auto& side = slot == candidate_slots[round] ? window.candidate : window.baseline;
      side.push_back(side_process(recorded, static_cast<int>(round), slot, slot == 1 ? slot_factor : 1));
    }
  }
  return window;
}

BenchmarkWindow resampled_benchmark(const RecordedBenchmark& benchmark, int block,
                                    const std::vector<int>& candidate_slots, Draw& draw) {
  assert(block > 0 && static_cast<std::size_t>(block) <= benchmark.rounds.size());
  BenchmarkWindow window;
  window.name = benchmark.name;
  const auto length = static_cast<std::size_t>(block);
  for (std::size_t begin = 0; begin < candidate_slots.size(); begin += length) {
    const auto slots = std::span(candidate_slots).subspan(begin, std::min(length, candidate_slots.size() - begin));
    const int first = draw.below(static_cast<int>(benchmark.rounds.size() - length + 1));
    BenchmarkWindow part = concurrent_benchmark(benchmark, first, {slots.begin(), slots.end()});
    for (auto* side : {&part.baseline, &part.candidate}) {
      for (SideProcess& process : *side) process.round += static_cast<int>(begin);
      auto& whole = side == &part.baseline ? window.baseline : window.candidate;
      whole.insert(whole.end(), side->begin(), side->end());
    }
  }
  return window;
}

std::vector<SideProcess> one_side(const RecordedBenchmark& benchmark, int first, int processes, Draw& draw) {
  std::vector<SideProcess> side;
  for (int i = 0; i < processes; ++i) {
    const RecordedRound& recorded = benchmark.rounds[static_cast<std::size_t>(first + i)];
    side.push_back(side_process(recorded[draw.coin() ? 1 : 0], i, 0, 1));
  }
  return side;
}

Window concurrent_window(const Recording& recording, const ConcurrentOptions& options, Draw& draw) {
  Window window;
  window.layout = recording.layout;
  const int first = place(recording, options.rounds, draw);
  for (const RecordedBenchmark& benchmark : recording.benchmarks) {
    const std::vector<int> slots = balanced_slots(options.rounds, draw);
    window.benchmarks.push_back(concurrent_benchmark(benchmark, first, slots, options.slot_effect_sds));
  }
  return window;
}

Window sequential_window(const Recording& recording, int processes, Draw& draw) {
  Window window;
  window.layout = Layout::sequential;
  const int first = place(recording, 2 * processes, draw);
  for (const RecordedBenchmark& benchmark : recording.benchmarks) {
    BenchmarkWindow sides{benchmark.name, one_side(benchmark, first, processes, draw), {}, 1};
    sides.candidate = one_side(benchmark, first + processes, processes, draw);
    window.benchmarks.push_back(std::move(sides));
  }
  return window;
}

Window separate_window(const Recording& earlier, const Recording& later, int processes, Draw& draw) {
  assert(earlier.benchmarks.size() == later.benchmarks.size());
  Window window;
  window.layout = Layout::separate;
  const int first = place(earlier, processes, draw);
  const int second = place(later, processes, draw);
  for (std::size_t i = 0; i < earlier.benchmarks.size(); ++i) {
    assert(earlier.benchmarks[i].name == later.benchmarks[i].name);
    BenchmarkWindow sides{earlier.benchmarks[i].name, one_side(earlier.benchmarks[i], first, processes, draw), {}, 1};
    sides.candidate = one_side(later.benchmarks[i], second, processes, draw);
    window.benchmarks.push_back(std::move(sides));
  }
  return window;
}

BenchmarkWindow first_rounds(const BenchmarkWindow& benchmark, int rounds) {
  BenchmarkWindow part = benchmark;
  part.baseline.assign(benchmark.baseline.begin(), benchmark.baseline.begin() + rounds);
  part.candidate.assign(benchmark.candidate.begin(), benchmark.candidate.begin() + rounds);
  return part;
}

Window alone(const Window& window, std::size_t benchmark) { return {window.layout, {window.benchmarks.at(benchmark)}}; }

void add_alone(const Recording& in_turns, const std::string& kernel, Draw& draw, BenchmarkWindow& benchmark) {
  const auto recorded = std::find_if(in_turns.benchmarks.begin(), in_turns.benchmarks.end(),
                                     [&](const RecordedBenchmark& other) { return other.name == kernel; });
  assert(recorded != in_turns.benchmarks.end());
  const int first = place(in_turns, kAloneRounds, draw);
  BenchmarkWindow alone = concurrent_benchmark(*recorded, first, balanced_slots(kAloneRounds, draw));
  benchmark.baseline_alone = std::move(alone.baseline);
  benchmark.candidate_alone = std::move(alone.candidate);
}

void slow_down(BenchmarkWindow& benchmark, double ratio) {
  slow_down_side_by_side(benchmark, ratio);
  multiply(benchmark.candidate_alone, ratio);
}

void slow_down_side_by_side(BenchmarkWindow& benchmark, double ratio) {
  benchmark.ratio *= ratio;
  multiply(benchmark.candidate, ratio);
}

std::pair<Run, Run> to_runs(const Window& window, bool with_order) {
  std::pair<Run, Run> runs;
  for (Run* run : {&runs.first, &runs.second}) {
    run->header.layout = window.layout;
    run->header.session = "recorded";
  }
  for (const BenchmarkWindow& benchmark : window.benchmarks) {
    const BenchmarkId id = parse_google_benchmark_name(benchmark.name);
    for (auto& [run, side, alone] : {std::tuple(&runs.first, &benchmark.baseline, &benchmark.baseline_alone),
                                     {&runs.second, &benchmark.candidate, &benchmark.candidate_alone}}) {
      run->measurements.push_back(add_side(*side, with_order, id, *run));
      if (alone->empty()) continue;
      run->measurements.push_back(regress::as_alone(add_side(*alone, with_order, id, *run)));
      run->header.settings[std::string(regress::kSoloSetting)] = std::to_string(kAloneRounds) + " rounds";
    }
  }
  return runs;
}

regress::PairedRounds paired_rounds(const BenchmarkWindow& benchmark) {
  return regress::pair_rounds(log_side(benchmark.baseline), log_side(benchmark.candidate));
}

}  // namespace steelyard::judging
