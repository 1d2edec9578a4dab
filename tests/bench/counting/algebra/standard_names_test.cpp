#include "bench/counting/algebra/standard_names.hpp"

#include <gmock/gmock.h>

#include "tests/bench/counting/algebra/golden_part.hpp"

namespace steelyard {
namespace {

using ::testing::ElementsAre;

TEST(StandardNames, AFileIsNamedBelowTheFirstFolderThatHoldsIt) {
  EXPECT_EQ(standard_file("/home/a/src/x/f.cpp", {{"/opt", "/home/a/src", "/home"}}), "x/f.cpp");
  EXPECT_EQ(standard_file("/home/a/build/../src/f.cpp", {{"/home/a/"}}), "src/f.cpp");
  EXPECT_EQ(standard_file("/home/ab/f.cpp", {{"/home/a"}}), "/home/ab/f.cpp");
  EXPECT_EQ(standard_file("./csu/../csu/libc-start.c", {{"/home/a"}}), "./csu/../csu/libc-start.c");
  EXPECT_EQ(standard_file("???", {{"/home/a"}}), "???");
  EXPECT_EQ(standard_file("", {{"/home/a", ""}}), "");
}

// The four rules of torch's as_standardized.
TEST(StandardNames, WithoutFoldersTheBuildFoldersOfPyTorchAreKnown) {
  EXPECT_EQ(standard_file("/tmp/x/build/../aten/src/Tensor.h", {}), "build/../aten/src/Tensor.h");
  EXPECT_EQ(standard_file("/tmp/x/build/aten/src/Ops.cpp", {}), "build/aten/src/Ops.cpp");
  EXPECT_EQ(standard_file("/usr/src/Python-3.9/Python/ceval.c", {}), "Python/ceval.c");
  EXPECT_EQ(standard_file("/usr/src/Python-3.9/Objects/dictobject.c", {}), "Objects/dictobject.c");
  EXPECT_EQ(standard_file("build/../f.cpp", {}), "build/../f.cpp");
  EXPECT_EQ(standard_file("/home/a/f.cpp", {}), "/home/a/f.cpp");
}

// torch strips every trailing " [...]" of a row, and with the object the mark of the clone: two functions become one.
TEST(StandardNames, TheObjectGoesAndTheCloneStays) {
  const auto all = FunctionCounts::of(golden_part("01_names/compressed.callgrind.out"), CountKind::self);
  ASSERT_TRUE(all);
  const FunctionCounts own = all->filtered([](const FunctionKey& key) { return key.object.starts_with("/src/cg/"); });
  const auto standard = as_standardized(own, {{"/src/cg"}});
  ASSERT_TRUE(standard);
  EXPECT_EQ(standard->rows().size(), own.rows().size());
  EXPECT_EQ(*standard->sum(), *own.sum());
  std::size_t clones = 0;
  for (const FunctionCount& row : standard->rows()) {
    EXPECT_EQ(row.key.object, "");
    EXPECT_FALSE(row.key.file.starts_with("/src/cg/")) << row.key.file;
    clones += row.key.function.ends_with(" [clone .isra.0]") ? 1 : 0;
  }
  EXPECT_GE(clones, 1u);
}

TEST(StandardNames, TwoCopiesOfOneFunctionStayTwo) {
  const auto counts = FunctionCounts::of(CountKind::self, {"Ir"},
                                         {{{"/x/bench", "/x/f.cpp", "f(int) [clone .isra.0]"}, {5}},
                                          {{"/x/bench", "/x/f.cpp", "f(int) [clone .part.0]"}, {7}},
                                          {{"/x/bench", "/x/f.cpp", "f(int)"}, {9}}});
  ASSERT_TRUE(counts);
  EXPECT_THAT(as_standardized(*counts, {{"/x"}})->rows(),
              ElementsAre(FunctionCount{{"", "f.cpp", "f(int)"}, {9}},
                          FunctionCount{{"", "f.cpp", "f(int) [clone .isra.0]"}, {5}},
                          FunctionCount{{"", "f.cpp", "f(int) [clone .part.0]"}, {7}}));
}

TEST(StandardNames, OneBuildInTwoFoldersIsNoDifference) {
  const auto built_in = [](const std::string& folder) {
    const auto counts = FunctionCounts::of(
        CountKind::self, {"Ir"},
        {{{folder + "/bench", folder + "/a.cpp", "f"}, {5}}, {{folder + "/bench", folder + "/b.cpp", "f"}, {6}}});
    return *as_standardized(*counts, {{folder}});
  };
  EXPECT_TRUE(built_in("/tmp/one").minus(built_in("/srv/two"))->rows().empty());
}

}  // namespace
}  // namespace steelyard
