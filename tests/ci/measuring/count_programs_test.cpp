#include "ci/measuring/count_programs.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>

#include "tests/bench/runner/measured_programs.hpp"

namespace steelyard::ci {
namespace {

// The counting library cannot be loaded from a path with a blank; and where Valgrind is missing nothing can be counted
// either. What was measured before must outlive both.
TEST(CountPrograms, ThatCannotCountFailTheCountsAndKeepTheRuns) {
  std::string folder = (std::filesystem::temp_directory_path() / "steelyard count XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  setenv("TMPDIR", folder.c_str(), 1);
  bench::Program program;
  program.executable = "/bin/true";
  program.suite = "s";
  steelyard::Run first, second;
  first.failures.push_back({{}, "", 3, "of timing"});
  std::vector<std::string> warnings;
  std::ostringstream err;
  ProgressLine progress(err, false, 80);
  const bench::ListedProgram one = testing::listing_of(program, {"BM_x", "BM_y"});
  const bench::ListedProgram other = testing::listing_of(program, {"BM_z"});
  bench::MeasuringSettings settings;
  settings.no_count_cache = true;
  settings.seed = 1;
  count_programs({{{}, {&one, &first}}, {{&other, &second}, {}}}, settings, {seconds(60)}, progress, warnings);
  before == nullptr ? unsetenv("TMPDIR") : setenv("TMPDIR", kept.c_str(), 1);
  std::filesystem::remove_all(folder);

  ASSERT_EQ(first.failures.size(), 3U);
  EXPECT_EQ(first.failures[0].reason, "of timing");
  std::set<std::string> failed = {first.failures[1].benchmark.canonical(), first.failures[2].benchmark.canonical()};
  EXPECT_EQ(failed, (std::set<std::string>{"BM_x [suite=s]", "BM_y [suite=s]"}));
  EXPECT_EQ(first.failures[2].metric, kInstructions);
  EXPECT_NE(first.failures[2].reason, "");
  ASSERT_EQ(second.failures.size(), 1U) << "the next program is still tried";
}

}  // namespace
}  // namespace steelyard::ci
