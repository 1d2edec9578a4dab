#include "ci/measuring/count_programs.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>
#include <sstream>

#include "tests/bench/runner/measured_programs.hpp"

namespace steelyard::ci::count_programs_test {
namespace {

class CountPrograms : public ::testing::Test {
 protected:
  // The counting library cannot be loaded from a path with a blank; and where Valgrind is missing nothing can be
  // counted either.
  void SetUp() override {
    ASSERT_NE(mkdtemp(folder_.data()), nullptr);
    const char* before = std::getenv("TMPDIR");
    if (before != nullptr) kept_ = before;
    setenv("TMPDIR", folder_.c_str(), 1);
    program_.executable = "/bin/true";
    program_.suite = "s";
    settings_.no_count_cache = true;
    settings_.seed = 1;
  }
  void TearDown() override {
    kept_ ? setenv("TMPDIR", kept_->c_str(), 1) : unsetenv("TMPDIR");
    std::filesystem::remove_all(folder_);
  }

  std::string folder_ = (std::filesystem::temp_directory_path() / "steelyard count XXXXXX").string();
  std::optional<std::string> kept_;
  bench::Program program_;
  bench::MeasuringSettings settings_;
  std::ostringstream err_;
  ProgressLine progress_{err_, false, 80};
  std::vector<std::string> warnings_;
};

// What was measured before must outlive it.
TEST_F(CountPrograms, ThatCannotCountFailTheCountsAndKeepTheRuns) {
  steelyard::Run first, second;
  first.failures.push_back({{}, "", 3, "of timing"});
  const bench::ListedProgram one = testkit::listing_of(program_, {"BM_x", "BM_y"});
  const bench::ListedProgram other = testkit::listing_of(program_, {"BM_z"});
  count_programs({{{}, {&one, &first}}, {{&other, &second}, {}}}, settings_, {seconds(60)}, progress_, warnings_);

  ASSERT_EQ(first.failures.size(), 3U);
  EXPECT_EQ(first.failures[0].said, "of timing");
  std::set<std::string> failed = {first.failures[1].benchmark.canonical(), first.failures[2].benchmark.canonical()};
  EXPECT_EQ(failed, (std::set<std::string>{"BM_x [suite=s]", "BM_y [suite=s]"}));
  EXPECT_EQ(first.failures[2].metric, kInstructions);
  EXPECT_NE(first.failures[2].said, "");
  ASSERT_EQ(second.failures.size(), 1U) << "the next program is still tried";
}

TEST_F(CountPrograms, ThatBeganBeforeTheTimingFinishWhatIsLeftAndNothingTwice) {
  steelyard::Run baseline, candidate;
  const bench::ListedProgram old_one = testkit::listing_of(program_, {"BM_x"});
  const bench::ListedProgram new_one = testkit::listing_of(program_, {"BM_x", "BM_new"});
  ProgramCounting counting({{{&old_one, &baseline}, {&new_one, &candidate}}}, settings_, nullptr, progress_, warnings_);
  counting.begin(seconds(60), seconds(0));
  EXPECT_EQ(baseline.failures.size(), 1U);
  ASSERT_EQ(candidate.failures.size(), 1U) << "what is new has nothing to be equal to";
  EXPECT_EQ(candidate.failures[0].benchmark.name, "BM_x");
  EXPECT_TRUE(counting.is_anything_left());
  counting.finish(seconds(60));
  EXPECT_FALSE(counting.is_anything_left());
  EXPECT_EQ(baseline.failures.size(), 1U);
  ASSERT_EQ(candidate.failures.size(), 2U);
  EXPECT_EQ(candidate.failures[1].benchmark.name, "BM_new");
  EXPECT_FALSE(counting.equal().is_proven_equal("BM_x [suite=s]"));
}

TEST_F(CountPrograms, ThatRunOutOfBudgetSayNothingOfWhatOneSideLacks) {
  const std::string without_blanks = (std::filesystem::temp_directory_path().parent_path() / "count-XXXXXX").string();
  std::string folder = without_blanks;
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  setenv("TMPDIR", folder.c_str(), 1);
  steelyard::Run baseline, candidate;
  const bench::ListedProgram old_one = testkit::listing_of(program_, {"BM_x", "BM_gone"});
  const bench::ListedProgram new_one = testkit::listing_of(program_, {"BM_new", "BM_x"});
  if (!bench::counting_unavailable({})) {
    count_programs({{{&old_one, &baseline}, {&new_one, &candidate}}}, settings_, bench::Limits{Nanoseconds(0)},
                   progress_, warnings_);
    for (const steelyard::Run& run : {baseline, candidate}) {
      ASSERT_EQ(run.failures.size(), 1U);
      EXPECT_EQ(run.failures[0].benchmark.name, "BM_x");
      EXPECT_EQ(run.failures[0].kind, FailureKind::not_reached);
    }
    steelyard::Run alone;
    count_programs({{{&old_one, &alone}, {}}}, settings_, bench::Limits{Nanoseconds(0)}, progress_, warnings_);
    EXPECT_EQ(alone.failures.size(), 2U) << "nothing is missing where there is one program";
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace steelyard::ci::count_programs_test
