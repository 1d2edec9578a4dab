#include <gtest/gtest.h>

#include <random>

#include "bench/counting/lines/unit_origins.hpp"

namespace steelyard::bench::unit_origins_test {
namespace {

// The obvious answer: of all ranges that hold the address the one that began last, of those the shortest, of those the
// last entry. -1: none.
int innermost(const std::vector<CodeRange>& ranges, std::uint64_t address) {
  const CodeRange* best = nullptr;
  for (const CodeRange& range : ranges) {
    if (address < range.begin || address >= range.end) continue;
    const bool is_inner = best == nullptr || range.begin > best->begin ||
                          (range.begin == best->begin &&
                           (range.end < best->end || (range.end == best->end && range.entry > best->entry)));
    if (is_inner) best = &range;
  }
  return best == nullptr ? -1 : static_cast<int>(best->entry);
}

int found(const std::vector<CodeRange>& segments, std::uint64_t address) {
  const CodeRange* segment = segment_of(segments, address);
  return segment == nullptr ? -1 : static_cast<int>(segment->entry);
}

TEST(CodeSegments, TheInnermostRangeHoldsAnAddressAndTheOuterGoesOnBehindIt) {
  const auto segments = flatten({{10, 50, 0}, {20, 30, 1}, {22, 25, 2}, {25, 30, 3}});
  EXPECT_EQ(found(segments, 9), -1);
  EXPECT_EQ(found(segments, 10), 0);
  EXPECT_EQ(found(segments, 20), 1);
  EXPECT_EQ(found(segments, 24), 2);
  EXPECT_EQ(found(segments, 25), 3);
  EXPECT_EQ(found(segments, 30), 0);
  EXPECT_EQ(found(segments, 49), 0);
  EXPECT_EQ(found(segments, 50), -1);
}

TEST(CodeSegments, OfEqualRangesTheLaterEntryLiesInside) {
  EXPECT_EQ(found(flatten({{10, 20, 0}, {10, 20, 1}}), 15), 1);
  EXPECT_EQ(found(flatten({{10, 20, 1}, {10, 20, 0}}), 15), 1);
}

TEST(CodeSegments, RangesWithoutAnAddressHoldNothing) {
  EXPECT_TRUE(flatten({{10, 10, 0}, {20, 15, 1}}).empty());
  EXPECT_TRUE(flatten({}).empty());
  EXPECT_EQ(segment_of({}, 5), nullptr);
}

TEST(CodeSegments, TheHighestAddressesAreHeld) {
  EXPECT_EQ(found(flatten({{UINT64_MAX - 2, UINT64_MAX, 4}}), UINT64_MAX - 1), 4);
}

// A thousand ranges inside each other: a walk over all that are open would be a million steps for each address.
TEST(CodeSegments, DeepNestsComeOutWhole) {
  std::vector<CodeRange> ranges;
  for (std::uint32_t depth = 0; depth < 200'000; ++depth) ranges.push_back({depth, 1'000'000 - depth, depth});
  const auto segments = flatten(ranges);
  EXPECT_EQ(found(segments, 199'999), 199'999);
  EXPECT_EQ(found(segments, 500'000), 199'999);
  EXPECT_EQ(found(segments, 999'999), 0);
  EXPECT_LE(segments.size(), 2 * ranges.size());
}

TEST(CodeSegments, AgreeWithTheObviousSearchOnAnyNest) {
  std::mt19937 engine(7);
  const auto below = [&](std::uint64_t bound) { return engine() % bound; };
  for (int round = 0; round < 200; ++round) {
    std::vector<CodeRange> ranges = {{0, 64, 0}};
    for (std::uint32_t entry = 1; entry < 12; ++entry) {
      const CodeRange outer = ranges[below(ranges.size())];
      const std::uint64_t begin = outer.begin + below(outer.end - outer.begin);
      ranges.push_back({begin, begin + 1 + below(outer.end - begin), entry});
    }
    // Two that only overlap are no nest: of those the sweep promises no more than to end.
    bool nests = true;
    for (const CodeRange& a : ranges) {
      for (const CodeRange& b : ranges) nests = nests && !(a.begin < b.begin && b.begin < a.end && a.end < b.end);
    }
    const auto segments = flatten(ranges);
    for (std::uint64_t address = 0; nests && address < 70; ++address) {
      ASSERT_EQ(found(segments, address), innermost(ranges, address)) << "round " << round << " address " << address;
    }
  }
}

}  // namespace

}  // namespace steelyard::bench::unit_origins_test
