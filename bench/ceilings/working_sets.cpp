#include "bench/ceilings/working_sets.hpp"

#include <algorithm>

namespace steelyard {
namespace {

constexpr std::int64_t kMebibyte = std::int64_t{1} << 20;
constexpr std::int64_t kLeastDram = 64 * kMebibyte;  // where no cache is known
// A working set has to be this many times the level below it, or that one would serve a part.
constexpr std::int64_t kLeastRatio = 2;

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
  const std::int64_t wanted = std::max(12 * cached, kLeastDram);
  const std::int64_t taken = std::min(wanted, options.memory_bytes);
  if (taken < kLeastRatio * cached || taken < kMebibyte) {
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
    if (bytes < kLeastRatio * below) {
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

}  // namespace steelyard
