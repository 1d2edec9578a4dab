#include <gmock/gmock.h>

#include "tests/ci/verbs/checked_runs.hpp"

namespace steelyard::ci::targets_check_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class TargetsCheck : public CheckedRuns {};

TEST_F(TargetsCheck, HoldsARunAgainstWhatTheFileAndTheProgramPromise) {
  write_run("run", {{"gemv/f32/n:512", 4e9, 8e9, "target: 0.9 of bandwidth"},
                    {"softmax/f32", 3e9, 2e9, "item:12ab; target: 1 GB/s"},
                    {"plain", 0, 0, ""}});
  keep_ceilings_of("run");
  write("steelyard.toml", "[[target]]\nbenchmark = \"gemv*\"\ntarget = \"0.6 of bandwidth\"\n");
  const Outcome met = run({"targets", "check", "run"});
  EXPECT_EQ(met.status, 0) << met.out << met.err;
  EXPECT_THAT(met.out, AllOf(HasSubstr("2 targets met"), HasSubstr("of DRAM read"), HasSubstr("bound by"),
                             Not(HasSubstr("0.9 of bandwidth"))))
      << "the project's file comes before the program";
  write("steelyard.toml", "[[target]]\nbenchmark = \"gemv*\"\ntarget = \"0.7 of bandwidth\"\n");
  const Outcome missed = run({"targets", "check", "run"});
  EXPECT_EQ(missed.status, 1) << missed.out;
  EXPECT_THAT(missed.out, AllOf(HasSubstr("1 target missed, 1 met"), HasSubstr("below 70 %")));
}

TEST_F(TargetsCheck, UndecidedIsNoPass) {
  write_run("one", {{"gemv/f32", 0, 8e9, "target: 1 GB/s"}}, 1);
  const Outcome one = run({"targets", "check", "one"});
  EXPECT_EQ(one.status, 2) << one.out;
  EXPECT_THAT(one.out, HasSubstr("one invocation"));
  write_run("none", {{"gemv/f32", 0, 8e9, "target: 0.5 of bandwidth"}});
  const Outcome none = run({"targets", "check", "none"});
  EXPECT_EQ(none.status, 2) << none.out;
  EXPECT_THAT(none.out,
              AllOf(HasSubstr("no ceilings of this machine are kept"), HasSubstr("steelyard targets ceilings")));
  write_run("wrong", {{"gemv/f32", 0, 8e9, "target: soon"}});
  const Outcome wrong = run({"targets", "check", "wrong"});
  EXPECT_EQ(wrong.status, 2) << wrong.out;
  EXPECT_THAT(wrong.out, HasSubstr("the label of gemv/f32: found \"soon\""));
}

TEST_F(TargetsCheck, NoTargetAtAllIsNoPassEither) {
  write_run("run", {{"gemv/f32", 0, 8e9, ""}});
  const Outcome outcome = run({"targets", "check", "run"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("no target is declared"));
}

TEST_F(TargetsCheck, APatternThatMatchesNothingIsUndecided) {
  write_run("run", {{"gemv/f32", 0, 8e9, ""}});
  write_run("other", {{"softmax/f32", 0, 8e9, ""}});
  write("steelyard.toml",
        "[[target]]\nbenchmark = \"gemv*\"\ntarget = \"1 GB/s\"\n[[target]]\nbenchmark = \"soft*\"\ntarget = \"1 "
        "GB/s\"\n");
  const Outcome alone = run({"targets", "check", "run"});
  EXPECT_EQ(alone.status, 2);
  EXPECT_THAT(alone.out, AllOf(HasSubstr("soft*"), HasSubstr("no benchmark of this run has a name like this")));
  EXPECT_EQ(run({"targets", "check", "run", "other"}).status, 0) << "each is in one of them";
}

TEST_F(TargetsCheck, CeilingsMayComeFromAnArchive) {
  write_run("run", {{"gemv/f32", 0, 8e9, "target: 0.5 of bandwidth"}});
  Environment other;
  other.set("cpu.model", "another", true);
  ASSERT_TRUE(storage::write_archive(folder_ / "c.syrun", run_of_a_machine(other)));
  const Outcome outcome = run({"targets", "check", "run", "--ceilings", "c.syrun"});
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("has the ceilings of machine"));
  steelyard::Run plain;
  storage::seal(plain);
  ASSERT_TRUE(storage::write_archive(folder_ / "p.syrun", plain));
  const Outcome none = run({"targets", "check", "run", "--ceilings", "p.syrun"});
  EXPECT_EQ(none.status, 3);
  EXPECT_THAT(none.err, HasSubstr("found a run without ceilings"));
}

TEST_F(TargetsCheck, PrintsJsonInBaseUnits) {
  write_run("run", {{"gemv/f32", 4e9, 8e9, "target: 0.5 of bandwidth"}});
  keep_ceilings_of("run");
  const Outcome outcome = run({"targets", "check", "run", "--json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("\"schema\": \"steelyard.targets/1\""), HasSubstr("\"verdict\": \"met\""),
                    HasSubstr("\"least\": 0.5"), HasSubstr("\"metric\": \"flop_utilization\""),
                    HasSubstr("\"metric\": \"bandwidth_utilization\""), HasSubstr("\"bound\": \"memory\"")));
}

TEST_F(TargetsCheck, OptionsBelongToTheirAction) {
  EXPECT_EQ(run({"targets", "check"}).status, 3);
  EXPECT_THAT(run({"targets", "check"}).err, HasSubstr("found no run"));
  EXPECT_THAT(run({"targets", "check", "x", "--svg", "y"}).err, HasSubstr("roofline only"));
  EXPECT_THAT(run({"targets", "datasheet", "--ceilings", "y"}).err, HasSubstr("check or roofline only"));
  EXPECT_THAT(run({"targets", "roofline", "a", "b"}).err, HasSubstr("wanted one run"));
}

TEST_F(TargetsCheck, RooflineDrawsWhatReportsBothRates) {
  write_run("run", {{"gemv/f32", 4e9, 8e9, ""}, {"matmul/f32", 90e9, 2e9, ""}, {"copy<&>", 0, 9e9, ""}});
  keep_ceilings_of("run");
  const Outcome outcome = run({"targets", "roofline", "run", "--svg", "r.svg"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("gemv/f32"), HasSubstr("66.7 % of DRAM read, bound by memory"),
                                 HasSubstr("75.1 % of f32, bound by arithmetic"), HasSubstr("not drawn"),
                                 HasSubstr("copy<&>"), Not(HasSubstr("2 threads"))));
  const std::string svg = text_of("r.svg");
  EXPECT_THAT(svg,
              AllOf(HasSubstr("<svg xmlns"), HasSubstr("<title>gemv/f32: 4.00 Gflop/s"), HasSubstr("copy&lt;&amp;&gt;"),
                    HasSubstr("prefers-color-scheme: dark"), HasSubstr("flop per byte"), Not(HasSubstr("<script")),
                    Not(HasSubstr("http://www.w3.org/1999"))));
  write_run("none", {{"copy", 0, 9e9, ""}});
  EXPECT_THAT(run({"targets", "roofline", "none"}).err, HasSubstr("no benchmark that reports both"));
}

TEST_F(TargetsCheck, RooflineWithoutCeilingsShowsThePointsAndSaysHowToGetThem) {
  write_run("run", {{"gemv/f32", 4e9, 8e9, ""}});
  const Outcome outcome = run({"targets", "roofline", "run"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("gemv/f32"), HasSubstr("no ceilings are known of this machine")));
  EXPECT_THAT(outcome.err, HasSubstr("steelyard targets ceilings"));
}

TEST_F(TargetsCheck, RatesOfNoMachineAreNotDrawn) {
  const auto record = [](const std::string& name, const std::string& flops, const std::string& bytes) {
    return R"({"name":")" + name + R"(","run_name":")" + name + R"(","run_type":"iteration","threads":1,)" +
           R"("iterations":10,"real_time":1,"cpu_time":1,"time_unit":"ns","flops":)" + flops +
           R"(,"bytes_per_second":)" + bytes + '}';
  };
  write("r.json", R"({"context":{"num_cpus":2},"benchmarks":[)" + record("huge", "1e308", "1e-300") + ',' +
                      record("tiny", "1e-300", "1e300") + ',' + record("sane", "1e9", "1e24") + "]}\n");
  const Outcome outcome = run({"targets", "roofline", "r.json", "--svg", "r.svg"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("sane"), Not(HasSubstr("huge"))));
  EXPECT_THAT(text_of("r.svg"), AllOf(Not(HasSubstr("inf")), Not(HasSubstr("nan"))));
}

}  // namespace
}  // namespace steelyard::ci::targets_check_test
