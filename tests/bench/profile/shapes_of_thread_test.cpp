#include "bench/profile/spans/shapes_of_thread.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace steelyard::bench::shapes_of_thread_test {
namespace {

// Says each of so many kinds, and returns how many had to be made.
template <std::size_t... max_places>
class Kinds {
 public:
  std::size_t made_of(std::int64_t kinds) {
    std::size_t made = 0;
    for (std::int64_t i = 0; i < kinds; ++i) {
      const std::int64_t& found = shapes_.of({.shapes = {{i, 64}, {64, i}}}, [&]() -> std::int64_t& {
        ++made;
        return kept_.emplace_back(i);
      });
      EXPECT_EQ(found, i);
    }
    return made;
  }

 private:
  std::deque<std::int64_t> kept_;
  ShapesOfThread<std::int64_t, max_places...> shapes_;
};

TEST(ShapesOfThread, AreMadeOnceHoweverManyKindsThereAre) {
  for (const std::int64_t kinds : {1, 64, 65, 1000, 100'000}) {
    Kinds<> shapes;
    EXPECT_EQ(shapes.made_of(kinds), static_cast<std::size_t>(kinds));
    EXPECT_EQ(shapes.made_of(kinds), 0U) << kinds;
  }
}

TEST(ShapesOfThread, BeyondItsRoomAreMadeAgainAndStayWhatTheyAre) {
  constexpr std::int64_t kMore = 2048;
  Kinds<1024> shapes;
  EXPECT_EQ(shapes.made_of(kMore), static_cast<std::size_t>(kMore));
  const std::size_t again = shapes.made_of(kMore);
  EXPECT_GT(again, 0U);
  EXPECT_LE(again, static_cast<std::size_t>(kMore));
}

TEST(ShapesOfThread, OfAThreadThatEndsAreMadeEachTime) {
  alignas(ShapesOfThread<int>) std::byte memory[sizeof(ShapesOfThread<int>)];
  auto* const shapes = new (memory) ShapesOfThread<int>;
  int value = 0, made = 0;
  const auto say = [&] { shapes->of({.shapes = {{1}}}, [&]() -> int& { return ++made, value; }); };
  say();
  say();
  EXPECT_EQ(made, 1);
  shapes->~ShapesOfThread();
  say();
  say();
  EXPECT_EQ(made, 3);
}

TEST(ShapesOfThread, DifferWhereAnyDimensionOrItsPlaceDoes) {
  const auto hash = [](const SpanFacts& facts) { return hash_of_shapes(facts); };
  EXPECT_NE(hash({.shapes = {{1, 2}}}), hash({.shapes = {{2, 1}}}));
  EXPECT_NE(hash({.shapes = {{1, 2}}}), hash({.shapes = {{1}, {2}}}));
  EXPECT_NE(hash({.shapes = {{}}}), hash({.shapes = {{}, {}}}));
  EXPECT_EQ(hash({.shapes = {{7, 8}}}), hash({.shapes = {{7, 8}}}));
  // Of so many shapes no two alike; by chance two would be in one of 4 billion tries.
  std::vector<std::uint64_t> hashes;
  for (std::int64_t i = 0; i < 300; ++i) {
    for (std::int64_t j = 0; j < 300; ++j) hashes.push_back(hash({.shapes = {{i, j}, {64 * j}}}));
  }
  std::sort(hashes.begin(), hashes.end());
  EXPECT_EQ(std::adjacent_find(hashes.begin(), hashes.end()), hashes.end());
}

}  // namespace
}  // namespace steelyard::bench::shapes_of_thread_test
