#include "bench/suites/cpu/suite_options.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bench/suites/cpu/matrix_product.hpp"

namespace steelyard::cpu_suite::suite_options_test {
namespace {

struct Arguments {
  std::vector<std::string> words;
  std::vector<char*> pointers;
  int count = 0;

  explicit Arguments(std::vector<std::string> of) : words(std::move(of)), count(static_cast<int>(words.size())) {
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
  }
  std::vector<std::string> left() const { return {pointers.begin(), pointers.begin() + count}; }
};

SuiteOptions taken(Arguments& given) {
  const Result<SuiteOptions> options = take_suite_options(given.count, given.pointers.data());
  EXPECT_TRUE(options) << (options ? "" : options.error().text());
  return options ? *options : SuiteOptions{};
}

TEST(SuiteOptions, AreOffUnlessTheirFlagIsGiven) {
  Arguments given({"suite"});
  const SuiteOptions options = taken(given);
  EXPECT_FALSE(options.large);
  EXPECT_FALSE(options.native);
  EXPECT_EQ(given.left(), (std::vector<std::string>{"suite"}));
}

TEST(SuiteOptions, TakeTheirFlagsOutAndLeaveTheRestInOrder) {
  Arguments given({"suite", "--benchmark_filter=x", "--steelyard_large", "--other", "--steelyard_native",
                   "--steelyard_profile=it.spans", "--steelyard_samples=100", "last"});
  const SuiteOptions options = taken(given);
  EXPECT_TRUE(options.large);
  EXPECT_TRUE(options.native);
  EXPECT_EQ(options.spans.file, "it.spans");
  EXPECT_TRUE(options.spans.records_device);
  EXPECT_EQ(options.spans.samples_hz, 100);
  EXPECT_EQ(given.left(), (std::vector<std::string>{"suite", "--benchmark_filter=x", "--other", "last"}));
  EXPECT_EQ(given.pointers[4], nullptr);
}

TEST(SuiteOptions, LeaveAFlagThatIsNearlyTheirsToBeRefused) {
  Arguments given({"suite", "--steelyard_larger", "--steelyard_large=1"});
  EXPECT_FALSE(taken(given).large);
  EXPECT_EQ(given.left().size(), 3u);
}

TEST(SuiteOptions, RefuseRecordingsThatTheyDoNotUnderstand) {
  for (const char* wrong :
       {"--steelyard_spans", "--steelyard_profile=", "--steelyard_samples=0", "--steelyard_samples=100"}) {
    Arguments given({"suite", wrong});
    EXPECT_FALSE(take_suite_options(given.count, given.pointers.data())) << wrong;
  }
}

TEST(SuiteOptions, BudgetHoldsAProductOf256AndNotOf1024) {
  EXPECT_TRUE(is_within_budget(matmul_cost(square(256))));
  EXPECT_FALSE(is_within_budget(matmul_cost(square(1024))));
  EXPECT_TRUE(is_within_budget({kIterationBudget, kMemoryBudget, Bytes(0)}));
  EXPECT_FALSE(is_within_budget({kIterationBudget + Flops(1), Bytes(0), Bytes(0)}));
  EXPECT_FALSE(is_within_budget({Flops(0), kMemoryBudget, Bytes(1)}));
}

}  // namespace
}  // namespace steelyard::cpu_suite::suite_options_test
