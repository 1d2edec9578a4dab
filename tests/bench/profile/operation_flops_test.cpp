#include "bench/profile/operation_flops.hpp"

#include <gtest/gtest.h>

namespace steelyard::bench::operation_flops_test {
namespace {

std::optional<double> flops(std::string_view name, std::string_view shapes) {
  return flops_of_operation(name, shapes, {});
}

TEST(OperationFlops, OfProductsAreTwoForEachMultiplication) {
  EXPECT_EQ(flops("aten::mm", "[[3, 4], [4, 5]]"), 2 * 3 * 4 * 5);
  EXPECT_EQ(flops("aten::addmm", "[[5], [3, 4], [4, 5], [], []]"), 2 * 3 * 4 * 5);
  EXPECT_EQ(flops("aten::bmm", "[[7, 3, 4], [7, 4, 5]]"), 7 * 2 * 3 * 4 * 5);
  EXPECT_EQ(flops("aten::baddbmm", "[[7, 3, 5], [7, 3, 4], [7, 4, 5], [], []]"), 7 * 2 * 3 * 4 * 5);
  EXPECT_EQ(flops("aten::mm", "[[0, 4], [4, 5]]"), 0);
}

TEST(OperationFlops, OfSumsAndProductsByElementAreThoseOfTheFirst) {
  EXPECT_EQ(flops("aten::mul", "[[3, 4], []]"), 12);
  EXPECT_EQ(flops("aten::add", "[[3, 4, 5], [5], []]"), 60);
  EXPECT_EQ(flops("aten::add", "[[], []]"), 1) << "a number";
  EXPECT_EQ(flops("aten::mul", "[[], [1000]]"), std::nullopt)
      << "spread over the second: 1000, of which PyTorch counts 1";
}

// PyTorch's example: 2 * 64 * 56 * 56 * 3 * 3 * 64 * 128 with a stride of 1 and a padding of 1.
TEST(OperationFlops, OfAConvolutionAreOfTheFilterAtEachPointOfTheOutput) {
  const auto convolution = [](const char* stride, const char* padding, const char* dilation) {
    return flops_of_operation("aten::conv2d", "[[64, 64, 56, 56], [128, 64, 3, 3], [128], [], [], [], []]",
                              {"", "", "", stride, padding, dilation, "1"});
  };
  constexpr double kPoint = 2.0 * 64 * 3 * 3 * 64 * 128;
  EXPECT_EQ(convolution("[1, 1]", "[1, 1]", "[1, 1]"), kPoint * 56 * 56);
  EXPECT_EQ(convolution("[1]", "[0]", "[1]"), kPoint * 54 * 54);
  EXPECT_EQ(convolution("[2, 1]", "[1, 0]", "[1, 2]"), kPoint * 28 * 52);
  EXPECT_EQ(convolution("[0, 1]", "[1, 1]", "[1, 1]"), std::nullopt);
  EXPECT_EQ(convolution("[1, 1]", "same", "[1, 1]"), std::nullopt);
  EXPECT_EQ(flops("aten::conv2d", "[[64, 64, 56, 56], [128, 64, 3, 3]]"), std::nullopt) << "what its stride is";
}

TEST(OperationFlops, OfShapesThatAreNoneOfItAreNotKnown) {
  for (const char* shapes :
       {"", "[]", "[[3, 4]]", "[[3, 4], [5, 6]]", "[[3, 4], [4]]", "[[3, 4], [4, 5]", "[3, 4]", "[[[3, 4]], [4, 5]]",
        "[[-3, 4], [4, 5]]", "[[3, nan], [4, 5]]", "[[3 4], [4, 5]", "x", "[[1e300, 1e300], [1e300, 1e300]]"}) {
    EXPECT_EQ(flops("aten::mm", shapes), std::nullopt) << shapes;
  }
  EXPECT_EQ(flops("aten::bmm", "[[7, 3, 4], [6, 4, 5]]"), std::nullopt);
  EXPECT_EQ(flops("aten::add", ""), std::nullopt);
  EXPECT_EQ(flops("aten::relu", "[[3, 4]]"), std::nullopt) << "PyTorch counts it as nothing that is known";
  EXPECT_EQ(flops("mm", "[[3, 4], [4, 5]]"), std::nullopt) << "a span of a program says itself what it computes";
}

}  // namespace
}  // namespace steelyard::bench::operation_flops_test
