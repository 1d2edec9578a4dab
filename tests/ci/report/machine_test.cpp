// What a person and a program get to read of six kinds of machines, byte for byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/environment/read_environment.hpp"
#include "ci/report/machine.hpp"
#include "tests/ci/report/golden.hpp"

namespace steelyard::ci::machine_test {
namespace {

using ::testing::HasSubstr;

DoctorReport examine(const std::string& fixture) {
  DoctorReport report;
  report.environment = bench::read_environment(std::filesystem::path(STEELYARD_FIXTURE) / fixture);
  report.diagnosis = bench::diagnose(report.environment, std::nullopt);
  return report;
}

class Machines : public ::testing::TestWithParam<const char*> {};

TEST_P(Machines, AreDescribedAsBefore) {
  golden::expect_equal(terminal_diagnosis(examine(GetParam()), TerminalStyle{}),
                       std::string("doctor/") + GetParam() + ".out");
}

INSTANTIATE_TEST_SUITE_P(OfEveryKind, Machines,
                         ::testing::Values("bare_metal", "laptop", "server", "virtual_machine", "container", "arm",
                                           "garbled", "absent"),
                         [](const auto& tested) { return std::string(tested.param); });

DoctorReport with_probe_and_program() {
  DoctorReport report = examine("laptop");
  bench::ProbeResult probe;
  probe.clock = {20, 24.6};
  probe.slices = {9876, 100123, 0.034, 0.0123, 7.5};
  probe.seconds = 1.00004;
  probe.involuntary_switches = 12;
  probe.steal = 0.0005;
  report.probe = probe;
  report.program = "build/bench";
  report.environment.set("program.compiler", "GNU C++17 12.2.0", false);
  report.environment.set("program.optimization", "-O0", false);
  report.environment.set("program.linkage", "dynamic", false);
  report.environment.set("program.debug_info", "present", false);
  report.diagnosis = bench::diagnose(report.environment, probe);
  return report;
}

TEST(DiagnosisReport, ShowsTheProbeAndTheProgram) {
  golden::expect_equal(terminal_diagnosis(with_probe_and_program(), TerminalStyle{}), "doctor/probe_and_program.out");
}

TEST(DiagnosisReport, IsADocumentForPrograms) {
  golden::expect_equal(json_diagnosis(with_probe_and_program()), "doctor/probe_and_program.json");
  golden::expect_equal(json_diagnosis(examine("absent")), "doctor/absent.json");
}

TEST(DiagnosisReport, ReplacesWhatATerminalMustNotGet) {
  DoctorReport report = examine("absent");
  report.environment.set("hypervisor", "\x1b[2Jevil\xff", false);
  report.diagnosis = bench::diagnose(report.environment, std::nullopt);
  const std::string text = terminal_diagnosis(report, TerminalStyle{});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_THAT(text, HasSubstr("?[2Jevil?"));
  EXPECT_EQ(json_diagnosis(report).find('\xff'), std::string::npos);
}

DoctorReport with_copies() {
  DoctorReport report = with_probe_and_program();
  report.environment.set("copies.folder", "/tmp", false);
  report.environment.set("copies.execution", "allowed", false);
  report.calibration.emplace();
  report.calibration->at_unix_s = 1'795'305'600;
  report.calibration->layout = Layout::duet;
  report.calibration->false_gates.tries = 10;
  return report;
}

TEST(DiagnosisReport, SaysHowAProgramComesByFreshPages) {
  DoctorReport report = with_copies();
  const auto text = [&] { return terminal_diagnosis(report, TerminalStyle{}); };
  EXPECT_THAT(text(), HasSubstr("\n  copies          each round can run fresh copies of a program from /tmp\n"));
  report.environment.set("program.pages", "copied", false);
  report.environment.set("program.copy", "3.1 MB", false);
  report.environment.set("program.renewal", "2.1 ms", false);
  EXPECT_THAT(text(), HasSubstr("\n  copies          each round runs a fresh copy of the program, 3.1 MB in 2.1 ms\n"));
  report.environment.set("program.pages", "reread", false);
  report.environment.set("program.pages_reason", "it is large", false);
  EXPECT_THAT(text(),
              HasSubstr("copies          each round reads the program's pages anew, in 2.1 ms (it is large)\n"));
  report.environment.set("program.pages", "kept", false);
  EXPECT_THAT(text(), HasSubstr("copies          none: the program keeps its pages (it is large)\n"));
}

TEST(DiagnosisReport, NamesTheBenchmarkOfTheLargestCopyComponent) {
  DoctorReport report = with_copies();
  EXPECT_THAT(terminal_diagnosis(report, TerminalStyle{}),
              HasSubstr("calibrated      2026-11-22, duet: what copies of a program differ by is not known\n"));
  EXPECT_THAT(json_diagnosis(report), HasSubstr("\"calibration\": {\"at_unix_s\": 1795305600, \"layout\": \"duet\", "
                                                "\"failed\": false, \"largest_copies\": null},\n"));
  for (const auto& [name, copies] : {std::pair{"BM_a", 0.002}, std::pair{"BM_b", 0.0062}, std::pair{"BM_c", 0.0001}}) {
    CalibratedBenchmark& benchmark = report.calibration->benchmarks.emplace_back();
    benchmark.benchmark = name;
    benchmark.metric = "real_time";
    benchmark.copies = copies;
  }
  EXPECT_THAT(terminal_diagnosis(report, TerminalStyle{}),
              HasSubstr("calibrated      2026-11-22, duet: copies of a program differ most in BM_b, by 0.62 %\n"));
  EXPECT_THAT(json_diagnosis(report),
              HasSubstr("{\"benchmark\": \"BM_b\", \"metric\": \"real_time\", \"deviation\": 0.0062}}"));
}

TEST(DiagnosisReport, SaysOfACalibrationOfTooFewGatesThatItIsNotUsed) {
  DoctorReport report = with_copies();
  report.calibration->false_gates = {0, 3, {0, 0.708}};
  EXPECT_THAT(terminal_diagnosis(report, TerminalStyle{}),
              HasSubstr("2026-11-22, duet, not used: it is of 3 A/A gates"));
}

using ::testing::Not;

Calibration of_two_benchmarks() {
  Calibration calibration;
  calibration.false_gates.tries = 10;
  for (const char* name : {"BM_a", "BM_b"}) {
    CalibratedBenchmark& benchmark = calibration.benchmarks.emplace_back();
    benchmark.benchmark = name;
    benchmark.metric = "real_time";
    benchmark.floor = 0.01;
    benchmark.alarms.tries = 10;
  }
  return calibration;
}

std::string text_of(const Calibration& calibration, const CalibrationCircumstances& circumstances = {}) {
  return terminal_calibration(calibration, circumstances, TerminalStyle{});
}

TEST(CalibrationReport, HasColumnsOfCopiesOnlyWhereTheyAreKnown) {
  Calibration calibration = of_two_benchmarks();
  EXPECT_THAT(text_of(calibration), HasSubstr("within  between  p <= .05\n"));
  EXPECT_THAT(text_of(calibration), Not(HasSubstr("copies")));
  calibration.benchmarks[1].copies = 0.0062;
  calibration.benchmarks[1].processes = 0.0031;
  const std::string text = text_of(calibration);
  EXPECT_THAT(text, HasSubstr("between  copies  processes  p <= .05\n"));
  EXPECT_THAT(text, HasSubstr("     -       -          -   0 of 10\n"));
  EXPECT_THAT(text, HasSubstr("     -  0.62 %     0.31 %   0 of 10\n"));
}

TEST(CalibrationReport, SaysThatTooFewGatesAreNotKept) {
  Calibration calibration = of_two_benchmarks();
  EXPECT_THAT(text_of(calibration), Not(HasSubstr("not kept")));
  calibration.false_gates = {0, 3, {0, 0.708}};
  EXPECT_THAT(text_of(calibration), HasSubstr("not kept: it is of 3 A/A gates"));
}

TEST(CalibrationReport, NamesWhatWillNeverBeCalledUnchanged) {
  Calibration calibration = of_two_benchmarks();
  calibration.benchmarks[1].floor = 0.342;
  EXPECT_THAT(text_of(calibration),
              HasSubstr("a noise floor above 10 % is no margin; never called unchanged: BM_b (34.2 %)\n"));
}

TEST(CalibrationReport, SaysWhyCopiesAreNotKnown) {
  CalibrationCircumstances circumstances;
  circumstances.budget = "10 s";
  circumstances.no_time_for_copies = true;
  circumstances.kept_pages["./bench.sh"] = "a script";
  const std::string text = text_of(of_two_benchmarks(), circumstances);
  EXPECT_THAT(text, HasSubstr("the budget of 10 s left too little time for what copies of the program differ by"));
  EXPECT_THAT(text, HasSubstr("./bench.sh: what copies of it differ by was not measured: a script\n"));
}

CalibratedBenchmark noisy(double floor, double within, double between) {
  CalibratedBenchmark benchmark;
  benchmark.benchmark = "BM_a";
  benchmark.metric = "real_time";
  benchmark.alarms = regress::observed_rate(0, 10);
  benchmark.floor = floor;
  benchmark.within = within;
  benchmark.between = between;
  return benchmark;
}

const regress::NoiseCircumstances kUsual{12, 0.02, 0.01, 3, "100ms", 2};

std::string advised(const CalibratedBenchmark& benchmark, const regress::NoiseCircumstances& now) {
  return advice_text(benchmark, regress::advice_for(benchmark, now));
}

TEST(AdviceText, IsSilentWhereTheFloorIsWithinTheMargin) {
  EXPECT_EQ(advised(noisy(0.02, 0.1, 0.1), kUsual), "");
  EXPECT_NE(advised(noisy(0.0201, 0.1, 0.1), kUsual), "");
}

TEST(AdviceText, AsksForLongerSamplesWhereTheyDifferMost) {
  EXPECT_EQ(advised(noisy(0.04, 0.09, 0.02), kUsual),
            "samples of one process differ by 9 %, processes by 2 %: longer samples (--min-time 100ms) or more of "
            "them (--repetitions 30) help first; --rounds 48 would bring the floor to 2 %");
}

TEST(AdviceText, NeverAsksForFewerSamplesThanThereAre) {
  regress::NoiseCircumstances many = kUsual;
  many.repetitions = 40;
  const std::string advice = advised(noisy(0.04, 0.4, 0.02), many);
  EXPECT_THAT(advice, HasSubstr("longer samples (--min-time 100ms) help first"));
  EXPECT_THAT(advice, Not(HasSubstr("--repetitions")));
}

TEST(AdviceText, AsksForRoundsWhereProcessesDifferMost) {
  const std::string advice = advised(noisy(0.03, 0.01, 0.05), kUsual);
  EXPECT_THAT(advice, HasSubstr("processes differ by 5 % whatever their samples do: only more rounds help"));
  EXPECT_THAT(advice, HasSubstr("--rounds 28 "));
  EXPECT_THAT(advice, Not(HasSubstr("--min-time")));
}

TEST(AdviceText, NamesRoundsOnlyWhereTheyAreSensible) {
  const std::string advice = advised(noisy(0.3, 0.01, 0.05), kUsual);
  EXPECT_THAT(advice, Not(HasSubstr("--rounds")));
  EXPECT_THAT(advice, HasSubstr("--metric instructions"));
}

TEST(AdviceText, SaysThatThreadsFillTheMachine) {
  CalibratedBenchmark benchmark = noisy(0.05, 0.01, 0.05);
  benchmark.benchmark = "BM_a/threads:2";
  EXPECT_THAT(advised(benchmark, kUsual), HasSubstr("it runs 2 threads on 2 cores"));
  regress::NoiseCircumstances many = kUsual;
  many.cores = 8;
  EXPECT_THAT(advised(benchmark, many), Not(HasSubstr("threads on")));
  benchmark.benchmark = "BM_a/threads:2000000000";
  EXPECT_THAT(advised(benchmark, many), HasSubstr("it runs 2000000000 threads on 8 cores"));
}

TEST(AdviceText, TellsOfMoreAlarmsThanChanceExplainsWhateverTheFloor) {
  CalibratedBenchmark benchmark = noisy(0.01, 0.01, 0.01);
  benchmark.alarms = regress::observed_rate(3, 10);
  EXPECT_THAT(advised(benchmark, kUsual), HasSubstr("p was at most .05 in 3 of 10 gates of equal builds"));
}

TEST(AdviceText, AsksForRoundsWhereCopiesOfTheProgramDifferMost) {
  CalibratedBenchmark benchmark = noisy(0.03, 0.09, 0.02);
  benchmark.copies = 0.021;
  benchmark.processes = 0.01;
  const std::string advice = advised(benchmark, kUsual);
  EXPECT_THAT(advice,
              HasSubstr("copies of the program differ by 2.1 %, processes of one copy by 1 %: its speed depends "
                        "on which physical pages its code lies in: more rounds help, longer samples do not"));
  EXPECT_THAT(advice, HasSubstr("--rounds 28 "));
  EXPECT_THAT(advice, Not(HasSubstr("--min-time")));
  benchmark.copies = 0.02;  // may be chance
  EXPECT_THAT(advised(benchmark, kUsual), Not(HasSubstr("physical pages")));
}

TEST(AdviceText, TellsOfAMachineThatDrifts) {
  regress::NoiseCircumstances drifting = kUsual;
  drifting.shared = 0.2;
  EXPECT_THAT(advised(noisy(0.3, 0.01, 0.05), drifting), HasSubstr("the machine itself drifts by 20 % from round to"));
}

TEST(FailureText, SaysWhichPromiseWasNotKept) {
  Calibration calibration;
  calibration.false_gates = regress::observed_rate(3, 10);
  EXPECT_EQ(failure_text(calibration), "") << "it did not fail";
  calibration.failed = true;
  EXPECT_EQ(failure_text(calibration),
            "equal builds were called changed in 3 of 10 gates, at least 6.67 % where 5 % were promised");
  calibration.false_gates = regress::observed_rate(0, 10);
  calibration.false_alarms = regress::observed_rate(20, 100);
  EXPECT_THAT(failure_text(calibration),
              HasSubstr("equal builds had p at most .05 in 20 of 100 comparisons, at least"));
}

}  // namespace

}  // namespace steelyard::ci::machine_test
