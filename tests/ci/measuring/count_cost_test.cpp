// What is counted, what is taken over, and what is neither, with real programs under Callgrind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>

#include "bench/counting/count.hpp"
#include "bench/counting/equal/machine_code.hpp"
#include "ci/measuring/measure_programs.hpp"
#include "ci/measuring/run_parts.hpp"
#include "storage/archive/archive.hpp"
#include "tests/ci/measuring/programs_to_time.hpp"
#include "tests/promised.hpp"

namespace steelyard::ci::count_cost_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class CountCost : public ProgramsToTime {
 protected:
  void SetUp() override {
    ProgramsToTime::SetUp();
    const auto missing = bench::counting_unavailable({});
    STEELYARD_SKIP_WITHOUT("valgrind", !missing, *missing);
    for (const char* side : {"base", "head"}) write(folder_ / side / "length.txt", "40\n");
  }

  // The same program to whoever runs it, in a file that differs.
  bench::Program reading(const std::string& side, const std::string& filter) const {
    const std::filesystem::path copy = folder_ / side / "bench";
    if (!std::filesystem::exists(copy)) {
      std::filesystem::copy_file(fixture("reading"), copy);
      std::ofstream(copy, std::ios::app) << "not loaded: " << side;
    }
    bench::Program program;
    program.executable = copy;
    program.arguments = {"--benchmark_filter=" + filter};
    program.working_directory = folder_ / side;
    return program;
  }

  MeasuredPrograms measured(const std::string& filter, const bench::Program& candidate) {
    return measured(reading("base", filter), candidate);
  }

  MeasuredPrograms measured(const bench::Program& baseline, const bench::Program& candidate) {
    Configuration configuration;
    configuration.run.repetitions = 1;
    configuration.run.rounds = rounds_;
    configuration.run.layout = layout_;
    configuration.run.min_time = milliseconds(1);
    configuration.run.budget = seconds(60);
    configuration.run.no_count_cache = !use_cache_;
    configuration.policy.skip_time = skip_time_;
    configuration.policy.demand_decision = demand_decision_;
    std::ostringstream err;
    ProgressLine progress(err, false, 80);
    Result<MeasuredPrograms> result = measure_programs({{baseline, candidate}}, configuration, {}, progress, nullptr);
    EXPECT_TRUE(result) << (result ? "" : result.error().text());
    return result ? std::move(result).value() : MeasuredPrograms{};
  }

  static const Measurement* count_in(const steelyard::Run& run, const std::string& name) {
    for (const Measurement& measurement : run.measurements) {
      if (measurement.metric.name == kInstructions && measurement.benchmark.name == name) return &measurement;
    }
    return nullptr;
  }
  static double value(const Measurement& measurement) { return measurement.invocations.at(0).values.at(0); }
  static bool has_time(const steelyard::Run& run) {
    return std::any_of(run.measurements.begin(), run.measurements.end(),
                       [](const Measurement& m) { return m.metric.name == kRealTime; });
  }

  // Two programs that encode by other code and decode by the same, short data and long.
  MeasuredPrograms measured_coding(const std::string& filter) {
    return measured(coding("coding", filter), coding("other_coding", filter));
  }
  static bench::Program coding(const std::string& name, const std::string& filter) {
    bench::Program program;
    program.executable = fixture(name);
    program.arguments = {"--benchmark_filter=" + filter};
    return program;
  }

  static std::map<std::string, std::size_t> timed_rounds(const steelyard::Run& run) {
    std::map<std::string, std::size_t> rounds;
    for (const Measurement& measurement : run.measurements) {
      if (measurement.metric.name == kRealTime) rounds[measurement.benchmark.name] = measurement.invocations.size();
    }
    return rounds;
  }

  bool use_cache_ = false;
  int rounds_ = 2;  // 0: by looks
  std::optional<Layout> layout_ =
      Layout::interleaved;  // what is asked here is of no layout, and trying both takes long
  bool demand_decision_ = false;
  SkipTime skip_time_ = SkipTime::never;
};

class CountedCode : public CountCost {
 protected:
  void SetUp() override {
    CountCost::SetUp();
    const bool knows_code = static_cast<bool>(bench::normalize_code({"\x90", 0, 62, {}}));
    STEELYARD_SKIP_WITHOUT("capstone", knows_code, "built without Capstone");
  }
};

TEST_F(CountCost, TheSameProgramIsCountedOnceAndSaysSo) {
  const MeasuredPrograms all = measured("read_length", reading("head", "read_length"));
  const Measurement* baseline = count_in(all.pair.baseline, "read_length");
  const Measurement* candidate = count_in(all.pair.candidate, "read_length");
  ASSERT_NE(baseline, nullptr);
  ASSERT_NE(candidate, nullptr);
  EXPECT_EQ(baseline->count_basis.proof, "");
  EXPECT_THAT(candidate->count_basis.proof, AllOf(HasSubstr("every loaded section"), HasSubstr("files it reads")));
  EXPECT_EQ(value(*baseline), value(*candidate));
  EXPECT_EQ(all.pair.candidate.profiles.size(), 1U);
  EXPECT_TRUE(has_time(all.pair.candidate)) << "time is never skipped unless the policy says so";
  EXPECT_TRUE(all.untimed.empty());
}

TEST_F(CountCost, TheSameProgramWithOtherDataIsCounted) {
  write(folder_ / "head" / "length.txt", "80\n");
  const MeasuredPrograms all = measured("read_length", reading("head", "read_length"));
  const Measurement* candidate = count_in(all.pair.candidate, "read_length");
  ASSERT_NE(candidate, nullptr);
  EXPECT_EQ(candidate->count_basis.proof, "");
  EXPECT_GT(value(*candidate), value(*count_in(all.pair.baseline, "read_length")) + 40);
}

TEST_F(CountCost, TheSameProgramIsCountedWhereTheBaselineLacksAFile) {
  std::filesystem::remove(folder_ / "base" / "length.txt");
  const MeasuredPrograms all = measured("needs_length", reading("head", "needs_length"));
  EXPECT_EQ(count_in(all.pair.baseline, "needs_length"), nullptr);
  ASSERT_NE(count_in(all.pair.candidate, "needs_length"), nullptr);
  EXPECT_EQ(count_in(all.pair.candidate, "needs_length")->count_basis.proof, "");
}

TEST_F(CountCost, TheSameProgramWithOtherArgumentsIsCountedAndNeverBesideTiming) {
  layout_.reset();
  using Case = std::pair<SkipTime, int>;
  for (const auto& [skip, rounds] : {Case{SkipTime::never, 2}, Case{SkipTime::equal_binary, 2}, Case{{}, 0}}) {
    skip_time_ = skip;
    rounds_ = rounds;
    bench::Program candidate = reading("head", "read_nothing");
    candidate.arguments.push_back("--benchmark_counters_tabular=true");
    const MeasuredPrograms all = measured("read_nothing", candidate);
    ASSERT_NE(count_in(all.pair.candidate, "read_nothing"), nullptr);
    EXPECT_EQ(count_in(all.pair.candidate, "read_nothing")->count_basis.proof, "");
    struct Span {
      std::int64_t begin, end;
    };
    std::vector<Span> counts, times;
    for (const steelyard::Run* run : {&all.pair.baseline, &all.pair.candidate}) {
      for (const Measurement& measurement : run->measurements) {
        for (const InvocationSamples& samples : measurement.invocations) {
          const Invocation& invocation = run->invocations.at(samples.invocation);
          // Several collections stand behind one count; each begins after the first did.
          const Span span{invocation.started_at_unix_ns, invocation.started_at_unix_ns + invocation.duration_ns};
          (measurement.metric.name == kInstructions ? counts : times).push_back(span);
        }
      }
    }
    ASSERT_EQ(counts.size(), 2U);
    ASSERT_FALSE(times.empty());
    for (const Span& count : counts) {
      for (const Span& time : times) EXPECT_TRUE(count.begin >= time.end || count.end <= time.begin);
    }
  }
}

TEST_F(CountCost, APolicyThatSaysSoLeavesTheSameProgramUntimed) {
  skip_time_ = SkipTime::equal_binary;
  const MeasuredPrograms all = measured("read_nothing", reading("head", "read_nothing"));
  EXPECT_FALSE(has_time(all.pair.baseline));
  EXPECT_FALSE(has_time(all.pair.candidate));
  EXPECT_THAT(all.untimed, ::testing::Contains("read_nothing"));
  EXPECT_TRUE(all.equal.same_program.contains("read_nothing"));
  EXPECT_NE(count_in(all.pair.candidate, "read_nothing"), nullptr);
  EXPECT_EQ(all.pair.candidate.header.settings.at("timing.skipped"), "read_nothing");
}

// Its set-up encodes, and the encoder differs.
TEST_F(CountedCode, EqualInTheTimedRegionIsLeftUntimedWhereThePolicySaysSo) {
  skip_time_ = SkipTime::equal_code;
  const MeasuredPrograms all = measured_coding("code");
  EXPECT_THAT(all.untimed, ::testing::ElementsAre("decode_short"));
  EXPECT_TRUE(all.equal.same_counts.contains("decode_short"));
  EXPECT_TRUE(all.equal.same_code.contains("decode_long")) << "which has other data, and other counts";
  EXPECT_FALSE(all.equal.is_proven_equal("decode_long"));
  EXPECT_FALSE(all.equal.same_code.contains("encode_short"));
  EXPECT_EQ(timed_rounds(all.pair.candidate),
            (std::map<std::string, std::size_t>{{"decode_long", 2}, {"encode_short", 2}}));
}

TEST_F(CountedCode, ProvenEqualIsTimedUntilTheFirstLookAndNoFurther) {
  rounds_ = 0;
  const MeasuredPrograms all = measured_coding("short|decode_long");
  for (const steelyard::Run* run : {&all.pair.baseline, &all.pair.candidate}) {
    EXPECT_TRUE(is_first_look_only(run->header, "decode_short"));
    EXPECT_FALSE(is_first_look_only(run->header, "encode_short"));
    EXPECT_FALSE(is_first_look_only(run->header, "decode_long")) << "equal code with other data is timed";
    const std::map<std::string, std::size_t> rounds = timed_rounds(*run);
    EXPECT_EQ(rounds.at("decode_short"), 12U);
    EXPECT_GE(rounds.at("encode_short"), 12U);
    EXPECT_NE(count_in(*run, "encode_short"), nullptr);
  }
}

TEST_F(CountedCode, ProvenEqualHasAllItsRoundsWhereEverythingIsToBeDecided) {
  rounds_ = 0;
  demand_decision_ = true;
  const MeasuredPrograms all = measured_coding("decode_short");
  EXPECT_FALSE(is_first_look_only(all.pair.candidate.header, "decode_short"));
  EXPECT_TRUE(all.equal.is_proven_equal("decode_short")) << "it was counted all the same";
}

TEST_F(CountCost, AKnownBaselineIsNotCountedAgainUnlessItsKeyIsAnother) {
  use_cache_ = true;
  bench::Program candidate = reading("head", "read_nothing");
  candidate.arguments.push_back("--benchmark_counters_tabular=true");
  const MeasuredPrograms first = measured("read_nothing", candidate);
  const MeasuredPrograms second = measured("read_nothing", candidate);
  const Measurement* baseline = count_in(second.pair.baseline, "read_nothing");
  ASSERT_NE(baseline, nullptr);
  EXPECT_EQ(count_in(first.pair.baseline, "read_nothing")->count_basis.proof, "");
  EXPECT_THAT(baseline->count_basis.proof, HasSubstr("counted before on this machine"));
  EXPECT_EQ(count_in(second.pair.candidate, "read_nothing")->count_basis.proof, "") << "the candidate always is";
  EXPECT_EQ(value(*baseline), value(*count_in(first.pair.baseline, "read_nothing")));
  ASSERT_EQ(second.pair.baseline.profiles.size(), 1U);
  EXPECT_EQ(second.pair.baseline.profiles[0].totals, first.pair.baseline.profiles[0].totals);

  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "state" / "counts")) {
    Result<steelyard::Run> kept = storage::read_archive(entry.path());
    ASSERT_TRUE(kept) << kept.error().text();
    for (Measurement& measurement : kept->measurements) {
      measurement.count_key = "valgrind-3.1;cpu other";
      measurement.invocations.at(0).values.at(0) = 1;
    }
    storage::seal(*kept);
    ASSERT_TRUE(storage::write_archive(entry.path(), *kept));
  }
  const MeasuredPrograms third = measured("read_nothing", candidate);
  baseline = count_in(third.pair.baseline, "read_nothing");
  ASSERT_NE(baseline, nullptr);
  EXPECT_EQ(baseline->count_basis.proof, "");
  EXPECT_EQ(baseline->count_key, count_in(third.pair.candidate, "read_nothing")->count_key);
  EXPECT_EQ(value(*baseline), value(*count_in(first.pair.baseline, "read_nothing")));
}

}  // namespace
}  // namespace steelyard::ci::count_cost_test
