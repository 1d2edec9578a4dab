#include "bench/harness/fuzz/fuzzer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/bench/harness/fuzz/shapes.hpp"

namespace steelyard::fuzzer_test {
namespace {

using testing::HasSubstr;

FuzzedTensor matrix(std::string name = "x") {
  FuzzedTensor x;
  x.name = std::move(name);
  x.sizes = {"k0", "k1"};
  return x;
}

FuzzerSpec recipe() {
  FuzzerSpec spec;
  spec.parameters = {FuzzedParameter::log_uniform("k0", 1, 10'000), FuzzedParameter::log_uniform("k1", 1, 10'000)};
  FuzzedTensor x = matrix();
  x.min_elements = 128;
  x.max_elements = 10'000'000;
  x.probability_contiguous = 0.6;
  spec.tensors = {x};
  return spec;
}

std::string error_of(const FuzzerSpec& spec, int n = 1) {
  const Result<FuzzedItems> items = take(spec, n);
  return items ? "" : items.error().text();
}

// The items that PyTorch's fuzzer recipe prints.
TEST(Fuzzer, YieldsTheItemsOfTheRecipe) {
  const Result<FuzzedItems> items = take(recipe(), 9);
  ASSERT_TRUE(items) << items.error().text();
  EXPECT_EQ(shapes_of(*items), (std::vector<std::string>{"725x257", "49x383", "34x1468", "187x5039", "2140x1296 d",
                                                         "78x1598", "519x763", "141x1082", "78x5 d"}));
  EXPECT_EQ(items->items[0].tensors[0].elements(), 186325);
  EXPECT_EQ(items->items[4].identity, "/k0:2140/k1:1296/x_order:1-0");
}

// The tensor takes one draw between the two parameters, whether or not it is permuted.
TEST(Fuzzer, DrawsTheFirstItemsOfOneDimensionAsPyTorchDoes) {
  FuzzerSpec spec;
  spec.parameters = {FuzzedParameter::log_uniform("n", 1, 16)};
  FuzzedTensor x;
  x.name = "x";
  x.sizes = {"n"};
  spec.tensors = {x};
  const Result<FuzzedItems> items = take(spec, 2);
  ASSERT_TRUE(items);
  EXPECT_EQ(items->items[0].values.whole("n"), 7);
  EXPECT_EQ(items->items[1].values.whole("n"), 4);
  EXPECT_EQ(items->rejection_rate(), 0);
}

TEST(Fuzzer, FirstItemsDoNotDependOnHowManyAreTaken) {
  const Result<FuzzedItems> few = take(recipe(), 3);
  const Result<FuzzedItems> many = take(recipe(), 30);
  ASSERT_TRUE(few && many);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(few->items[i], many->items[i]);
  FuzzerSpec other = recipe();
  other.seed = 1;
  EXPECT_NE(take(other, 3)->items, few->items);
  EXPECT_TRUE(take(recipe(), 0)->items.empty());
}

TEST(Fuzzer, RejectionsAreCountedByConstraint) {
  FuzzerSpec spec = recipe();
  spec.constraints = {{"k0 below k1", [](const FuzzValues& v) { return *v.whole("k0") < *v.whole("k1"); }}};
  const Result<FuzzedItems> items = take(spec, 50);
  ASSERT_TRUE(items);
  for (const ItemPlan& item : items->items) EXPECT_LT(*item.values.whole("k0"), *item.values.whole("k1"));
  EXPECT_EQ(items->generated, 50 + items->rejections());
  EXPECT_GT(items->rejections_by_constraint.at("k0 below k1"), 10);
  EXPECT_GT(items->rejections_by_constraint.at("x: at most 10000000 elements"), 0);
  EXPECT_DOUBLE_EQ(items->rejection_rate(),
                   static_cast<double>(items->rejections()) / static_cast<double>(items->generated));
}

// Drawn again after each rejection, `small` would be 1 in nearly every item; kept, it stays as likely as stated.
TEST(Fuzzer, StrictParametersKeepTheirDistributionThroughRejections) {
  FuzzerSpec spec;
  const std::vector<FuzzChoice> coin{{0, 0.5}, {1, 0.5}};
  spec.parameters = {FuzzedParameter::choice("small", coin).strict(), FuzzedParameter::uniform("u", 1, 100)};
  spec.constraints = {
      {"u small enough", [](const FuzzValues& v) { return *v.whole("small") == 1 || *v.whole("u") <= 5; }}};
  const auto count_small = [](const FuzzedItems& items) {
    std::int64_t count = 0;
    for (const ItemPlan& item : items.items) count += *item.values.whole("small");
    return static_cast<double>(count);
  };
  const double strict = count_small(*take(spec, 1000));
  EXPECT_NEAR(strict, 500, 7 * std::sqrt(250));
  spec.parameters[0].is_strict = false;
  EXPECT_GT(count_small(*take(spec, 1000)), 900);
}

TEST(Fuzzer, ContradictoryConstraintsAreNamedWithTheRejectionRate) {
  FuzzerSpec spec = recipe();
  spec.constraints = {{"k0 above 20000", [](const FuzzValues& v) { return *v.whole("k0") > 20'000; }}};
  const std::string text = error_of(spec);
  EXPECT_THAT(text, HasSubstr("\"k0 above 20000\" rejected 1000 of them"));
  EXPECT_THAT(text, HasSubstr("rejection rate so far 100 %"));
  EXPECT_THAT(text, HasSubstr("item 0"));
}

TEST(Fuzzer, BothSidesOfAContradictionAreNamed) {
  FuzzerSpec spec;
  spec.parameters = {FuzzedParameter::uniform("n", 1, 10)};
  spec.constraints = {{"n above 7", [](const FuzzValues& v) { return *v.whole("n") > 7; }},
                      {"n below 4", [](const FuzzValues& v) { return *v.whole("n") < 4; }}};
  const std::string text = error_of(spec);
  EXPECT_LT(text.find("\"n above 7\" rejected"), text.find(" of them, \"n below 4\" "));
}

TEST(Fuzzer, ConstraintsThatThrowAreNamed) {
  FuzzerSpec spec = recipe();
  spec.constraints = {{"k0 small", [](const FuzzValues&) -> bool { throw std::runtime_error("no such table"); }}};
  EXPECT_THAT(error_of(spec), HasSubstr("the constraint \"k0 small\": found that it threw: no such table"));
  spec.constraints = {{"k0 small", [](const FuzzValues&) -> bool { throw 7; }}};
  EXPECT_THAT(error_of(spec), HasSubstr("no std::exception"));
}

TEST(Fuzzer, BoundsThatNoParameterKeepsAreNamed) {
  FuzzerSpec spec = recipe();
  spec.tensors[0].min_elements = 200'000'000;
  spec.tensors[0].max_elements.reset();
  EXPECT_THAT(error_of(spec), HasSubstr("\"x: at least 200000000 elements\" rejected 1000 of them"));
}

TEST(Fuzzer, NamesAreSharedByNothing) {
  FuzzerSpec spec = recipe();
  spec.tensors[0].name = "k1";
  EXPECT_THAT(error_of(spec), HasSubstr("the tensor \"k1\" under a name that is taken"));
  spec = recipe();
  spec.parameters.push_back(FuzzedParameter::uniform("k0", 1, 2));
  EXPECT_THAT(error_of(spec), HasSubstr("the parameter \"k0\" under a name that is taken"));
}

// "/threads:2" at the end of a name is Google Benchmark's; "/draw:2" tells equal items apart.
TEST(Fuzzer, NamesThatMeanSomethingElseInABenchmarksNameAreRefused) {
  for (const char* name : {"threads", "iterations", "draw"}) {
    FuzzerSpec spec;
    spec.parameters = {FuzzedParameter::uniform(name, 1, 2)};
    EXPECT_THAT(error_of(spec), HasSubstr("which has a meaning of its own")) << name;
  }
  FuzzerSpec spec = recipe();
  spec.tensors[0].name = "x/y";
  EXPECT_THAT(error_of(spec), HasSubstr("the name \"x/y\", wanted a name of letters"));
}

TEST(Fuzzer, CyclesOfAliasesAreNamedWithTheirChain) {
  FuzzerSpec spec;
  spec.parameters = {FuzzedParameter::choice("z", {{FuzzAlias{"a"}, 1}}),
                     FuzzedParameter::choice("a", {{FuzzAlias{"b"}, 0.5}, {1, 0.5}}),
                     FuzzedParameter::choice("b", {{FuzzAlias{"c"}, 1}}),
                     FuzzedParameter::choice("c", {{FuzzAlias{"a"}, 1}})};
  EXPECT_THAT(error_of(spec), HasSubstr("the cycle a -> b -> c -> a"));
  spec.parameters = {FuzzedParameter::choice("a", {{FuzzAlias{"a"}, 1}})};
  EXPECT_THAT(error_of(spec), HasSubstr("the cycle a -> a"));
  spec.parameters = {FuzzedParameter::choice("a", {{FuzzAlias{"q"}, 1}})};
  EXPECT_THAT(error_of(spec), HasSubstr("an alias of q, wanted one of a"));
}

TEST(Fuzzer, ChainsOfAliasesAreFollowedWhateverTheirOrder) {
  FuzzerSpec spec;
  spec.parameters = {FuzzedParameter::choice("a", {{FuzzAlias{"b"}, 1}}),
                     FuzzedParameter::choice("b", {{FuzzAlias{"c"}, 1}}), FuzzedParameter::uniform_real("c", 2, 3)};
  const Result<FuzzedItems> items = take(spec, 20);
  ASSERT_TRUE(items);
  for (const ItemPlan& item : items->items) {
    EXPECT_EQ(*item.values.find("a"), *item.values.find("c"));
    EXPECT_FALSE(item.values.whole("a"));
    EXPECT_GE(*item.values.real("a"), 2);
    EXPECT_LT(*item.values.real("a"), 3);
  }
}

TEST(Fuzzer, EqualItemsAreToldApartByTheirNames) {
  FuzzerSpec spec;
  spec.parameters = {FuzzedParameter::choice("n", {{8, 1}})};
  const Result<FuzzedItems> items = take(spec, 3);
  ASSERT_TRUE(items);
  EXPECT_EQ(items->items[0].identity, "/n:8");
  EXPECT_EQ(items->items[1].identity, "/n:8/draw:2");
  EXPECT_EQ(items->items[2].identity, "/n:8/draw:3");
}

TEST(Fuzzer, SizesBeyondTheAddressSpaceAreRefusedWithoutABound) {
  FuzzerSpec spec;
  spec.parameters = {FuzzedParameter::choice("k0", {{INT64_MAX, 1}}), FuzzedParameter::choice("k1", {{2, 1}})};
  spec.tensors = {matrix()};
  EXPECT_THAT(error_of(spec), HasSubstr("a size beyond 2^63 bytes"));
}

TEST(Fuzzer, ValuesThatAreNoSizesAreRefused) {
  FuzzerSpec spec;
  spec.parameters = {FuzzedParameter::choice("k0", {{-3, 1}}), FuzzedParameter::choice("k1", {{2, 1}})};
  spec.tensors = {matrix()};
  EXPECT_THAT(error_of(spec), HasSubstr("the size -3"));
  spec.parameters[0] = FuzzedParameter::uniform_real("k0", 1, 2);
  EXPECT_THAT(error_of(spec), HasSubstr("wanted a whole number"));
  EXPECT_THAT(error_of(recipe(), -1), HasSubstr("-1 items"));
  EXPECT_THAT(error_of(recipe(), kMaxItems + 1), HasSubstr("100001 items"));
}

}  // namespace
}  // namespace steelyard::fuzzer_test
