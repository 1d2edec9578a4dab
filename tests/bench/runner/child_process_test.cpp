#include "bench/runner/child_process.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "tests/bench/runner/fixture_program.hpp"
#include "tests/bench/runner/temporary_folder.hpp"
#include "tests/promised.hpp"

namespace steelyard::bench::child_process_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

ChildCommand shell(const std::string& script) {
  ChildCommand command;
  command.executable = "/bin/sh";
  command.arguments = {"-c", script};
  command.environment = {{"PATH", "/usr/bin:/bin"}};
  return command;
}

ChildResult run(const ChildCommand& command) {
  Result<ChildResult> child = run_child(command);
  EXPECT_TRUE(child) << (child ? "" : child.error().text());
  return child ? *child : ChildResult{};
}

Error refusal(const std::filesystem::path& executable) {
  ChildCommand command;
  command.executable = executable;
  const Result<ChildResult> child = run_child(command);
  EXPECT_FALSE(child);
  return child ? Error{} : child.error();
}

std::size_t open_descriptors() {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) count += entry.path().empty() ? 0 : 1;
  return count;
}

// A process is gone, or dead and waiting for whoever has to reap it.
bool is_alive(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  std::string ignored, name, state;
  return static_cast<bool>(file >> ignored >> name >> state) && state != "Z" && state != "X";
}

// SIGKILL is delivered when it was sent, and takes effect a moment later. Without it the process lives 1000 s.
bool ends(const std::string& pid) {
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (is_alive(pid) && std::chrono::steady_clock::now() < patience) std::this_thread::yield();
  return !is_alive(pid);
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

TEST(RunChild, YieldsOutputAndExitCode) {
  const ChildResult child = run(shell("echo one; echo two >&2; exit 3"));
  EXPECT_EQ(child.end, ChildEnd::exited);
  EXPECT_EQ(child.exit_code, 3);
  EXPECT_EQ(child.output, "one\n");
  EXPECT_FALSE(child.succeeded());
  EXPECT_EQ(child.describe(), "exited with 3; its last line of stderr: \"two\"");
  EXPECT_GT(child.duration_ns, 0);
  EXPECT_GT(child.started_at_unix_ns, 0);
  EXPECT_GT(child.minor_faults, 0);
  EXPECT_GT(child.use.peak_resident_bytes, 0);
}

TEST(RunChild, NamesTheSignalThatEndedIt) {
  const ChildResult child = run(shell("kill -SEGV $$"));
  EXPECT_EQ(child.end, ChildEnd::signalled);
  EXPECT_EQ(child.describe(), "was ended by signal 11 (Segmentation fault)");
}

TEST(RunChild, GivesTheChildNoVariableBeyondThoseNamed) {
  ChildCommand command = shell("exec env");
  command.executable = find_in_path("env").value();
  command.arguments = {};
  command.environment = {{"A", "1"}, {"B", "x=y"}};
  EXPECT_EQ(run(command).output, "A=1\nB=x=y\n");
}

TEST(RunChild, RunsInTheWorkingDirectoryAndTakesTheExecutableFromOurs) {
  const testkit::TemporaryFolder folder;
  folder.write("here.sh", "#!/bin/sh\npwd -P\n", true);
  std::filesystem::create_directory(folder.path() / "inner");
  ChildCommand command;
  command.executable = std::filesystem::relative(folder.path() / "here.sh");
  command.working_directory = folder.path() / "inner";
  EXPECT_EQ(run(command).output, std::filesystem::canonical(folder.path() / "inner").string() + "\n");
}

TEST(RunChild, PinsToTheCoreAskedFor) {
  cpu_set_t allowed;
  ASSERT_EQ(::sched_getaffinity(0, sizeof allowed, &allowed), 0);
  int core = 0;
  while (CPU_ISSET(core, &allowed) == 0) ++core;
  ChildCommand command = shell("grep Cpus_allowed_list /proc/self/status");
  command.core = core;
  const ChildResult child = run(command);
  EXPECT_EQ(child.core, core);
  EXPECT_EQ(child.output, "Cpus_allowed_list:\t" + std::to_string(core) + "\n");
}

TEST(RunChild, RunsUnpinnedAndSaysSoWhereTheCoreIsRefused) {
  ChildCommand command = shell("echo ran");
  command.core = 1023;
  const ChildResult child = run(command);
  EXPECT_EQ(child.core, -1);
  EXPECT_EQ(child.output, "ran\n");
}

TEST(RunChild, SwitchesAddressRandomizationOffOrSaysThatItCouldNot) {
  ChildCommand command = shell("cat /proc/self/personality");
  EXPECT_EQ(run(command).output, "00000000\n");
  command.randomize_addresses = false;
  const ChildResult child = run(command);
  EXPECT_EQ(child.output, child.addresses_randomized ? "00000000\n" : "00040000\n");
}

TEST(RunChild, EndsAChildAndItsDescendantsWhenTimeIsUp) {
  ChildCommand command = shell("sleep 1000 & echo $!; echo waiting >&2; wait");
  command.timeout = seconds(2);  // far above what the shell takes to get there
  const ChildResult child = run(command);
  EXPECT_EQ(child.end, ChildEnd::timed_out);
  EXPECT_EQ(child.describe(),
            "ran past its limit of " + to_text(steelyard::seconds(2)) + "; its last line of stderr: \"waiting\"");
  EXPECT_TRUE(ends(first_line(child.output)));
}

TEST(RunChild, SaysWhereTheRestOfTheBudgetAndNotItsOwnLimitEndedAChild) {
  ChildCommand command = shell("sleep 1000");
  command.timeout = seconds(1000);
  command.rest_of_budget = seconds(1);
  EXPECT_EQ(run(command).describe(), "ran past its limit of " + to_text(steelyard::seconds(1)) +
                                         ", the rest of the budget; its own is " + to_text(steelyard::seconds(1000)));
  command.timeout = seconds(1);
  command.rest_of_budget = seconds(1000);
  EXPECT_EQ(run(command).describe(), "ran past its limit of " + to_text(steelyard::seconds(1)));
}

TEST(RunChild, EndsAChildThatIgnoresThePoliteSignal) {
  ChildCommand command = shell("trap '' TERM; echo ready; while :; do sleep 1; done");
  command.timeout = seconds(2);
  const ChildResult child = run(command);
  EXPECT_EQ(child.end, ChildEnd::timed_out);
  EXPECT_EQ(child.signal, SIGKILL);
}

// A group of which it is no member any more is signalled in vain.
TEST(RunChild, EndsAChildThatLeftItsProcessGroup) {
  STEELYARD_NEEDS_FIXTURE();
  ChildCommand command = command_of(testkit::fixture({{"START", "leave"}}));
  command.timeout = seconds(2);
  const ChildResult polite = run(command);
  EXPECT_EQ(polite.end, ChildEnd::timed_out);
  EXPECT_EQ(polite.signal, SIGTERM);
  command.environment["START"] = "leave_deaf";
  const ChildResult deaf = run(command);
  EXPECT_EQ(deaf.end, ChildEnd::timed_out);
  EXPECT_EQ(deaf.signal, SIGKILL);
}

TEST(RunChild, EndsAChildThatLeftItsProcessGroupWhereTheCallerIsKilled) {
  STEELYARD_NEEDS_FIXTURE();
  const testkit::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "process";
  const pid_t caller = ::fork();
  if (caller == 0) {
    ChildCommand command = command_of(testkit::fixture({{"START", "leave_deaf"}}));
    command.arguments = {"-c", "echo $$ > " + file.string() + "; exec " + command.executable.string()};
    command.executable = "/bin/sh";
    run(command);
    ::_exit(0);
  }
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  pid_t child = 0;
  while (child <= 0 || ::getpgid(child) == child) {
    if (std::chrono::steady_clock::now() > patience) break;
    std::this_thread::yield();
    std::ifstream(file) >> child;
  }
  EXPECT_TRUE(is_alive(std::to_string(child)));
  ::kill(caller, SIGKILL);
  ::waitpid(caller, nullptr, 0);
  ASSERT_GT(child, 0);
  EXPECT_TRUE(ends(std::to_string(child)));
}

TEST(RunChild, EndsWhatAChildLeftRunningBehindIt) {
  const ChildResult child = run(shell("sleep 1000 & echo $!"));
  EXPECT_TRUE(child.succeeded());
  EXPECT_TRUE(ends(first_line(child.output)));
}

TEST(RunChild, EndsWhatLeftTheChildsProcessGroup) {
  // In a session of its own, as a server that a build starts, and an orphan before the child ends.
  const ChildResult child = run(shell("setsid sh -c 'echo $$; exec sleep 1000' & sleep 0.2"));
  EXPECT_TRUE(child.succeeded());
  EXPECT_FALSE(is_alive(first_line(child.output))) << "when we are told of the end, everything has ended";
  EXPECT_EQ(child.left_running, 0);
}

TEST(RunChild, CountsWhatAChildLeftRunningBehindIt) {
  EXPECT_EQ(run(shell("true")).left_ended, 0);
  EXPECT_EQ(run(shell("sleep 1000 & sleep 1000 & (setsid sleep 1000 &); true")).left_ended, 3);
  EXPECT_EQ(run(shell("sleep 1000 & kill -9 $!; wait")).left_ended, 0) << "ended by the child itself";
  EXPECT_EQ(run(shell("sleep 1000 & kill -9 $$")).left_ended, 1) << "of a child that was killed";
}

TEST(RunChild, BlamesNoChildThatItEndedItselfForWhatWasStillRunning) {
  ChildCommand command = shell("trap '' TERM; setsid sleep 1000 & sleep 1000");
  command.timeout = seconds(1);
  const ChildResult child = run(command);
  EXPECT_EQ(child.end, ChildEnd::timed_out);
  EXPECT_EQ(child.left_ended, 0);
}

TEST(RunChild, EndsEverythingWhereTheCallerItselfIsKilled) {
  const testkit::TemporaryFolder folder;
  const std::filesystem::path list = folder.path() / "processes";
  const std::string keep = "echo $$ >> " + list.string() + "; exec sleep 1000";
  const pid_t caller = ::fork();
  if (caller == 0) {
    run(shell("setsid sh -c '" + keep + "' & sh -c '" + keep + "' & " + keep));
    ::_exit(0);
  }
  const auto processes = [&] {
    std::vector<std::string> found;
    std::ifstream file(list);
    for (std::string line; std::getline(file, line);) found.push_back(line);
    return found;
  };
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (processes().size() < 3 && std::chrono::steady_clock::now() < patience) std::this_thread::yield();
  ::kill(caller, SIGKILL);
  ::waitpid(caller, nullptr, 0);
  ASSERT_EQ(processes().size(), 3U);
  for (const std::string& process : processes()) EXPECT_TRUE(ends(process)) << process;
}

TEST(RunChild, KeepsTheEndOfALongErrorOutput) {
  ChildCommand command = shell("head -c 3000000 /dev/zero | tr '\\0' x >&2; echo >&2; echo the end >&2");
  command.output_limit = 1000;
  const ChildResult child = run(command);
  EXPECT_TRUE(child.succeeded());
  EXPECT_EQ(child.error_output.size(), 1000U);
  EXPECT_EQ(last_line(child.error_output), "the end");
}

TEST(RunChild, KeepsTheBeginningOfALongOutputAndSaysThatItWasCut) {
  ChildCommand command = shell("echo start; head -c 3000000 /dev/zero");
  command.output_limit = 1000;
  const ChildResult child = run(command);
  EXPECT_TRUE(child.succeeded());
  EXPECT_EQ(child.output.size(), 1000U);
  EXPECT_TRUE(child.output_truncated);
  EXPECT_THAT(child.output, StartsWith("start\n"));
}

TEST(RunChild, LeavesNoDescriptorAndNoZombie) {
  run(shell("true"));
  const std::size_t before = open_descriptors();
  for (int i = 0; i < 20; ++i) {
    run(shell("true"));
    refusal("/no/such/program");
  }
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(RunChild, HidesOurDescriptorsFromTheChild) {
  const int inheritable = ::open("/dev/null", O_RDONLY);
  const ChildResult child = run(shell("test -e /proc/$$/fd/" + std::to_string(inheritable) + " && echo inherited"));
  ::close(inheritable);
  EXPECT_EQ(child.output, "");
}

TEST(RunChild, GivesTheChildTheStandardDispositionOfSignals) {
  const auto before = ::signal(SIGPIPE, SIG_IGN);
  const ChildResult child = run(shell("grep -E 'SigIgn|SigBlk' /proc/self/status"));
  ::signal(SIGPIPE, before);
  EXPECT_EQ(child.output, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

TEST(RunChild, StopsWhenCancelled) {
  const testkit::TemporaryFolder folder;
  const std::filesystem::path sign = folder.path() / "started";
  std::atomic<bool> cancelled = false;
  std::thread canceller([&] {
    while (!std::filesystem::exists(sign)) std::this_thread::yield();
    cancelled = true;
  });
  const Result<ChildResult> child = run_child(shell(": > " + sign.string() + "; sleep 1000"), &cancelled);
  canceller.join();
  ASSERT_TRUE(child);
  EXPECT_EQ(child->end, ChildEnd::cancelled);
  EXPECT_EQ(child->describe(), "was cancelled");
}

TEST(RunInvocations, CancelledWhileTheyArePreparedAreCancelledAndHaveNotFailed) {
  const testkit::TemporaryFolder folder;
  const std::filesystem::path sign = folder.path() / "started";
  std::atomic<bool> cancelled = false;
  std::thread canceller([&] {
    while (!std::filesystem::exists(sign)) std::this_thread::yield();
    cancelled = true;
  });
  ChildCommand prepared = shell(": > " + (folder.path() / "ran").string());
  prepared.prepare = ": > " + sign.string() + "; sleep 1000";
  const auto results = run_invocations({prepared, shell("true")}, &cancelled);
  canceller.join();
  ASSERT_EQ(results.size(), 2U);
  for (const Result<ChildResult>& result : results) {
    ASSERT_TRUE(result) << result.error().text();
    EXPECT_EQ(result->end, ChildEnd::cancelled);
  }
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "ran"));
}

// What is measured beside it has not failed.
TEST(RunInvocations, BlameTheOneThatCouldNotBePrepared) {
  const testkit::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "ran";
  ChildCommand sound = shell(": > " + file.string());
  sound.prepare = "true";
  ChildCommand broken = sound;
  broken.prepare = "echo no room >&2; false";
  for (const std::size_t which : {0U, 1U}) {
    const auto results =
        which == 0 ? run_invocations({broken, sound}, nullptr) : run_invocations({sound, broken}, nullptr);
    ASSERT_EQ(results.size(), 2U);
    ASSERT_FALSE(results[which]);
    EXPECT_THAT(results[which].error().text(), HasSubstr("no room"));
    ASSERT_TRUE(results[1 - which]);
    EXPECT_EQ(results[1 - which]->end, ChildEnd::not_run);
    EXPECT_FALSE(results[1 - which]->succeeded());
    EXPECT_FALSE(std::filesystem::exists(file)) << "alone it would be measured under other conditions";
  }
}

TEST(RunChildren, RunsBothAtOnce) {
  const testkit::TemporaryFolder folder;
  const std::string meeting = (folder.path() / "meeting").string();
  ASSERT_EQ(::mkfifo(meeting.c_str(), 0600), 0);
  // Each blocks until the other has opened the pipe.
  const auto results = run_children({shell("cat " + meeting), shell("echo hello > " + meeting)});
  ASSERT_EQ(results.size(), 2U);
  ASSERT_TRUE(results[0] && results[1]);
  EXPECT_EQ(results[0]->output, "hello\n");
  EXPECT_TRUE(results[1]->succeeded());
}

TEST(RunChildren, KeepsOneResultWhereTheOtherCannotStart) {
  ChildCommand missing;
  missing.executable = "/no/such/program";
  const auto results = run_children({missing, shell("echo fine")});
  ASSERT_EQ(results.size(), 2U);
  EXPECT_FALSE(results[0]);
  ASSERT_TRUE(results[1]);
  EXPECT_EQ(results[1]->output, "fine\n");
}

TEST(RunChild, RefusesAMissingFile) {
  const Error error = refusal("/no/such/program");
  EXPECT_EQ(error.kind, ErrorKind::input);
  EXPECT_EQ(error.text(),
            "/no/such/program: found no such file, wanted a program; build it first, or correct the path");
}

TEST(RunChild, RefusesAFolder) {
  const Error error = refusal("/usr");
  EXPECT_EQ(error.kind, ErrorKind::input);
  EXPECT_EQ(error.text(), "/usr: found a folder, wanted a program; name the file inside it");
}

TEST(RunChild, RefusesAFileThatIsNotExecutable) {
  const testkit::TemporaryFolder folder;
  const Error error = refusal(folder.write("data.txt", "x", false));
  EXPECT_EQ(error.kind, ErrorKind::input);
  EXPECT_THAT(error.text(), HasSubstr("chmod +x "));
}

TEST(RunChild, RefusesAScriptWithoutItsInterpreterLine) {
  const testkit::TemporaryFolder folder;
  const Error error = refusal(folder.write("script", "echo hello\n", true));
  EXPECT_EQ(error.kind, ErrorKind::input);
  EXPECT_THAT(error.text(), HasSubstr("begin a script with #!"));
}

TEST(RunChild, RefusesAScriptWhoseInterpreterIsMissing) {
  const testkit::TemporaryFolder folder;
  const Error error = refusal(folder.write("script", "#!/no/such/interpreter\n", true));
  EXPECT_EQ(error.kind, ErrorKind::input);
  EXPECT_THAT(error.text(), HasSubstr("an interpreter or loader that is missing"));
}

TEST(RunChild, RefusesArgumentsAboveTheSystemsLimit) {
  ChildCommand command = shell("true");
  command.arguments.push_back(std::string(std::size_t{4} << 20, 'x'));
  const Result<ChildResult> child = run_child(command);
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().kind, ErrorKind::input);
  EXPECT_THAT(child.error().text(), HasSubstr("above the system's limit"));
}

TEST(RunChild, KnowsTheExitStatusWhereSomeoneIgnoresTheDeathOfChildren) {
  const auto before = ::signal(SIGCHLD, SIG_IGN);
  const ChildResult child = run(shell("echo done; exit 7"));
  ::signal(SIGCHLD, before);
  EXPECT_EQ(child.exit_code, 7);
  EXPECT_EQ(child.output, "done\n");
}

TEST(RunChild, SaysThatTheExitStatusIsLostWhereWhatWatchesTheChildIsKilled) {
  const ChildResult child = run(shell("echo done; kill -9 $PPID; sleep 1000"));
  EXPECT_FALSE(child.succeeded());
  EXPECT_EQ(child.output, "done\n");
  EXPECT_THAT(child.describe(), HasSubstr("its exit status was lost"));
}

TEST(RunChild, RefusesAWorkingDirectoryThatIsMissing) {
  ChildCommand command = shell("true");
  command.working_directory = "/no/such/folder";
  const Result<ChildResult> child = run_child(command);
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().kind, ErrorKind::input);
  EXPECT_EQ(child.error().where, "/no/such/folder");
}

TEST(ReadLeftFile, FollowsNoLinkAndWaitsForNoPipe) {
  const testkit::TemporaryFolder folder;
  folder.write("secret", "root:x:0", false);
  folder.write("results", "0123456789", false);
  std::filesystem::create_symlink(folder.path() / "secret", folder.path() / "link");
  ASSERT_EQ(::mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
  const auto found = [&](const char* name) {
    const Result<std::string> read = read_left_file(folder.path() / name, 100);
    return read ? "content: " + *read : read.error().found;
  };
  EXPECT_EQ(found("results"), "content: 0123456789");
  EXPECT_EQ(found("nothing"), "no file");
  EXPECT_EQ(found("link"), "a link");
  EXPECT_EQ(found("pipe"), "no regular file");
  EXPECT_EQ(found("."), "no regular file");
  EXPECT_EQ(*read_left_file(folder.path() / "results", 4), "0123");
  EXPECT_EQ(*read_left_file(folder.path() / "results", 4, PartOfFile::end), "6789");
}

TEST(LastLine, SkipsBlankLinesAndControlCharacters) {
  EXPECT_EQ(last_line("first\n\x1b[31mlast\x07\n \n\n"), "[31mlast");
  EXPECT_EQ(last_line("only"), "only");
  EXPECT_EQ(last_line("\n \r\n"), "");
  EXPECT_EQ(last_line(""), "");
}

TEST(LastLine, CutsALongLineBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "\xc3\xa9";  // e with acute accent, two bytes
  EXPECT_EQ(last_line("x" + text), "x" + text.substr(0, 298) + "...");
}

TEST(FindInPath, FindsAProgramAndNoOther) {
  EXPECT_THAT(find_in_path("sh").value_or("").string(), ::testing::EndsWith("/sh"));
  EXPECT_EQ(find_in_path("no-such-program-anywhere"), std::nullopt);
  EXPECT_EQ(find_in_path("/usr"), std::nullopt);
  EXPECT_EQ(find_in_path(""), std::nullopt);
}

}  // namespace
}  // namespace steelyard::bench::child_process_test
