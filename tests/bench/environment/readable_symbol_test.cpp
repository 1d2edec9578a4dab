#include "bench/environment/readable_symbol.hpp"

#include <gtest/gtest.h>

#include <ctime>

namespace steelyard::bench::readable_symbol_test {
namespace {

// "S_", "S0_", ..., "SZ_", "S10_": the n-th part of a name that later ones can refer to.
std::string reference(int n) {
  constexpr char kDigits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string digits;
  for (int rest = n - 1; n > 0; rest /= 36) {
    digits.insert(digits.begin(), kDigits[rest % 36]);
    if (rest < 36) break;
  }
  return 'S' + digits + '_';
}

// a<int, int>, a<a<int, int>, a<int, int> >, ...: each is twice as long as the one before, in ten letters. `first`: how
// many parts stand before them.
std::string doubled(int levels, int first) {
  std::string name = "1aIiiE";
  for (int level = 0; level < levels; ++level) {
    const std::string before = reference(first + 1 + level);
    name += reference(first) + 'I' + before + before + 'E';
  }
  return name;
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

TEST(ReadableSymbol, IsWhatCallgrindCallsTheFunction) {
  EXPECT_EQ(readable_symbol("_ZN1a1bEi"), "a::b(int)");
  EXPECT_EQ(readable_symbol("_ZNSt6vectorIiSaIiEE9push_backERKi"),
            "std::vector<int, std::allocator<int> >::push_back(int const&)");
  EXPECT_EQ(readable_symbol("_ZN12_GLOBAL__N_14workEv.cold"), "(anonymous namespace)::work() [clone .cold]");
  EXPECT_EQ(readable_symbol("_Z4callIJidEEvDpT_"), "void call<int, double>(int, double)");
}

TEST(ReadableSymbol, OfWhatIsNoMangledNameIsItself) {
  for (const char* name : {"main", "", "_Z", "_Znonsense", "Z1fv", "_R"}) EXPECT_EQ(readable_symbol(name), name);
}

// 660 letters that stand for 2^60 words.
TEST(ReadableSymbol, OfANameThatStandsForGigabytesIsTheNameWithinMilliseconds) {
  for (const int levels : {14, 22, 30, 60, 80}) {
    const std::string name = "_Z1f" + doubled(levels, 0);
    ASSERT_LT(name.size(), 1024U);
    const double before = processor_seconds();
    EXPECT_EQ(readable_symbol(name), name) << levels;
    EXPECT_LT(processor_seconds() - before, 1) << levels;
  }
  EXPECT_GT(readable_symbol("_Z1f" + doubled(8, 0)).size(), 1024U) << "long names are read";
}

// The doubled types stand where they are not written: as parameters of a function whose address alone is. They are
// still walked through for the length of a pack that they do not hold.
TEST(ReadableSymbol, OfANameThatWouldBeSearchedForeverForAPackIsTheNameWithinMilliseconds) {
  for (const int levels : {6, 40, 60}) {
    const std::string name = "_Z1fIXadL_ZN1n1gE" + doubled(levels, 2) + "EEEvDp" + reference(levels + 3);
    const double before = processor_seconds();
    const std::string readable = readable_symbol(name);
    EXPECT_LT(processor_seconds() - before, 1) << levels;
    EXPECT_EQ(readable == name, levels > 6) << levels;
  }
}

// Each conversion within another doubles the work of reading, before anything is written.
TEST(ReadableSymbol, OfConversionsWithinEachOtherIsTheNameWithinMilliseconds) {
  for (const int depth : {1, 4, 24, 50}) {
    const std::string name = "_Z" + repeated("N1acvT_IL_Z", depth) + "1fi" + repeated("EEEi", depth);
    const double before = processor_seconds();
    const std::string readable = readable_symbol(name);
    EXPECT_LT(processor_seconds() - before, 1) << depth;
    EXPECT_EQ(readable == name, depth > 8) << depth;
  }
}

TEST(ReadableSymbol, OfANameAboveAThousandLettersIsTheName) {
  EXPECT_EQ(readable_symbol("_Z900" + std::string(900, 'x') + 'v'), std::string(900, 'x') + "()");
  for (const std::string& name :
       {"_Z1100" + std::string(1100, 'x') + 'v', "_Z1f" + std::string(1'000'000, 'P') + 'i'}) {
    EXPECT_EQ(readable_symbol(name), name);
  }
}

}  // namespace
}  // namespace steelyard::bench::readable_symbol_test
