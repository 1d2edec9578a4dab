// The facts that are kept as words: each is written and read in one place, and old files mean what they meant.
#include <gtest/gtest.h>

#include <string>

#include "bench/model/comparison.hpp"
#include "bench/model/kept_words.hpp"
#include "bench/model/left_processes.hpp"
#include "bench/model/run.hpp"

namespace steelyard::kept_words_test {
namespace {

Failure read(const std::string& reason) {
  Failure failure;
  read_failure(reason, failure);
  return failure;
}

TEST(Failures, OfOlderArchivesAreKnownByTheirReason) {
  const auto of = [](FailureKind kind, const std::string& said) { return Failure{{}, "", -1, said, kind}; };
  using enum FailureKind;
  EXPECT_EQ(read("not reached: the budget of 10 s was spent"), of(not_reached, "the budget of 10 s was spent"));
  EXPECT_EQ(read("bad record benchmarks[0].real_time: found NaN"),
            of(bad_record, "benchmarks[0].real_time: found NaN"));
  EXPECT_EQ(read("the benchmark was skipped"), of(skipped, ""));
  EXPECT_EQ(read("the benchmark was skipped: no device: gone"), of(skipped, "no device: gone"));
  EXPECT_EQ(read("the benchmark skipped itself with an error: no AVX10 here"), of(reported_error, "no AVX10 here"));
  for (const char* reason : {"", "the benchmark reported an error: wrong answer",  // of a time that knew no such skip
                             "killed by signal 11; it was not reached: x", "the benchmark was skippedx"}) {
    EXPECT_EQ(read(reason), of(failed, reason));
  }
}

TEST(Failures, AreToldInTheWordsThatOlderArchivesHave) {
  for (const char* reason :
       {"", "killed by signal 11", "not reached: the budget was spent", "bad record x: y", "the benchmark was skipped",
        "the benchmark was skipped: no device: gone", "the benchmark skipped itself with an error",
        "the benchmark was skippedx", "the benchmark skipped itself with an error: no AVX10 here"}) {
    EXPECT_EQ(to_text(read(reason)), reason);
  }
}

TEST(FirstLookOnly, IsReadFromTheSettingThatItsMakerWrites) {
  RunHeader header;
  keep_first_look_only({}, header.settings);
  EXPECT_TRUE(header.settings.empty());
  EXPECT_FALSE(is_first_look_only(header, "BM_a"));
  keep_first_look_only({"BM_a/1; b", "BM_z", "BM_m"}, header.settings);
  for (const char* name : {"BM_a/1; b", "BM_m", "BM_z"}) EXPECT_TRUE(is_first_look_only(header, name)) << name;
  for (const char* name : {"BM_a/1", "BM_", "", "BM_z "}) EXPECT_FALSE(is_first_look_only(header, name)) << name;
}

TEST(CodeLayouts, AreReadFromTheSettingThatTheirMakerWrites) {
  RunHeader header;
  EXPECT_TRUE(code_layouts_of(header).empty());
  keep_code_layouts({}, {0, 0}, "", header.settings);
  EXPECT_TRUE(header.settings.empty()) << "one layout says nothing";
  keep_code_layouts({17, 2147483647}, {1, 1, 0, 0, 0}, "", header.settings);
  keep_code_layouts({3, 4}, {1, 1, 0, 0, 0}, "second", header.settings);
  EXPECT_EQ(code_layouts_of(header), (std::vector<std::int32_t>{1, 1, 0, 0, 0}));
  EXPECT_EQ(header.settings.at("code_layout_seeds"), "17 2147483647");
  EXPECT_EQ(header.settings.at("code_layout_seeds.second"), "3 4");
}

TEST(CodeLayouts, ThatCannotBeReadAreNone) {
  for (const char* text : {"", "x", "0 x", "0  1", "-1", "0 32", "99999999999999999999", "0,1", "0 1x"}) {
    RunHeader header;
    header.settings["code_layout_rounds"] = text;
    EXPECT_TRUE(code_layouts_of(header).empty()) << text;
  }
}

TEST(Stops, AreReadFromTheSettingThatTheirMakerWrites) {
  for (const Stop stop : {Stop::none, Stop::budget_spent, Stop::interrupted}) {
    RunHeader header;
    keep_stop(stop, 12, header.settings);
    EXPECT_EQ(stop_of(header), stop);
  }
  RunHeader header;
  header.settings["stopped"] = "interrupted after 14 rounds";
  EXPECT_EQ(stop_of(header), Stop::interrupted);
  header.settings["stopped"] = "budget spent after 14 rounds";  // as older runs have it
  EXPECT_EQ(stop_of(header), Stop::budget_spent);
}

TEST(CountOrigins, AreReadFromTheProof) {
  EXPECT_EQ(read_count_origin(""), CountOrigin::counted);
  EXPECT_EQ(read_count_origin("counted before on this machine, under the same key"), CountOrigin::reused);
  EXPECT_EQ(read_count_origin("every loaded section of program and libraries is equal, and so are the 2 files it "
                              "reads (sha256 0123456789ab)"),
            CountOrigin::equal_program);
}

TEST(RowNotes, AreReadFromTheReason) {
  const std::string equal = "every loaded section of program and libraries is equal (sha256 0)";
  const std::string code = "the code it executes is equal in both builds; data may differ";
  const std::string dispatch = "library dispatch: OpenBLAS Haswell under Valgrind, SkylakeX natively";
  const auto counted = [](const std::string& more) { return "counted exactly: 5 on both sides; " + more; };
  EXPECT_EQ(read_notes(""), RowNotes{});
  EXPECT_EQ(read_notes("4 % slower in 8 rounds"), RowNotes{});
  EXPECT_EQ(read_notes(counted("not counted again: " + equal)), (RowNotes{RowNote::equal_program}));
  EXPECT_EQ(read_notes(counted("not counted again: the file dispatch.bin is equal")), RowNotes{});
  EXPECT_EQ(read_notes(counted(code)), (RowNotes{RowNote::equal_code}));
  EXPECT_EQ(read_notes(counted(dispatch)), (RowNotes{RowNote::other_dispatch}));
  EXPECT_EQ(read_notes(counted(code + "; " + dispatch)), (RowNotes{RowNote::equal_code, RowNote::other_dispatch}));
  EXPECT_EQ(read_notes(dispatch), (RowNotes{RowNote::other_dispatch})) << "of a row without a reason of its own";
  EXPECT_EQ(read_notes("not timed, as the policy says (skip_time): " + equal),
            (RowNotes{RowNote::not_timed, RowNote::equal_program}));
  EXPECT_EQ(read_notes("not timed, as the policy says (skip_time): " + code),
            (RowNotes{RowNote::not_timed, RowNote::equal_code}));
  const std::string counts = "each of its functions costs the same; what sets it up may differ";
  EXPECT_EQ(read_notes(counted(code + "; " + counts)), (RowNotes{RowNote::equal_code, RowNote::equal_counts}));
  EXPECT_EQ(read_notes("not timed, as the policy says (skip_time): " + code + "; " + counts),
            (RowNotes{RowNote::not_timed, RowNote::equal_code, RowNote::equal_counts}));
  EXPECT_EQ(read_notes("shown to lie within the margin of 2 %: +0.1 % in 12 rounds; no rounds beyond the first look: "
                       "counting has shown both builds to be equal here"),
            (RowNotes{RowNote::first_look_only}));
  EXPECT_EQ(read_notes("drift between the sides could explain the -3 % (standard error of drift 4 %)"),
            (RowNotes{RowNote::drift_explains}));
  EXPECT_EQ(read_notes("kernel x is new; the scatter of invocations could explain the -3 %"),
            (RowNotes{RowNote::scatter_explains}));
  EXPECT_EQ(read_notes("drift and the scatter of invocations together could explain the -3 %"),
            (RowNotes{RowNote::both_explain}));
  EXPECT_EQ(read_notes("too noisy: in 24 rounds the 95 % interval -2 % to +3 %"), (RowNotes{RowNote::too_noisy}));
  EXPECT_EQ(read_notes("no verdicts on this machine, because its calibration failed; seen: too noisy: in 24 rounds"),
            RowNotes{})
      << "the answer is another";
  EXPECT_EQ(read_notes("5 % slower in 12 rounds; not confirmed alone: the budget was spent"),
            (RowNotes{RowNote::not_confirmed_alone}));
  EXPECT_EQ(read_notes("contradicted alone: -0.02 % (-1.41 % to +1.28 %) with nothing beside it"),
            (RowNotes{RowNote::contradicted_alone}));
}

// The proof of a baseline is about what it was once held against, not about this candidate.
TEST(RowNotes, OfABaselineThatWasNotCountedAgainSayNothingOfTheCandidate) {
  EXPECT_EQ(read_notes("counted exactly: 5; the baseline was not counted again: every loaded section of program and "
                       "libraries is equal (sha256 0)"),
            RowNotes{});
}

// As programs kept it that had no note for it.
TEST(RowNotes, OfACountThatNobodyAskedForAreReadFromItsGateNote) {
  ComparisonRow excused;
  excused.metric = *well_known_metric(kInstructions);
  excused.verdict = Verdict::failed;
  excused.gates = false;
  excused.gate_note = "nobody asked for counts, and neither side has one";
  excused.notes = {RowNote::other_dispatch};
  const auto read = [&excused](auto change) {
    ComparisonRow row = excused;
    change(row);
    read_gate_note(row);
    return row.notes;
  };
  const RowNotes told{RowNote::other_dispatch, RowNote::not_asked_for};
  EXPECT_EQ(read([](ComparisonRow&) {}), told);
  EXPECT_EQ(read([](ComparisonRow& row) { row.notes.add(RowNote::not_asked_for); }), told) << "as it is kept now";
  EXPECT_EQ(read([](ComparisonRow& row) { row.metric = *well_known_metric(kRealTime); }), excused.notes);
  EXPECT_EQ(read([](ComparisonRow& row) { row.verdict = Verdict::regression; }), excused.notes);
  EXPECT_EQ(read([](ComparisonRow& row) { row.gates = true; }), excused.notes);
  EXPECT_EQ(read([](ComparisonRow& row) { row.gate_note += "."; }), excused.notes);
}

TEST(LeftProcesses, AreReadAsTheyWereKeptAndAddUp) {
  LeftProcesses left;
  left.build = {4, 0};
  left.benchmarks["BM_x/8 [suite=a b]"] = {96, 2};
  left.benchmarks[""] = {1, 0};
  left.benchmarks["BM_clean"] = {};
  std::map<std::string, std::string> settings;
  keep_left_processes(left, settings);
  EXPECT_EQ(settings.at(kLeftProcessesSetting), "build 4 0\nbenchmark 1 0\nbenchmark 96 2 BM_x/8 [suite=a b]");
  left.benchmarks.erase("BM_clean");
  EXPECT_EQ(left_processes_of(settings), left);
  keep_left_processes(left, settings);
  EXPECT_EQ(left_processes_of(settings).build, (LeftProcesses::Count{8, 0}));
  EXPECT_EQ(left_processes_of(settings).all(), (LeftProcesses::Count{202, 4}));
}

TEST(LeftProcesses, OfARunThatLeftNoneOrSaysNonsenseAreNone) {
  std::map<std::string, std::string> settings;
  keep_left_processes({}, settings);
  EXPECT_TRUE(settings.empty());
  for (const char* text : {"", "build", "build 1", "build -1 0", "build 1 x", "benchmark 99999999999999999999 0 BM_x",
                           "benchmark 9000000000 0 BM_x", "server 1 1", "\n\n \n"}) {
    EXPECT_FALSE(left_processes_of({{kLeftProcessesSetting, text}}).any()) << text;
  }
}

}  // namespace
}  // namespace steelyard::kept_words_test
