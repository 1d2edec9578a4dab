// A gate of commits that differ in documentation: one build, where building reads none of it.
#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bench/counting/count.hpp"
#include "ci/measuring/unread_change.hpp"
#include "tests/ci/git/temporary_repository.hpp"
#include "tests/ci/verbs/program_under_test.hpp"
#include "tests/promised.hpp"

namespace steelyard::ci::documentation_change_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(Documentation, IsKnownByItsName) {
  for (const char* path : {"README.md", "docs/guide/alerts.md", "a/b.rst", "LICENSE", "licence.txt", "doc/logo.svg",
                           "docs/index.html", "CHANGELOG", "src/README"}) {
    EXPECT_TRUE(is_documentation(path)) << path;
  }
  for (const char* path : {"src/license.cpp", "data/corpus.txt", "doc/example.cpp", "docs/CMakeLists.txt.in",
                           "index.html", "CMakeLists.txt", "license.h", "md", "docs"}) {
    EXPECT_FALSE(is_documentation(path)) << path;
  }
}

class GateOfDocumentation : public ProgramUnderTest {
 protected:
  void SetUp() override {
    ProgramUnderTest::SetUp();
    std::filesystem::current_path(made_.root());
    made_.write(
        "steelyard.toml",
        "[project]\nname = \"fixture\"\n[build]\ncommand = \"sh build.sh\"\n[[program]]\nname = \"bench\"\n"
        "command = \"out/bench\"\n[run]\nmin_time = \"1ms\"\nrounds = 2\nlayout = \"interleaved\"\ncounts = \"never\"\n"
        "[policy]\nminimum_effect = 0.5\n");
    made_.write("README.md", "before\n");
    build_by("");
  }
  // Commits a build that does this as well; each build is a line of the file `builds`.
  void build_by(const std::string& more) {
    made_.write("build.sh", "echo built >>'" + (folder_ / "builds").string() + "'\n" + more + "\nmkdir -p out && cp '" +
                                fixture("fast") + "' out/bench\n");
    made_.commit("build");
    std::filesystem::remove(folder_ / "builds");
  }
  void commit(const std::string& file, const std::string& text) {
    made_.write(file, text);
    made_.commit("change " + file);
  }
  static Outcome gate(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"gate", "--no-store"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
  std::ptrdiff_t builds() const {
    const std::string text = text_of(folder_ / "builds");
    return std::count(text.begin(), text.end(), '\n');
  }
  // Where the file system keeps no times of access there is nothing to show.
  bool keeps_times() const {
    const auto repository = GitRepository::find(made_.root());
    const std::string base = repository->resolve("HEAD~1").value();
    return UnreadChange::between(*repository, base, repository->resolve("HEAD").value(), made_.root()).has_value();
  }
  TemporaryRepository made_;
};

TEST_F(GateOfDocumentation, ThatBuildingDoesNotReadBuildsOnceAndSaysWhy) {
  commit("README.md", "after\n");
  if (!keeps_times()) GTEST_SKIP() << "this file system keeps no times of access";
  const Outcome outcome = gate();
  EXPECT_EQ(outcome.status, 0) << outcome.err << outcome.out;
  EXPECT_EQ(builds(), 1);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("1 file of documentation alone"), HasSubstr("build is the baseline's"),
                                 Not(HasSubstr("everything is timed"))))
      << "nobody asked to leave anything untimed";
  commit("doc/new.md", "new\n");
  EXPECT_EQ(gate().status, 0);
  EXPECT_EQ(builds(), 3) << "a page more: whether it is there can be asked without reading";
}

TEST_F(GateOfDocumentation, EndsWithItsProofAndTimesNothingWhereItIsCountedAndNoTargetAsksForARate) {
  const auto missing = bench::counting_unavailable(bench::CountOptions{});
  STEELYARD_SKIP_WITHOUT("valgrind", !missing, *missing);
  const std::string settings = text_of("steelyard.toml");
  const std::size_t at = settings.find("counts = \"never\"");
  made_.write("steelyard.toml", std::string(settings).replace(at, 16, "filter = \"varied\""));
  made_.commit("count");
  commit("README.md", "after\n");
  if (!keeps_times()) GTEST_SKIP() << "this file system keeps no times of access";
  const Outcome outcome = gate({"--json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err << outcome.out;
  EXPECT_THAT(
      outcome.out,
      AllOf(HasSubstr("1 file of documentation alone"),
            HasSubstr("not timed: the candidate's build is the baseline's, as only documentation changed; every"),
            Not(HasSubstr("skip_time"))));
  const Outcome asked = gate({"--json", "--skip-time", "equal_binary"});
  EXPECT_THAT(asked.out, HasSubstr("not timed, as the policy says (skip_time): every"));
  const Outcome refused = gate({"--json", "--skip-time", "never"});
  EXPECT_THAT(refused.out, AllOf(HasSubstr("1 file of documentation alone"), Not(HasSubstr("not timed"))));
  made_.write("steelyard.toml",
              text_of("steelyard.toml") + "[[target]]\nbenchmark = \"*\"\ntarget = \"at least 1 GB/s\"\n");
  made_.commit("promise");
  commit("README.md", "again\n");
  const Outcome promised = gate();
  EXPECT_THAT(promised.out, AllOf(HasSubstr("1 file of documentation alone"), Not(HasSubstr("not timed"))));
}

TEST_F(GateOfDocumentation, ThatBuildingReadsBuildsBoth) {
  build_by("cat README.md >/dev/null");
  commit("README.md", "after\n");
  const Outcome outcome = gate();
  EXPECT_EQ(outcome.status, 0) << outcome.err << outcome.out;
  EXPECT_EQ(builds(), 2);
  EXPECT_THAT(outcome.out, Not(HasSubstr("documentation alone")));
}

TEST_F(GateOfDocumentation, ThatIsFoundByLookingIntoItsFolderBuildsBoth) {
  build_by("ls . docs >/dev/null 2>&1; true");
  commit("new.md", "new\n");
  EXPECT_EQ(gate().status, 0);
  EXPECT_EQ(builds(), 2);
}

class GateOfEqualPrograms : public GateOfDocumentation {};

TEST_F(GateOfEqualPrograms, EndsWithItsProofAndTimesNothingUnlessATimeIsAskedFor) {
  const auto missing = bench::counting_unavailable(bench::CountOptions{});
  STEELYARD_SKIP_WITHOUT("valgrind", !missing, *missing);
  std::string settings = text_of("steelyard.toml");
  const std::string uncounted = "counts = \"never\"";
  settings.replace(settings.find(uncounted), uncounted.size(), "filter = \"varied\"");
  const std::string rounds = "rounds = 2\n";  // whoever says how many wants a time
  settings.replace(settings.find(rounds), rounds.size(), "");
  made_.write("steelyard.toml", settings);
  made_.commit("count");
  commit("source.txt", "a comment\n");
  const Outcome outcome = gate({"--json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err << outcome.out;
  EXPECT_EQ(builds(), 2);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("not timed: both commits build the same program; every loaded section"),
                                 Not(HasSubstr("skip_time"))));
  const Outcome timed = gate({"--json", "--rounds", "2"});
  EXPECT_EQ(timed.status, 0) << timed.err << timed.out;
  EXPECT_THAT(timed.out, AllOf(HasSubstr("\"real_time\""), Not(HasSubstr("not timed"))));
}

TEST_F(GateOfDocumentation, AndOfAnythingElseBuildsBoth) {
  made_.write("README.md", "after\n");
  commit("data.txt", "read by nobody\n");
  EXPECT_EQ(gate().status, 0);
  EXPECT_EQ(builds(), 2);
}

}  // namespace
}  // namespace steelyard::ci::documentation_change_test
