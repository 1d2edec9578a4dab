#include "ci/measuring/time_programs.hpp"

#include <gmock/gmock.h>

#include "tests/ci/measuring/programs_to_time.hpp"

namespace steelyard::ci::listed_pair_test {
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

TEST_F(ListPair, ListsEverythingUnderTheFilterAllWithALineOfRenamesAsWithout) {
  bench::MeasuringSettings settings;
  settings.filter = "all";
  for (const std::vector<BenchmarkRename>& renames :
       {std::vector<BenchmarkRename>{}, std::vector<BenchmarkRename>{{"BM_gone", "BM_other"}}}) {
    const Result<ListedPair> listed = list_pair({working("", "."), working("", ".")}, settings, nullptr, renames);
    ASSERT_TRUE(listed) << listed.error().text();
    EXPECT_EQ(listed->candidate.benchmarks().size(), 2U);
    EXPECT_EQ(listed->baseline.benchmarks().size(), 2U);
  }
}

TEST_F(ListPair, TakesALineOfTheCandidateAloneForWhatOnlyTheCandidateHasUnderTheNewName) {
  // "BM_varied" of the fast program is "BM_changing" of the renamed one.
  bench::Program renamed = working("", ".");
  renamed.executable = fixture("renamed");
  const std::vector<BenchmarkRename> lines{{"BM_varied", "BM_changing", true}, {"BM_same", "zzz", true}};
  bench::MeasuringSettings settings;
  for (const std::string filter : {"", "BM_var", "BM_chang", "-BM_same"}) {
    settings.filter = filter;
    const Result<ListedPair> listed = list_pair({working("", "."), renamed}, settings, nullptr, lines);
    ASSERT_TRUE(listed) << listed.error().text();
    EXPECT_EQ(listed->earlier_names, (EarlierNames{{"BM_changing", "BM_varied"}}));
    for (const bench::ListedProgram* side : {&listed->baseline, &listed->candidate}) {
      ASSERT_EQ(side->benchmarks().size(), filter.empty() ? 2U : 1U) << filter;
      EXPECT_EQ(side->benchmarks().back().name, "BM_changing") << filter;
    }
  }
  settings.filter = "^BM_";
  const std::vector<BenchmarkRename> away{{"BM_varied", "zzz", true}, {"BM_same", "BM_varied", true}};
  const Result<ListedPair> held = list_pair({working("", "."), working("", ".")}, settings, nullptr, away);
  ASSERT_TRUE(held) << held.error().text();
  EXPECT_THAT(held->earlier_names, IsEmpty());
  for (const bench::ListedProgram* side : {&held->baseline, &held->candidate}) {
    ASSERT_EQ(side->benchmarks().size(), 2U);
    EXPECT_EQ(side->benchmarks()[0].name, "BM_same");
    EXPECT_EQ(side->benchmarks()[1].name, "BM_varied");
  }
}

TEST_F(ListPair, EndsAtOnceWhereItIsCancelled) {
  const std::atomic<bool> cancelled{true};
  const Result<ListedPair> listed = list_pair({working(""), working("")}, {}, &cancelled);
  ASSERT_TRUE(listed);
  EXPECT_TRUE(listed->nobody_answered());
}

}  // namespace
}  // namespace steelyard::ci::listed_pair_test
