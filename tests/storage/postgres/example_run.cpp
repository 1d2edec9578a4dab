#include "tests/storage/postgres/example_run.hpp"

#include <limits>

#include "bench/model/sha256.hpp"

namespace steelyard::storage_test {
namespace {

constexpr std::int64_t kFirstTime = 1'700'000'000'000'000'000;
constexpr std::int64_t kHour = 3'600'000'000'000;

CountedProfile example_profile() {
  CountedProfile profile;
  profile.benchmark = {"BM_sort", {{"", "1024"}}, std::nullopt, "cpu", "", ""};
  profile.iterations = 100;
  profile.events = {"Ir", "Dr"};
  profile.totals = {std::numeric_limits<std::int64_t>::max(), 17};
  profile.functions = {{"/usr/lib/libc.so.6", "???", "memcpy", 0, 12, {5, 6}, {7, 8}},
                       {"bench", "sort.cpp", "std::sort<int*, \"quoted\\\">", 42, 1, {-1, 0}, {3, 4}}};
  profile.arcs = {{1, 0, 12, {7, 8}}};
  profile.sources = {{0, "???", "", 0, {5, 6}},
                     {1, "sort.cpp", "std::sort<int*, \"quoted\\\">", 42, {-3, 0}},
                     {1, "/usr/include/swap{,}.h", "swap(int&, int&)", 2'147'483'647, {2, 0}},
                     {1, "/usr/include/swap{,}.h", "swap(int&, int&)", 7, {0, 0}}};
  return profile;
}

Measurement noisy(int number) {
  Measurement measurement;
  measurement.benchmark = {"BM_sort", {{"", "1024"}, {"order", "desc,ending {}"}}, 4, "cpu", "cuda:0", "f32"};
  measurement.metric = *well_known_metric(kRealTime);
  // Values whose shortest decimal form is long, very large and very small.
  measurement.invocations = {{0, {0.1 + number, 1.0 / 3, 5e-324}, {1000, 2000, 3000}},
                             {1, {1.7976931348623157e308, -0.0, 812.4}, {}}};
  return measurement;
}

Measurement counted() {
  Measurement measurement;
  measurement.benchmark = {"BM_sort", {{"", "1024"}}, std::nullopt, "cpu", "", ""};
  measurement.metric = *well_known_metric(kInstructions);
  measurement.count_key = "avx2;glibc 2.36";
  measurement.invocations = {{0, {7015}, {1}}};
  measurement.count_basis = {CountScope::whole_functions, 0.1 + 0.2, "learned from 5 repeats",
                             "every loaded section is \"equal\": sha256 {a\\b}", CountOrigin::reused};
  return measurement;
}

}  // namespace

Run example_run(int number) {
  Run run;
  run.header.id = sha256_hex("run " + std::to_string(number));
  run.header.created_at_unix_ns = kFirstTime + number * kHour;
  run.header.tool = "steelyard 0.1.0";
  run.header.project = "demo";
  run.header.program = "./bench --benchmark_filter='a\tb\nc\\d'";
  run.header.commit = {sha256_hex("commit " + std::to_string(number)).substr(0, 40),
                       "",
                       "main",
                       "subject \xC3\xA4 of " + std::to_string(number),
                       1'699'999'999,
                       true};
  run.header.session = "session";
  run.header.layout = Layout::duet;
  run.header.seed = std::numeric_limits<std::uint64_t>::max();
  run.header.settings = {{"repetitions", "3"}, {"", "empty name"}, {"min_time", ""}};
  run.environment.facts = {{"cpu.model", "A \"CPU\", of sorts", true},
                           {"compiler", "g++ 12", false},
                           {"compiler", "twice \\ in a row", false}};
  run.invocations = {{0, 0, 1, kFirstTime, 1'000'000}, {0, 1, -1, kFirstTime + 5, 0}};
  run.invocations.push_back({0, 0, 1, kFirstTime + 9, 2'000'000});
  run.invocations.back().conditions = {1, 2, 0, 300, 4, 5'000'000, 6, 10'000'000, std::nullopt, 2999.5, 3000.25};
  run.invocations.back().disturbed_by = {"steal time", "a \"quoted\" {cause}"};
  run.invocations.back().excluded = true;
  run.measurements = {noisy(number), counted()};
  run.measurements.back().excluded = {{2, {7021, 7022}, {1, 1}}};
  run.profiles = {example_profile()};
  Failure whole;
  whole.said = "exit status 1: \"it \xFF broke\"" + std::string(1, '\0') + "\r\n";
  run.failures = {whole,
                  {{"BM_crash", {}, std::nullopt, "", "", ""}, "real_time", 3, "timed out"},
                  {{"BM_skip", {}, std::nullopt, "", "", ""}, "", 0, "no AVX10 here", FailureKind::skipped},
                  {{"BM_skip", {}, std::nullopt, "", "", ""}, "", 1, "", FailureKind::reported_error}};
  run.labels = {{"BM_sort/1024 [suite=cpu]", "target: 0.6 of bandwidth"}, {"BM_crash", "item:\xFF\t\"{}\\"}};
  return run;
}

Comparison example_comparison() {
  Comparison comparison;
  comparison.baseline = example_run(1).header;
  comparison.candidate = example_run(2).header;
  comparison.baseline_fingerprint = example_run(1).environment.fingerprint();
  comparison.candidate_fingerprint = comparison.baseline_fingerprint;
  comparison.environment_differences = {{"compiler", "g++ 12", "g++ 14", false}};
  comparison.policy.metrics = {"real_time"};
  comparison.rule_version = "1";
  comparison.warnings = {"assumed to be one machine"};
  ComparisonRow worse;
  worse.benchmark = "BM_sort/1024";
  worse.metric = *well_known_metric(kRealTime);
  worse.baseline = 812.4;
  worse.candidate = 871;
  worse.ratio = 1.0721;
  worse.interval = Interval{1.061, 1.083};
  worse.p = 1.2e-9;
  worse.test = TestKind::rounds;
  worse.verdict = Verdict::regression;
  worse.reason = "slower by 7.2 %";
  worse.functions = {{"sort", "sort.cpp", 42, 1, 100, 0, 0.97, true}, {"memcpy", "???", 0, 90, 90, 1, 0.9, false}};
  ComparisonRow gone;
  gone.benchmark = "BM_gone";
  gone.metric = worse.metric;
  gone.verdict = Verdict::fresh;
  comparison.rows = {worse, gone};
  return comparison;
}

}  // namespace steelyard::storage_test
