#include "bench/ceilings/measuring_place.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <tuple>

#include "bench/environment/cgroup_limits.hpp"
#include "bench/environment/system_file.hpp"
#include "bench/model/text.hpp"
#include "bench/runner/core_choice.hpp"

namespace steelyard::bench {
namespace {

constexpr std::int64_t kMaxMemory = std::int64_t{4} << 30;
constexpr std::int64_t kUnknownMemory = std::int64_t{256} << 20;
constexpr double kBusyShare = 0.25;  // of one core, as load average: more than a browser or an editor takes

// The fastest kind first (big and little cores), then the last.
std::vector<int> one_thread_a_core(const std::vector<Core>& allowed, MeasuringPlace& place) {
  std::vector<Core> cores;  // the first thread of each
  std::set<std::pair<int, int>> seen;
  for (const Core& core : allowed) {
    if (seen.insert({core.package, core.physical}).second) cores.push_back(core);
  }
  if (cores.size() < allowed.size()) {
    place.notes.push_back("one thread on each of " + std::to_string(cores.size()) + " cores: the other " +
                          std::to_string(allowed.size() - cores.size()) + " hardware threads share their units");
  }
  std::sort(cores.begin(), cores.end(), [](const Core& a, const Core& b) {
    return std::tie(a.capacity, a.max_khz, a.number) > std::tie(b.capacity, b.max_khz, b.number);
  });
  std::vector<int> numbers;
  for (const Core& core : cores) numbers.push_back(core.number);
  return numbers;
}

void keep_to_quota(const std::optional<double>& quota, MeasuringPlace& place) {
  if (!quota || *quota >= static_cast<double>(place.cores.size())) return;
  place.notes.push_back("the control group allows " + decimals_text(*quota, 2) + " of " +
                        std::to_string(place.cores.size()) + " cores: no more threads than that are measured" +
                        (*quota < 1 ? ", and even one is slowed by it" : ""));
  place.cores.resize(static_cast<std::size_t>(std::max(1.0, std::floor(*quota))));
}

void find_memory(const std::filesystem::path& root, const CgroupLimits& limits, MeasuringPlace& place) {
  std::optional<std::int64_t> memory = memory_info_bytes(root, "MemAvailable");
  if (!memory || *memory == 0) {
    place.notes.push_back((root / "proc/meminfo").string() + " cannot be read: no more than 256 MiB are used");
    memory = 4 * kUnknownMemory;
  }
  if (limits.memory_bytes) memory = std::min(*memory, *limits.memory_bytes);
  place.memory_bytes = std::min(*memory / 4, kMaxMemory);
}

void warn_of_load(const std::filesystem::path& root, MeasuringPlace& place) {
  const std::string text = read_system_file(root / "proc/loadavg").value_or("");
  double load = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), load).ec != std::errc() || load <= kBusyShare) return;
  place.notes.push_back("the machine was busy before (load " + decimals_text(load, 2) +
                        " over the last minute): measure again when nothing else runs");
}

}  // namespace

MeasuringPlace find_measuring_place(const std::filesystem::path& root) {
  MeasuringPlace place;
  const CgroupLimits limits = read_cgroup_limits(root);
  place.cores = one_thread_a_core(read_allowed_cores(root), place);
  if (place.cores.empty()) {
    place.cores = {-1};
    place.notes.push_back((root / "proc/self/status").string() +
                          " does not say which cores there are: one thread is measured, wherever it runs");
  }
  keep_to_quota(limits.cores, place);
  find_memory(root, limits, place);
  warn_of_load(root, place);
  return place;
}

namespace {

constexpr std::int64_t kMebibyte = std::int64_t{1} << 20;
constexpr std::int64_t kMinDram = 64 * kMebibyte;  // where no cache is known
// A working set has to be this many times the level below it, or that one would serve a part.
constexpr std::int64_t kMinRatio = 2;

// Threads of `cores` that share this cache with the first of them; all where nobody says.
std::int64_t sharing_threads(const CacheLevel& cache, const std::vector<int>& cores) {
  if (cache.cores.empty()) return cache.level < 3 ? 1 : static_cast<std::int64_t>(cores.size());
  const auto shares = [&](int core) {
    return std::find(cache.cores.begin(), cache.cores.end(), core) != cache.cores.end();
  };
  return std::max<std::int64_t>(std::count_if(cores.begin(), cores.end(), shares), 1);
}

std::string size_text(std::int64_t bytes) {
  return bytes >= kMebibyte ? std::to_string(bytes / kMebibyte) + " MiB" : std::to_string(bytes / 1024) + " KiB";
}

// A thread's part of a cache, in bytes.
std::int64_t bytes_in(const CacheLevel& cache, const CacheLevels& caches, const std::vector<int>& cores) {
  const std::int64_t share = cache.bytes / sharing_threads(cache, cores);
  if (cache.level == 1) return share * 3 / 4;
  if (cache.level == 2) return share / 2;
  std::int64_t most = share / 2;
  for (const CacheLevel& other : caches.levels) {
    if (other.level == 2) most = std::min(most, 8 * other.bytes);
  }
  return most;
}

std::int64_t last_level_bytes(const CacheLevels& caches, const std::vector<int>& cores) {
  if (caches.levels.empty()) return 0;
  const CacheLevel& last = caches.levels.back();
  const std::int64_t threads = static_cast<std::int64_t>(cores.size());
  const std::int64_t sharing = sharing_threads(last, cores);
  return last.bytes * ((threads + sharing - 1) / sharing);
}

void add_dram(const CacheLevels& caches, const WorkingSetOptions& options, WorkingSetPlan& plan) {
  const std::int64_t threads = static_cast<std::int64_t>(options.cores.size());
  const std::int64_t cached = last_level_bytes(caches, options.cores);
  const std::int64_t wanted = std::max(12 * cached, kMinDram);
  const std::int64_t taken = std::min(wanted, options.memory_bytes);
  if (taken < kMinRatio * cached || taken < kMebibyte) {
    plan.absent.push_back(
        {"DRAM/threads:" + std::to_string(threads),
         size_text(options.memory_bytes) + " of memory can be taken, and the caches hold " + size_text(cached)});
    return;
  }
  if (taken < wanted) {
    plan.note = "DRAM with " + std::to_string(threads) + " threads goes through " + size_text(taken) + ", where " +
                size_text(wanted) + " would keep the caches out of it";
  }
  plan.sets.push_back({"DRAM", taken / threads});
}

}  // namespace

WorkingSetPlan plan_working_sets(const CacheLevels& caches, const WorkingSetOptions& options) {
  WorkingSetPlan plan;
  std::int64_t below = 0;  // what a thread has of the level before
  for (const CacheLevel& cache : caches.levels) {
    const std::int64_t bytes = bytes_in(cache, caches, options.cores);
    const std::string level = "L" + std::to_string(cache.level);
    if (bytes < kMinRatio * below) {
      plan.absent.push_back({level + "/threads:" + std::to_string(options.cores.size()),
                             "half of a thread's share, " + size_text(bytes) +
                                 ", is less than twice the cache below, " + size_text(below)});
    } else {
      plan.sets.push_back({level, bytes});
    }
    below = std::max(below, cache.bytes / sharing_threads(cache, options.cores));
  }
  add_dram(caches, options, plan);
  return plan;
}

}  // namespace steelyard::bench
