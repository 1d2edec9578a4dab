#include "ci/measuring/shard.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <set>
#include <utility>

#include "bench/model/metric.hpp"
#include "bench/model/sha256.hpp"
#include "ci/measuring/run_parts.hpp"

namespace steelyard::ci {
namespace {

constexpr std::int64_t kMaxDuration = 86'400'000'000'000;  // a day, in ns: a sum of them stays a number

// The processes that timed a benchmark, by their place in the run, with what they measured for as far as is known, ns.
std::map<std::string, std::map<std::uint32_t, double>> timed_processes(const Run& run) {
  std::map<std::string, std::map<std::uint32_t, double>> timed;
  for (const Measurement& measurement : run.measurements) {
    if (measurement.metric.name != kRealTime || measurement.metric.unit != "ns") continue;
    std::map<std::uint32_t, double>& processes = timed[listed_name(measurement.benchmark)];
    for (const InvocationSamples& samples : measurement.invocations) {
      double& measured = processes[samples.invocation];
      for (std::size_t i = 0; i < std::min(samples.values.size(), samples.iterations.size()); ++i) {
        measured += samples.values[i] * static_cast<double>(samples.iterations[i]);
      }
    }
  }
  return timed;
}

std::int64_t bounded_duration(double duration) {
  if (!(duration >= 1)) return 1;
  return duration < static_cast<double>(kMaxDuration) ? static_cast<std::int64_t>(duration) : kMaxDuration;
}

std::int64_t median_duration(const BenchmarkDurations& durations) {
  std::vector<std::int64_t> values;
  for (const auto& [name, duration] : durations) values.push_back(std::clamp(duration, std::int64_t{1}, kMaxDuration));
  if (values.empty()) return 1;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

std::string to_text(const Shard& shard) { return std::to_string(shard.number) + '/' + std::to_string(shard.of); }

std::optional<Shard> parse_shard(std::string_view text) {
  Shard shard;
  const char* const end = text.data() + text.size();
  const auto number = std::from_chars(text.data(), end, shard.number);
  if (number.ec != std::errc() || number.ptr == end || *number.ptr != '/') return std::nullopt;
  const auto of = std::from_chars(number.ptr + 1, end, shard.of);
  if (of.ec != std::errc() || of.ptr != end) return std::nullopt;
  if (shard.of < 2 || shard.of > kMaxShards || shard.number < 1 || shard.number > shard.of) return std::nullopt;
  return shard;
}

BenchmarkDurations durations_of(const Run& run) {
  const auto timed = timed_processes(run);
  std::map<std::uint32_t, int> sharing;  // benchmarks of one process
  for (const auto& [name, processes] : timed) {
    for (const auto& [process, measured] : processes) ++sharing[process];
  }
  BenchmarkDurations durations;
  for (const auto& [name, processes] : timed) {
    double sum = 0;
    int known = 0;
    for (const auto& [process, measured] : processes) {
      const Invocation* const invocation = process < run.invocations.size() ? &run.invocations[process] : nullptr;
      const bool has_duration = invocation != nullptr && invocation->duration_ns > 0;
      const double whole = has_duration ? static_cast<double>(invocation->duration_ns) / sharing[process] : measured;
      if (!(whole > 0)) continue;
      sum += whole;
      ++known;
    }
    if (known > 0) durations[name] = bounded_duration(sum / known);
  }
  return durations;
}

std::vector<int> split_benchmarks(const std::vector<std::string>& names, const BenchmarkDurations& durations, int of) {
  const std::int64_t usual = median_duration(durations);
  std::vector<std::int64_t> weights;
  for (const std::string& name : names) {
    const auto known = durations.find(name);
    weights.push_back(known == durations.end() ? usual : std::clamp(known->second, std::int64_t{1}, kMaxDuration));
  }
  std::vector<std::size_t> order(names.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
  std::vector<std::int64_t> loads(static_cast<std::size_t>(of), 0);
  std::vector<int> shards(names.size(), 0);
  for (const std::size_t name : order) {
    const auto least = std::min_element(loads.begin(), loads.end());
    *least += weights[name];
    shards[name] = static_cast<int>(least - loads.begin()) + 1;
  }
  return shards;
}

Result<TakenShard> take_shard(const ShardChoice& choice, std::vector<ListedPair>& programs) {
  std::set<std::string> both;
  for (const ListedPair& pair : programs) {
    for (const bench::ListedProgram* side : {&pair.baseline, &pair.candidate}) {
      for (const bench::ListedBenchmark& benchmark : side->benchmarks()) both.insert(listed_name(benchmark.id));
    }
  }
  const std::vector<std::string> names(both.begin(), both.end());
  TakenShard taken{choice.shard, 0, names.size(), ""};
  // Without any, the programs have their own to say.
  if (!names.empty() && names.size() < static_cast<std::size_t>(choice.shard.of)) {
    return input_error("--shard", to_text(choice.shard) + " of " + std::to_string(names.size()) + " benchmarks",
                       "at least one benchmark a shard", "use fewer machines");
  }
  const std::vector<int> shards = split_benchmarks(names, choice.durations, choice.shard.of);
  std::string all;
  std::set<std::string> own;
  for (std::size_t i = 0; i < names.size(); ++i) {
    all += names[i] + '\t' + std::to_string(shards[i]) + '\n';
    if (shards[i] == choice.shard.number) own.insert(names[i]);
  }
  for (ListedPair& pair : programs) {
    std::set<std::string> elsewhere;
    for (bench::ListedProgram* side : {&pair.baseline, &pair.candidate}) {
      std::erase_if(side->listing.benchmarks, [&](const bench::ListedBenchmark& one) {
        std::string name = listed_name(one.id);
        const bool is_own = own.contains(name);
        if (!is_own) elsewhere.insert(std::move(name));
        return !is_own;
      });
    }
    pair.elsewhere = elsewhere.size();
  }
  taken.benchmarks = own.size();
  taken.split = sha256_hex(all).substr(0, 32);
  return taken;
}

void keep_shard(const TakenShard& taken, std::map<std::string, std::string>& settings) {
  settings[std::string(kShardSetting)] = to_text(taken.shard);
  settings[std::string(kSplitSetting)] = taken.split;
}

std::optional<Shard> shard_of(const RunHeader& header) {
  const auto setting = header.settings.find(std::string(kShardSetting));
  return setting == header.settings.end() ? std::nullopt : parse_shard(setting->second);
}

}  // namespace steelyard::ci
