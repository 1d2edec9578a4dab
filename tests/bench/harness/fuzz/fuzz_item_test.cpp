#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "bench/harness/fuzz/fuzz_item.hpp"
#include "bench/harness/fuzz/op_fuzzers.hpp"

namespace steelyard::fuzz_item_test {
namespace {

constexpr std::int64_t kCount = 20'000;

TypedBuffer filled(Dtype dtype, std::uint64_t seed = 1) {
  TypedBuffer buffer = *make_buffer(dtype, {kCount});
  fill(buffer, seed);
  return buffer;
}

template <class T, class ToDouble>
std::vector<double> values_of(Dtype dtype, ToDouble&& to_double) {
  const TypedBuffer buffer = filled(dtype);
  const T* const first = buffer.data<T>();
  std::vector<double> values;
  for (std::int64_t i = 0; i < kCount; ++i) values.push_back(to_double(first[i]));
  return values;
}

void expect_even(const std::vector<double>& values, double low, double high) {
  double sum = 0;
  for (const double value : values) {
    ASSERT_GE(value, low);
    ASSERT_LE(value, high);
    sum += value;
  }
  const double deviation = (high - low) / std::sqrt(12.0 * static_cast<double>(values.size()));
  EXPECT_NEAR(sum / static_cast<double>(values.size()), (low + high) / 2, 7 * deviation + (high - low) / 250);
}

TEST(Content, RealsAreEvenBelowOne) {
  const auto same = [](auto value) { return static_cast<double>(value); };
  const auto half = [](auto value) { return static_cast<double>(to_float(value)); };
  for (const auto& values : {values_of<double>(Dtype::f64, same), values_of<float>(Dtype::f32, same),
                             values_of<Half>(Dtype::f16, half), values_of<BFloat16>(Dtype::bf16, half)}) {
    expect_even(values, 0, 1);
    EXPECT_LT(*std::max_element(values.begin(), values.end()), 1);
    EXPECT_GT(std::set<double>(values.begin(), values.end()).size(), 200U);
  }
}

TEST(Content, WholeNumbersRunFromOneToAHundredAndTwentySix) {
  const auto same = [](auto value) { return static_cast<double>(value); };
  for (const auto& values : {values_of<std::int64_t>(Dtype::i64, same), values_of<std::int32_t>(Dtype::i32, same),
                             values_of<std::int8_t>(Dtype::i8, same), values_of<std::uint8_t>(Dtype::u8, same)}) {
    expect_even(values, 1, 126);
    EXPECT_EQ(std::set<double>(values.begin(), values.end()).size(), 126U);
  }
}

TEST(Content, TruthValuesAreBoth) {
  const TypedBuffer buffer = filled(Dtype::boolean);
  const std::int64_t count = std::count(buffer.data<bool>(), buffer.data<bool>() + kCount, true);
  EXPECT_NEAR(static_cast<double>(count), 10'000, 7 * 71);
}

TEST(Content, ComplexNumbersHaveTwoDifferentParts) {
  const TypedBuffer buffer = filled(Dtype::c64);
  const std::complex<float> first = buffer.data<std::complex<float>>()[0];
  EXPECT_NE(first.real(), first.imag());
  EXPECT_EQ(filled(Dtype::c128).storage_bytes, 16 * kCount);
}

TEST(Content, DependsOnTheSeed) {
  EXPECT_EQ(filled(Dtype::f64, 5).data<double>()[7], filled(Dtype::f64, 5).data<double>()[7]);
  EXPECT_NE(filled(Dtype::f64, 5).data<double>()[7], filled(Dtype::f64, 6).data<double>()[7]);
}

TensorPlan::Sparsity sparsity(std::int64_t entries) {
  TensorPlan::Sparsity planned;
  planned.entries = entries;
  return planned;
}

TEST(Content, CellsAreDistinctAndAscendAtEveryDensity) {
  for (const std::int64_t entries : {0, 1, 10, 499, 500, 501, 900, 1000}) {
    const std::vector<std::int64_t> cells = draw_cells(sparsity(entries), 1000, 3);
    EXPECT_EQ(std::ssize(cells), entries);
    EXPECT_TRUE(std::is_sorted(cells.begin(), cells.end()));
    EXPECT_EQ(std::adjacent_find(cells.begin(), cells.end()), cells.end());
    EXPECT_TRUE(cells.empty() || (cells.front() >= 0 && cells.back() < 1000));
  }
  EXPECT_EQ(std::ssize(draw_cells(sparsity(5), 3, 1)), 3);
  EXPECT_TRUE(draw_cells(sparsity(5), 0, 1).empty());
}

// Each cell is as likely as any other, by both ways of drawing.
TEST(Content, CellsAreEquallyLikely) {
  for (const std::int64_t entries : {3, 8}) {
    std::vector<double> counts(12, 0);
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
      for (const std::int64_t cell : draw_cells(sparsity(entries), 12, seed)) ++counts[static_cast<std::size_t>(cell)];
    }
    const double share = static_cast<double>(entries) / 12;
    for (const double count : counts) EXPECT_NEAR(count, 3000 * share, 6 * std::sqrt(3000 * share * (1 - share)));
  }
}

TEST(Content, RepeatedCellsAreMergedWhereCoalesced) {
  TensorPlan::Sparsity planned = sparsity(100);
  planned.repeats_cells = true;
  EXPECT_EQ(std::ssize(draw_cells(planned, 10, 1)), 10);
  planned.is_coalesced = false;
  EXPECT_EQ(std::ssize(draw_cells(planned, 10, 1)), 100);
}

TEST(Dtypes, HalvesAreReadAsTheStandardSays) {
  EXPECT_EQ(to_float(Half{0x3c00}), 1.0F);
  EXPECT_EQ(to_float(Half{0xc000}), -2.0F);
  EXPECT_EQ(to_float(Half{0x0001}), 0x1p-24F);
  EXPECT_EQ(to_float(Half{0x7bff}), 65504.0F);
  EXPECT_TRUE(std::isinf(to_float(Half{0x7c00})));
  EXPECT_TRUE(std::isnan(to_float(Half{0x7e00})));
  EXPECT_EQ(to_float(BFloat16{0x3f80}), 1.0F);
}

TEST(Dtypes, EachHasANameOfItsOwn) {
  std::string names;
  for (const Dtype dtype : {Dtype::f64, Dtype::f32, Dtype::f16, Dtype::bf16, Dtype::i64, Dtype::i32, Dtype::i8,
                            Dtype::u8, Dtype::boolean, Dtype::c64, Dtype::c128}) {
    names += std::string(to_text(dtype)) + ' ';
  }
  EXPECT_EQ(names, "f64 f32 f16 bf16 i64 i32 i8 u8 bool c64 c128 ");
}

using testing::HasSubstr;
using testing::StartsWith;

FuzzerSpec small_matrices(Dtype dtype = Dtype::f32) {
  FuzzerSpec spec;
  spec.parameters = {FuzzedParameter::uniform("rows", 2, 9), FuzzedParameter::uniform("columns", 2, 9),
                     FuzzedParameter::choice("step", {{1, 0.5}, {3, 0.5}})};
  FuzzedTensor x;
  x.name = "x";
  x.dtype = dtype;
  x.sizes = {"rows", "columns"};
  x.steps = {"step", 2};
  spec.tensors = {x};
  return spec;
}

FuzzerSpec small_sparse(std::int64_t coalesced) {
  FuzzerSpec spec;
  spec.parameters = {FuzzedParameter::choice("density", {{0.25, 1}}),
                     FuzzedParameter::choice("coalesced", {{coalesced, 1}}),
                     FuzzedParameter::choice("sparse_dim", {{2, 1}})};
  FuzzedTensor x;
  x.name = "x";
  x.sizes = {6, 10, 4};
  x.sparsity = FuzzedSparsity{"sparse_dim", "density", "coalesced", false};
  spec.tensors = {x};
  return spec;
}

std::vector<ItemPlan> plans_of(const FuzzerSpec& spec, int n) {
  const Result<FuzzedItems> items = take(spec, n);
  return items->items;
}

FuzzItem first_item(const FuzzerSpec& spec) { return *make_item(take(spec, 1)->items[0]); }

// The slow and obvious way: index by index into one text.
std::string hash_of(const FuzzItem& item, const TypedBuffer& x) {
  std::string text;
  for (const auto& [name, value] : item.plan.values.all()) text += name + "=" + to_text(value) + "\n";
  text += "x: dense f32 shape " + std::to_string(x.shape[0]) + "," + std::to_string(x.shape[1]) + " strides " +
          std::to_string(x.strides[0]) + "," + std::to_string(x.strides[1]) + "\n";
  for (std::int64_t i = 0; i < x.shape[0]; ++i) {
    for (std::int64_t j = 0; j < x.shape[1]; ++j) {
      const float value = x.data<float>()[i * x.strides[0] + j * x.strides[1]];
      text.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
  }
  return sha256_hex(text);
}

TEST(FuzzItem, HashCoversParametersLayoutAndElements) {
  for (const ItemPlan& plan : plans_of(small_matrices(), 30)) {
    const FuzzItem item = *make_item(plan);
    EXPECT_EQ(item.hash, hash_of(item, item.tensor("x"))) << plan.identity;
  }
}

TEST(FuzzItem, HashIsNotTouchedByWhatLiesBetweenTheElements) {
  FuzzItem item = first_item(small_matrices());
  TypedBuffer& x = item.tensors[0].second;
  ASSERT_EQ(x.strides[1] % 2, 0);
  x.data<float>()[1] = 99;
  Sha256 between;
  add_to_hash(x, between);
  Sha256 untouched;
  add_to_hash(first_item(small_matrices()).tensor("x"), untouched);
  EXPECT_EQ(between.hex(), untouched.hex());
  x.data<float>()[0] = 99;
  Sha256 changed;
  add_to_hash(x, changed);
  Sha256 again;
  add_to_hash(first_item(small_matrices()).tensor("x"), again);
  EXPECT_NE(changed.hex(), again.hex());
}

// Results that were kept carry these: what a seed means must not change.
TEST(FuzzItem, ContentOfASeedStaysTheSame) {
  EXPECT_EQ(first_item(small_matrices()).hash, "846f7d800b6dd46cdd9780faba4d597aa038cba28ba03068a13b83e05fbaf054");
  EXPECT_EQ(first_item(small_matrices(Dtype::f16)).hash,
            "9922fa4e52230fe344f2047732b8cbc08e45a511f5e32dd54b27da872271c676");
  EXPECT_EQ(first_item(small_matrices(Dtype::i8)).hash,
            "357e6d21707814cd6842fa12a39a39a6ffa7289da027d67981f553edd2d4be1e");
  EXPECT_EQ(first_item(small_sparse(1)).hash, "e8a91adcbddbbe9297b8f616031ba3265db4801016e26c78f62c0dd9ba99b048");
}

TEST(FuzzItem, StorageHoldsEveryElement) {
  for (const ItemPlan& plan : plans_of(small_matrices(Dtype::f64), 30)) {
    const FuzzItem item = *make_item(plan);
    const TypedBuffer& x = item.tensor("x");
    std::int64_t last = 0;
    for (std::size_t i = 0; i < x.shape.size(); ++i) last += (x.shape[i] - 1) * x.strides[i];
    EXPECT_LT(last * 8, x.storage_bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(x.data<double>()) % 64, 0U);
  }
}

TEST(FuzzItem, SparseEntriesLieInTheTensorAndAscend) {
  const FuzzItem item = first_item(small_sparse(1));
  const SparseBuffer& x = item.sparse_tensor("x");
  EXPECT_EQ(x.indices.shape, (std::vector<std::int64_t>{2, 15}));  // a quarter of 6 x 10 cells
  EXPECT_EQ(x.values.shape, (std::vector<std::int64_t>{15, 4}));
  const std::int64_t* const at = x.indices.data<std::int64_t>();
  std::int64_t previous = -1;
  for (std::int64_t entry = 0; entry < 15; ++entry) {
    EXPECT_TRUE(at[entry] < 6 && at[15 + entry] < 10);
    const std::int64_t cell = at[entry] * 10 + at[15 + entry];
    EXPECT_GT(cell, previous);
    previous = cell;
  }
}

TEST(FuzzItem, UncoalescedEntriesAreThereTwice) {
  const FuzzItem item = first_item(small_sparse(0));
  const SparseBuffer& x = item.sparse_tensor("x");
  EXPECT_FALSE(x.is_coalesced);
  EXPECT_EQ(x.indices.shape, (std::vector<std::int64_t>{2, 30}));
  EXPECT_EQ(x.values.shape, (std::vector<std::int64_t>{30, 4}));
  const std::int64_t* const at = x.indices.data<std::int64_t>();
  for (std::int64_t row : {0, 30}) EXPECT_EQ(0, std::memcmp(at + row, at + row + 15, 15 * sizeof(std::int64_t)));
}

TEST(FuzzItem, WrongNamesAndTypesSayWhatThereIs) {
  const FuzzItem item = first_item(small_matrices());
  const auto message_of = [](auto&& wrong) -> std::string {
    try {
      wrong();
    } catch (const std::exception& exception) {
      return exception.what();
    }
    return "";
  };
  EXPECT_EQ(message_of([&] { item.tensor("y"); }), "found no tensor \"y\", wanted one of: x");
  EXPECT_EQ(message_of([&] { item.sparse_tensor("x"); }), "found no sparse tensor \"x\", wanted one of: none");
  EXPECT_EQ(message_of([&] { item.tensor("x").data<double>(); }), "found a buffer of f32, wanted f64");
  EXPECT_EQ(message_of([&] { item.parameter("k"); }),
            "found no whole parameter \"k\", wanted one of: rows columns step");
  EXPECT_EQ(item.parameter("rows"), item.tensor("x").shape[0]);
}

TEST(FuzzItem, MemoryThatIsNotThereIsAnError) {
  FuzzerSpec spec;
  FuzzedTensor x;
  x.name = "x";
  x.sizes = {std::int64_t{1} << 60};
  spec.tensors = {x};
  const Result<FuzzItem> item = make_item(take(spec, 1)->items[0]);
  ASSERT_FALSE(item);
  EXPECT_THAT(item.error().text(), HasSubstr("which cannot be allocated"));
}

// 2^80 elements but for the size of 0.
TEST(FuzzItem, NothingHasNoElementsWhateverItsOtherSizes) {
  FuzzerSpec spec;
  FuzzedTensor x;
  x.name = "x";
  x.sizes = {std::int64_t{1} << 40, std::int64_t{1} << 40, std::int64_t{0}};
  spec.tensors = {x};
  EXPECT_EQ(first_item(spec).tensor("x").elements(), 0);
}

// A device that keeps its memory away from ours, as a GPU does.
class OtherDevice final : public Device {
 public:
  std::string name() const override { return "other:0"; }
  Result<std::shared_ptr<void>> copy_in(std::span<const std::byte> bytes) override {
    if (refuses) return input_error("other:0", "no memory");
    ++copies;
    return CpuDevice().copy_in(bytes);
  }
  Result<void> copy_out(const void* storage, std::span<std::byte> bytes) override {
    return CpuDevice().copy_out(storage, bytes);
  }
  int copies = 0;
  bool refuses = false;
};

TEST(FuzzItem, ADeviceReceivesTheSameContentUnderTheSameHash) {
  const ItemPlan plan = take(small_matrices(), 1)->items[0];
  OtherDevice device;
  const FuzzItem there = *make_item(plan, device);
  const FuzzItem here = *make_item(plan);
  EXPECT_EQ(there.hash, here.hash);
  EXPECT_EQ(there.tensor("x").device, "other:0");
  EXPECT_EQ(device.copies, 1);
  std::vector<std::byte> bytes(static_cast<std::size_t>(here.tensor("x").storage_bytes));
  ASSERT_TRUE(device.copy_out(there.tensor("x").storage.get(), bytes));
  EXPECT_EQ(0, std::memcmp(bytes.data(), here.tensor("x").storage.get(), bytes.size()));
  device.refuses = true;
  EXPECT_FALSE(make_item(plan, device));
}

TEST(FuzzItem, CacheHoldsTheItemThatWasAskedForLast) {
  const std::vector<ItemPlan> plans = plans_of(small_matrices(), 2);
  FuzzItemCache cache;
  const auto first = *cache.get(plans[0]);
  EXPECT_EQ(cache.get(plans[0])->get(), first.get());
  const std::weak_ptr<const FuzzItem> watched = *cache.get(plans[1]);
  EXPECT_FALSE(watched.expired());
  EXPECT_NE(cache.get(plans[0])->get(), first.get());
  EXPECT_TRUE(watched.expired());
}

TEST(FuzzItem, LabelSaysWhereTheItemComesFrom) {
  const FuzzItem item = first_item(small_matrices());
  EXPECT_EQ(item_label(item, 0.25), "steelyard_item:" + item.hash + " elements:" + std::to_string(item.elements()) +
                                        " seed:0 index:0 rejection_rate:0.25");
}

}  // namespace

}  // namespace steelyard::fuzz_item_test
