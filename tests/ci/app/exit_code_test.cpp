#include "ci/app/app.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <thread>

namespace steelyard::ci::exit_code_test {
namespace {

TEST(ExitCode, WorseFollowsThePrecedenceOfTheContractForEveryPair) {
  const std::vector<ExitCode> worst_first{ExitCode::bug,        ExitCode::bad_input,  ExitCode::program_failed,
                                          ExitCode::regression, ExitCode::not_judged, ExitCode::store_away,
                                          ExitCode::success};
  for (std::size_t i = 0; i < worst_first.size(); ++i) {
    for (std::size_t j = i; j < worst_first.size(); ++j) {
      EXPECT_EQ(worse(worst_first[i], worst_first[j]), worst_first[i]);
      EXPECT_EQ(worse(worst_first[j], worst_first[i]), worst_first[i]);
    }
  }
}

TEST(ExitCode, FollowsWhoHasToAct) {
  EXPECT_EQ(static_cast<int>(exit_code_of(input_error("x", "y"))), 3);
  EXPECT_EQ(static_cast<int>(exit_code_of(program_error("x", "y"))), 4);
  EXPECT_EQ(static_cast<int>(exit_code_of(store_error("x", "y"))), 5);
  EXPECT_EQ(static_cast<int>(exit_code_of(bug_error("x", "y"))), 70);
}

// As timeout sends them, to the process and to its group.
TEST(CancellationDeathTest, TakesTwoSignalsAtOnceForOneAndEndsAtALaterOne) {
  const Cancellation cancellation;
  EXPECT_FALSE(cancellation.requested());
  std::raise(SIGINT);
  std::raise(SIGINT);
  EXPECT_TRUE(cancellation.requested());
  EXPECT_EXIT(
      {
        std::this_thread::sleep_for(std::chrono::milliseconds(700));
        std::raise(SIGINT);
      },
      ::testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace steelyard::ci::exit_code_test
