// steelyard merge: what several runs become, that every verb reads it, and what is refused.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "ci/measuring/merge_runs.hpp"
#include "storage/archive/archive.hpp"
#include "tests/ci/verbs/program_under_test.hpp"
#include "tests/regress/simulated_runs.hpp"

namespace steelyard::ci {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using SimulatedRun = steelyard::Run;

class Merge : public ProgramUnderTest {
 protected:
  // Both sides of one session on one machine; the candidate takes `ratio` times as long.
  static regress::SimulatedPair session(std::uint64_t seed, int rounds, double ratio = 1, int benchmarks = 3) {
    regress::SimulationOptions options;
    options.layout = Layout::duet;
    options.rounds = rounds;
    options.benchmarks = benchmarks;
    options.changed_benchmarks = benchmarks;
    options.ratio = ratio;
    options.noise = {.drift = 0.01, .process = 0.003, .sample = 0.002, .burst_chance = 0};
    regress::SimulatedPair pair = regress::Simulation(seed).draw(options);
    for (SimulatedRun* side : {&pair.baseline, &pair.candidate}) {
      side->header.session = "session " + std::to_string(seed);
      side->header.created_at_unix_ns = static_cast<std::int64_t>(seed);
      side->header.seed = seed;
      side->header.tool = "steelyard test";
      side->header.project = "p";
      side->header.program = "./bench";
      side->header.commit.sha = side == &pair.baseline ? std::string(40, 'a') : std::string(40, 'b');
      side->environment.facts.clear();
      side->environment.set("cpu.model", "one", true);
      side->environment.set("program.sha256", side->header.commit.sha, false);
    }
    return pair;
  }
  static void keep(SimulatedRun run, const std::string& name) {
    storage::seal(run);
    ASSERT_TRUE(storage::write_archive(name, run));
  }
  static void keep_sides(const regress::SimulatedPair& pair, const std::string& name) {
    keep(pair.baseline, "base-" + name + ".syrun");
    keep(pair.candidate, "head-" + name + ".syrun");
  }
  // Of a run that is changed by `change` and merged with another of the same program.
  template <class Change>
  static std::string refusal(Change change) {
    SimulatedRun first = session(1, 4).candidate;
    SimulatedRun other = session(2, 4).candidate;
    change(other);
    keep(first, "first.syrun");
    keep(other, "other.syrun");
    const Outcome outcome = run({"merge", "first.syrun", "other.syrun", "--output", "whole.syrun"});
    EXPECT_EQ(outcome.status, 3) << outcome.out;
    EXPECT_FALSE(std::filesystem::exists("whole.syrun"));
    return outcome.err;
  }
};

TEST_F(Merge, ShardsOfASuiteAreOneRunWithEverySampleOfEach) {
  regress::SimulatedPair one = session(1, 12);
  regress::SimulatedPair two = session(2, 12);
  for (SimulatedRun* side : {&two.baseline, &two.candidate}) {
    for (Measurement& measurement : side->measurements) measurement.benchmark.name += "_second";
  }
  keep_sides(one, "1");
  keep_sides(two, "2");
  const Outcome outcome = run({"merge", "head-2.syrun", "head-1.syrun", "--output", "head.syrun", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["schema"], "steelyard.merge/1");
  EXPECT_EQ(json["measurements"], 6);
  const Result<SimulatedRun> whole = storage::read_archive("head.syrun");
  ASSERT_TRUE(whole) << whole.error().text();
  EXPECT_EQ(whole->header.id, json["run"]);
  EXPECT_EQ(whole->invocations.size(), one.candidate.invocations.size() + two.candidate.invocations.size());
  EXPECT_THAT(whole->header.settings.at(std::string(kMergedSetting)),
              AllOf(HasSubstr(json["parts"][0]), HasSubstr(json["parts"][1])));
  std::size_t found = 0;
  for (const Measurement& measurement : whole->measurements) {
    for (const SimulatedRun* part : {&one.candidate, &two.candidate}) {
      for (const Measurement& was : part->measurements) {
        if (was.benchmark != measurement.benchmark || was.metric != measurement.metric) continue;
        ++found;
        ASSERT_EQ(measurement.invocations.size(), was.invocations.size());
        for (std::size_t i = 0; i < was.invocations.size(); ++i) {
          EXPECT_EQ(measurement.invocations[i].values, was.invocations[i].values);
          EXPECT_EQ(whole->invocations.at(measurement.invocations[i].invocation),
                    part->invocations.at(was.invocations[i].invocation));
        }
      }
    }
  }
  EXPECT_EQ(found, 6U);
}

TEST_F(Merge, WhatSkippedItselfIsNotToldAsFailed) {
  SimulatedRun first = session(1, 4).candidate;
  SimulatedRun other = session(2, 4).candidate;
  BenchmarkId lacking;
  lacking.name = "BM_avx10";
  const std::string skip = opening_of(FailureKind::skipped) + ": no AVX10 here";
  first.failures.push_back({lacking, "", -1, skip, FailureKind::skipped});
  lacking.name = "BM_crash";
  other.failures.push_back({lacking, "", -1, "ended by signal 11", FailureKind::failed});
  keep(first, "first.syrun");
  keep(other, "other.syrun");
  const Outcome outcome = run({"merge", "first.syrun", "other.syrun", "--output", "whole.syrun"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr(", 1 failed, 1 skipped\n"));
}

TEST_F(Merge, GivesTheSameRunInWhateverOrderThePartsAreNamed) {
  keep_sides(session(1, 4), "1");
  keep_sides(session(2, 4), "2");
  ASSERT_EQ(run({"merge", "head-1.syrun", "head-2.syrun", "--output", "a.syrun"}).status, 0);
  ASSERT_EQ(run({"merge", "head-2.syrun", "head-1.syrun", "--output", "b.syrun"}).status, 0);
  EXPECT_EQ(storage::read_archive("a.syrun")->header.id, storage::read_archive("b.syrun")->header.id);
}

TEST_F(Merge, SidesOfTheSameSessionsArePairedRoundByRoundAndVerified) {
  for (const int number : {1, 2, 3}) {
    regress::SimulatedPair pair = session(static_cast<std::uint64_t>(number), 4, 1.05);
    // A side that lacks the last round of a session has its others beside the right ones all the same.
    if (number == 1) {
      for (Measurement& measurement : pair.candidate.measurements) measurement.invocations.pop_back();
    }
    keep_sides(pair, std::to_string(number));
  }
  for (const std::string side : {"base", "head"}) {
    const Outcome merged =
        run({"merge", side + "-1.syrun", side + "-2.syrun", side + "-3.syrun", "--output", side + ".syrun"});
    ASSERT_EQ(merged.status, 0) << merged.err;
  }
  const Outcome alone = run({"compare", "base-2.syrun", "head-2.syrun", "--json"});
  EXPECT_EQ(alone.status, 0) << "4 rounds tell nothing";
  const Outcome outcome = run({"compare", "base.syrun", "head.syrun", "--json", "--output", "c.json"});
  EXPECT_EQ(outcome.status, 1) << outcome.err << outcome.out;
  const auto json = nlohmann::json::parse(text_of("c.json"));
  for (const auto& row : json["comparisons"]) {
    EXPECT_EQ(row["layout"], "duet");
    EXPECT_EQ(row["test"], "rounds");
    EXPECT_EQ(row["rounds"], 11);
  }
  const Outcome verified = run({"verify", "c.json", "--baseline", "base.syrun", "--candidate", "head.syrun"});
  EXPECT_EQ(verified.status, 0) << verified.out << verified.err;
  EXPECT_EQ(run({"export", "head.syrun", "--output", "head.json"}).status, 0);
}

TEST_F(Merge, WhatOnePartDidNotReachAndAnotherMeasuredWasReached) {
  SimulatedRun first = session(1, 4).candidate;
  SimulatedRun other = session(2, 4).candidate;
  const BenchmarkId lost = other.measurements.front().benchmark;
  other.measurements.erase(other.measurements.begin());
  const FailureKind kind = FailureKind::not_reached;
  other.failures = {{lost, "", -1, opening_of(kind) + "the budget was spent", kind}, {lost, "", -1, "it crashed"}};
  keep(first, "first.syrun");
  keep(other, "other.syrun");
  ASSERT_EQ(run({"merge", "first.syrun", "other.syrun", "--output", "whole.syrun"}).status, 0);
  const auto whole = storage::read_archive("whole.syrun");
  ASSERT_EQ(whole->failures.size(), 1U);
  EXPECT_EQ(whole->failures[0].reason, "it crashed") << "that is not made good by another part";
}

TEST_F(Merge, RefusesWhatIsNotOneRunAndSaysWhy) {
  EXPECT_THAT(refusal([](SimulatedRun& run) { run.header.commit.sha = std::string(40, 'c'); }),
              AllOf(HasSubstr("other.syrun: found commit \"cccccccccccc\""), HasSubstr("first.syrun")));
  EXPECT_THAT(refusal([](SimulatedRun& run) { run.header.commit.dirty = true; }), HasSubstr("found commit"));
  EXPECT_THAT(refusal([](SimulatedRun& run) { run.environment.set("cpu.model", "two", true); }),
              AllOf(HasSubstr("fingerprint"), HasSubstr("they differ in cpu.model")));
  EXPECT_THAT(refusal([](SimulatedRun& run) { run.environment.set("program.sha256", "another", false); }),
              AllOf(HasSubstr("the program with sha256"), HasSubstr("build it once")));
  EXPECT_THAT(refusal([](SimulatedRun& run) { run.header.project = "q"; }), HasSubstr("project \"q\""));
  EXPECT_THAT(refusal([](SimulatedRun& run) { run.header.layout = Layout::interleaved; }), HasSubstr("layout"));
  EXPECT_THAT(refusal([](SimulatedRun& run) { run.header.session.clear(); }),
              HasSubstr("a run that was measured alone"));
  EXPECT_THAT(refusal([](SimulatedRun& run) { run.header.settings["looks"] = "8:0.5 16:0.5"; }),
              AllOf(HasSubstr("measured until they were decided"), HasSubstr("--no-early-stop")));
  EXPECT_THAT(refusal([](SimulatedRun& run) { run.measurements[0].metric.unit = "s"; }), HasSubstr("another unit"));
  EXPECT_THAT(refusal([](SimulatedRun& run) {
                for (Measurement& measurement : run.measurements) measurement.benchmark.name += "_second";
                run.header.settings["looks"] = "8:0.5 16:0.5";
              }),
              HasSubstr("a plan of looks"));
}

TEST_F(Merge, ARunThatIsInAPartAlreadyIsNotCountedTwice) {
  keep_sides(session(1, 4), "1");
  keep_sides(session(2, 4), "2");
  const Outcome twice = run({"merge", "head-1.syrun", "head-1.syrun", "--output", "whole.syrun"});
  EXPECT_EQ(twice.status, 3);
  EXPECT_THAT(twice.err, HasSubstr("a second time"));
  ASSERT_EQ(run({"merge", "head-1.syrun", "head-2.syrun", "--output", "whole.syrun"}).status, 0);
  const Outcome nested = run({"merge", "whole.syrun", "head-2.syrun", "--output", "more.syrun"});
  EXPECT_EQ(nested.status, 3);
  EXPECT_THAT(nested.err, AllOf(HasSubstr("head-2.syrun"), HasSubstr("a second time")));
}

TEST_F(Merge, LeavesOutWhatThePartsSayDifferentlyOfTheMachineAndNamesIt) {
  SimulatedRun first = session(1, 4).candidate;
  SimulatedRun other = session(2, 4).candidate;
  first.environment.set("host.name", "one", false);
  other.environment.set("host.name", "two", false);
  keep(first, "first.syrun");
  keep(other, "other.syrun");
  const Outcome outcome = run({"merge", "first.syrun", "other.syrun", "--output", "whole.syrun"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("the parts differ in host.name"));
  const auto whole = storage::read_archive("whole.syrun");
  EXPECT_EQ(whole->environment.find("host.name"), nullptr);
  EXPECT_EQ(whole->environment.fingerprint(), first.environment.fingerprint());
  EXPECT_EQ(whole->header.settings.at("seeds"), "1; 2");
}

TEST_F(Merge, SaysWhatItHadToAssume) {
  write("one.json", google_json(100));
  write("two.json", google_json(101));
  const Outcome outcome = run({"merge", "one.json", "two.json", "--output", "whole.syrun"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("no part says what commit it is of; one was assumed"));
}

TEST_F(Merge, WantsTwoRunsAndAnArchivesName) {
  keep_sides(session(1, 4), "1");
  EXPECT_EQ(run({"merge", "head-1.syrun", "--output", "whole.syrun"}).status, 3);
  const Outcome unnamed = run({"merge", "head-1.syrun", "base-1.syrun", "--output", "whole.json"});
  EXPECT_EQ(unnamed.status, 3);
  EXPECT_THAT(unnamed.err, HasSubstr("--output whole.syrun"));
  std::vector<std::string> many{"merge", "--output", "whole.syrun"};
  for (std::size_t i = 0; i <= kMaxMergedRuns; ++i) many.push_back("head-1.syrun");
  EXPECT_THAT(run(many).err, HasSubstr("at most 1000"));
}

}  // namespace
}  // namespace steelyard::ci
