#include "ci/measuring/time_programs.hpp"

#include <gmock/gmock.h>

#include "tests/ci/measuring/programs_to_time.hpp"

namespace steelyard::ci {
namespace {

using ::testing::IsEmpty;

using ListPair = ProgramsToTime;

TEST_F(ListPair, KeepsACrashAsTheTroubleOfItsSide) {
  const Result<ListedPair> listed = list_pair({crashing(""), working("", ".")}, {}, nullptr);
  ASSERT_TRUE(listed) << listed.error().text();
  EXPECT_TRUE(listed->baseline.trouble);
  EXPECT_FALSE(listed->candidate.trouble);
  ASSERT_EQ(listed->candidate.benchmarks().size(), 2U);
  EXPECT_EQ(listed->candidate.benchmarks()[0].name, "BM_same");
  EXPECT_EQ(listed->candidate.benchmarks()[1].name, "BM_varied");
  EXPECT_EQ(listed->size(), 2U);
  EXPECT_FALSE(listed->nobody_answered());
  EXPECT_TRUE(list_pair({crashing(""), crashing("")}, {}, nullptr)->nobody_answered());
}

TEST_F(ListPair, DoesNotAskABaselineThatIsNotThere) {
  const Result<ListedPair> listed = list_pair({missing(""), working("")}, {}, nullptr);
  ASSERT_TRUE(listed) << listed.error().text();
  EXPECT_TRUE(listed->is_new);
  EXPECT_THAT(listed->baseline.benchmarks(), IsEmpty());
  EXPECT_TRUE(list_pair({missing(""), crashing("")}, {}, nullptr)->nobody_answered());
}

TEST_F(ListPair, RefusesAFileThatIsNoProgram) {
  write(folder_ / "text", "x");
  bench::Program text;
  text.executable = folder_ / "text";
  const Result<ListedPair> listed = list_pair({working(""), text}, {}, nullptr);
  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().kind, ErrorKind::input);
}

TEST_F(ListPair, EndsAtOnceWhereItIsCancelled) {
  const std::atomic<bool> cancelled{true};
  const Result<ListedPair> listed = list_pair({working(""), working("")}, {}, &cancelled);
  ASSERT_TRUE(listed);
  EXPECT_TRUE(listed->nobody_answered());
}

}  // namespace
}  // namespace steelyard::ci
