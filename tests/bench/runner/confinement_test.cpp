#include "bench/runner/confinement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>

#include "bench/runner/child_process.hpp"
#include "bench/runner/secrets.hpp"
#include "tests/bench/runner/temporary_folder.hpp"
#include "tests/promised.hpp"

namespace steelyard::bench::confinement_test {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAreArray;

constexpr uid_t kNobody = 65534;

// As somebody else's program finds it; what this system allows has to work.
bool may_make_namespaces(const char* as_whom = "") {
  return std::system((std::string(as_whom) + " unshare --user --mount true 2>/dev/null").c_str()) == 0;
}
constexpr const char* kRefused = "namespaces for users and mounts are refused here";

class ConfinementTest : public ::testing::Test {
 protected:
  void SetUp() override {
    STEELYARD_SKIP_WITHOUT("namespaces", may_make_namespaces(), kRefused);
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
  testkit::TemporaryFolder folder_;
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
  const std::string above = folder_.path().string();
  const std::string elsewhere = (folder_.path() / "elsewhere").string();
  std::filesystem::create_directory(elsewhere);
  const auto in_own_namespace = [&](const std::string& mount) {
    return "unshare -Urm sh -c '" + mount + "; cat " + elsewhere + "/state/postgres/data'";
  };
  for (const std::string& attempt :
       {in_own_namespace("mount --bind " + above + ' ' + elsewhere),
        in_own_namespace("mount --rbind " + above + ' ' + elsewhere),
        in_own_namespace("mount -t overlay overlay -o lowerdir=" + above + ":/etc " + elsewhere),
        "mv " + state + ' ' + elsewhere + "/state; cat " + elsewhere + "/state/postgres/data",
        "umount " + state + "; " + look, "unshare -Ur sh -c 'umount " + state + "; " + look + "'",
        "unshare -Urm sh -c 'umount -l " + state + "; " + look + "'", "nsenter --mount=" + outside + "/ns/mnt " + look,
        "cat " + outside + "/root" + state + "/postgres/data", "cat /proc/$PPID/root" + state + "/postgres/data"}) {
    EXPECT_EQ(run(*confinement, attempt).output.find("rows"), std::string::npos) << attempt;
  }
}

// We write there ourselves when they have ended: into what they would have put in its place.
TEST_F(ConfinementTest, NoFolderAboveWhatIsHiddenCanBeMovedAway) {
  const std::filesystem::path above = folder_.path() / "above/between";
  std::filesystem::create_directories(above);
  std::filesystem::rename(state_, above / "state");
  const Result<SharedConfinement> confinement = confine({above / "state"});
  ASSERT_TRUE(confinement) << confinement.error().text();
  const auto move = [&](const SharedConfinement& as_whom, const std::filesystem::path& folder) {
    run(as_whom, "mv " + folder.string() + " " + (folder_.path() / "moved").string());
    return !std::filesystem::exists(above / "state/postgres/data");
  };
  for (const std::filesystem::path& folder : {above / "state", above, above.parent_path()}) {
    EXPECT_FALSE(move(*confinement, folder)) << folder;
    std::filesystem::remove_all(folder_.path() / "moved");
  }
  const std::string beside = (above / "beside").string();
  EXPECT_EQ(run(*confinement, "mkdir " + beside + " && mv " + beside + " " + beside + ".2 && echo moved").output,
            "moved\n")
      << "what is not above stays free";
  EXPECT_TRUE(move(nullptr, above)) << "this test would find nothing anyway";
}

// A folder above a hidden one may be bound to another place, as the work folder of a job's container is.
TEST_F(ConfinementTest, HidesWhatAnotherMountShowsOfTheSame) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can mount";
  const std::filesystem::path top = std::filesystem::canonical(folder_.path());
  for (const char* name : {"above", "part", "beside"}) std::filesystem::create_directory(top / name);
  std::filesystem::create_directory(top / "other");
  const std::string look = "cat " + (top / "above/state/postgres/data").string() + ' ' + (top / "part/data").string() +
                           "; ls " + (top / "above").string();
  const pid_t job = ::fork();
  if (job == 0) {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) ::_exit(1);
    const auto bind = [&](const char* what, const char* where) {
      return ::mount((top / what).c_str(), (top / where).c_str(), nullptr, MS_BIND, nullptr) == 0;
    };
    if (!bind("", "above") || !bind("state/postgres", "part") || !bind("other", "beside")) ::_exit(2);
    const HiddenPaths around = hidden_around({top / "state"}, {top / "beside"});
    const Result<SharedConfinement> confinement = confine(around.paths);
    if (!around.unhidden.empty() || around.paths.size() != 3 || !confinement) ::_exit(3);
    if (run(nullptr, look).output.find("rowsrows") != 0) ::_exit(4);  // finds nothing anyway
    ::_exit(run(*confinement, look).output.find("rows") == std::string::npos ? 0 : 5);
  }
  int status = 0;
  ::waitpid(job, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
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
  STEELYARD_SKIP_WITHOUT("namespaces", may_make_namespaces("setpriv --reuid=65534 --regid=65534 --clear-groups"),
                         kRefused);
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
  EXPECT_THAT(around.unhidden, ElementsAre(state));
  EXPECT_THAT(hidden_around({state, state / "postgres", state / "gone"}, {}).paths, ElementsAre(state));
  EXPECT_THAT(hidden_around({state}, {state.parent_path()}).paths, ElementsAre(state));
  EXPECT_TRUE(hidden_around({state}, {state}).paths.empty());
}

TEST_F(ConfinementTest, HidesTheFilesFromWhichACiServiceTakesCommands) {
  const std::filesystem::path top = std::filesystem::canonical(folder_.path());
  const std::filesystem::path runners = top / "_runner_file_commands";
  std::map<std::string, std::string> variables{{"RUNNER_TEMP", top.string()}, {"PATH", "/bin"}, {"BASH_ENV", "/x"}};
  EXPECT_THAT(command_files(variables), ElementsAre()) << "another service's folder";
  std::filesystem::create_directory(runners);
  EXPECT_THAT(command_files(variables), ElementsAre(runners)) << "also where the step did not hand on their names";
  for (const char* name : {"GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STATE", "GITHUB_STEP_SUMMARY",
                           "FORGEJO_OUTPUT", "GITLAB_ENV", "DRONE_OUTPUT"}) {
    std::map<std::string, std::string> told = variables;
    told[name] = (runners / "named").string();
    EXPECT_THAT(command_files(told), ElementsAre(runners / "named", runners)) << name;
    EXPECT_THAT(withhold_secrets(told), ElementsAre(name));
    told = variables;
    told[name] = (runners / "named").string();
    told["STEELYARD_BUILD_ENVIRONMENT"] = name;
    EXPECT_THAT(command_files(told), ElementsAre()) << "what the user says that builds need";
    EXPECT_THAT(withhold_secrets(told), ElementsAre());
  }
  variables["BASH_ENV"] = "/tmp/.bash_env-1-0-build";
  EXPECT_THAT(command_files(variables), ElementsAre("/tmp/.bash_env-1-0-build", runners)) << "CircleCI's";

  std::ofstream(runners / "set_env_1") << "";
  std::ofstream(top / "summary") << "";
  const Result<SharedConfinement> confinement =
      confine(hidden_around({runners, top / "summary"}, {std::filesystem::temp_directory_path()}).paths);
  ASSERT_TRUE(confinement) << confinement.error().text();
  run(*confinement, "cd " + top.string() + "; for file in _runner_file_commands/*; do echo evil >>$file; done; " +
                        "echo evil >>_runner_file_commands/set_env_1; echo evil >>summary; rm -rf " + runners.string() +
                        " summary; mv " + runners.string() + " gone; mkdir -p " + runners.string());
  EXPECT_TRUE(std::filesystem::is_empty(runners / "set_env_1"));
  EXPECT_TRUE(std::filesystem::is_empty(top / "summary"));
}

// The block that the kernel shows of a process, to whoever it lets see it.
std::string own_environment() {
  std::ifstream stream("/proc/self/environ", std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(Secrets, AreNotInTheEnvironmentThatTheKernelShowsAndStayWhereThisProgramLooks) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";  // a process of its own, started with these variables
  setenv("DEPLOY_TOKEN", "hunter5", 0);  // in that process it is there already, where the kernel put it
  const auto hide = [] {
    if (own_environment().find("hunter5") == std::string::npos) std::_Exit(3);
    hide_own_secrets();
    const char* const kept = std::getenv("DEPLOY_TOKEN");
    const bool is_kept = kept != nullptr && std::string(kept) == "hunter5";
    std::_Exit(own_environment().find("hunter5") != std::string::npos ? 1 : is_kept ? 42 : 2);
  };
  EXPECT_EXIT(hide(), ::testing::ExitedWithCode(42), "");
  unsetenv("DEPLOY_TOKEN");
}

std::filesystem::path make_socket(const std::filesystem::path& path) {
  std::filesystem::create_directories(path.parent_path());
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  EXPECT_LT(path.string().size(), sizeof address.sun_path);
  path.string().copy(address.sun_path, sizeof address.sun_path - 1);
  const Descriptor made(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(::bind(made.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0) << path;
  return path;
}

TEST(SocketsThatLeadOut, AreTheSystemsTheSessionsAndThoseOfTheUsersFolder) {
  const testkit::TemporaryFolder folder;
  const std::filesystem::path root = std::filesystem::canonical(folder.path());
  const std::filesystem::path session = root / "session";
  const std::map<std::string, std::string> variables{{"XDG_RUNTIME_DIR", session.string()},
                                                     {"HOME", (root / "home").string()},
                                                     {"DOCKER_HOST", "unix://" + (root / "named.sock").string()},
                                                     {"CONTAINER_HOST", "tcp://localhost:2375"}};
  EXPECT_THAT(sockets_that_lead_out(variables, root), ElementsAre());
  const std::filesystem::path of_user = root / "run/user" / std::to_string(::geteuid());
  std::vector<std::filesystem::path> sockets{root / "run/docker.sock",
                                             root / "run/podman/podman.sock",
                                             root / "run/containerd/containerd.sock",
                                             root / "run/systemd/private",
                                             root / "var/run/docker.sock",
                                             root / "var/lib/lxd/unix.socket",
                                             session / "docker.sock",
                                             session / "podman/podman.sock",
                                             session / "systemd/private",
                                             session / "bus",
                                             of_user / "docker.sock",
                                             of_user / "bus",
                                             root / "home/.docker/run/docker.sock",
                                             root / "named.sock"};
  for (const std::filesystem::path& socket : sockets) make_socket(socket);
  EXPECT_THAT(sockets_that_lead_out(variables, root), UnorderedElementsAreArray(sockets));
  EXPECT_THAT(sockets_that_lead_out({}, root).size(), sockets.size() - 6) << "those of no folder that is named";

  std::filesystem::remove(session / "bus");
  std::ofstream(session / "bus") << "no socket";
  std::filesystem::remove(session / "docker.sock");
  std::filesystem::create_symlink(make_socket(root / "desktop.sock"), session / "docker.sock");
  std::replace(sockets.begin(), sockets.end(), session / "docker.sock", root / "desktop.sock");
  std::filesystem::remove_all(root / "var/run");
  std::filesystem::create_symlink(root / "run", root / "var/run");
  for (const std::filesystem::path& gone : {session / "bus", root / "var/run/docker.sock"}) std::erase(sockets, gone);
  EXPECT_THAT(sockets_that_lead_out(variables, root), UnorderedElementsAreArray(sockets));
}

TEST_F(ConfinementTest, HidesSocketsThatLeadOut) {
  const std::filesystem::path session = std::filesystem::canonical(folder_.path()) / "session";
  const std::string socket = make_socket(session / "podman/podman.sock").string();
  const std::vector<std::filesystem::path> sockets =
      sockets_that_lead_out({{"XDG_RUNTIME_DIR", session.string()}}, folder_.path());
  const Result<SharedConfinement> confinement = confine(hidden_around(sockets, {session}).paths);
  ASSERT_TRUE(confinement) << confinement.error().text();
  const std::string look = "test -S " + socket + " && echo seen";
  EXPECT_EQ(run(nullptr, look).output, "seen\n");
  EXPECT_EQ(run(*confinement, look).output, "");
}

TEST_F(ConfinementTest, OfNothingIsNone) {
  const Result<SharedConfinement> nothing = confine({});
  ASSERT_TRUE(nothing);
  EXPECT_EQ(*nothing, nullptr);
}

}  // namespace
}  // namespace steelyard::bench::confinement_test
