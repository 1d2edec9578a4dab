#include "bench/harness/fuzz/fuzzed_tensor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steelyard::fuzzed_tensor_test {
namespace {

using testing::HasSubstr;

FuzzedTensor tensor(std::vector<FuzzExtent> sizes, std::vector<FuzzExtent> steps = {}) {
  FuzzedTensor x;
  x.name = "x";
  x.sizes = std::move(sizes);
  x.steps = std::move(steps);
  return x;
}

TensorPlan planned(const FuzzedTensor& x, std::uint32_t seed = 0) {
  TensorPlan plan = *plan_tensor(x, {});
  NumpyRandom random(seed);
  draw_layout(x, plan, random);
  return plan;
}

std::string error_of(const FuzzedTensor& x) {
  const Result<void> checked = x.check({FuzzedParameter::uniform("k", 1, 2)});
  return checked ? "" : checked.error().text();
}

TEST(FuzzedTensor, ContiguousTensorsLieInRowOrder) {
  FuzzedTensor x = tensor({2, 3, 4});
  x.probability_contiguous = 1;
  const TensorPlan plan = planned(x);
  EXPECT_EQ(plan.strides, (std::vector<std::int64_t>{12, 4, 1}));
  EXPECT_TRUE(plan.is_contiguous);
  EXPECT_EQ(plan.storage_elements, 24);
}

TEST(FuzzedTensor, OrderIsThatOfTheDimensionsInMemory) {
  FuzzedTensor x = tensor({2, 3, 4});
  x.probability_contiguous = 0;
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const TensorPlan plan = planned(x, seed);
    EXPECT_NE(plan.order, (std::vector<std::int64_t>{0, 1, 2}));
    EXPECT_FALSE(plan.is_contiguous);
    std::int64_t wanted = 1;
    for (std::size_t i = 3; i-- > 0;) {
      const auto dimension = static_cast<std::size_t>(plan.order[i]);
      EXPECT_EQ(plan.strides[dimension], wanted);
      wanted *= plan.shape[dimension];
    }
  }
}

TEST(FuzzedTensor, StepsAllocateMoreAndStrideOverIt) {
  FuzzedTensor x = tensor({4, 8}, {1, 4});
  x.probability_contiguous = 1;
  const TensorPlan plan = planned(x);
  EXPECT_EQ(plan.shape, (std::vector<std::int64_t>{4, 8}));
  EXPECT_EQ(plan.strides, (std::vector<std::int64_t>{32, 4}));
  EXPECT_EQ(plan.storage_elements, 128);
  EXPECT_FALSE(plan.is_contiguous);
}

TEST(FuzzedTensor, OneDimensionIsNeverPermuted) {
  FuzzedTensor x = tensor({7});
  x.probability_contiguous = 0;
  EXPECT_TRUE(planned(x).is_contiguous);
}

TEST(FuzzedTensor, DimensionsTruncateAndPad) {
  FuzzedTensor x = tensor({5, 6}, {2});
  x.dimensions = "k";
  FuzzValues values;
  values.add("k", std::int64_t{1});
  EXPECT_EQ(plan_tensor(x, values)->shape, (std::vector<std::int64_t>{5}));
  FuzzValues more;
  more.add("k", std::int64_t{4});
  EXPECT_EQ(plan_tensor(x, more)->shape, (std::vector<std::int64_t>{5, 6, 1, 1}));
  EXPECT_EQ(plan_tensor(x, more)->steps, (std::vector<std::int64_t>{2, 1, 1, 1}));
  FuzzValues bad;
  bad.add("k", std::int64_t{-1});
  EXPECT_THAT(plan_tensor(x, bad).error().text(), HasSubstr("-1 dimensions"));
}

TEST(FuzzedTensor, BoundsAreExactWhereProductsOverflow) {
  const std::int64_t big = std::int64_t{1} << 32;
  FuzzedTensor x = tensor({big, big});  // 2^64 elements: 0 in 64 bits
  x.max_elements = 100;
  EXPECT_EQ(broken_bound(x, *plan_tensor(x, {})), "x: at most 100 elements");
  x = tensor({std::int64_t{1} << 31}, {std::int64_t{1} << 31});  // 2^62 elements of 4 bytes: 2^64
  x.max_allocation_bytes = 1000;
  EXPECT_EQ(broken_bound(x, *plan_tensor(x, {})), "x: at most 1000 bytes allocated");
  x = tensor({big, big, 0});
  x.max_elements = 100;
  x.max_allocation_bytes = 1000;
  EXPECT_EQ(broken_bound(x, *plan_tensor(x, {})), "");
  x = tensor({big, big});
  x.min_elements = 100;
  EXPECT_EQ(broken_bound(x, *plan_tensor(x, {})), "");
}

TEST(FuzzedTensor, BoundsHoldAtTheirEdges) {
  FuzzedTensor x = tensor({10, 10}, {1, 2});
  x.min_elements = 100;
  x.max_elements = 100;
  x.max_allocation_bytes = 800;
  EXPECT_EQ(broken_bound(x, *plan_tensor(x, {})), "");
  x.max_allocation_bytes = 799;
  EXPECT_EQ(broken_bound(x, *plan_tensor(x, {})), "x: at most 799 bytes allocated");
  x.max_elements = 99;
  EXPECT_EQ(broken_bound(x, *plan_tensor(x, {})), "x: at most 99 elements");
  x.max_elements.reset();
  x.min_elements = 101;
  EXPECT_EQ(broken_bound(x, *plan_tensor(x, {})), "x: at least 101 elements");
}

TEST(FuzzedTensor, ContradictionsAreRefusedBeforeAnythingIsDrawn) {
  FuzzedTensor x = tensor({"k"});
  EXPECT_EQ(error_of(x), "");
  x.min_elements = 10;
  x.max_elements = 9;
  EXPECT_THAT(error_of(x), HasSubstr("min_elements 10 above max_elements 9"));
  x.max_elements.reset();
  x.max_allocation_bytes = 39;
  EXPECT_THAT(error_of(x), HasSubstr("min_elements 10 of 4 bytes above max_allocation_bytes 39"));
  x = tensor({"k"});
  x.max_elements = -1;
  EXPECT_THAT(error_of(x), HasSubstr("a negative bound"));
  x = tensor({"k", "j"});
  EXPECT_THAT(error_of(x), HasSubstr("found \"j\", wanted the name of a parameter"));
  x = tensor({"k"});
  x.probability_contiguous = 1.5;
  EXPECT_THAT(error_of(x), HasSubstr("probability_contiguous 1.5"));
  EXPECT_THAT(error_of(tensor({})), HasSubstr("no sizes"));
}

TEST(FuzzedTensor, NothingIsStridedOverWhereASizeIsZero) {
  const std::int64_t big = std::int64_t{1} << 62;
  FuzzedTensor x = tensor({big, big, 0}, {4});
  const TensorPlan plan = planned(x);
  EXPECT_EQ(plan.storage_elements, 0);
  EXPECT_EQ(plan.strides, (std::vector<std::int64_t>{1, 1, 1}));
  EXPECT_TRUE(plan.is_contiguous);
  EXPECT_EQ(row_strides({0, big, big}), (std::vector<std::int64_t>{1, 1, 1}));
}

TEST(FuzzedTensor, SizesOfOneDoNotMatterForContiguity) {
  EXPECT_TRUE(is_contiguous({3, 1, 4}, {4, 99, 1}));
  EXPECT_FALSE(is_contiguous({3, 2, 4}, {4, 99, 1}));
  EXPECT_TRUE(is_contiguous({0, 2}, {7, 9}));
  EXPECT_TRUE(is_contiguous({}, {}));
  EXPECT_EQ(row_strides({2, 3, 4}), (std::vector<std::int64_t>{12, 4, 1}));
}

}  // namespace
}  // namespace steelyard::fuzzed_tensor_test
