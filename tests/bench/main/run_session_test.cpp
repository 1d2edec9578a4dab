#include "bench/main/run_session.hpp"

#include <gtest/gtest.h>

namespace steelyard {
namespace {

TEST(RunSession, BudgetEndsWithTheRun) {
  RunSession session;
  session.begin({1, 8, milliseconds(1)});
  session.add_pass(10, seconds(1));
  EXPECT_TRUE(session.leaves_out_next(10, false)) << "its time is spent";
  session.end();
  EXPECT_FALSE(session.leaves_out_next(10, false)) << "what the program runs later by itself has no budget";
}

}  // namespace
}  // namespace steelyard
