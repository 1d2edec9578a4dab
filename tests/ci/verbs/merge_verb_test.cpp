// steelyard merge: what several runs become, that every verb reads it, and what is refused.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "ci/git/repository.hpp"
#include "ci/measuring/merge_runs.hpp"
#include "regress/compare_runs.hpp"
#include "storage/archive/archive.hpp"
#include "storage/comparison/comparison_document.hpp"
#include "tests/ci/git/temporary_repository.hpp"
#include "tests/ci/verbs/program_under_test.hpp"
#include "tests/regress/simulated_runs.hpp"

namespace steelyard::ci::merge_verb_test {
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
  EXPECT_EQ(whole->header.id, json["run"].get<std::string>());
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
  first.failures.push_back({lacking, "", -1, "no AVX10 here", FailureKind::skipped});
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
  other.failures = {{lost, "", -1, "the budget was spent", kind}, {lost, "", -1, "it crashed"}};
  keep(first, "first.syrun");
  keep(other, "other.syrun");
  ASSERT_EQ(run({"merge", "first.syrun", "other.syrun", "--output", "whole.syrun"}).status, 0);
  const auto whole = storage::read_archive("whole.syrun");
  ASSERT_EQ(whole->failures.size(), 1U);
  EXPECT_EQ(whole->failures[0].said, "it crashed") << "that is not made good by another part";
}

TEST_F(Merge, RefusesWhatIsNotOneRunAndSaysWhy) {
  EXPECT_THAT(refusal([](SimulatedRun& run) { run.header.commit.sha = std::string(40, 'c'); }),
              AllOf(HasSubstr("other.syrun: found commit \"ccccccccc\", "), HasSubstr("first.syrun")));
  EXPECT_THAT(refusal([](SimulatedRun& run) { run.header.commit.dirty = true; }),
              HasSubstr("found commit \"bbbbbbbbb+\", wanted that of first.syrun, \"bbbbbbbbb\""));
  const auto other_digit = [](SimulatedRun& run) { run.header.commit.sha.back() ^= 1; };
  EXPECT_THAT(refusal(other_digit), HasSubstr("found commit \"" + std::string(39, 'b') +
                                              "c\", wanted that of first.syrun, \"" + std::string(40, 'b') + '"'))
      << "whole where the digits that are shown elsewhere are equal";
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

// Who sets out to repeat it needs each, also of parts that were merged before.
TEST_F(Merge, KeepsTheSeedsOfAllParts) {
  std::vector<std::string> merge{"merge"};
  std::string seeds;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    const std::string name = std::to_string(seed) + ".syrun";
    keep(session(seed, 2).candidate, name);
    if (seed < 23) merge.push_back(name);
    seeds += (seeds.empty() ? "" : "; ") + std::to_string(seed);
  }
  merge.insert(merge.end(), {"--output", "most.syrun"});
  ASSERT_EQ(run(merge).status, 0);
  const Outcome all = run({"merge", "most.syrun", "23.syrun", "24.syrun", "--output", "whole.syrun"});
  ASSERT_EQ(all.status, 0) << all.err;
  const auto whole = storage::read_archive("whole.syrun");
  EXPECT_EQ(whole->header.settings.at("seeds"), seeds);
  EXPECT_EQ(whole->header.seed, 0U);
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

// What the jobs of a runner matrix leave, each in a folder.
class MergeShards : public Merge {
 protected:
  // Number 1 has what changed, where anything did.
  static regress::SimulatedPair shard(int number, double ratio = 1, int of = 2) {
    regress::SimulatedPair pair = session(static_cast<std::uint64_t>(number), 12, number == 1 ? ratio : 1);
    for (SimulatedRun* side : {&pair.baseline, &pair.candidate}) {
      for (Measurement& measurement : side->measurements) {
        measurement.benchmark.name += "_of_" + std::to_string(number);
      }
      side->header.settings["shard"] = std::to_string(number) + "/" + std::to_string(of);
      side->header.settings["shard.split"] = "one suite";
    }
    return pair;
  }
  static void keep_folder(regress::SimulatedPair pair, const std::string& folder, const ComparisonPolicy& policy = {}) {
    std::filesystem::create_directories(folder);
    for (SimulatedRun* side : {&pair.baseline, &pair.candidate}) storage::seal(*side);
    ASSERT_TRUE(storage::write_archive(folder + "/baseline.syrun", pair.baseline));
    ASSERT_TRUE(storage::write_archive(folder + "/candidate.syrun", pair.candidate));
    const Comparison comparison = regress::compare_runs(pair.baseline, pair.candidate, policy).comparison;
    write(folder + "/comparison.json", storage::comparison_document(comparison));
  }
  // Of a second shard that is changed by `change`.
  template <class Change>
  static std::string refusal_of_shard(Change change) {
    keep_folder(shard(1), "one");
    regress::SimulatedPair other = shard(2);
    change(other);
    keep_folder(other, "two");
    const Outcome outcome = run({"merge", "one", "two", "--archive-dir", "whole"});
    EXPECT_EQ(outcome.status, 3) << outcome.out;
    EXPECT_FALSE(std::filesystem::exists("whole"));
    return outcome.err;
  }
  template <class Change>
  static std::string refusal_of_both_sides(Change change) {
    return refusal_of_shard([&](regress::SimulatedPair& pair) {
      change(pair.baseline);
      change(pair.candidate);
    });
  }
};

TEST_F(MergeShards, AreOneGateWithOneReportAndOneVerdictThatVerifies) {
  keep_folder(shard(1, 1.25), "one");
  keep_folder(shard(2), "two");
  const Outcome outcome =
      run({"merge", "two", "one", "--archive-dir", "whole", "--markdown", "report.md", "--html", "report.html"});
  EXPECT_EQ(outcome.status, 1) << outcome.err << outcome.out;
  EXPECT_THAT(text_of("report.md"), AllOf(HasSubstr("BM_0_of_1"), HasSubstr("jointly over 6 comparisons")));
  EXPECT_TRUE(std::filesystem::exists("report.html"));
  const auto json = nlohmann::json::parse(text_of("whole/comparison.json"));
  ASSERT_EQ(json["comparisons"].size(), 6U);
  for (const auto& row : json["comparisons"]) {
    const bool is_changed = row["benchmark"].get<std::string>().ends_with("_of_1");
    EXPECT_EQ(row["verdict"] == "regression", is_changed) << row;
    EXPECT_EQ(row["layout"], "duet");
    EXPECT_EQ(row["rounds"], 12) << "every shard's rounds are numbered as they were";
  }
  EXPECT_EQ(json["candidate"]["settings"]["shards"], "2");
  EXPECT_FALSE(json["candidate"]["settings"].contains("shard"));
  const Outcome verified = run({"verify", "whole"});
  EXPECT_EQ(verified.status, 0) << verified.out << verified.err;
  EXPECT_EQ(run({"compare", "whole/baseline.syrun", "whole/candidate.syrun"}).status, 1);

  const Outcome other_order = run({"merge", "one", "two", "--archive-dir", "again"});
  EXPECT_EQ(other_order.status, 1);
  EXPECT_EQ(text_of("again/comparison.json"), text_of("whole/comparison.json"));
  EXPECT_EQ(text_of("again/candidate.syrun"), text_of("whole/candidate.syrun"));
}

TEST_F(MergeShards, AreJudgedByTheBaselinesFileAlsoWhereTheCandidateHasTakenItAway) {
  TemporaryRepository made;
  std::filesystem::current_path(made.root());
  made.write("steelyard.toml", "[policy]\nminimum_effect = \"9%\"\n");
  made.commit("baseline");
  const std::string sha = *GitRepository::find(made.root())->resolve("HEAD");
  std::filesystem::remove("steelyard.toml");
  made.commit("take the file away");
  for (const int number : {1, 2}) {
    regress::SimulatedPair pair = shard(number);
    pair.baseline.header.commit.sha = sha;
    keep_folder(pair, std::to_string(number));
  }
  const Outcome outcome = run({"merge", "1", "2"});
  std::filesystem::current_path(folder_);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("steelyard.toml is another one in the candidate"),
                                 HasSubstr("0.09 in the baseline"), testing::Not(HasSubstr("budget"))));
}

// Rows are held against the greatest of all, and not against that of their own shard.
TEST_F(MergeShards, QIsOfTheWholeGateAndNotOfAShard) {
  keep_folder(shard(1), "one");
  keep_folder(shard(2), "two");
  EXPECT_NE(run({"merge", "one", "two", "--archive-dir", "whole"}).status, 3);
  const auto q_of = [](const std::string& folder) {
    std::map<std::string, double> q;
    const auto json = nlohmann::json::parse(text_of(folder + "/comparison.json"));
    for (const auto& row : json["comparisons"]) q[row["benchmark"]] = row["q"];
    return q;
  };
  const std::map<std::string, double> whole = q_of("whole");
  double more = 0;
  for (const char* folder : {"one", "two"}) {
    for (const auto& [benchmark, q] : q_of(folder)) more = std::max(more, whole.at(benchmark) - q);
  }
  EXPECT_GT(more, 0);
}

TEST_F(MergeShards, OfDifferentMachinesAndBuildsAreJudgedAsBothSidesOfABenchmarkWereOnOne) {
  keep_folder(shard(1, 1.25), "one");
  regress::SimulatedPair other = shard(2);
  for (SimulatedRun* side : {&other.baseline, &other.candidate}) {
    side->environment.set("cpu.model", "two", true);
    side->environment.set("program.sha256", side->header.commit.sha + "built elsewhere", false);
  }
  keep_folder(other, "two");
  const Outcome outcome = run({"merge", "one", "two", "--archive-dir", "whole"});
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("the shards were measured on machines that differ in cpu.model"));
  EXPECT_EQ(run({"verify", "whole"}).status, 0);
  const auto merged = storage::read_archive("whole/candidate.syrun");
  EXPECT_NE(merged->environment.fingerprint(), other.candidate.environment.fingerprint());
}

TEST_F(MergeShards, EachRowSaysTheLayoutOfItsOwnMachine) {
  regress::SimulatedPair in_duet = shard(1, 1.25);
  for (SimulatedRun* side : {&in_duet.baseline, &in_duet.candidate}) side->header.layout = Layout::duet;
  keep_folder(in_duet, "one");
  regress::SimulatedPair in_turns = shard(2);
  for (SimulatedRun* side : {&in_turns.baseline, &in_turns.candidate}) side->header.layout = Layout::interleaved;
  keep_folder(in_turns, "two");
  EXPECT_EQ(run({"merge", "one", "two", "--archive-dir", "whole"}).status, 1);
  const auto json = nlohmann::json::parse(text_of("whole/comparison.json"));
  EXPECT_EQ(json["candidate"]["layout"], "interleaved") << "no more holds of all of it";
  for (const auto& row : json["comparisons"]) {
    const bool is_first = row["benchmark"].get<std::string>().ends_with("_of_1");
    EXPECT_EQ(row["layout"], is_first ? "duet" : "interleaved");
  }
}

TEST_F(MergeShards, NamesAShardThatIsMissingAndOneThatIsThereTwice) {
  keep_folder(shard(1, 1, 3), "one");
  keep_folder(shard(2, 1, 3), "two");
  const Outcome missing = run({"merge", "one", "two", "--archive-dir", "whole"});
  EXPECT_EQ(missing.status, 3);
  EXPECT_THAT(missing.err, HasSubstr("shard 3/3 is missing"));
  EXPECT_THAT(run({"merge", "two"}).err, HasSubstr("shard 1/3 is missing"));
  std::filesystem::copy("one", "three");
  const Outcome twice = run({"merge", "one", "two", "three"});
  EXPECT_EQ(twice.status, 3);
  EXPECT_THAT(twice.err, AllOf(HasSubstr("three"), HasSubstr("shard 1/3 a second time"), HasSubstr("one")));
}

TEST_F(MergeShards, RefuseWhatIsNotOfOneGateAndSayWhy) {
  EXPECT_THAT(refusal_of_shard([](auto& pair) { pair.candidate.header.commit.sha = std::string(40, 'c'); }),
              AllOf(HasSubstr("two/candidate.syrun: found commit \"ccccccccc\", "), HasSubstr("one")));
  EXPECT_THAT(refusal_of_both_sides([](SimulatedRun& run) { run.header.settings["shard"] = "2/4"; }),
              HasSubstr("the shard \"2/4\""));
  EXPECT_THAT(refusal_of_both_sides([](SimulatedRun& run) { run.header.settings["shard.split"] = "another"; }),
              HasSubstr("a share of other benchmarks"));
  EXPECT_THAT(refusal_of_both_sides([](SimulatedRun& run) { run.header.settings["looks"] = "8:0.5 16:0.5"; }),
              HasSubstr("a plan of looks"));
  EXPECT_THAT(refusal_of_both_sides([](SimulatedRun& run) { run.header.settings.erase("shard"); }),
              HasSubstr("measured without --shard"));
  EXPECT_THAT(refusal_of_both_sides([](SimulatedRun& run) {
                for (Measurement& measurement : run.measurements) measurement.benchmark.name = "BM_0_of_1";
                run.measurements.resize(1);
              }),
              HasSubstr("a benchmark that"));
  EXPECT_THAT(refusal_of_both_sides([](SimulatedRun& run) { run.header.layout = Layout::sequential; }),
              HasSubstr("layout"));
  EXPECT_THAT(refusal_of_shard([](auto& pair) { pair.candidate.environment.set("cpu.model", "two", true); }),
              HasSubstr("sides of two machines"));
  EXPECT_THAT(refusal_of_shard([](auto& pair) { pair.candidate.header.session = "another"; }),
              HasSubstr("sides of two measurements"));
}

TEST_F(MergeShards, AreNotPublishedOneByOne) {
  keep_folder(shard(1), "one");
  const Outcome outcome = run({"publish", "files", "one", "--output", "reports"});
  EXPECT_EQ(outcome.status, 3) << outcome.out;
  EXPECT_THAT(outcome.err, HasSubstr("shard 1/2 alone"));
}

TEST_F(MergeShards, RefuseAnotherPolicyAndNameWhatDiffers) {
  keep_folder(shard(1), "one");
  ComparisonPolicy policy;
  policy.seed = 77;  // each machine has its own
  policy.minimum_effect = 0.5;
  keep_folder(shard(2), "two", policy);
  const Outcome outcome = run({"merge", "one", "two"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("two: found minimum_effect 0.5"), HasSubstr("of one, minimum_effect 0.01")));
}

// A field that one of them lacks moves none of the others.
TEST_F(MergeShards, NameATableThatOneOfThemLacks) {
  keep_folder(shard(1), "one");
  ComparisonPolicy policy;
  PatternPolicy& table = policy.patterns.emplace_back();
  table.match = "*";
  table.minimum_effect = 0.5;
  keep_folder(shard(2), "two", policy);
  const Outcome outcome = run({"merge", "one", "two"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("two: found patterns "), HasSubstr("of one, patterns not set")));
}

TEST_F(MergeShards, RefuseAComparisonOfOtherRunsAndFoldersBesideRuns) {
  keep_folder(shard(1), "one");
  keep_folder(shard(2), "two");
  std::filesystem::copy("one/comparison.json", "two/comparison.json",
                        std::filesystem::copy_options::overwrite_existing);
  EXPECT_THAT(run({"merge", "one", "two"}).err, HasSubstr("a comparison of other runs"));
  EXPECT_THAT(run({"merge", "one", "one/baseline.syrun"}).err, HasSubstr("no folder with baseline.syrun"));
  EXPECT_THAT(run({"merge", "one", "two", "--output", "whole.syrun"}).err, HasSubstr("--archive-dir"));
  EXPECT_THAT(run({"merge", "one/baseline.syrun", "two/baseline.syrun", "--html", "page.html"}).err,
              HasSubstr("--output FILE.syrun"));
}

TEST_F(MergeShards, OfRunsThatWereMeasuredAloneBecomeOneRunOfOneMachine) {
  for (const int number : {1, 2}) {
    regress::SimulatedPair pair = shard(number);
    pair.candidate.header.session.clear();
    keep(pair.candidate, "shard-" + std::to_string(number) + ".syrun");
  }
  EXPECT_THAT(run({"merge", "shard-2.syrun", "--output", "whole.syrun"}).err, HasSubstr("shard 1/2 is missing"));
  ASSERT_EQ(run({"merge", "shard-1.syrun", "shard-2.syrun", "--output", "whole.syrun"}).status, 0);
  const auto whole = storage::read_archive("whole.syrun");
  EXPECT_EQ(whole->measurements.size(), 6U);
  EXPECT_EQ(whole->header.settings.at("shards"), "2");
  SimulatedRun elsewhere = shard(2).candidate;
  elsewhere.header.session.clear();
  elsewhere.environment.set("cpu.model", "two", true);
  keep(elsewhere, "shard-2.syrun");
  EXPECT_THAT(run({"merge", "shard-1.syrun", "shard-2.syrun", "--output", "other.syrun"}).err,
              HasSubstr("they differ in cpu.model"));
}

TEST_F(MergeShards, WhatEachMachineTimedToTheFirstLookOnlyIsKeptOfAll) {
  for (const int number : {1, 2}) {
    regress::SimulatedPair pair = shard(number);
    for (SimulatedRun* side : {&pair.baseline, &pair.candidate}) {
      keep_first_look_only({side->measurements[0].benchmark.canonical(), side->measurements[1].benchmark.canonical()},
                           side->header.settings);
    }
    keep_folder(pair, std::to_string(number));
  }
  ASSERT_NE(run({"merge", "1", "2", "--archive-dir", "whole"}).status, 3);
  const auto whole = storage::read_archive("whole/candidate.syrun");
  std::size_t found = 0;
  for (const Measurement& measurement : whole->measurements) {
    found += is_first_look_only(whole->header, measurement.benchmark.canonical()) ? 1 : 0;
  }
  EXPECT_EQ(found, 4U);
}

}  // namespace
}  // namespace steelyard::ci::merge_verb_test
