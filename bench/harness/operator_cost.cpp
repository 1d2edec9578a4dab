#include "bench/harness/operator_cost.hpp"

#include <array>
#include <cassert>

#include "bench/model/text.hpp"

namespace steelyard {

std::string count_text(Flops count) {
  assert(count.count() >= 0);
  constexpr std::array<const char*, 5> kSuffixes{"", "K", "M", "B", "T"};
  std::size_t unit = 0;
  double scale = 1;
  for (std::int64_t rest = count.count() / 10; rest >= 1000 && unit + 1 < kSuffixes.size(); rest /= 1000) {
    ++unit;
    scale *= 1000;
  }
  return decimals_text(static_cast<double>(count.count()) / scale, 3) + kSuffixes[unit];
}

}  // namespace steelyard
