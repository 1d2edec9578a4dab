// The thread count of a library that is really loaded: found by name, set for the call, restored after it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "bench/harness/timer.hpp"

extern "C" {
int openblas_get_num_threads();
void openblas_set_num_threads(int);
}

namespace steelyard::openblas_threads_test {
namespace {

class OpenBlasThreads : public ::testing::Test {
 protected:
  void SetUp() override { openblas_set_num_threads(2); }
};

TEST_F(OpenBlasThreads, AreSetForTheCallAndRestored) {
  ASSERT_EQ(openblas_get_num_threads(), 2);
  int seen = 0;
  const auto measured = Timer([&seen] { seen = openblas_get_num_threads(); }).timeit(2);
  ASSERT_TRUE(measured) << measured.error().text();
  EXPECT_EQ(seen, 1) << "one thread is the default";
  EXPECT_EQ(openblas_get_num_threads(), 2);
  EXPECT_THAT(measured->metadata.at("threads_set_in"), ::testing::HasSubstr("OpenBLAS"));
}

TEST_F(OpenBlasThreads, AreRestoredWhenTheStatementThrows) {
  EXPECT_FALSE(Timer([] { throw std::runtime_error("gone"); }).adaptive_autorange());
  EXPECT_EQ(openblas_get_num_threads(), 2);
}

}  // namespace
}  // namespace steelyard::openblas_threads_test
