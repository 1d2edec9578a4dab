#include "bench/counting/collection.hpp"

#include "tests/promised.hpp"

namespace steelyard {
namespace {

TEST(OpenBlasCore, IsReadFromALineOfItsOwn) {
  EXPECT_EQ(openblas_core_of("Core: Haswell\n"), "Haswell");
  EXPECT_EQ(openblas_core_of("warning: something\nCore: SkylakeX\nmore\n"), "SkylakeX");
  EXPECT_EQ(openblas_core_of("Core: Zen"), "Zen");
}

TEST(OpenBlasCore, IsEmptyWhereTheProgramSaysNothing) {
  EXPECT_EQ(openblas_core_of(""), "");
  EXPECT_EQ(openblas_core_of("my Core: is not it\n"), "");
  EXPECT_EQ(openblas_core_of("Core:"), "");
}

}  // namespace
}  // namespace steelyard
