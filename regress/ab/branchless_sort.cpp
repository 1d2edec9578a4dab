#include "regress/ab/branchless_sort.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>

namespace steelyard {
namespace {

constexpr std::size_t kCounted = 16;

// Of equal ones those of `a` come first.
void merge_two(std::span<const GroupedValue> a, std::span<const GroupedValue> b, GroupedValue* out) {
  const GroupedValue* next_a = a.data();
  const GroupedValue* next_b = b.data();
  const GroupedValue* const end_a = next_a + a.size();
  const GroupedValue* const end_b = next_b + b.size();
  while (next_a != end_a && next_b != end_b) {
    const std::uint32_t is_b = next_b->value < next_a->value ? 1 : 0;
    out->value = std::min(next_a->value, next_b->value);
    out->group = next_a->group + is_b * (next_b->group - next_a->group);
    ++out;
    next_a += 1 - is_b;
    next_b += is_b;
  }
  out = std::copy(next_a, end_a, out);
  std::copy(next_b, end_b, out);
}

}  // namespace

void sort_values(std::vector<double>& values) {
  if (values.size() > kCounted) return std::sort(values.begin(), values.end());
  std::array<double, kCounted> sorted;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::size_t before = 0;
    for (std::size_t k = 0; k < i; ++k) before += values[k] <= values[i] ? 1U : 0U;
    for (std::size_t k = i + 1; k < values.size(); ++k) before += values[k] < values[i] ? 1U : 0U;
    sorted[before] = values[i];
  }
  std::copy_n(sorted.begin(), values.size(), values.begin());
}

void merge_runs(std::span<GroupedValue> values, std::vector<std::size_t> ends) {
  assert(values.empty() || (!ends.empty() && ends.back() == values.size()));
  std::vector<GroupedValue> other(values.size());
  std::span<GroupedValue> from = values;
  std::span<GroupedValue> to = other;
  while (ends.size() > 1) {
    std::size_t begin = 0;
    std::size_t kept = 0;
    for (std::size_t run = 0; run < ends.size(); run += 2) {
      const std::size_t middle = ends[run];
      const std::size_t end = run + 1 < ends.size() ? ends[run + 1] : middle;
      merge_two(from.subspan(begin, middle - begin), from.subspan(middle, end - middle), to.data() + begin);
      ends[kept++] = end;
      begin = end;
    }
    ends.resize(kept);
    std::swap(from, to);
  }
  if (from.data() != values.data()) std::copy(from.begin(), from.end(), values.begin());
}

}  // namespace steelyard
