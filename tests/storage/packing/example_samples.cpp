#include "tests/storage/packing/example_samples.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "storage/packing/packed_samples.hpp"

namespace steelyard::storage_test {
namespace {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t bits() { return engine_(); }
  std::uint64_t below(std::uint64_t bound) { return engine_() % bound; }
  double unit() { return static_cast<double>(engine_() >> 11U) * 0x1p-53; }
  double normal() {
    double sum = -6;  // twelve uniform ones: close enough, and equal everywhere
    for (int i = 0; i < 12; ++i) sum += unit();
    return sum;
  }

 private:
  std::mt19937_64 engine_;
};

constexpr std::array<double, 10> kOdd{0.0,
                                      -0.0,
                                      std::numeric_limits<double>::infinity(),
                                      -std::numeric_limits<double>::infinity(),
                                      std::numeric_limits<double>::quiet_NaN(),
                                      std::numeric_limits<double>::denorm_min(),
                                      -std::numeric_limits<double>::min(),
                                      std::numeric_limits<double>::max(),
                                      9007199254740993.0,
                                      -1e300};

constexpr int kKinds = 12;

double drawn(Draw& draw, std::uint64_t kind, double level, std::int64_t iterations) {
  const auto n = static_cast<double>(iterations);
  const double ns = std::nearbyint(level * (1 + 0.01 * draw.normal()));
  switch (kind) {
    case 0:
      return ns / n;
    case 1:  // seconds first, as a double
      return ns / 1e9 / n * 1e9;
    case 2:  // the difference of two readings of a clock that are doubles already
      return (std::nearbyint((36000.0 + ns / 1e9) * 0x1p37) * 0x1p-37 - 36000.0) * 1e9 / n;
    case 3:
      return ns;
    case 4:
      return ns / 100;
    case 5:
      return static_cast<double>(static_cast<float>(level * (1 + 0.01 * draw.normal())));
    case 6:
      return level * (1 + 0.01 * draw.normal());
    case 7:
      return std::bit_cast<double>(draw.bits());
    case 8:
      return kOdd[draw.below(kOdd.size())];
    case 9:
      return draw.below(10) == 0 ? ns * 100 / n : ns / n;
    case 10:
      return std::ldexp(static_cast<double>(draw.below(1U << 20U)), -1074);
    default:
      return level;
  }
}

std::vector<InvocationSamples> section(Draw& draw, bool regular) {
  const std::uint64_t kind = draw.below(kKinds);
  const double level = std::nearbyint(std::exp(draw.unit() * 30));
  const std::uint64_t iteration_kind = draw.below(5);
  const std::int64_t common = 1 + static_cast<std::int64_t>(draw.below(1'000'000));
  std::vector<InvocationSamples> all;
  const std::uint64_t invocations = draw.below(regular ? 12 : 6) + (regular ? 1 : 0);
  const std::uint64_t each = draw.below(draw.below(20) == 0 ? 300 : 30) + 1;
  std::uint32_t number = 0;
  for (std::uint64_t i = 0; i < invocations; ++i) {
    InvocationSamples taken;
    number = regular ? static_cast<std::uint32_t>(i) : number + static_cast<std::uint32_t>(draw.below(3));
    if (!regular && draw.below(8) == 0) number = static_cast<std::uint32_t>(draw.below(1U << 30U));
    taken.invocation = number;
    const std::uint64_t count = regular ? each : draw.below(12);
    for (std::uint64_t k = 0; k < count; ++k) {
      std::int64_t iterations = common;
      if (iteration_kind == 1) iterations += static_cast<std::int64_t>(draw.below(1000));
      if (iteration_kind == 2) iterations = static_cast<std::int64_t>(draw.bits());
      taken.values.push_back(drawn(draw, kind, level, iterations));
      if (iteration_kind != 3) taken.iterations.push_back(iterations);
    }
    // What no source yields, and a file may hold all the same.
    if (!regular && iteration_kind == 4 && draw.below(4) == 0) taken.iterations.push_back(-7);
    all.push_back(std::move(taken));
  }
  return all;
}

}  // namespace

SampleSections example_samples(std::uint64_t seed) {
  Draw draw(seed);
  SampleSections sections;
  sections.judged = section(draw, draw.below(3) > 0);
  if (draw.below(4) == 0) sections.excluded = section(draw, false);
  return sections;
}

std::vector<InvocationSamples> clock_samples(const ClockSamples& wanted, std::uint64_t seed) {
  Draw draw(seed);
  std::vector<InvocationSamples> all;
  for (std::uint32_t i = 0; i < wanted.invocations; ++i) {
    InvocationSamples taken{i, {}, {}};
    for (int k = 0; k < wanted.samples; ++k) {
      const double ns = std::nearbyint(wanted.ns * (1 + wanted.noise * draw.normal()));
      taken.values.push_back(ns / static_cast<double>(wanted.iterations));
      taken.iterations.push_back(wanted.iterations);
    }
    all.push_back(std::move(taken));
  }
  return all;
}

std::string pack_samples(const std::vector<InvocationSamples>& invocations,
                         const std::vector<InvocationSamples>& excluded) {
  storage::SamplePacker packer;
  return std::string(packer.pack(invocations, excluded));
}

}  // namespace steelyard::storage_test
