#include "bench/harness/fuzz/op_fuzzers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/bench/harness/fuzz/shapes.hpp"

namespace steelyard::op_fuzzers_test {
namespace {

// k0 x k1 as PyTorch's documentation prints them for BinaryOpFuzzer(seed=0): k1 also where there is one dimension.
TEST(OpFuzzers, BinaryInReferenceModeYieldsPublishedItems) {
  const Result<FuzzedItems> items = take(binary_op_fuzzer(0, {.reference = true}), 9);
  ASSERT_TRUE(items) << items.error().text();
  std::vector<std::string> shown;
  for (const ItemPlan& item : items->items) {
    shown.push_back(std::to_string(*item.values.whole("k0")) + "x" + std::to_string(*item.values.whole("k1")) +
                    (item.tensors[0].is_contiguous ? "" : " d"));
  }
  EXPECT_EQ(shown, (std::vector<std::string>{"64x473 d", "16384x12642115 d", "8192x892", "512x64 d", "493x27 d",
                                             "118x32 d", "16x495 d", "488x62374", "240372x69"}));
  EXPECT_EQ(items->items[1].tensors[0].shape.size(), 1U);
  EXPECT_EQ(items->items[1].identity.find("k1:"), std::string::npos);
}

TEST(OpFuzzers, BoundsHoldForEveryItem) {
  for (const FuzzerSpec& spec : {unary_op_fuzzer(3), binary_op_fuzzer(3), sparse_unary_op_fuzzer(3),
                                 sparse_binary_op_fuzzer(3), spectral_op_fuzzer(3)}) {
    const Result<FuzzedItems> items = take(spec, 100);
    ASSERT_TRUE(items) << items.error().text();
    for (const ItemPlan& item : items->items) {
      const TensorPlan& x = item.tensors[0];
      EXPECT_GE(x.elements(), 4 * 1024);
      for (const TensorPlan& tensor : item.tensors) {
        EXPECT_LE(tensor.elements(), 32 * 1024 * 1024);
        EXPECT_TRUE(tensor.sparsity || *storage_bytes_of(tensor) <= std::int64_t{2} << 30);
      }
    }
  }
}

TEST(OpFuzzers, YUsesItsOwnStepsUnlessReferenceIsAsked) {
  const auto steps_differ = [](const FuzzerSpec& spec) {
    const Result<FuzzedItems> items = take(spec, 60);
    return std::any_of(items->items.begin(), items->items.end(),
                       [](const ItemPlan& item) { return item.tensors[0].steps != item.tensors[1].steps; });
  };
  EXPECT_TRUE(steps_differ(binary_op_fuzzer(0)));
  EXPECT_FALSE(steps_differ(binary_op_fuzzer(0, {.reference = true})));
}

TEST(OpFuzzers, YHasTheSizesOfXOrOne) {
  const Result<FuzzedItems> items = take(binary_op_fuzzer(5), 60);
  ASSERT_TRUE(items);
  int broadcast = 0;
  for (const ItemPlan& item : items->items) {
    for (std::size_t i = 0; i < item.tensors[0].shape.size(); ++i) {
      const std::int64_t y_size = item.tensors[1].shape[i];
      EXPECT_TRUE(y_size == 1 || y_size == item.tensors[0].shape[i]);
      broadcast += y_size == 1 ? 1 : 0;
    }
  }
  EXPECT_GT(broadcast, 0);
}

TEST(OpFuzzers, SparseEntriesAreTheDensityOfTheCells) {
  const Result<FuzzedItems> items = take(sparse_unary_op_fuzzer(2), 40);
  ASSERT_TRUE(items);
  for (const ItemPlan& item : items->items) {
    const TensorPlan& x = item.tensors[0];
    double cells = 1;
    for (std::int64_t i = 0; i < x.sparsity->dimensions; ++i) {
      cells *= static_cast<double>(x.shape[static_cast<std::size_t>(i)]);
    }
    EXPECT_EQ(x.sparsity->entries, static_cast<std::int64_t>(std::ceil(cells * *item.values.real("density"))));
    EXPECT_LE(x.sparsity->dimensions, static_cast<std::int64_t>(x.shape.size()));
  }
}

TEST(OpFuzzers, SparseEntriesInReferenceModeAreThoseOfTheSum) {
  const FuzzedItems right = *take(sparse_unary_op_fuzzer(2), 20);
  const FuzzedItems reference = *take(sparse_unary_op_fuzzer(2, {.reference = true}), 20);
  EXPECT_EQ(shapes_of(right), shapes_of(reference));
  for (const ItemPlan& item : reference.items) {
    const TensorPlan& x = item.tensors[0];
    double sum = 0;
    for (const std::int64_t size : x.shape) sum += static_cast<double>(size);
    EXPECT_EQ(x.sparsity->entries, static_cast<std::int64_t>(std::ceil(sum * *item.values.real("density"))));
  }
}

// The table of docs/guide/fuzzing.md.
TEST(OpFuzzers, RejectionsAreThoseOfTheDocumentation) {
  const auto rejections = [](const FuzzerSpec& spec) {
    const Result<FuzzedItems> items = take(spec, 100);
    EXPECT_EQ(items->generated, 100 + items->rejections());
    return items->rejections();
  };
  EXPECT_EQ(rejections(unary_op_fuzzer(0)), 803);
  EXPECT_EQ(rejections(binary_op_fuzzer(0)), 629);
  EXPECT_EQ(rejections(sparse_unary_op_fuzzer(0)), 775);
  EXPECT_EQ(rejections(sparse_binary_op_fuzzer(0)), 374);
  EXPECT_EQ(rejections(spectral_op_fuzzer(0)), 180);
}

bool is_regular(std::int64_t n) {
  for (const std::int64_t factor : {2, 3, 5}) {
    while (n % factor == 0) n /= factor;
  }
  return n == 1;
}

TEST(OpFuzzers, SpectralSizesAreRegularAndLogUniform) {
  const auto shares = [](const FuzzerSpec& spec) {
    const Result<FuzzedItems> items = take(spec, 1000);
    int below = 0;
    for (const ItemPlan& item : items->items) {
      const std::int64_t size = *item.values.whole("k_regular_0");
      EXPECT_TRUE(is_regular(size) && size > 16 && size <= 16384) << size;
      below += size < 512 ? 1 : 0;  // about the middle of the range in octaves
    }
    return below / 1000.0;
  };
  FuzzerSpec free = spectral_op_fuzzer(0);
  free.tensors.clear();
  FuzzerSpec reference = spectral_op_fuzzer(0, {.reference = true});
  reference.tensors.clear();
  // Seven standard deviations of a binomial of 1000 are 0.11.
  EXPECT_NEAR(shares(free), std::log2(512.0 / 18) / std::log2(16384.0 / 18), 0.11);
  EXPECT_LT(shares(reference), 0.36);  // 80 of 251 numbers
}

}  // namespace
}  // namespace steelyard::op_fuzzers_test
