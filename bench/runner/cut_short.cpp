#include "bench/runner/cut_short.hpp"

#include <algorithm>
#include <cstddef>

namespace steelyard::bench {
namespace {

// The search aims 40 % above what was asked for, and samples of one process differ by less than that.
constexpr double kHalf = 0.5;
constexpr double kFarBelow = 0.1;

// The lower of the two in the middle: of two sides apart it is of the one that takes fewer. Precondition: there are
// values.
template <class Value>
Value lower_median(std::vector<Value> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

UsualSearch usual_search(std::span<const std::vector<SearchedProcess>> sides, Nanoseconds min_time) {
  std::vector<std::int64_t> iterations;
  std::vector<Nanoseconds> shortest;
  for (const std::vector<SearchedProcess>& side : sides) {
    for (const SearchedProcess& process : side) {
      iterations.push_back(process.iterations);
      shortest.push_back(process.shortest);
    }
  }
  if (iterations.empty()) return {};
  return {kFarBelow * static_cast<double>(lower_median(std::move(iterations))),
          std::min(min_time, lower_median(std::move(shortest))) * kHalf};
}

bool is_cut_short(const SearchedProcess& process, const UsualSearch& usual) {
  return static_cast<double>(process.iterations) < usual.few_iterations && process.shortest < usual.short_sample;
}

}  // namespace steelyard::bench
