#include "bench/environment/core_clock.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "bench/model/elapsed.hpp"

namespace steelyard::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kAdditionsPerTurn = 64;

#if defined(__x86_64__) || defined(__aarch64__)
constexpr bool kHasChain = true;
#else
constexpr bool kHasChain = false;
#endif

// turns * kAdditionsPerTurn additions, each waiting for the one before. The loop's own counting runs beside the chain.
void run_chain(std::int64_t turns) {
  std::uint64_t sum = 0;
  const std::uint64_t one = 1;
  for (std::int64_t turn = 0; turn < turns; ++turn) {
#if defined(__x86_64__)
    // By register: the newest cores add a small constant while they rename registers, without a cycle (Golden Cove).
    asm volatile(
        ".rept 64\n\t"
        "add %1, %0\n\t"
        ".endr"
        : "+r"(sum)
        : "r"(one)
        : "cc");
#elif defined(__aarch64__)
    asm volatile(
        ".rept 64\n\t"
        "add %0, %0, %1\n\t"
        ".endr"
        : "+r"(sum)
        : "r"(one));
#else
    (void)sum;
    (void)one;
#endif
  }
}

}  // namespace

std::optional<double> clock_mhz_here(Nanoseconds length) {
  if (!kHasChain) return std::nullopt;
  constexpr int kChains = 20;
  // At 3 GHz one turn takes 21 ns; a slower core takes longer, which harms nothing.
  constexpr double kTurnNs = 21;
  const auto turns = std::max<std::int64_t>(static_cast<std::int64_t>(length.count() / kChains / kTurnNs), 64);
  double fastest_ns = 0;
  for (int chain = 0; chain < kChains; ++chain) {
    const Clock::time_point begin = Clock::now();
    run_chain(turns);
    const double taken = since(begin).count();
    if (taken > 0 && (fastest_ns == 0 || taken < fastest_ns)) fastest_ns = taken;
  }
  if (fastest_ns == 0) return std::nullopt;
  return static_cast<double>(turns * kAdditionsPerTurn) / fastest_ns * 1e3;
}

std::optional<double> core_clock_mhz(int core) {
  cpu_set_t before;
  if (core < 0 || core >= CPU_SETSIZE || ::sched_getaffinity(0, sizeof(before), &before) != 0) return std::nullopt;
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(static_cast<std::size_t>(core), &only);
  if (::sched_setaffinity(0, sizeof(only), &only) != 0) return std::nullopt;
  const auto mhz = clock_mhz_here();
  ::sched_setaffinity(0, sizeof(before), &before);
  return mhz;
}

}  // namespace steelyard::bench
