#include "ci/app/terminal_text.hpp"

#include <gtest/gtest.h>

namespace steelyard {
namespace {

TEST(Paint, AddsNothingWithoutColour) {
  EXPECT_EQ(paint("x", Tone::bad, false), "x");
  EXPECT_EQ(paint("x", Tone::plain, true), "x");
  EXPECT_EQ(paint("x", Tone::bad, true), "\x1b[31mx\x1b[0m");
}

TEST(WithoutDevice, LeavesTheRestOfTheName) {
  EXPECT_EQ(without_device("gemv/n:8 [device=NVIDIA H200]"), "gemv/n:8");
  EXPECT_EQ(without_device("gemv/n:8 [suite=x,device=NVIDIA H200]"), "gemv/n:8 [suite=x]");
  EXPECT_EQ(without_device("gemv/n:8 [device=NVIDIA H200,dtype=bf16]"), "gemv/n:8 [dtype=bf16]");
  EXPECT_EQ(without_device("gemv/n:8 [suite=x,device=NVIDIA H200,dtype=bf16]"), "gemv/n:8 [suite=x,dtype=bf16]");
  EXPECT_EQ(without_device("gemv/n:8 [suite=x]"), "gemv/n:8 [suite=x]");
  EXPECT_EQ(without_device("gemv/device=y"), "gemv/device=y");
  EXPECT_EQ(without_device(""), "");
}

}  // namespace
}  // namespace steelyard
