// Commands of any kind, measured end to end without the store. What is to be found is twice as long, or counted: no
// machine's noise can decide these tests.
#include <gmock/gmock.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "bench/counting/count.hpp"
#include "storage/archive/archive.hpp"
#include "storage/place/files.hpp"
#include "tests/ci/verbs/program_under_test.hpp"
#include "tests/promised.hpp"

namespace steelyard::ci::commands_test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// About 20 and 40 ms.
constexpr const char* kShort = "awk 'BEGIN { for (i = 0; i < 300000; i++) s += i }'";
constexpr const char* kLong = "awk 'BEGIN { for (i = 0; i < 900000; i++) s += i }'";

class Commands : public ProgramUnderTest {
 protected:
  static std::vector<std::string> quick(std::vector<std::string> arguments) {
    const bool judges = arguments.front() == "ab";
    arguments.insert(arguments.begin() + 1,
                     {"--no-store", "--rounds", "12", "--repetitions", "1", "--counts", "never"});
    if (judges) arguments.insert(arguments.begin() + 1, {"--minimum-effect", "50%", "--margin", "90%"});
    return arguments;
  }
  static Outcome ab(const std::string& baseline, const std::string& candidate, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"ab", "--command", baseline, "--command", candidate};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(quick(arguments));
  }
  // Two rounds of one process each of the command.
  static Outcome once(const std::string& command, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"run",      "--no-store", "--rounds",  "2",     "--repetitions", "1",
                                       "--counts", "never",      "--command", command, "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
  static const json* row_of(const json& comparison, const std::string& metric) {
    for (const json& row : comparison["comparisons"]) {
      if (row["metric"] == metric) return &row;
    }
    return nullptr;
  }
};

TEST_F(Commands, AnArchiveIsWrittenWhereALinkLeadsAndIntoAPipe) {
  std::filesystem::create_symlink("kept.syrun", "link.syrun");
  ASSERT_EQ(once("true", {"--output", "link.syrun"}).status, 0);
  EXPECT_TRUE(std::filesystem::is_symlink("link.syrun"));
  EXPECT_TRUE(storage::read_archive("kept.syrun"));
  ASSERT_EQ(::mkfifo("pipe.syrun", 0600), 0);
  const storage::FileDescriptor reader(::open("pipe.syrun", O_RDWR | O_CLOEXEC));
  ASSERT_EQ(once("true", {"--output", "pipe.syrun"}).status, 0);
  EXPECT_TRUE(std::filesystem::is_fifo("pipe.syrun"));
  char first = '\0';
  EXPECT_EQ(::read(reader.number(), &first, 1), 1);
}

TEST_F(Commands, NoneIsRunWhereAnOutputCannotBeWritten) {
  std::filesystem::create_directories("a_folder");
  write("a_file", "");
  const std::vector<std::vector<std::string>> bad{{"--html", "no/such/x.html"},   {"--html", "a_folder"},
                                                  {"--markdown", "no/such/x.md"}, {"--svg-dir", "a_file/pictures"},
                                                  {"--archive-dir", "a_file"},    {"--flame-dir", "a_file"}};
  for (const std::vector<std::string>& output : bad) {
    const Outcome outcome = ab("touch ran", "touch ran", output);
    EXPECT_EQ(outcome.status, 3) << outcome.out;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr(output[0] + ": found " + output[1]), HasSubstr("name another")));
  }
  const Outcome outcome = once("touch ran", {"--output", "no/such/o.syrun"});
  EXPECT_EQ(outcome.status, 3) << outcome.out;
  EXPECT_THAT(outcome.err, HasSubstr("make the folder no/such"));
  EXPECT_FALSE(std::filesystem::exists("ran"));
}

TEST_F(Commands, AReportMayBeWrittenIntoAFolderThatAnotherOptionMakes) {
  const Outcome outcome = ab("true", "true", {"--archive-dir", "made/evidence", "--markdown", "made/evidence/r.md"});
  EXPECT_NE(outcome.status, 3) << outcome.err;
  EXPECT_TRUE(std::filesystem::exists("made/evidence/r.md"));
  const Outcome refused = ab("true", "true", {"--archive-dir", "tried/evidence", "--markdown", "no/such/r.md"});
  EXPECT_EQ(refused.status, 3);
  EXPECT_FALSE(std::filesystem::exists("tried")) << "what was made for trying stays";
}

TEST_F(Commands, TwoThatAreEqualStayQuiet) {
  const Outcome outcome = ab(kShort, kShort, {"--json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err << outcome.out;
  const json comparison = json::parse(outcome.out);
  EXPECT_EQ(comparison["schema"], "steelyard.comparison/1");
  const json* const row = row_of(comparison, "real_time");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ((*row)["benchmark"], kShort);
  EXPECT_EQ((*row)["verdict"], "unchanged");
  EXPECT_EQ((*row)["unit"], "ns");
  EXPECT_EQ((*row)["test"], "rounds");
  EXPECT_EQ(comparison["warnings"][0], std::string("both sides are one command, ") + kShort +
                                           ": what is found between them is the machine's noise");
}

TEST_F(Commands, TwoThatAreOneInDifferentFoldersAreNotCalledOne) {
  std::filesystem::create_directories("old");
  std::filesystem::create_directories("new");
  std::filesystem::create_symlink("new", "again");
  const auto told = [](const std::string& old_one, const std::string& new_one) {
    return run(quick({"ab", old_one, new_one, "--command", "true"})).out;
  };
  EXPECT_THAT(told("old", "new"), Not(HasSubstr("both sides are one")));
  EXPECT_THAT(told("again", "new"), HasSubstr("both sides are one command"));
}

TEST_F(Commands, TheLongerOneIsARegressionAndTheShorterOneAnImprovement) {
  const Outcome slower = ab(kShort, kLong, {"--json"});
  EXPECT_EQ(slower.status, 1) << slower.err << slower.out;
  const json comparison = json::parse(slower.out);
  ASSERT_NE(row_of(comparison, "real_time"), nullptr);
  EXPECT_EQ((*row_of(comparison, "real_time"))["benchmark"], "awk") << "what both commands run";
  EXPECT_EQ((*row_of(comparison, "real_time"))["verdict"], "regression");
  EXPECT_EQ(ab(kLong, kShort).status, 0);
}

TEST_F(Commands, CpuTimeIsJudgedWhereItIsNamedInTurnsAsWellAsAtOnce) {
  for (const std::string layout : {"interleaved", "duet"}) {
    const Outcome outcome = ab(kShort, kLong, {"--json", "--metric", "cpu_time", "--layout", layout});
    EXPECT_EQ(outcome.status, 1) << outcome.err << outcome.out;
    EXPECT_NE(row_of(json::parse(outcome.out), "cpu_time"), nullptr);
  }
}

#if !defined(STEELYARD_SANITIZED)
// Peaks count from what a forked process has before it is executed, a copy of these tests: less than either has, unless
// a sanitizer adds to it.
TEST_F(Commands, PeakMemoryIsJudgedWhereItIsNamed) {
  const auto touching = [](const std::string& size) { return "dd if=/dev/zero of=/dev/null count=1 bs=" + size; };
  const Outcome more =
      run({"ab", "--no-store", "--rounds", "8", "--repetitions", "1", "--counts", "never", "--layout", "interleaved",
           "--command", touching("64M"), "--command", touching("160M"), "--metric", "peak_rss", "--json"});
  EXPECT_EQ(more.status, 1) << more.err << more.out;
  const json comparison = json::parse(more.out);
  const json* const row = row_of(comparison, "peak_rss");
  ASSERT_NE(row, nullptr) << more.out;
  EXPECT_EQ((*row)["verdict"], "regression");
  EXPECT_EQ((*row)["unit"], "bytes");
  EXPECT_NEAR((*row)["ratio"].get<double>(), 2.5, 0.2);
}
#endif

TEST_F(Commands, InstructionsOfEqualOnesAreEqualAndAFifthMoreIsFoundToThePoint) {
  const auto unavailable = bench::counting_unavailable(bench::CountOptions{});
  STEELYARD_SKIP_WITHOUT("valgrind", !unavailable, *unavailable);
  const auto counted = [&](const std::string& candidate) {
    const Outcome outcome =
        run({"ab", "--no-store", "--rounds", "2", "--repetitions", "1", "--counts", "always", "--budget", "15m",
             "--layout", "interleaved", "--command", "seq 100001 200000", "--command", candidate, "--json"});
    const json comparison = json::parse(outcome.out, nullptr, false);
    const json* const row = comparison.is_object() ? row_of(comparison, "instructions") : nullptr;
    EXPECT_NE(row, nullptr) << outcome.err << outcome.out;
    return row == nullptr ? json() : *row;
  };
  const json equal = counted("seq 100001 200000");
  EXPECT_NEAR(equal["ratio"].get<double>(), 1, 1e-5);
  EXPECT_EQ(equal["verdict"], "unchanged");
  EXPECT_EQ(equal["count_scope"], "whole program");
  const json more = counted("seq 100001 220000");
  EXPECT_EQ(more["verdict"], "regression");
  EXPECT_NEAR(more["ratio"].get<double>(), 1.2, 0.02) << "each number costs as much as another, and the start little";
}

TEST_F(Commands, ProcessesThatACommandStartsAreCountedWithIt) {
  const auto unavailable = bench::counting_unavailable(bench::CountOptions{});
  STEELYARD_SKIP_WITHOUT("valgrind", !unavailable, *unavailable);
  const auto instructions = [&](const std::vector<std::string>& command) {
    std::vector<std::string> arguments{"run",      "--no-store", "--rounds", "2",   "--repetitions", "1",
                                       "--counts", "always",     "--budget", "15m", "--json"};
    arguments.insert(arguments.end(), command.begin(), command.end());
    const Outcome outcome = run(arguments);
    const json whole = json::parse(outcome.out, nullptr, false);
    if (!whole.is_object()) return 0.0;
    for (const json& measurement : whole["measurements"]) {
      if (measurement["metric"] == "instructions") {
        return measurement["invocations"][0]["values"][0].get<double>();
      }
    }
    ADD_FAILURE() << outcome.err << outcome.out;
    return 0.0;
  };
  const double alone = instructions({"--command", "seq 100000"});
  EXPECT_GT(alone, 100'000) << "one at least for each number";
  EXPECT_GT(instructions({"--shell", "--command", "seq 100000; seq 100000"}), 1.8 * alone);
}

TEST_F(Commands, WordsAreSplitAsAShellDoesAndNoShellRuns) {
  EXPECT_EQ(once(R"(sh -c 'test "$1" = "a  b" && test "$2" = "c d"' sh 'a  b' c\ d)").status, 0);
  EXPECT_EQ(once("test '$HOME' = \\$HOME").status, 0) << "nothing is expanded";
  EXPECT_EQ(once("test \"$HOME\" != ''  && true", {"--shell"}).status, 0);
  const Outcome open = once("sh -c 'true");
  EXPECT_EQ(open.status, 3);
  EXPECT_THAT(open.err, HasSubstr("that is not closed"));
}

TEST_F(Commands, OneThatIsNotThereIsTheUsersMistake) {
  const Outcome outcome = once("no-such-command-of-ours --version");
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("no command \"no-such-command-of-ours\" in PATH"));
  EXPECT_EQ(once("./no-such-command-of-ours").status, 3);
}

TEST_F(Commands, OneThatFailsSaysHowUnlessThatIsToBeIgnored) {
  const std::string failing = "sh -c 'echo no table >&2; exit 3'";
  const Outcome outcome = once(failing);
  EXPECT_EQ(outcome.status, 4);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("exited with 3"), HasSubstr("no table"), HasSubstr("--ignore-failure")));
  EXPECT_EQ(once(failing, {"--ignore-failure"}).status, 0);
  const Outcome half = ab(kShort, failing);
  EXPECT_EQ(half.status, 4) << half.out;
  EXPECT_THAT(half.out + half.err, HasSubstr("exited with 3"));
}

TEST_F(Commands, OneThatHangsIsEndedAndOneThatIsKilledNamesTheSignal) {
  const Outcome hanging = once("sleep 100", {"--timeout", "300ms"});
  EXPECT_EQ(hanging.status, 4);
  EXPECT_THAT(hanging.err, HasSubstr("ran past its limit"));
  const Outcome killed = once("sh -c 'kill -SEGV $$'", {"--ignore-failure"});
  EXPECT_EQ(killed.status, 4) << "a signal is no exit status";
  EXPECT_THAT(killed.err, HasSubstr("signal 11"));
}

TEST_F(Commands, WhatOneLeavesBehindIsEndedAndSaid) {
  const Outcome outcome = run({"run", "--no-store", "--rounds", "2", "--repetitions", "1", "--counts", "never",
                               "--command", "sh -c 'sleep 61.7 & exit 0'"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(std::system("pgrep -f 'sleep 61[.]7' >/dev/null"), 256) << "nothing is left";
  EXPECT_THAT(outcome.out + outcome.err, HasSubstr("left behind"));
}

TEST_F(Commands, AGigabyteOfOutputIsKeptNowhere) {
  const Outcome outcome = once("head -c 1000000000 /dev/zero");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_LT(outcome.out.size(), 100'000U);
  const Outcome errors = once("sh -c 'head -c 100000000 /dev/zero >&2'");
  EXPECT_EQ(errors.status, 0) << errors.err;
}

TEST_F(Commands, WhatPreparesRunsBeforeEachProcessAndItsFailureIsTold) {
  write("once.txt", "");
  const Outcome outcome =
      once("sh -c 'test -s prepared && echo y >> prepared'", {"--prepare", "echo x >> prepared", "--warmup", "3"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const std::string lines = text_of("prepared");
  // Three to warm up and two that count; one that was disturbed is measured, and prepared, again.
  EXPECT_GE(std::count(lines.begin(), lines.end(), 'y'), 5);
  std::string in_turn;
  while (in_turn.size() < lines.size()) in_turn += "x\ny\n";
  EXPECT_EQ(lines, in_turn) << "before each process, once";
  const Outcome failing = once("true", {"--prepare", "echo no room >&2; false"});
  EXPECT_EQ(failing.status, 4);
  EXPECT_THAT(failing.err, AllOf(HasSubstr("no room"), HasSubstr("a preparation that succeeds")));
}

TEST_F(Commands, InterruptedWhileTheyArePreparedNothingOfThemIsKeptAsFailed) {
  write("prepared", "");
  std::thread interrupt([] {
    const auto lines = [] {
      const std::string text = text_of("prepared");
      return std::count(text.begin(), text.end(), 'x');
    };
    while (lines() < 9) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ::kill(::getpid(), SIGINT);
  });
  const Outcome outcome = ab("sleep 0.01", "sleep 0.011",
                             {"--prepare", "echo x >> prepared; test $(wc -l < prepared) -lt 9 || sleep 1000",
                              "--layout", "interleaved", "--archive-dir", "kept"});
  interrupt.join();
  EXPECT_EQ(outcome.status, 2) << outcome.err << outcome.out;
  EXPECT_THAT(outcome.out + outcome.err, AllOf(HasSubstr("interrupted"), Not(HasSubstr("cancelled"))));
  for (const std::string side : {"baseline", "candidate"}) {
    const Outcome shown = run({"export", "kept/" + side + ".syrun", "--json"});
    ASSERT_EQ(shown.status, 0) << shown.err;
    EXPECT_TRUE(json::parse(shown.out)["failures"].empty()) << side << ": " << shown.out;
  }
}

TEST_F(Commands, AShortOneIsToldToBeMostlyItsOwnStart) {
  // Two rounds beside other work may each take many times what they take alone.
  std::string said;
  for (int attempt = 0; attempt < 5 && said.find("starting a process") == std::string::npos; ++attempt) {
    said = once("true").err;
  }
  EXPECT_THAT(said, HasSubstr("starting a process that does nothing takes"));
  EXPECT_THAT(once("sleep 0.3").err, Not(HasSubstr("starting a process that does nothing takes")));
}

TEST_F(Commands, ArchivesGiveTheSameVerdictAgainAndTheComparisonIsVerified) {
  const Outcome measured = ab(kShort, kLong, {"--archive-dir", "kept", "--name", "summing"});
  EXPECT_EQ(measured.status, 1) << measured.err;
  const Outcome again = run({"compare", "kept/baseline.syrun", "kept/candidate.syrun", "--minimum-effect", "50%"});
  EXPECT_EQ(again.status, 1) << again.err;
  EXPECT_THAT(again.out, HasSubstr("summing"));
  const Outcome verified = run({"verify", "kept"});
  EXPECT_EQ(verified.status, 0) << verified.err << verified.out;
}

TEST_F(Commands, SeveralProcessesOfAShortOneAreOneInvocation) {
  const Outcome outcome = once("true", {"--repetitions", "5"});
  const json whole = json::parse(outcome.out);
  for (const json& measurement : whole["measurements"]) {
    ASSERT_EQ(measurement["invocations"].size(), 2U);
    EXPECT_EQ(measurement["invocations"][0]["values"].size(), 5U);
  }
  EXPECT_EQ(whole["measurements"][0]["metric"], "real_time");
}

TEST_F(Commands, ThatMeasureThemselvesAreReadByTheirFormatFromTheirOutputOrTheirFile) {
  write("short.json", google_json(100));
  write("long.json", google_json(200));
  const std::vector<std::string> format{"--format", "google-benchmark", "--json"};
  for (const std::string how : {"cat", "cp"}) {
    const std::string to = how == "cp" ? " {output}" : "";
    const Outcome outcome = ab(how + " short.json" + to, how + " long.json" + to, format);
    EXPECT_EQ(outcome.status, 1) << outcome.err << outcome.out;
    const json comparison = json::parse(outcome.out);
    EXPECT_EQ((*row_of(comparison, "real_time"))["benchmark"], "BM_x");
    EXPECT_NEAR((*row_of(comparison, "real_time"))["ratio"].get<double>(), 2, 0.001);
  }
  std::string renamed = google_json(100);
  for (std::size_t at = 0; (at = renamed.find("BM_x", at)) != std::string::npos;) renamed.replace(at, 4, "BM_y");
  write("renamed.json", renamed);
  EXPECT_THAT(ab("cat short.json", "cat renamed.json", format).out,
              AllOf(HasSubstr("\"rename_proposals\": ["), HasSubstr("\"to\": \"BM_y\"")))
      << "what was measured is proposed as a gate would";
  const Outcome none = once("true", {"--format", "google-benchmark"});
  EXPECT_EQ(none.status, 4);
  EXPECT_THAT(none.err, HasSubstr("its output: found nothing"));
  const Outcome other = once("echo '{}'", {"--format", "google-benchmark"});
  EXPECT_EQ(other.status, 4) << other.err;
}

// As a program prints that renders nanobench's template json(), with times of its own.
TEST_F(Commands, AProgramThatPrintsNanobenchsResultsIsMeasuredInRoundsByItsOwnTimes) {
  const auto program = [](const std::string& name, int passes) {
    write(name, "#!/bin/sh\nbegin=$(date +%s%N)\nawk 'BEGIN { for (i = 0; i < " + std::to_string(passes) +
                    "; i++) s += i }'\n" + R"sh(took=$(($(date +%s%N) - begin))
printf '{"results": [{"title": "turning", "name": "turn often", "unit": "op", "batch": 1, "median(elapsed)": 0,
  "measurements": [{"iterations": 1, "elapsed": %d.%09d, "pagefaults": 0, "instructions": 0}]}]}\n' \
  $((took / 1000000000)) $((took % 1000000000))
)sh");
    std::filesystem::permissions(name, std::filesystem::perms::owner_all);
  };
  program("usual", 100'000);
  program("slower", 1'000'000);
  const std::vector<std::string> format{"--format", "nanobench", "--json"};
  const Outcome equal = ab("./usual", "./usual", format);
  EXPECT_EQ(equal.status, 0) << equal.err << equal.out;
  const Outcome slower = ab("./usual", "./slower", format);
  EXPECT_EQ(slower.status, 1) << slower.err << slower.out;
  const json comparison = json::parse(slower.out);
  const json* const row = row_of(comparison, "real_time");
  ASSERT_NE(row, nullptr) << slower.out;
  EXPECT_EQ((*row)["benchmark"], "turning::turn often");
  EXPECT_EQ((*row)["verdict"], "regression");
  EXPECT_EQ((*row)["test"], "rounds");
  EXPECT_GT((*row)["ratio"].get<double>(), 3);
}

TEST_F(Commands, AFormatThatThereIsNotIsTheMistakeOfItsOptionAndNotOfTheCommand) {
  const std::vector<std::vector<std::string>> lines{
      {"run", "--no-store", "--command", "true", "--format", "hyperfin"},
      {"ab", "--command", "true", "--command", "true", "--format", "hyperfin"}};
  for (const std::vector<std::string>& line : lines) {
    const Outcome outcome = run(line);
    EXPECT_EQ(outcome.status, 3);
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("--format: found"), HasSubstr("hyperfine"), Not(HasSubstr("--command"))));
  }
}

// What a store keeps of many commits is no result of a command.
TEST_F(Commands, AreReadByTheFormatOfNoStore) {
  const Outcome outcome = once("cat data.js", {"--format", "github-action-benchmark"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("pytest-benchmark"), Not(HasSubstr("conbench"))));
}

TEST_F(Commands, OneRunsInTwoFolders) {
  write("a/tool", "#!/bin/sh\nexec sleep 0.01\n");
  write("b/tool", "#!/bin/sh\nexec sleep 0.05\n");
  for (const char* tool : {"a/tool", "b/tool"}) {
    std::filesystem::permissions(tool, std::filesystem::perms::owner_all);
  }
  const Outcome outcome = run(quick({"ab", "a", "b", "--command", "./tool", "--json"}));
  EXPECT_EQ(outcome.status, 1) << outcome.err << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("./tool (in b)"));
}

TEST_F(Commands, OfTwoCommitsAreMeasuredAsTheConfigurationOfThePairSays) {
  write("tool", "#!/bin/sh\nexec sleep 0.01\n");
  std::filesystem::permissions("tool", std::filesystem::perms::owner_all);
  write("steelyard.toml",
        "[policy]\nminimum_effect = \"50%\"\n[run]\nrounds = 12\nrepetitions = 1\ncounts = \"never\"\n"
        "[[program]]\nname = \"waiting\"\ncommand = \"./tool\"\nformat = \"process\"\n");
  const std::string git = "git -c user.name=n -c user.email=e@example.org -c commit.gpgsign=false ";
  ASSERT_EQ(std::system((git + "init -q && " + git + "add -A && " + git + "commit -qm one").c_str()), 0);
  write("tool", "#!/bin/sh\nexec sleep 0.05\n");
  ASSERT_EQ(std::system((git + "commit -qam two").c_str()), 0);
  const Outcome gate = run({"gate", "--no-store", "--json"});
  EXPECT_EQ(gate.status, 1) << gate.err << gate.out;
  const json comparison = json::parse(gate.out);
  EXPECT_EQ((*row_of(comparison, "real_time"))["benchmark"], "waiting");
  const Outcome ab = run({"ab", "--no-store", "HEAD", "HEAD", "--command", "./tool", "--json"});
  EXPECT_EQ(ab.status, 0) << ab.err << ab.out;
}

TEST_F(Commands, NamesAndCommandsThatDoNotGoTogetherAreRefused) {
  EXPECT_EQ(run({"ab", "--command", "true"}).status, 3);
  EXPECT_EQ(run({"ab", "a", "b", "--command", "true", "--command", "true"}).status, 3);
  EXPECT_EQ(run({"ab", "a", "b", "--shell"}).status, 3);
  EXPECT_EQ(run({"run", "--command", "true", "--", "true"}).status, 3);
  const Outcome nowhere = run({"ab", "a", "b", "--command", "true"});
  EXPECT_EQ(nowhere.status, 3);
  EXPECT_THAT(nowhere.err, HasSubstr("neither two folders nor two commits"));
}

}  // namespace
}  // namespace steelyard::ci::commands_test
