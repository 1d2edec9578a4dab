#include "bench/profile/spans/shapes_of_thread.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <thread>
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
  EndOfShapes<std::int64_t, max_places...> end_{shapes_};
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

constinit thread_local ShapesOfThread<const std::int64_t> own_shapes;
constexpr std::int64_t kKinds = 32;  // half of the first places

// Says each of so many kinds, and returns how many had to be made.
std::int64_t made_of_own(std::int64_t kinds) {
  static constexpr std::int64_t kMade = 7;
  thread_local const EndOfShapes end(own_shapes);
  std::int64_t made = 0;
  for (std::int64_t i = 0; i < kinds; ++i) {
    const std::int64_t& found = own_shapes.of({.shapes = {{i}}}, [&made]() -> const std::int64_t& {
      ++made;
      return kMade;
    });
    EXPECT_EQ(&found, &kMade);
  }
  return made;
}

// Of a thread, destroyed after what was made later than it: the table is no more by then.
struct SaysShapesAtTheEnd {
  ~SaysShapesAtTheEnd() {
    *made = made_of_own(kKinds);
    *made_again = made_of_own(kKinds + 1);
  }
  std::int64_t *made, *made_again;
};

TEST(ShapesOfThread, OfAThreadThatEndsAreMadeEachTime) {
  std::int64_t made = 0, made_again = 0;
  std::thread([&] {
    thread_local const SaysShapesAtTheEnd last{&made, &made_again};
    EXPECT_EQ(made_of_own(kKinds), kKinds);
    EXPECT_EQ(made_of_own(kKinds), 0);
    EXPECT_EQ(last.made, &made);
  }).join();
  EXPECT_EQ(made, kKinds);
  EXPECT_EQ(made_again, kKinds + 1);
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
