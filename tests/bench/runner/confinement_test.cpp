#include "bench/runner/confinement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

#include "bench/runner/child_process.hpp"
#include "tests/bench/runner/temporary_folder.hpp"

namespace steelyard::bench {
namespace {

using ::testing::ElementsAre;

constexpr uid_t kNobody = 65534;

// As somebody else's program finds it; what this system allows has to work.
bool may_make_namespaces(const char* as_whom = "") {
  return std::system((std::string(as_whom) + " unshare --user --mount true 2>/dev/null").c_str()) == 0;
}
constexpr const char* kRefused = "namespaces for users and mounts are refused here";

class ConfinementTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!may_make_namespaces()) GTEST_SKIP() << kRefused;
    std::filesystem::create_directories(state_ / "postgres");
    std::ofstream(state_ / "postgres/data") << "rows";
    std::ofstream(folder_.path() / "password") << "hunter2";
  }
  static ChildResult run(const SharedConfinement& confinement, const std::string& script) {
    ChildCommand command;
    command.executable = "/bin/sh";
    command.arguments = {"-c", script};
    command.environment = {{"PATH", "/usr/bin:/bin:/usr/sbin:/sbin"}};
    command.confinement = confinement;
    Result<ChildResult> child = run_child(command);
    EXPECT_TRUE(child) << (child ? "" : child.error().text());
    return child ? *child : ChildResult{};
  }
  testing::TemporaryFolder folder_;
  std::filesystem::path state_ = folder_.path() / "state";
};

TEST_F(ConfinementTest, HidesFoldersAndFilesFromAChildAndFromNobodyElse) {
  const Result<SharedConfinement> confinement = confine({state_, folder_.path() / "password"});
  ASSERT_TRUE(confinement) << confinement.error().text();
  const std::string state = state_.string();
  const ChildResult child =
      run(*confinement, "ls -A " + state + "; cat " + folder_.path().string() + "/password; pwd; " + "echo new > " +
                            state + "/file 2>/dev/null || echo refused");
  EXPECT_EQ(child.output, std::filesystem::current_path().string() + "\nrefused\n") << child.error_output;
  EXPECT_TRUE(std::filesystem::exists(state_ / "postgres/data"));
}

TEST_F(ConfinementTest, CannotBeUndoneNorLookedPastByTheChild) {
  const Result<SharedConfinement> confinement = confine({state_});
  ASSERT_TRUE(confinement) << confinement.error().text();
  const std::string state = state_.string();
  const std::string look = "cat " + state + "/postgres/data";
  const std::string outside = "/proc/" + std::to_string(::getpid());
  for (const std::string& attempt :
       {"umount " + state + "; " + look, "unshare -Ur sh -c 'umount " + state + "; " + look + "'",
        "unshare -Urm sh -c 'umount -l " + state + "; " + look + "'", "nsenter --mount=" + outside + "/ns/mnt " + look,
        "cat " + outside + "/root" + state + "/postgres/data", "cat /proc/$PPID/root" + state + "/postgres/data"}) {
    EXPECT_EQ(run(*confinement, attempt).output.find("rows"), std::string::npos) << attempt;
  }
}

// Root in the namespace may become any user of it, and a process of that user outside is nothing to it.
TEST_F(ConfinementTest, LooksPastTheViewAsNoOtherUserEither) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  for (const std::filesystem::path& folder : {folder_.path(), state_, state_ / "postgres"}) {
    std::filesystem::permissions(folder, std::filesystem::perms(0755));
  }
  const Result<SharedConfinement> confinement = confine({state_});
  ASSERT_TRUE(confinement) << confinement.error().text();
  const pid_t server = ::fork();
  if (server == 0) {
    ::execlp("setpriv", "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "sleep", "60", nullptr);
    ::_exit(127);
  }
  const std::string root = "/proc/" + std::to_string(server) + "/root" + state_.string();
  const std::string look = "for try in 1 2 3 4 5; do setpriv --reuid=65534 --regid=65534 --clear-groups cat " + root +
                           "/postgres/data && break; sleep .1; done";
  EXPECT_EQ(run(nullptr, look).output, "rows") << "this attempt finds nothing anyway";
  EXPECT_EQ(run(*confinement, look).output, "");
  EXPECT_EQ(run(*confinement, "setpriv --reuid=65534 --regid=65534 --clear-groups id -u").output, "65534\n");
  ::kill(server, SIGKILL);
  ::waitpid(server, nullptr, 0);
}

TEST_F(ConfinementTest, KeepsTheUserTheCoreAndTheEndOfTheChild) {
  const Result<SharedConfinement> confinement = confine({state_});
  ASSERT_TRUE(confinement) << confinement.error().text();
  EXPECT_EQ(run(*confinement, "id -u; id -g").output,
            std::to_string(::geteuid()) + '\n' + std::to_string(::getegid()) + '\n');
  EXPECT_EQ(run(*confinement, "exit 5").exit_code, 5);
  EXPECT_EQ(run(*confinement, "cat /proc/self/cgroup").output, run(nullptr, "cat /proc/self/cgroup").output);
  ChildCommand pinned;
  pinned.executable = "/bin/true";
  pinned.core = 0;
  pinned.confinement = *confinement;
  const Result<ChildResult> child = run_child(pinned);
  ASSERT_TRUE(child) << child.error().text();
  EXPECT_TRUE(child->succeeded());
}

// As a user, and not as root, whose tests these may be.
TEST_F(ConfinementTest, WorksForAUserWithoutRights) {
  if (::geteuid() != 0) GTEST_SKIP() << "the other tests are run by a user";
  if (!may_make_namespaces("setpriv --reuid=65534 --regid=65534 --clear-groups")) GTEST_SKIP() << kRefused;
  const std::filesystem::path state = folder_.path() / "theirs";
  std::filesystem::create_directory(state);
  std::ofstream(state / "data") << "rows";
  ASSERT_EQ(::chown(state.c_str(), kNobody, kNobody), 0);
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0755), 0);
  const pid_t user = ::fork();
  if (user == 0) {
    if (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0 || ::chdir("/") != 0) ::_exit(1);
    // A change of the user takes it away, and exec would give it back.
    ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    const Result<SharedConfinement> confinement = confine({state});
    if (!confinement) ::_exit(2);  // though the system allows it
    const ChildResult child =
        run(*confinement, "id -u; cat " + state.string() + "/data; umount " + state.string() + "; cat " +
                              state.string() + "/data; cat /proc/" + std::to_string(::getpid()) + "/environ");
    ::_exit(child.output == "65534\n" ? 0 : 3);
  }
  int status = 0;
  ::waitpid(user, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(ConfinementTest, LeavesOutAFolderThatHoldsWhatIsNeeded) {
  const std::filesystem::path state = std::filesystem::canonical(state_);
  std::filesystem::create_directories(state / "job/tree");
  std::ofstream(state / "job/spool") << "x";
  const HiddenPaths around = hidden_around({state, state / "postgres", state / "job/spool"}, {state / "job/tree"});
  EXPECT_THAT(around.paths, ElementsAre(state / "job/spool", state / "postgres"));
  EXPECT_THAT(around.left_out, ElementsAre(state));
  EXPECT_THAT(hidden_around({state, state / "postgres", state / "gone"}, {}).paths, ElementsAre(state));
  EXPECT_THAT(hidden_around({state}, {state.parent_path()}).paths, ElementsAre(state));
  EXPECT_TRUE(hidden_around({state}, {state}).paths.empty());
}

TEST_F(ConfinementTest, OfNothingIsNone) {
  const Result<SharedConfinement> nothing = confine({});
  ASSERT_TRUE(nothing);
  EXPECT_EQ(*nothing, nullptr);
}

}  // namespace
}  // namespace steelyard::bench
