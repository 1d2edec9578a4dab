#include "bench/runner/measure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "bench/runner/core_choice.hpp"
#include "tests/bench/runner/fixture_program.hpp"
#include "tests/bench/runner/measured_programs.hpp"
#include "tests/bench/runner/temporary_folder.hpp"
#include "tests/promised.hpp"

namespace steelyard::bench::measure_test {
namespace {

using ::testing::HasSubstr;

testkit::MeasureOptions quick(const std::string& filter) {
  testkit::MeasureOptions options;
  options.filter = filter;
  options.layout = Layout::interleaved;
  options.rounds = 4;
  options.repetitions = 2;
  options.min_time = milliseconds(1);
  options.repeat_disturbed = false;  // a busy machine would add processes that the tests do not expect
  options.seed = 11;
  return options;
}

MeasuredPair measured(const Program& baseline, const Program& candidate, const testkit::MeasureOptions& options) {
  Result<MeasuredPair> pair = testkit::measure_pair(baseline, candidate, options);
  EXPECT_TRUE(pair) << (pair ? "" : pair.error().text());
  return pair ? std::move(pair).value() : MeasuredPair{};
}

const Measurement* find(const Run& run, const std::string& benchmark, std::string_view metric = kRealTime) {
  const auto at = std::find_if(run.measurements.begin(), run.measurements.end(), [&](const Measurement& measurement) {
    return measurement.benchmark.canonical() == benchmark && measurement.metric.name == metric;
  });
  return at == run.measurements.end() ? nullptr : &*at;
}

std::vector<Invocation> invocations_of(const Run& run, const std::string& benchmark) {
  std::vector<Invocation> invocations;
  if (const Measurement* measurement = find(run, benchmark)) {
    for (const auto& samples : measurement->invocations) invocations.push_back(run.invocations[samples.invocation]);
  }
  return invocations;
}

TEST(MeasurePair, YieldsEverySampleOfBothSidesGroupedByProcess) {
  STEELYARD_NEEDS_FIXTURE();
  const MeasuredPair pair = measured(testkit::fixture(), testkit::fixture(), quick("sum"));
  for (const steelyard::Run* run : {&pair.baseline, &pair.candidate}) {
    EXPECT_TRUE(run->failures.empty());
    EXPECT_EQ(run->invocations.size(), 8U);  // two benchmarks, four rounds
    for (const char* benchmark : {"BM_sum/8", "BM_sum/64"}) {
      for (const char* metric : {"real_time", "cpu_time", "answer"}) {
        const Measurement* measurement = find(*run, benchmark, metric);
        ASSERT_NE(measurement, nullptr) << benchmark << ' ' << metric;
        ASSERT_EQ(measurement->invocations.size(), 4U);
        for (const auto& samples : measurement->invocations) EXPECT_EQ(samples.values.size(), 2U);
      }
      EXPECT_EQ(find(*run, benchmark, "answer")->invocations[0].values[0], 42);
    }
  }
}

TEST(MeasurePair, GivesABenchmarkWhoseOwnBudgetIsSpentNoMoreThanThePairOfRoundsItIsIn) {
  STEELYARD_NEEDS_FIXTURE();
  testkit::MeasureOptions options = quick("sum");
  options.rounds = 8;
  std::map<std::string, int> told;
  options.spend = [&told](const BenchmarkId& benchmark, Nanoseconds time) {
    EXPECT_GT(time.count(), 0);
    return ++told[benchmark.canonical()] < 3 || benchmark.canonical() != "BM_sum/8";
  };
  const MeasuredPair pair = measured(testkit::fixture(), testkit::fixture(), options);
  for (const steelyard::Run* run : {&pair.baseline, &pair.candidate}) {
    EXPECT_EQ(invocations_of(*run, "BM_sum/8").size(), 4U) << "spent in the third of its rounds";
    EXPECT_EQ(invocations_of(*run, "BM_sum/64").size(), 8U);
  }
}

TEST(MeasurePair, BalancesTheSlotsInEveryPairOfRounds) {
  STEELYARD_NEEDS_FIXTURE();
  const MeasuredPair pair = measured(testkit::fixture(), testkit::fixture(), quick("sum"));
  for (const char* benchmark : {"BM_sum/8", "BM_sum/64"}) {
    const auto baseline = invocations_of(pair.baseline, benchmark);
    const auto candidate = invocations_of(pair.candidate, benchmark);
    ASSERT_EQ(baseline.size(), 4U);
    ASSERT_EQ(candidate.size(), 4U);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(baseline[i].round, static_cast<int>(i));
      EXPECT_EQ(candidate[i].round, static_cast<int>(i));
      EXPECT_EQ(baseline[i].slot + candidate[i].slot, 1);
      EXPECT_EQ(baseline[i].slot < candidate[i].slot, baseline[i].started_at_unix_ns < candidate[i].started_at_unix_ns);
    }
    EXPECT_EQ(baseline[0].slot + baseline[1].slot, 1);
    EXPECT_EQ(baseline[2].slot + baseline[3].slot, 1);
  }
}

TEST(MeasurePair, RunsADuetOnTwoCoresAndSwapsThem) {
  STEELYARD_NEEDS_FIXTURE();
  STEELYARD_SKIP_WITHOUT("two-cores", choose_cores(read_allowed_cores(), {}).two_equal, "no two equal cores");
  testkit::MeasureOptions options = quick("sum/8|threaded");
  options.layout.reset();
  const MeasuredPair pair = measured(testkit::fixture(), testkit::fixture(), options);
  if (pair.baseline.header.layout != Layout::duet) {
    // A sandbox may refuse to pin; then the header has to say so.
    EXPECT_THAT(pair.baseline.header.settings.at("layout_reason"), HasSubstr("refuses to pin"));
    return;
  }
  const auto baseline = invocations_of(pair.baseline, "BM_sum/8");
  const auto candidate = invocations_of(pair.candidate, "BM_sum/8");
  ASSERT_EQ(baseline.size(), 4U);
  ASSERT_EQ(candidate.size(), 4U);
  std::set<int> cores;
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NE(baseline[i].core, candidate[i].core);
    EXPECT_EQ(baseline[i].core == baseline[0].core, baseline[i].slot == baseline[0].slot);
    cores.insert({baseline[i].core, candidate[i].core});
  }
  EXPECT_EQ(cores.size(), 2U);
  // Two threads do not fit on one core: in turn, and not pinned.
  for (const Invocation& invocation : invocations_of(pair.baseline, "BM_threaded/threads:2")) {
    EXPECT_EQ(invocation.core, -1);
  }
  EXPECT_EQ(pair.baseline.header.settings.at("interleaved_benchmarks"), "BM_threaded/threads:2");
  EXPECT_EQ(pair.candidate.header.settings.at("several_threads"), "interleaved");
  EXPECT_THAT(pair.baseline.header.settings.at("layout_reason"), HasSubstr("several threads were interleaved"));
}

TEST(MeasurePair, InterleavesWhereEveryBenchmarkHasSeveralThreads) {
  STEELYARD_NEEDS_FIXTURE();
  testkit::MeasureOptions options = quick("");
  options.layout.reset();
  options.rounds = 2;
  const Program program = testkit::fixture({{"ONLY_THREADED", "1"}});
  const MeasuredPair pair = measured(program, program, options);
  EXPECT_EQ(pair.baseline.header.layout, Layout::interleaved);
  EXPECT_NE(pair.baseline.header.settings.at("layout_reason"), "");
  EXPECT_EQ(invocations_of(pair.candidate, "BM_threaded/threads:2").size(), 2U);
}

TEST(MeasurePair, MeasuresAllOfOneSideFirstWhereThatIsAskedFor) {
  STEELYARD_NEEDS_FIXTURE();
  testkit::MeasureOptions options = quick("sum/8");
  options.layout = Layout::sequential;
  const MeasuredPair pair = measured(testkit::fixture(), testkit::fixture(), options);
  EXPECT_EQ(pair.baseline.header.layout, Layout::sequential);
  ASSERT_EQ(pair.baseline.invocations.size(), 4U);
  ASSERT_EQ(pair.candidate.invocations.size(), 4U);
  EXPECT_LT(pair.baseline.invocations.back().started_at_unix_ns, pair.candidate.invocations.front().started_at_unix_ns);
}

TEST(MeasurePair, FindsABenchmarkByAnyNameItMayHave) {
  STEELYARD_NEEDS_FIXTURE();
  testkit::MeasureOptions options = quick("odd");
  options.rounds = 2;
  const MeasuredPair pair = measured(testkit::fixture(), testkit::fixture(), options);
  EXPECT_TRUE(pair.baseline.failures.empty());
  ASSERT_EQ(pair.baseline.measurements.size(), 2U);
  EXPECT_EQ(pair.baseline.measurements[0].benchmark.canonical(), "BM_odd<a, (b)>[c]{2}^$|.*+?/x");
  EXPECT_EQ(pair.baseline.invocations.size(), 2U);
}

TEST(MeasurePair, MeasuresABenchmarkThatOneSideHasOnThatSide) {
  STEELYARD_NEEDS_FIXTURE();
  const MeasuredPair pair = measured(testkit::fixture(), testkit::fixture({{"EXTRA", "1"}}), quick("extra|sum/8"));
  EXPECT_EQ(find(pair.baseline, "BM_extra"), nullptr);
  EXPECT_TRUE(pair.baseline.failures.empty());
  EXPECT_EQ(invocations_of(pair.candidate, "BM_extra").size(), 4U);
  EXPECT_EQ(invocations_of(pair.baseline, "BM_sum/8").size(), 4U);
}

TEST(MeasurePair, TellsInTheHeaderHowItWasTaken) {
  STEELYARD_NEEDS_FIXTURE();
  Program program = testkit::fixture();
  program.arguments = {"--benchmark_min_time=0.001"};
  program.suite = "kernels";
  testkit::MeasureOptions options = quick("sum/8");
  options.rounds = 2;
  const MeasuredPair pair = measured(program, program, options);
  const RunHeader& header = pair.candidate.header;
  EXPECT_THAT(header.tool, ::testing::StartsWith("steelyard "));
  EXPECT_EQ(header.program, testkit::fixture_executable().string() + " --benchmark_min_time=0.001");
  EXPECT_EQ(header.session.size(), 16U);
  EXPECT_EQ(header.session, pair.baseline.header.session);
  EXPECT_GT(header.created_at_unix_ns, pair.baseline.header.created_at_unix_ns) << "by time the baseline comes first";
  EXPECT_EQ(header.layout, Layout::interleaved);
  EXPECT_EQ(header.seed, 11U);
  EXPECT_GT(header.created_at_unix_ns, 0);
  EXPECT_EQ(header.settings.at("rounds"), "2");
  EXPECT_EQ(header.settings.count("stopped"), 0U);
  EXPECT_EQ(pair.candidate.measurements[0].benchmark.suite, "kernels");
  EXPECT_NE(pair.candidate.environment.find("program.sha256"), nullptr);
  EXPECT_NE(pair.candidate.environment.find("cpu.threads"), nullptr);
  EXPECT_EQ(pair.candidate.environment.fingerprint(), pair.baseline.environment.fingerprint());
  const MeasuredPair again = measured(program, program, options);
  EXPECT_NE(again.baseline.header.session, header.session);
}

TEST(MeasurePair, StopsAfterAPairOfRoundsWhenTheBudgetIsSpentAndNamesWhatItDidNotReach) {
  STEELYARD_NEEDS_FIXTURE();
  testkit::MeasureOptions options = quick("sum|victim");
  options.budget = nanoseconds(1);
  const MeasuredPair pair = measured(testkit::fixture(), testkit::fixture(), options);
  // One benchmark is always measured; it gets both rounds of its pair.
  EXPECT_EQ(pair.baseline.invocations.size(), 2U);
  EXPECT_EQ(pair.candidate.invocations.size(), 2U);
  ASSERT_EQ(pair.candidate.failures.size(), 2U);
  EXPECT_EQ(pair.candidate.failures[0].kind, FailureKind::not_reached);
  EXPECT_EQ(pair.candidate.failures[0].kind, FailureKind::not_reached);
  EXPECT_EQ(pair.baseline.header.settings.at("stopped"), "budget spent");
  EXPECT_EQ(pair.baseline.header.settings.at("stopped_after_rounds"), "2");
}

TEST(MeasurePair, SaysOfABudgetWhatWasAskedForAndWhatOfItTimingHad) {
  STEELYARD_NEEDS_FIXTURE();
  testkit::MeasureOptions options = quick("sum|victim");
  const auto said = [&options](Nanoseconds for_timing, std::optional<Nanoseconds> asked) {
    options.budget = for_timing;
    options.MeasuringSettings::budget = asked;
    return measured(testkit::fixture(), testkit::fixture(), options).candidate.failures.at(0).said;
  };
  EXPECT_EQ(said(milliseconds(1), std::nullopt), "the budget of 1.00 ms was spent; ask for more time");
  EXPECT_EQ(said(milliseconds(1), milliseconds(1)), "the budget of 1.00 ms was spent; ask for more time");
  EXPECT_EQ(said(milliseconds(1), seconds(6)),
            "the 1.00 ms that the budget of 6.00 s left for timing its program were spent; ask for more time");
  EXPECT_EQ(said(nanoseconds(1), milliseconds(50)),
            "the budget of 50.0 ms left no time for timing its program; ask for more time");
}

TEST(MeasurePair, ReachesOtherBenchmarksFirstUnderAnotherSeed) {
  STEELYARD_NEEDS_FIXTURE();
  testkit::MeasureOptions options = quick("sum|victim");
  options.budget = nanoseconds(1);
  std::set<std::string> reached;
  for (options.seed = 0; options.seed < 12; ++options.seed) {
    const MeasuredPair pair = measured(testkit::fixture(), testkit::fixture(), options);
    reached.insert(pair.baseline.measurements.at(0).benchmark.canonical());
  }
  EXPECT_EQ(reached.size(), 3U);
}

TEST(MeasurePair, KeepsWhatThereIsWhenCancelled) {
  STEELYARD_NEEDS_FIXTURE();
  std::atomic<bool> cancelled = false;
  testkit::MeasureOptions options = quick("sum");
  options.cancelled = &cancelled;
  int reports = 0;
  options.progress = [&](const MeasureProgress&) { cancelled = ++reports == 5; };  // as round 2 begins
  const MeasuredPair pair = measured(testkit::fixture(), testkit::fixture(), options);
  EXPECT_EQ(pair.baseline.invocations.size(), 4U);
  EXPECT_EQ(pair.candidate.invocations.size(), 4U);
  EXPECT_TRUE(pair.baseline.failures.empty());
  EXPECT_EQ(pair.baseline.header.settings.at("stopped"), "interrupted");
  EXPECT_EQ(pair.baseline.header.settings.at("stopped_after_rounds"), "2");
}

TEST(MeasurePair, HasNothingAndNoFailureWhenCancelledBeforeItBegan) {
  STEELYARD_NEEDS_FIXTURE();
  const std::atomic<bool> cancelled = true;
  testkit::MeasureOptions options = quick("sum");
  options.cancelled = &cancelled;
  const MeasuredPair pair = measured(testkit::fixture(), testkit::fixture(), options);
  EXPECT_TRUE(pair.baseline.invocations.empty());
  EXPECT_TRUE(pair.baseline.failures.empty());
  EXPECT_EQ(pair.baseline.header.settings.at("stopped"), "interrupted");
  EXPECT_EQ(pair.baseline.header.settings.at("stopped_after_rounds"), "0");
}

TEST(MeasurePair, ReportsProgressThatGrowsToTheEnd) {
  STEELYARD_NEEDS_FIXTURE();
  std::vector<MeasureProgress> reports;
  testkit::MeasureOptions options = quick("sum/8");
  options.progress = [&](const MeasureProgress& progress) { reports.push_back(progress); };
  measured(testkit::fixture(), testkit::fixture(), options);
  ASSERT_EQ(reports.size(), 5U);  // before each of four rounds, and at the end
  EXPECT_EQ(reports[0].benchmark, "BM_sum/8");
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(reports[i].round, static_cast<int>(i));
    EXPECT_EQ(reports[i].rounds, 4);
    EXPECT_GT(reports[i].left.count(), 0);
    EXPECT_LT(reports[i].done, 1);
  }
  EXPECT_EQ(reports[4].done, 1);
  EXPECT_EQ(reports[4].left.count(), 0);
}

TEST(MeasurePair, LeavesNoFileAndNoProcessBehind) {
  STEELYARD_NEEDS_FIXTURE();
  const testkit::TemporaryFolder folder;
  const char* before = ::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("TMPDIR", folder.path().c_str(), 1);
  measured(testkit::fixture(), testkit::fixture({{"VICTIM", "crash"}}), quick("victim"));
  before == nullptr ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", kept.c_str(), 1);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
}

// How many a verdict needs is for whoever judges to say; nothing here depends on the number of benchmarks.
TEST(MeasurePair, PlansTheUsualRoundsWhereNobodyAsksForOthers) {
  STEELYARD_NEEDS_FIXTURE();
  testkit::MeasureOptions options = quick("sum/8");
  options.rounds = 0;
  options.budget = nanoseconds(1);  // ends after what cannot be left out
  const MeasuredPair pair = measured(testkit::fixture(), testkit::fixture(), options);
  EXPECT_EQ(pair.baseline.header.settings.at("rounds_planned"), std::to_string(kUsualRounds));
}

TEST(MeasureOne, TakesAsManyInvocationsAsAskedFor) {
  STEELYARD_NEEDS_FIXTURE();
  testkit::MeasureOptions options = quick("sum/8");
  options.layout.reset();
  options.rounds = 3;
  const Result<steelyard::Run> run = testkit::measure_one(testkit::fixture(), options);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->invocations.size(), 3U);
  EXPECT_EQ(run->header.layout, Layout::separate);
  EXPECT_EQ(run->header.session, "");
  EXPECT_EQ(run->invocations[2].round, 2);
  EXPECT_EQ(run->invocations[2].slot, 0);
}

// From here on this process and what it starts have fixed addresses, and no call changes that. False: it cannot be.
bool fix_addresses_for_good() {
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_personality, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[0])),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0xffffffff, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{static_cast<unsigned short>(std::size(rules)), rules};
  return ::personality(ADDR_NO_RANDOMIZE) >= 0 && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

TEST(MeasureOne, SaysWhereProcessesHaveFixedAddressesAsTheSystemRefusesOthers) {
  STEELYARD_NEEDS_FIXTURE();
  const pid_t refused = ::fork();
  if (refused == 0) {
    if (!fix_addresses_for_good()) ::_exit(3);
    const Result<steelyard::Run> run = testkit::measure_one(testkit::fixture(), quick("sum/8"));
    if (!run || run->measurements.empty()) ::_exit(2);
    const std::string& said = run->header.settings.at("address_randomization");
    ::_exit(said == "off, as the system refused to switch it on" ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(refused, &status, 0), refused);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0) << "1: it says something else, 2: it was not measured, 3: nothing was refused";
}

}  // namespace
}  // namespace steelyard::bench::measure_test
