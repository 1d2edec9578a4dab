// `steelyard doctor --fix` as a real process, on a copied tree of settings: never on this machine's own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <thread>

#include "bench/environment/system_file.hpp"
#include "bench/runner/foreground_command.hpp"
#include "tests/promised.hpp"

namespace steelyard::ci::doctor_fix_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::chrono::seconds kPatience{30};  // far above what any step takes; only a failure waits as long

bool eventually(const std::function<bool()>& holds) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

std::string text_of(const std::filesystem::path& file) { return bench::read_system_file(file).value_or("absent"); }

// Forbids it as containers do. False where this machine has no such filters.
bool forbid_personality() {
  sock_filter filter[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                          BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_personality, 0, 1),
                          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
                          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  sock_fprog program = {sizeof filter / sizeof filter[0], filter};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// The settings of a machine with two cores, all of them to be fixed.
class DoctorFix : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "steelyard-fix-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = std::filesystem::canonical(name);
    write("root/sys/devices/system/cpu/online", "0-1");
    for (const char* core : {"cpu0", "cpu1"}) {
      const std::string cpufreq = std::string("root/sys/devices/system/cpu/") + core + "/cpufreq/";
      write(cpufreq + "scaling_governor", "powersave");
      write(cpufreq + "scaling_available_governors", "performance powersave");
    }
    write("root/sys/devices/system/cpu/intel_pstate/no_turbo", "0");
    write("root/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never");
  }
  void TearDown() override {
    for (const pid_t process : started_) {
      ::kill(-process, SIGKILL);
      ::waitpid(process, nullptr, 0);
    }
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  void write(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories((folder_ / file).parent_path());
    std::ofstream(folder_ / file) << text << '\n';
  }
  // "powersave powersave 0 always": both governors, no_turbo, huge pages.
  std::string settings() const {
    const auto cpu = folder_ / "root/sys/devices/system/cpu";
    std::string pages = text_of(folder_ / "root/sys/kernel/mm/transparent_hugepage/enabled");
    if (pages == "[always] madvise never") pages = "always";
    return text_of(cpu / "cpu0/cpufreq/scaling_governor") + " " + text_of(cpu / "cpu1/cpufreq/scaling_governor") + " " +
           text_of(cpu / "intel_pstate/no_turbo") + " " + pages;
  }
  std::filesystem::path journal() const { return folder_ / "state/doctor/journal"; }

  // Starts the program with this tree; its streams go to files.
  pid_t start(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {STEELYARD_PROGRAM, "doctor", "--root", (folder_ / "root").string()});
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    const std::string state = (folder_ / "state").string();
    const std::string out = (folder_ / "out").string();
    const std::string err = (folder_ / "err").string();
    const pid_t process = ::fork();
    if (process == 0) {
      ::setpgid(0, 0);  // as a shell starts a job
      ::setenv("STEELYARD_STATE", state.c_str(), 1);
      if (::freopen(out.c_str(), "w", stdout) == nullptr || ::freopen(err.c_str(), "w", stderr) == nullptr) ::_exit(99);
      if (forbids_personality_ && !forbid_personality()) ::_exit(kNoFilters);
      ::execv(pointers[0], pointers.data());
      ::_exit(98);
    }
    EXPECT_GT(process, 1);
    if (process > 1) started_.push_back(process);
    return process;
  }
  int finish(pid_t process) {
    int status = 0;
    ::waitpid(process, &status, 0);
    std::erase(started_, process);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  }
  int run(const std::vector<std::string>& arguments) { return finish(start(arguments)); }
  // A command that says that it runs, by a file with its process number, and waits to be ended.
  std::vector<std::string> waiting_command(const std::string& file) const {
    return {"--fix", "--", "/bin/sh", "-c", "echo $$ > " + (folder_ / file).string() + "; exec sleep 1000"};
  }
  pid_t process_in(const std::string& file) const {
    pid_t process = 0;
    EXPECT_TRUE(eventually([&] {
      process = static_cast<pid_t>(bench::read_system_number(folder_ / file).value_or(0));
      return process > 0;
    }));
    return process;
  }
  // The child of the process that watches over it; 0: it has none.
  static pid_t find_watchdog(pid_t parent) {
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string name = entry.path().filename().string();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      const std::string status = bench::read_system_file(entry.path() / "status").value_or("");
      if (status.starts_with("Name:\tsteelyard-watch") &&
          status.find("PPid:\t" + std::to_string(parent) + "\n") != std::string::npos) {
        return std::stoi(name);
      }
    }
    return 0;
  }
  // It takes its name after it was started.
  static pid_t watchdog_of(pid_t parent) {
    pid_t watchdog = 0;
    EXPECT_TRUE(eventually([&] {
      watchdog = find_watchdog(parent);
      return watchdog > 0;
    }));
    return watchdog;
  }
  // To one process: 0 and -1 would be this one's group, and every process of the machine.
  static void send(pid_t process, int number) {
    ASSERT_GT(process, 1);
    ::kill(process, number);
  }
  static bool is_alive(pid_t process) {
    const std::string status = bench::read_system_file("/proc/" + std::to_string(process) + "/status").value_or("");
    return !status.empty() && status.find("State:\tZ") == std::string::npos;
  }

  static constexpr const char* kBefore = "powersave powersave 0 always";
  static constexpr const char* kFixed = "performance performance 1 madvise";
  std::filesystem::path folder_;
  static constexpr int kNoFilters = 97;
  bool forbids_personality_ = false;  // of the programs to start
  std::vector<pid_t> started_;
};

TEST_F(DoctorFix, FixesWhileTheCommandRunsAndPassesItsStatusOn) {
  const std::string seen = (folder_ / "seen").string();
  const std::string cpu = (folder_ / "root/sys/devices/system/cpu").string();
  EXPECT_EQ(
      run({"--fix", "--", "/bin/sh", "-c",
           "cat " + cpu + "/cpu?/cpufreq/scaling_governor " + cpu + "/intel_pstate/no_turbo > " + seen + "; exit 7"}),
      7);
  EXPECT_EQ(text_of(seen), "performance\nperformance\n1");
  EXPECT_EQ(settings(), kBefore);
  EXPECT_FALSE(std::filesystem::exists(journal()));
  const std::string said = text_of(folder_ / "err");
  EXPECT_THAT(said, HasSubstr("governor of 2 cores: powersave -> performance"));
  EXPECT_THAT(said, HasSubstr("every setting is as it was"));
}

TEST_F(DoctorFix, SaysNothingWhenQuiet) {
  EXPECT_EQ(run({"--fix", "--quiet", "--", "/bin/echo", "result"}), 0);
  EXPECT_EQ(text_of(folder_ / "out"), "result");
  EXPECT_EQ(text_of(folder_ / "err"), "");
}

TEST_F(DoctorFix, RunsTheCommandWhereThereIsNothingToFix) {
  std::filesystem::remove_all(folder_ / "root/sys");
  EXPECT_EQ(run({"--fix", "--", "/bin/sh", "-c", "exit 5"}), 5);
  EXPECT_THAT(text_of(folder_ / "err"), HasSubstr("nothing to fix"));
}

TEST_F(DoctorFix, ChangesNothingForACommandThatIsNotThere) {
  EXPECT_EQ(run({"--fix", "--", "no-such-command"}), 3);
  EXPECT_THAT(text_of(folder_ / "err"), HasSubstr("no-such-command: found no such program"));
  EXPECT_EQ(settings(), kBefore);
}

TEST_F(DoctorFix, SetsBackAfterACommandThatCannotBeExecuted) {
  write("text", "no program");
  std::filesystem::permissions(folder_ / "text", std::filesystem::perms::owner_all);
  EXPECT_EQ(run({"--fix", "--", (folder_ / "text").string()}), 3);
  EXPECT_EQ(settings(), kBefore);
}

TEST_F(DoctorFix, PassesSignalsOnAndSetsBack) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    std::filesystem::remove(folder_ / "command");
    const pid_t process = start(waiting_command("command"));
    const pid_t command = process_in("command");
    EXPECT_EQ(settings(), kFixed);
    send(process, number);
    EXPECT_EQ(finish(process), 128 + number);
    EXPECT_EQ(settings(), kBefore);
    EXPECT_FALSE(is_alive(command));
    EXPECT_FALSE(std::filesystem::exists(journal()));
  }
}

TEST_F(DoctorFix, WaitsForACommandThatHandlesTheSignal) {
  const std::string file = (folder_ / "command").string();
  const pid_t process =
      start({"--fix", "--", "/bin/sh", "-c", "trap 'kill $!; exit 9' TERM; sleep 1000 & echo $$ > " + file + "; wait"});
  process_in("command");
  send(process, SIGTERM);
  EXPECT_EQ(finish(process), 9);
  EXPECT_EQ(settings(), kBefore);
}

TEST_F(DoctorFix, SetsBackWhenItIsKilled) {
  const pid_t process = start(waiting_command("command"));
  const pid_t command = process_in("command");
  EXPECT_EQ(settings(), kFixed);
  EXPECT_TRUE(std::filesystem::exists(journal()));
  send(process, SIGKILL);
  EXPECT_EQ(finish(process), 1000 + SIGKILL);
  EXPECT_TRUE(eventually([&] { return settings() == kBefore && !std::filesystem::exists(journal()); })) << settings();
  EXPECT_TRUE(eventually([&] { return !is_alive(command); })) << "it would run on another machine than it began on";
}

TEST_F(DoctorFix, SetsBackWhenItsWholeGroupIsEnded) {
  for (const int number : {SIGINT, SIGKILL}) {
    std::filesystem::remove(folder_ / "command");
    const pid_t process = start(waiting_command("command"));
    process_in("command");
    ASSERT_GT(process, 1);
    ::kill(-process, number);
    finish(process);
    EXPECT_TRUE(eventually([&] { return settings() == kBefore && !std::filesystem::exists(journal()); })) << settings();
    EXPECT_EQ(run({"--restore"}), 0) << "the lock is free again";
  }
}

TEST_F(DoctorFix, SetsBackWheneverItIsKilled) {
  std::mt19937 engine(4711);
  for (int i = 0; i < 20; ++i) {
    const pid_t process = start({"--fix", "--", "/bin/true"});
    std::this_thread::sleep_for(std::chrono::microseconds(engine() % 60000));
    send(process, SIGKILL);
    finish(process);
    // Killed before there was a watchdog, the journal may be left, and nothing was changed yet.
    EXPECT_TRUE(eventually([&] { return settings() == kBefore; })) << settings();
    EXPECT_TRUE(eventually([&] { return run({"--restore"}) == 0; })) << "the lock is free again";
    EXPECT_EQ(settings(), kBefore);
  }
}

TEST_F(DoctorFix, SetsBackByItselfWhenItsWatchdogIsKilled) {
  const pid_t process = start(waiting_command("command"));
  process_in("command");
  const pid_t watchdog = watchdog_of(process);
  ASSERT_GT(watchdog, 0);
  send(watchdog, SIGKILL);
  send(process, SIGTERM);
  EXPECT_EQ(finish(process), 128 + SIGTERM);
  EXPECT_EQ(settings(), kBefore);
  EXPECT_FALSE(std::filesystem::exists(journal()));
}

TEST_F(DoctorFix, LeavesAJournalWhenAllAreKilledThatRestoreSetsBackBy) {
  const pid_t process = start(waiting_command("command"));
  process_in("command");
  send(watchdog_of(process), SIGKILL);
  send(process, SIGKILL);
  finish(process);
  EXPECT_EQ(settings(), kFixed);
  EXPECT_TRUE(std::filesystem::exists(journal()));
  EXPECT_TRUE(eventually([&] { return run({"--restore"}) == 0; })) << "the lock is free as soon as both are gone";
  EXPECT_THAT(text_of(folder_ / "out"), HasSubstr("governor of core 1: performance -> powersave"));
  EXPECT_EQ(settings(), kBefore);
  EXPECT_FALSE(std::filesystem::exists(journal()));
}

TEST_F(DoctorFix, SetsBackWhatAnEarlierOneLeftBeforeItBegins) {
  const pid_t process = start(waiting_command("command"));
  process_in("command");
  send(watchdog_of(process), SIGKILL);
  send(process, SIGKILL);
  finish(process);
  EXPECT_EQ(settings(), kFixed);
  EXPECT_EQ(run({"--fix", "--", "/bin/true"}), 0);
  EXPECT_THAT(text_of(folder_ / "err"), HasSubstr("was left performance by an earlier --fix; set back to powersave"));
  EXPECT_EQ(settings(), kBefore) << "not what the killed one had set";
}

TEST_F(DoctorFix, RefusesASecondOneAtTheSameTime) {
  const pid_t process = start(waiting_command("command"));
  process_in("command");
  EXPECT_EQ(run({"--fix", "--", "/bin/true"}), 3);
  EXPECT_THAT(text_of(folder_ / "err"),
              HasSubstr("another steelyard doctor --fix (process " + std::to_string(process) + ")"));
  EXPECT_EQ(run({"--restore"}), 3);
  EXPECT_EQ(settings(), kFixed) << "the first one's settings stay";
  send(process, SIGTERM);
  finish(process);
  EXPECT_EQ(settings(), kBefore);
}

TEST_F(DoctorFix, LeavesWhatSomeoneElseChangedMeanwhile) {
  const std::string governor = (folder_ / "root/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor").string();
  EXPECT_EQ(run({"--fix", "--", "/bin/sh", "-c", "echo ondemand > " + governor}), 0);
  EXPECT_EQ(settings(), "powersave ondemand 0 always");
  EXPECT_THAT(text_of(folder_ / "err"), HasSubstr("governor of core 1 is ondemand now"));
  EXPECT_FALSE(std::filesystem::exists(journal()));
}

TEST_F(DoctorFix, SaysWhatItCannotChangeAndRunsTheCommand) {
  // A number that the kernel shows and lets nobody write, root neither.
  const auto governor = folder_ / "root/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor";
  std::filesystem::remove(governor);
  std::filesystem::create_symlink("/proc/sys/kernel/cap_last_cap", governor);
  const std::string before = settings();
  EXPECT_EQ(run({"--fix", "--", "/bin/sh", "-c", "exit 4"}), 4);
  EXPECT_EQ(settings(), before);
  const std::string said = text_of(folder_ / "err");
  EXPECT_THAT(said, HasSubstr("governor of 1 core: powersave -> performance"));
  EXPECT_THAT(said, HasSubstr("not done: governor of 1 core: "));
  EXPECT_THAT(said, HasSubstr("run as root"));
  EXPECT_FALSE(std::filesystem::exists(journal()));
}

TEST_F(DoctorFix, TrustsNoJournalThatNamesAnythingElse) {
  write("state/doctor/journal",
        "steelyard doctor journal 1\nroot\t" + (folder_ / "root").string() + "\nchange\tetc/passwd\ta\tb\nend");
  EXPECT_EQ(run({"--fix", "--", "/bin/true"}), 3);
  EXPECT_THAT(text_of(folder_ / "err"), HasSubstr("a setting that the doctor never changes"));
  EXPECT_EQ(settings(), kBefore);
  EXPECT_EQ(run({"--restore"}), 3);
}

TEST_F(DoctorFix, ChangesNothingWhereNoJournalCanBeWritten) {
  write("state", "a file where a folder should be");
  EXPECT_EQ(run({"--fix", "--", "/bin/true"}), 3);
  EXPECT_THAT(text_of(folder_ / "err"), HasSubstr("STEELYARD_STATE"));
  EXPECT_EQ(settings(), kBefore);
}

TEST_F(DoctorFix, FixesTheAddressesOfTheCommandAlone) {
  STEELYARD_SKIP_WITHOUT("personality", bench::may_fix_addresses(), "this container forbids personality(2)");
  const auto stack = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"--fix", "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    arguments.insert(arguments.end(), {"--", "/bin/cat", "/proc/self/personality"});
    EXPECT_EQ(run(arguments), 0);
    return text_of(folder_ / "out");
  };
  constexpr unsigned long kNoRandomization = 0x0040000;
  EXPECT_EQ(std::stoul(stack({}), nullptr, 16) & kNoRandomization, 0UL);
  EXPECT_EQ(std::stoul(stack({"--fixed-addresses"}), nullptr, 16) & kNoRandomization, kNoRandomization);
}

TEST_F(DoctorFix, SaysWhereAddressesCannotBeFixedAndRunsTheCommand) {
  forbids_personality_ = true;
  const int status = run({"--fix", "--fixed-addresses", "--", "/bin/sh", "-c", "exit 5"});
  STEELYARD_SKIP_WITHOUT("seccomp", status != kNoFilters, "this machine filters no system calls");
  EXPECT_EQ(status, 5);
  EXPECT_THAT(text_of(folder_ / "err"), HasSubstr("not done: fixed addresses"));
  EXPECT_EQ(settings(), kBefore);
}

}  // namespace
}  // namespace steelyard::ci::doctor_fix_test
