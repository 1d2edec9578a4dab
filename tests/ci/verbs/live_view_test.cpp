// What a person at a terminal sees while ab measures: the program itself, on a pseudo terminal.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <regex>

#include "bench/counting/count.hpp"
#include "tests/ci/verbs/program_under_test.hpp"
#include "tests/promised.hpp"

namespace steelyard::ci::live_view_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

struct Watched {
  int status = -1;
  std::string text;  // all that the terminal was sent
};

class LiveViewOfAb : public ProgramUnderTest {
 protected:
  // `seen`: called with all that came so far; true: Ctrl-C is pressed, once.
  static Watched watch(std::vector<std::string> arguments, const std::string& term,
                       const std::function<bool(const std::string&)>& seen = {}) {
    const std::string program = (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "steelyard").string();
    arguments.insert(arguments.begin(), program);
    const int controller = posix_openpt(O_RDWR | O_NOCTTY);
    grantpt(controller);
    unlockpt(controller);
    const std::string name = ptsname(controller);
    const winsize size{24, 80, 0, 0};
    ioctl(controller, TIOCSWINSZ, &size);
    const pid_t child = fork();
    if (child == 0) {
      setsid();
      const int terminal = open(name.c_str(), O_RDWR);
      ioctl(terminal, TIOCSCTTY, 0);
      for (const int descriptor : {0, 1, 2}) dup2(terminal, descriptor);
      setenv("TERM", term.c_str(), 1);
      unsetenv("NO_COLOR");
      std::vector<char*> words;
      for (std::string& argument : arguments) words.push_back(argument.data());
      words.push_back(nullptr);
      execv(words[0], words.data());
      _exit(127);
    }
    Watched watched = read_all(controller, seen);
    int status = 0;
    waitpid(child, &status, 0);
    watched.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    close(controller);
    return watched;
  }

 private:
  static Watched read_all(int controller, const std::function<bool(const std::string&)>& seen) {
    Watched watched;
    bool is_pressed = false;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(120);
    while (std::chrono::steady_clock::now() < end) {
      pollfd waiting{controller, POLLIN, 0};
      if (poll(&waiting, 1, 1000) <= 0) continue;
      char bytes[4096];
      const ssize_t count = read(controller, bytes, sizeof bytes);
      if (count <= 0) break;  // the other end is closed
      watched.text.append(bytes, static_cast<std::size_t>(count));
      if (is_pressed || !seen || !seen(watched.text)) continue;
      is_pressed = true;
      EXPECT_EQ(::write(controller, "\x03", 1), 1);
    }
    return watched;
  }
};

std::vector<std::string> slower(const std::string& fast, const std::string& slow) {
  return {"ab", "--no-store", "--counts", "never", "--min-time", "5ms", "--budget", "20s", fast, slow};
}

TEST_F(LiveViewOfAb, ShowsAPlainChangeLongBeforeTheReportAndErasesItself) {
  const Watched watched = watch(slower(fixture("fast"), fixture("slow")), "xterm");
  EXPECT_EQ(watched.status, 1) << watched.text;
  const std::size_t report = watched.text.find("baseline   ");
  ASSERT_NE(report, std::string::npos) << watched.text;
  const std::string before = watched.text.substr(0, report);
  EXPECT_THAT(before, HasSubstr("BM_varied, time "));
  EXPECT_THAT(before, HasSubstr("so far:"));
  EXPECT_THAT(before, HasSubstr("s left"));
  EXPECT_THAT(before, HasSubstr("\x1b[J")) << "nothing of it stays";
}

TEST_F(LiveViewOfAb, ReportsWhatThereIsAtCtrlC) {
  std::vector<std::string> arguments = slower(fixture("fast"), fixture("slow"));
  // So many that much is left to interrupt when the change is seen, however quick the machine is. Nothing looks early:
  // it is seen first in fewer rounds than tell it from luck.
  arguments.insert(arguments.end() - 2, {"--rounds", "200"});
  const Watched watched = watch(arguments, "xterm", [](const std::string& text) {
    const std::size_t seen = text.rfind("BM_varied, time");
    const std::size_t agreeing = seen == std::string::npos ? seen : text.find(" so far, in ", seen);
    constexpr std::size_t kWords = sizeof " so far, in " - 1;
    return agreeing != std::string::npos && std::atoi(text.c_str() + agreeing + kWords) >= 12;
  });
  EXPECT_THAT(watched.status, testing::AnyOf(1, 2)) << watched.text;
  EXPECT_THAT(watched.text, HasSubstr("interrupted: this is what was measured until then"));
  EXPECT_THAT(watched.text, HasSubstr("BM_varied: time"));
}

// What was not measured is not lacking on a side, whether counting comes first, is over or comes last.
TEST_F(LiveViewOfAb, NamesAtCtrlCWhatItDidNotReach) {
  const auto missing = bench::counting_unavailable(bench::CountOptions{});
  STEELYARD_SKIP_WITHOUT("valgrind", !missing, *missing);
  struct Case {
    const char* pressed_at;
    bool is_counted_last;
    const char* told;
  };
  for (const Case& one :
       {Case{"counting ", false, "interrupted before it was measured"}, Case{"timing ", false, "instructions"},
        Case{"counting ", true, "interrupted before it was counted"}}) {
    std::vector<std::string> arguments = {"ab", "--details", "--color", "never", "--no-store", "--no-count-cache"};
    arguments.insert(arguments.end(), {"--counts", "always", "--min-time", "5ms", "--budget", "60s"});
    // That what had not begun is named, too, one case shows for all.
    const bool has_both = one.pressed_at == std::string("counting ") && !one.is_counted_last;
    if (!has_both) arguments.insert(arguments.end(), {"--filter", "varied"});
    if (one.is_counted_last) arguments.insert(arguments.end(), {"--rounds", "2"});
    arguments.insert(arguments.end(), {fixture("fast"), fixture("slow")});
    const Watched watched = watch(
        arguments, "xterm", [&](const std::string& text) { return text.find(one.pressed_at) != std::string::npos; });
    EXPECT_THAT(watched.status, testing::AnyOf(1, 2)) << watched.text;
    const std::size_t at = watched.text.find("baseline   ");
    ASSERT_NE(at, std::string::npos) << watched.text;
    const std::string report = std::regex_replace(watched.text.substr(at), std::regex("\\s+"), " ");
    EXPECT_THAT(report, HasSubstr(one.told));
    EXPECT_THAT(report, AllOf(HasSubstr("BM_varied time"), Not(HasSubstr("missing"))));
    if (has_both) EXPECT_THAT(report, HasSubstr("BM_same time"));
    EXPECT_THAT(report, Not(HasSubstr("--budget DURATION"))) << "no budget was spent";
  }
}

TEST_F(LiveViewOfAb, LeavesRunUnjudgedAtCtrlC) {
  const Watched watched = watch({"run", "--no-store", "--counts", "never", "--budget", "60s", fixture("fast")}, "xterm",
                                [](const std::string& text) { return text.find("timing ") != std::string::npos; });
  EXPECT_EQ(watched.status, 2) << watched.text;
}

TEST_F(LiveViewOfAb, IsABarOnATerminalThatCannotMoveItsCursorAndNothingUnderQuiet) {
  const Watched dumb = watch(slower(fixture("fast"), fixture("slow")), "dumb");
  EXPECT_EQ(dumb.status, 1);
  EXPECT_THAT(dumb.text, HasSubstr("[="));
  EXPECT_EQ(dumb.text.find('\x1b'), std::string::npos) << "no code at all";
  std::vector<std::string> arguments = slower(fixture("fast"), fixture("slow"));
  arguments.insert(arguments.begin() + 1, "--quiet");
  EXPECT_THAT(watch(arguments, "xterm").text, Not(HasSubstr("so far:")));
}

}  // namespace
}  // namespace steelyard::ci::live_view_test
