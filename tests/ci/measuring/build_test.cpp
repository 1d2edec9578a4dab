#include "ci/measuring/build.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstdlib>
#include <fstream>

#include "bench/runner/confinement.hpp"
#include "tests/promised.hpp"

namespace steelyard::ci::build_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Build : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "steelyard-build-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    tree_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(tree_); }
  Result<LeftProcesses::Count> run(const std::string& command, Nanoseconds timeout = seconds(60)) {
    return build({tree_, command, timeout, "the candidate (1a2b3c4)"}, nullptr);
  }
  std::filesystem::path tree_;
};

TEST_F(Build, RunsTheCommandInTheTreeByTheShell) {
  ASSERT_TRUE(run("mkdir out && echo x > out/file"));
  EXPECT_TRUE(std::filesystem::exists(tree_ / "out/file"));
}

TEST_F(Build, IsGivenNoSecretUnlessItIsNamedAndSaysSoWhereItFails) {
  const std::map<std::string, std::string> variables{{"STEELYARD_STORE", "postgresql://user:secret@host/db"},
                                                     {"PGPASSWORD", "secret"},
                                                     {"GITHUB_TOKEN", "secret"},
                                                     {"aws_secret_access_key", "secret"},
                                                     {"CI_JOB_JWT_V2", "secret"},
                                                     {"STEELYARD_SLACK_WEBHOOK_URL", "https://secret.example.org/"},
                                                     {"REGISTRY_PASS", "secret"},
                                                     {"MYSQL_PWD", "secret"},
                                                     {"GPG_PASSPHRASE", "secret"},
                                                     {"DEPLOY_KEY", "secret"},
                                                     {"GO_MIRROR", "https://secret@example.org/a.git"},
                                                     {"GIT_MIRROR", "ssh://git@example.org/kept.git"},
                                                     {"CI_REPOSITORY_URL", "https://job:secret@example.org/a.git"},
                                                     {"GIT_CONFIG_VALUE_0", "Authorization: basic secret"},
                                                     {"CONAN_PASSWORD", "needed"},
                                                     {"STEELYARD_BUILD_TEST", "kept"},
                                                     {"STEELYARD_BUILD_ENVIRONMENT", "CONAN_PASSWORD OTHER"}};
  for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  const Result<LeftProcesses::Count> built =
      run("env | grep -q secret && exit 1; test $STEELYARD_BUILD_TEST$CONAN_PASSWORD = keptneeded && "
          "test -n \"$GIT_MIRROR\"");
  const Result<LeftProcesses::Count> failed = run("exit 2");
  for (const auto& [name, value] : variables) unsetenv(name.c_str());
  EXPECT_TRUE(built) << built.error().text();
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().text(), HasSubstr("it was not given "));
  EXPECT_THAT(failed.error().text(), HasSubstr("GITHUB_TOKEN"));
  EXPECT_THAT(failed.error().text(), Not(HasSubstr("CONAN_PASSWORD")));
}

TEST_F(Build, ThatFailsSaysWhichSocketsOfOthersItDidNotSee) {
  const std::filesystem::path socket = std::filesystem::canonical(tree_) / "docker.sock";
  sockaddr_un address = {AF_UNIX, {}};
  socket.string().copy(address.sun_path, sizeof address.sun_path - 1);
  const bench::Descriptor made(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::bind(made.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  setenv("DOCKER_HOST", ("unix://" + socket.string()).c_str(), 1);
  const auto error_of = [&](const bench::SharedConfinement& confinement) {
    const Result<LeftProcesses::Count> failed = build(
        {tree_, "test -S docker.sock && echo seen; exit 2", seconds(60), "the candidate", {}, confinement}, nullptr);
    return failed ? std::string() : failed.error().text();
  };
  const std::string outside = error_of(nullptr);
  const Result<bench::SharedConfinement> confinement = bench::confine({socket});
  const std::string inside = confinement ? error_of(*confinement) : "";
  unsetenv("DOCKER_HOST");
  EXPECT_THAT(outside, AllOf(HasSubstr("its last lines:\nseen"), Not(HasSubstr("did not see"))));
  STEELYARD_SKIP_WITHOUT("namespaces", confinement, confinement.error().text());
  EXPECT_THAT(inside, AllOf(HasSubstr("it did not see " + socket.string() + " (STEELYARD_CONFINE=no shows"),
                            Not(HasSubstr("its last lines"))));
}

TEST_F(Build, ShowsTheLastFortyLinesInOrderWhereItFails) {
  const Result<LeftProcesses::Count> failed =
      run("for i in $(seq 1 100); do echo out $i; echo err $i >&2; done; exit 7");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind, ErrorKind::program);
  const std::string text = failed.error().text();
  EXPECT_THAT(text, HasSubstr("build of the candidate (1a2b3c4)"));
  EXPECT_THAT(text, HasSubstr("exited with 7"));
  EXPECT_THAT(text, HasSubstr("out 81\nerr 81\nout 82\n"));
  EXPECT_THAT(text, Not(HasSubstr("err 80\n")));
  EXPECT_TRUE(text.ends_with("err 100")) << text;
}

TEST_F(Build, EndsAtItsLimit) {
  const Result<LeftProcesses::Count> failed = run("sleep 600", milliseconds(100));
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().text(), HasSubstr("limit"));
}

TEST_F(Build, ThatIsInterruptedSaysThatAndThatNothingIsKept) {
  const std::atomic<bool> cancelled{true};
  const Result<LeftProcesses::Count> ended =
      build({tree_, "echo output >&2; sleep 600", seconds(60), "the candidate"}, &cancelled);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().text(), "build of the candidate: interrupted; nothing of that is kept");
}

TEST_F(Build, HasRoomBesideAnotherWhereEachCompilerHasAGibibyte) {
  const auto machine = [this](const std::string& cores, int gibibytes, const std::string& limit) {
    std::filesystem::create_directories(tree_ / "proc/self");
    std::filesystem::create_directories(tree_ / "sys/fs/cgroup");
    std::ofstream(tree_ / "proc/self/status") << "Cpus_allowed_list:\t" << cores << '\n';
    std::ofstream(tree_ / "proc/self/cgroup") << "0::/\n";
    std::ofstream(tree_ / "proc/meminfo") << "MemAvailable: " << gibibytes * 1024 * 1024 << " kB\n";
    std::ofstream(tree_ / "sys/fs/cgroup/memory.max") << limit << '\n';
    return has_room_for_two_builds(tree_);
  };
  EXPECT_TRUE(machine("0-1", 4, "max"));
  EXPECT_FALSE(machine("0-1", 3, "max"));
  EXPECT_FALSE(machine("0-3", 7, "max")) << "four compilers a side";
  EXPECT_FALSE(machine("0", 64, "max")) << "one core has nothing to give away";
  EXPECT_FALSE(machine("0-1", 64, "3221225472")) << "of the machine's memory this group may have 3 GiB";
}

TEST_F(Build, TellsCmakeOfACompilerForEachCoreWhereTheCallerDoesNot) {
  std::filesystem::create_directories(tree_ / "proc/self");
  std::filesystem::create_directories(tree_ / "sys/fs/cgroup");
  std::ofstream(tree_ / "proc/self/status") << "Cpus_allowed_list:\t0-7\n";
  std::ofstream(tree_ / "proc/self/cgroup") << "0::/\n";
  EXPECT_EQ(compilers_of_a_build(1, tree_), 8);
  EXPECT_EQ(compilers_of_a_build(2, tree_), 4);
  std::ofstream(tree_ / "sys/fs/cgroup/cpu.max") << "250000 100000\n";
  EXPECT_EQ(compilers_of_a_build(1, tree_), 3) << "a group that may have two and a half";
  EXPECT_EQ(compilers_of_a_build(4, tree_), 1);
  const auto told = [this](int builds_at_once) {
    BuildRequest request{tree_, "echo $CMAKE_BUILD_PARALLEL_LEVEL >told", seconds(60), "the candidate"};
    request.builds_at_once = builds_at_once;
    EXPECT_TRUE(build(request, nullptr));
    std::ifstream file(tree_ / "told");
    std::string text;
    std::getline(file, text);
    return text;
  };
  unsetenv("CMAKE_BUILD_PARALLEL_LEVEL");
  EXPECT_EQ(told(1), std::to_string(compilers_of_a_build(1)));
  EXPECT_EQ(told(2), std::to_string(compilers_of_a_build(2)));
  setenv("CMAKE_BUILD_PARALLEL_LEVEL", "77", 1);
  EXPECT_EQ(told(2), "77");
  unsetenv("CMAKE_BUILD_PARALLEL_LEVEL");
}

TEST_F(Build, ThatLeftAProgramUnoptimizedIsWarnedOf) {
  std::ofstream(tree_ / "x.cpp") << "int main() {}\n";
  ASSERT_TRUE(run("c++ -g -grecord-gcc-switches -O0 x.cpp -o plain && c++ -g -grecord-gcc-switches -O2 x.cpp -o fast"));
  bench::Program plain, fast;
  plain.executable = tree_ / "plain";
  fast.executable = tree_ / "fast";
  EXPECT_THAT(warnings_of_build(nullptr, fast), testing::IsEmpty());
  EXPECT_THAT(warnings_of_build(nullptr, plain),
              testing::ElementsAre(AllOf(testing::StartsWith("plain: the program was built without optimization (-O0)"),
                                         HasSubstr("CMAKE_BUILD_TYPE"))));
  EXPECT_THAT(warnings_of_build(&plain, plain),
              testing::ElementsAre(HasSubstr("plain: on both sides the program was built without optimization")));
  EXPECT_THAT(warnings_of_build(&plain, fast), testing::ElementsAre(HasSubstr("in the baseline the program was")));
  EXPECT_THAT(warnings_of_build(&fast, plain), testing::ElementsAre(HasSubstr("in the candidate the program was")));
  plain.command.emplace();
  EXPECT_THAT(warnings_of_build(nullptr, plain), testing::IsEmpty()) << "a command may start anything";
}

TEST_F(Build, OfNothingSucceeds) { EXPECT_TRUE(run("")); }

}  // namespace
}  // namespace steelyard::ci::build_test
