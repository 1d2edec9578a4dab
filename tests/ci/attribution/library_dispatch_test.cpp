#include "ci/attribution/library_dispatch.hpp"

#include <gtest/gtest.h>

#include "tests/ci/attribution/hand_made_profile.hpp"

namespace steelyard {
namespace {

TEST(LibraryDispatch, DiffersOnlyWhereTheRunSaysSo) {
  steelyard::Run run;
  EXPECT_EQ(different_dispatch(run), nullptr);
  run.environment.set("count.dispatch", "OpenBLAS Haswell under Valgrind, Haswell natively", false);
  EXPECT_EQ(different_dispatch(run), nullptr);
  run.environment.set("count.dispatch",
                      "OpenBLAS Haswell under Valgrind, SkylakeX natively: counts and times are of different code",
                      false);
  ASSERT_NE(different_dispatch(run), nullptr);
}

TEST(LibraryDispatch, IsSeenInThePathOrTheNamesOfTheLibrary) {
  const auto calls = [](const std::string& name, const std::string& object) {
    return calls_a_dispatching_library(HandMadeProfile("BM_x", 1).function(name, "???", 1, object).build());
  };
  EXPECT_TRUE(calls("dot_k", "/usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblas.so.0"));
  EXPECT_TRUE(calls("cblas_sgemm", "/home/a/bench"));
  EXPECT_FALSE(calls("my::gemm(int)", "/home/a/bench"));
}

}  // namespace
}  // namespace steelyard
