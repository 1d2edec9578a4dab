#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "bench/ceilings/arithmetic_kernels.hpp"
#include "bench/ceilings/cpu_identity.hpp"
#include "bench/ceilings/measure_ceilings.hpp"
#include "bench/ceilings/measuring_place.hpp"
#include "bench/ceilings/worker_team.hpp"
#include "bench/environment/core_clock.hpp"

namespace steelyard::bench::measure_ceilings_test {
namespace {

std::vector<double> up_to(int n) {
  std::vector<double> samples;
  for (int i = n; i >= 1; --i) samples.push_back(i);
  return samples;
}

TEST(RepetitionSummary, NothingHasNoSummary) { EXPECT_FALSE(summarize_repetitions({})); }

TEST(RepetitionSummary, TellsMedianAndBestApart) {
  const auto odd = summarize_repetitions({3, 9, 1});
  ASSERT_TRUE(odd);
  EXPECT_EQ(odd->median, 3);
  EXPECT_EQ(odd->best, 9);
  EXPECT_EQ(summarize_repetitions({4, 1, 3, 10})->median, 3.5);
}

// 2 * 0.5^5 = 0.0625 is more than five per cent, 2 * 0.5^6 = 0.03125 is not.
TEST(RepetitionSummary, FiveRepetitionsHaveNoIntervalAndSixHaveTheirExtremes) {
  EXPECT_FALSE(summarize_repetitions(up_to(5))->low);
  const auto six = summarize_repetitions(up_to(6));
  ASSERT_TRUE(six->low);
  EXPECT_EQ(*six->low, 1);
  EXPECT_EQ(*six->high, 6);
}

// Ranks of the table of exact intervals for the median: n = 8: 1 and 8, n = 9: 2 and 8, n = 15: 4 and 12.
TEST(RepetitionSummary, RanksAreThoseOfTheExactTable) {
  EXPECT_EQ(*summarize_repetitions(up_to(8))->low, 1);
  EXPECT_EQ(*summarize_repetitions(up_to(9))->low, 2);
  EXPECT_EQ(*summarize_repetitions(up_to(9))->high, 8);
  EXPECT_EQ(*summarize_repetitions(up_to(15))->low, 4);
  EXPECT_EQ(*summarize_repetitions(up_to(15))->high, 12);
}

// The binomial of 2000 and one half is at most 955 with .0233 and at most 956 with .0258.
TEST(RepetitionSummary, RanksOfManyRepetitionsDoNotReachTheMedian) {
  EXPECT_EQ(*summarize_repetitions(up_to(2000))->low, 956);
  EXPECT_EQ(*summarize_repetitions(up_to(2000))->high, 1045);
}

TEST(RepetitionSummary, SettlingACeilingLeavesADatasheetAlone) {
  Ceiling sheet;
  sheet.value = 5;
  settle(sheet);
  EXPECT_EQ(sheet.value, 5);
  EXPECT_FALSE(sheet.low);
  sheet.samples = {2, 4, 6, 8, 10, 12, 14};
  settle(sheet);
  EXPECT_EQ(sheet.value, 8);
  EXPECT_EQ(sheet.low, 2);
  EXPECT_EQ(sheet.high, 14);
}

// The measuring itself. Nothing here asserts what a machine reaches, only what is made of it.

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

const Ceiling* find(const DeviceCeilings& device, const std::string& dtype_or_level, const std::string& access) {
  const auto at = std::find_if(device.ceilings.begin(), device.ceilings.end(), [&](const Ceiling& ceiling) {
    const bool is_arithmetic = ceiling.kind == CeilingKind::arithmetic;
    return (is_arithmetic ? ceiling.dtype : ceiling.level) == dtype_or_level && ceiling.access == access &&
           ceiling.threads == 1;
  });
  return at == device.ceilings.end() ? nullptr : &*at;
}

class MeasuredCeilings : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    std::string name = (std::filesystem::temp_directory_path() / "steelyard-empty-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    CeilingOptions options;
    options.budget = milliseconds(1);
    options.fingerprint = "0123456789abcdef";
    options.root = name;  // neither /proc nor /sys
    options.progress = [](const std::string& what, double done) {
      reported_.push_back(what);
      EXPECT_GE(done, 0);
    };
    measured_ = measure_ceilings(options);
    // Without /proc one thread may take 256 MiB, and the processor itself says what it has of caches: where they hold
    // half of that, the memory is absent and not measured.
    plan_ = plan_working_sets(read_cache_levels(name, -1, cpuid_reader()), {{-1}, std::int64_t{256} << 20});
    std::filesystem::remove(name);
  }
  void SetUp() override { ASSERT_TRUE(measured_) << measured_.error().text(); }

  static inline Result<DeviceCeilings> measured_ = Error{};
  static inline std::vector<std::string> reported_;
  static inline WorkingSetPlan plan_;  // what those levels are
};

TEST_F(MeasuredCeilings, HoldArithmeticAndEveryLevelWithoutProcAndSys) {
  EXPECT_EQ(measured_->device, "CPU");
  EXPECT_EQ(measured_->fingerprint, "0123456789abcdef");
  for (const char* dtype : {"f64", "f32"}) EXPECT_NE(find(*measured_, dtype, ""), nullptr) << dtype;
  ASSERT_FALSE(plan_.sets.empty());
  EXPECT_EQ(plan_.sets.front().level, "L1");
  for (const WorkingSet& set : plan_.sets) {
    for (const char* access : {"read", "write", "copy", "triad"}) {
      EXPECT_NE(find(*measured_, set.level, access), nullptr) << set.level << ' ' << access;
    }
  }
  std::vector<std::string> absent;
  for (const AbsentCeiling& one : measured_->absent) absent.push_back(one.what + ": " + one.reason);
  for (const AbsentCeiling& one : plan_.absent) EXPECT_THAT(absent, Contains(one.what + ": " + one.reason));
  EXPECT_EQ(find(*measured_, "DRAM", "read") == nullptr,
            std::any_of(plan_.absent.begin(), plan_.absent.end(),
                        [](const AbsentCeiling& one) { return one.what == "DRAM/threads:1"; }));
  EXPECT_THAT(measured_->notes, Contains(HasSubstr("/cache cannot be read")));
  EXPECT_THAT(measured_->notes, Contains(HasSubstr("proc/meminfo cannot be read")));
}

TEST_F(MeasuredCeilings, KeepEveryRepetitionAndOfArithmeticItsClock) {
  for (const Ceiling& ceiling : measured_->ceilings) {
    EXPECT_GE(ceiling.samples.size(), 3U);
    EXPECT_EQ(ceiling.samples.size(), measured_->ceilings.front().samples.size());
    for (const double sample : ceiling.samples) EXPECT_GT(sample, 0);
    EXPECT_GT(ceiling.value, 0);
    EXPECT_EQ(ceiling.source, "measured");
    EXPECT_NE(ceiling.how, "");
    const bool is_arithmetic = ceiling.kind == CeilingKind::arithmetic;
    const bool has_clock = is_arithmetic && clock_mhz_here();
    EXPECT_EQ(ceiling.clock_samples.size(), has_clock ? ceiling.samples.size() : 0);
  }
}

TEST_F(MeasuredCeilings, EveryDtypeIsThereOrAbsentWithItsReason) {
  for (const char* dtype : {"f64", "f32", "f16", "bf16", "i8"}) {
    const bool is_absent = std::any_of(measured_->absent.begin(), measured_->absent.end(),
                                       [&](const AbsentCeiling& absent) { return absent.what == dtype; });
    EXPECT_EQ(find(*measured_, dtype, "") == nullptr, is_absent) << dtype;
  }
  for (const AbsentCeiling& absent : measured_->absent) EXPECT_NE(absent.reason, "") << absent.what;
}

TEST_F(MeasuredCeilings, TheirProgressNamesWhatIsMeasured) {
  EXPECT_THAT(reported_, Contains("f64, 1 thread"));
  for (const WorkingSet& set : plan_.sets) EXPECT_THAT(reported_, Contains(set.level + " triad, 1 thread"));
}

CeilingOptions only(const std::string& part) {
  CeilingOptions options;
  options.budget = milliseconds(1);
  options.only = part;
  return options;
}

TEST(MeasuringCeilings, APartOfTheNamesLeavesTheOthersOut) {
  const auto measured = measure_ceilings(only("f32"));
  ASSERT_TRUE(measured) << measured.error().text();
  ASSERT_FALSE(measured->ceilings.empty());
  for (const Ceiling& ceiling : measured->ceilings) EXPECT_EQ(ceiling.dtype, "f32");
  const auto access = measure_ceilings(only("L1/triad"));
  ASSERT_TRUE(access) << access.error().text();
  ASSERT_FALSE(access->ceilings.empty());
  for (const Ceiling& ceiling : access->ceilings) EXPECT_EQ(ceiling.level + ceiling.access, "L1triad");
}

TEST(MeasuringCeilings, AnUnknownNameIsAnErrorWithTheKnownOnes) {
  const auto none = measure_ceilings(only("L7"));
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().text(),
              AllOf(HasSubstr("--only: found \"L7\""), HasSubstr("f64 "), HasSubstr("DRAM/triad")));
}

TEST(MeasuringCeilings, ADtypeThatTheProcessorLacksIsAnErrorWithTheReason) {
  for (const DtypeKernels& dtype : arithmetic_kernels(identify_cpu())) {
    if (!dtype.kernels.empty()) continue;
    const auto none = measure_ceilings(only(dtype.dtype));
    ASSERT_FALSE(none) << dtype.dtype;
    EXPECT_THAT(none.error().text(), HasSubstr(dtype.dtype + ": " + dtype.reason));
    return;
  }
  GTEST_SKIP() << "this processor has every dtype";
}

TEST(MeasuringCeilings, AnInterruptLeavesAnErrorAndNoResult) {
  const std::atomic<bool> cancelled = true;
  CeilingOptions options = only("f64");
  options.cancelled = &cancelled;
  const auto measured = measure_ceilings(options);
  ASSERT_FALSE(measured);
  EXPECT_THAT(measured.error().text(), HasSubstr("interrupted"));
}

// Works for 0.2 ms a pass, whoever else wants the core.
void spin(std::int64_t passes) {
  const auto now_ns = [] {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  };
  for (const std::int64_t end = now_ns() + passes * 200'000; now_ns() < end;) continue;
}

TEST(CeilingItem, CalibratesToTheRepetitionAndTakesRatesOfWhatWasDone) {
  auto team = WorkerTeam::start({-1});
  ASSERT_TRUE(team);
  std::int64_t done = 0;
  CeilingItem item;
  item.team = team->get();
  item.amount_per_pass = 1000;
  item.work = [&](int, std::int64_t passes) {
    done += passes;
    spin(passes);
  };
  calibrate(item, milliseconds(5));
  EXPECT_GE(item.passes, 1);
  EXPECT_LE(item.passes, 25);  // a pass is never shorter
  done = 0;
  repeat(item);
  ASSERT_EQ(item.ceiling.samples.size(), 1U);
  EXPECT_LE(item.ceiling.samples[0], 1000 / 200e-6);
  EXPECT_EQ(done, item.passes + std::max<std::int64_t>(1, item.passes / 8));
  item.is_warmed_up = false;
  done = 0;
  repeat(item);
  EXPECT_EQ(done, item.passes);
}

// A busy machine, where a thread waits for its core much longer than a pass takes.
TEST(CeilingItem, CalibratesByTheWorkAndNotByTheWaiting) {
  auto team = WorkerTeam::start({-1});
  ASSERT_TRUE(team);
  CeilingItem item;
  item.team = team->get();
  item.amount_per_pass = 1000;
  item.work = [](int, std::int64_t passes) {
    spin(passes);
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
  };
  calibrate(item, milliseconds(20));
  EXPECT_GT(item.passes, 10);  // of 100; by the clock on the wall it would be one
  EXPECT_LE(item.passes, 100);
}

}  // namespace

}  // namespace steelyard::bench::measure_ceilings_test
