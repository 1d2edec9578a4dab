// What one thread does of passes over memory and of dot products, played thread by thread.
#include "bench/suites/cuda/ceilings/memory_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "bench/suites/cuda/arithmetic/seeded_inputs.hpp"
#include "bench/suites/cuda/products/dot_kernels.hpp"

namespace steelyard::cuda_suite::memory_share_test {
namespace {

// None, one, the edges of a thread's, a turn's and a block's share, and several blocks.
const std::vector<std::size_t> kSizes{
    0, 1, 255, 256, 257, kPacksOfBlock - 1, kPacksOfBlock, kPacksOfBlock + 1, 3 * kPacksOfBlock + 77};

void play(std::size_t packs, const std::function<void(PassThread)>& thread_does) {
  for (std::size_t block = 0; block < blocks_for(packs); ++block) {
    for (unsigned thread = 0; thread < kPassThreads; ++thread) thread_does({.block = block, .thread = thread});
  }
}

std::vector<Pack> random_packs(std::size_t count) {
  std::vector<Pack> packs(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t word = 0; word < 4; ++word) packs[i].words[word] = static_cast<std::uint32_t>(scrambled(word, i));
  }
  return packs;
}

bool equal(const Pack& one, const Pack& other) { return std::equal(one.words, one.words + 4, other.words); }

TEST(MemoryShare, EveryPackIsCopiedAndNothingBehindTheEnd) {
  for (const std::size_t packs : kSizes) {
    const std::vector<Pack> source = random_packs(packs);
    const Pack poison{{0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu}};
    std::vector<Pack> target(packs + kPacksOfBlock, poison);
    play(packs, [&](PassThread at) { copy_share(source.data(), target.data(), packs, at); });
    for (std::size_t i = 0; i < target.size(); ++i) {
      ASSERT_TRUE(equal(target[i], i < packs ? source[i] : poison)) << packs << " packs, number " << i;
    }
  }
}

TEST(MemoryShare, EveryPackIsOfOneThread) {
  for (const std::size_t packs : kSizes) {
    std::vector<int> taken(packs);
    play(packs, [&](PassThread at) {
      for (int turn = 0; turn < kPacksInFlight; ++turn) {
        if (at.pack(turn) < packs) ++taken[at.pack(turn)];
      }
    });
    EXPECT_EQ(std::count(taken.begin(), taken.end(), 1), static_cast<std::ptrdiff_t>(packs));
  }
}

TEST(MemoryShare, EveryWordIsRead) {
  for (const std::size_t packs : kSizes) {
    const std::vector<Pack> source = random_packs(packs);
    std::uint32_t wanted = 0;
    for (const Pack& pack : source) {
      for (const std::uint32_t word : pack.words) wanted ^= word;
    }
    std::uint32_t joined = 0;
    play(packs, [&](PassThread at) { joined ^= read_share(source.data(), packs, at); });
    EXPECT_EQ(joined, wanted) << packs;
  }
}

TEST(MemoryShare, EveryWordIsWrittenAsItsPlaceSays) {
  constexpr std::uint32_t kKey = 12345;
  for (const std::size_t packs : kSizes) {
    std::vector<Pack> target(packs);
    play(packs, [&](PassThread at) { write_share(target.data(), packs, kKey, at); });
    for (std::size_t i = 0; i < packs; ++i) {
      for (int word = 0; word < 4; ++word)
        ASSERT_EQ(target[i].words[word], (4 * i + static_cast<unsigned>(word)) ^ kKey);
    }
  }
}

template <class T, bool kHasRight>
void expect_row_sums() {
  for (const std::size_t length : {1u, 7u, 8u, 64u, 100u, 1000u, 1001u, 10000u}) {
    // A multiple of 16 bytes from one row to the next, as far as the length has it.
    std::vector<Pack> memory((2 * length * sizeof(T) + 15) / 16 + 1);
    T* const values = reinterpret_cast<T*>(memory.data());
    for (std::size_t i = 0; i < 2 * length; ++i) values[i] = seeded_value<T>(5, i);
    double wanted = 0;
    double magnitude = 0;
    for (std::size_t i = 0; i < length; ++i) {
      const auto left = static_cast<double>(widened(values[i]));
      const double term = kHasRight ? left * static_cast<double>(widened(values[length + i])) : left;
      wanted += term;
      magnitude += std::fabs(term);
    }
    for (const unsigned lanes : {8u, 32u, 256u}) {
      double sum = 0;
      for (unsigned lane = 0; lane < lanes; ++lane) {
        sum += static_cast<double>(row_part<T, kHasRight>(values, values + length, length, {lane, lanes}));
      }
      EXPECT_NEAR(sum, wanted, magnitude * static_cast<double>(length / lanes + 2) * 0x1p-23) << length << ' ' << lanes;
    }
  }
}

TEST(DotShare, TheThreadsOfARowHaveEachOfItsValuesOnce) {
  expect_row_sums<float, false>();
  expect_row_sums<float, true>();
  expect_row_sums<Bf16, false>();
  expect_row_sums<Bf16, true>();
}

TEST(DotShare, ShortRowsShareAWarpAndFewLongOnesHaveABlockEach) {
  EXPECT_EQ(dot_lanes(10000, 64 / 8), 8u);
  EXPECT_EQ(dot_lanes(64, 64 / 4), 8u);
  EXPECT_EQ(dot_lanes(10000, 1024 / 8), 32u);
  EXPECT_EQ(dot_lanes(64, 10000 / 8), 256u);
  EXPECT_EQ(dot_lanes(10000, 10000 / 8), 32u) << "rows enough for every multiprocessor";
}

}  // namespace
}  // namespace steelyard::cuda_suite::memory_share_test
