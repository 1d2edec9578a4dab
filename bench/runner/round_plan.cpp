#include "bench/runner/round_plan.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

#include "bench/model/random.hpp"

namespace steelyard::bench {
namespace {

// Standard engines yield the same bits everywhere; standard distributions and std::shuffle do not.
using Engine = std::mt19937_64;

// One stream of random bits per benchmark, whatever its place in the list.
Engine engine_for(std::uint64_t seed, std::uint64_t stream) { return Engine(mixed_bits(seed ^ mixed_bits(stream))); }

// Uniform over 0 .. bound-1; draws above the last whole multiple of bound are drawn again.
std::uint64_t below(Engine& engine, std::uint64_t bound) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t limit = kMax - kMax % bound;
  std::uint64_t drawn = 0;
  do {
    drawn = engine();
  } while (drawn >= limit);
  return drawn % bound;
}

}  // namespace

std::vector<std::int32_t> plan_baseline_slots(int rounds, std::uint64_t seed, std::string_view benchmark) {
  assert(rounds >= 0 && rounds % 2 == 0);
  Engine engine = engine_for(seed, fnv1a(benchmark));
  std::vector<std::int32_t> slots;
  for (int round = 0; round < rounds; round += 2) {
    const auto first = static_cast<std::int32_t>(below(engine, 2));
    slots.push_back(first);
    slots.push_back(1 - first);
  }
  return slots;
}

std::vector<std::int32_t> plan_code_layouts(int rounds, std::uint64_t seed, std::size_t layouts) {
  std::vector<std::int32_t> of_round;
  if (layouts == 0) return of_round;
  const int block = 2 * static_cast<int>(layouts);
  for (int first = 0; first < rounds; first += block) {
    for (const std::size_t layout : shuffled_order(layouts, seed ^ fnv1a("code layouts"), first / block)) {
      of_round.insert(of_round.end(), 2, static_cast<std::int32_t>(layout));
    }
  }
  of_round.resize(static_cast<std::size_t>(std::max(rounds, 0)));
  return of_round;
}

std::size_t draw_padding(std::uint64_t seed, const PaddedProcess& process) {
  const std::uint64_t place = static_cast<std::uint64_t>(process.round) * 4 +
                              static_cast<std::uint64_t>(process.attempt > 0 ? 2 : 0) +
                              static_cast<std::uint64_t>(process.side);
  return static_cast<std::size_t>(mixed_bits(mixed_bits(seed ^ fnv1a(process.benchmark)) + place) % kMaxPadding);
}

std::vector<std::size_t> shuffled_order(std::size_t count, std::uint64_t seed, int round) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Engine engine = engine_for(seed, static_cast<std::uint64_t>(round));
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[below(engine, i)]);
  return order;
}

}  // namespace steelyard::bench
