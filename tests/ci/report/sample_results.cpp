#include "tests/ci/report/sample_results.hpp"

#include <utility>

#include "ci/report/judgement_text.hpp"

namespace steelyard::sample {
namespace {

RunHeader header(const std::string& sha, const std::string& subject) {
  RunHeader header;
  header.id = sha.substr(0, 8) + "00112233";
  header.created_at_unix_ns = 1767225600'000000000;
  header.tool = "steelyard 0.1.0";
  header.project = "textkit";
  header.program = "./bench_textkit";
  header.commit.sha = sha;
  header.commit.parent = "0f0e0d0c0b0a09080706050403020100ffeeddcc";
  header.commit.branch = "main";
  header.commit.subject = subject;
  header.session = "5e55";
  header.layout = Layout::duet;
  header.seed = 7;
  header.settings = {{"repetitions", "10"}, {"rounds_planned", "24"}};
  return header;
}

std::vector<FunctionChange> lost_reserve() {
  FunctionChange tokenize{"textkit::tokenize(std::string_view)", "src/tokenizer.cpp", 41, 12, 1351, 0, 0.99, true};
  FunctionChange insert{"void std::vector<textkit::Token, std::allocator<textkit::Token> >::_M_realloc_insert",
                        "/usr/include/c++/12/bits/vector.tcc",
                        436,
                        812,
                        1204,
                        11,
                        0.595,
                        false};
  FunctionChange copy{"__memcpy_avx_unaligned_erms", "???", 0, 402, 402, 11, 0.294, false};
  tokenize.from_calls = 0;
  tokenize.from_cost_per_call = 1351;
  insert.from_calls = 1003;
  insert.from_cost_per_call = 201;
  copy.from_calls = 402;
  copy.from_cost_per_call = 0;
  return {tokenize, insert, copy};
}

ComparisonRow without_answer(const std::string& benchmark, Verdict verdict, const std::string& reason) {
  ComparisonRow row = time_row(benchmark, 1, verdict);
  row.baseline = verdict == Verdict::fresh ? std::nullopt : std::optional(431.0);
  row.candidate = verdict == Verdict::fresh ? std::optional(388.0) : std::nullopt;
  row.ratio = std::nullopt;
  row.interval = std::nullopt;
  row.p = row.q = row.slot_effect = row.minimum_detectable_effect = std::nullopt;
  row.test = TestKind::none;
  row.rounds = 0;
  row.reason = reason;
  return row;
}

}  // namespace

ComparisonRow time_row(const std::string& benchmark, double ratio, Verdict verdict) {
  ComparisonRow row;
  row.benchmark = benchmark;
  row.metric = *well_known_metric(kRealTime);
  row.baseline = 812.4;
  row.candidate = 812.4 * ratio;
  row.ratio = ratio;
  row.interval = Interval{ratio - 0.006, ratio + 0.006};
  row.test = TestKind::rounds;
  row.layout = Layout::duet;
  const bool is_changed = is_change(verdict);
  row.p = is_changed ? 1.2e-9 : 0.41;
  row.q = is_changed ? 8.0e-8 : 1.0;
  row.minimum_detectable_effect = 0.006;
  row.slot_effect = 1.0021;
  row.rounds = 24;
  row.verdict = verdict;
  row.reason = "estimated from 24 rounds";
  return row;
}

ComparisonRow instructions_row(const std::string& benchmark, double baseline, double candidate) {
  ComparisonRow row;
  row.benchmark = benchmark;
  row.metric = *well_known_metric(kInstructions);
  row.baseline = baseline;
  row.candidate = candidate;
  row.ratio = candidate / baseline;
  row.interval = Interval{candidate / baseline, candidate / baseline};
  row.test = TestKind::exact;
  row.layout = Layout::separate;
  row.jitter = 0;
  row.verdict = candidate > baseline   ? Verdict::regression
                : candidate < baseline ? Verdict::improvement
                                       : Verdict::unchanged;
  row.reason = "counted exactly";
  return row;
}

Comparison comparison_with_every_verdict() {
  Comparison comparison;
  comparison.baseline = header("3f2a91c4d5e6f708192a3b4c5d6e7f8091a2b3c4", "Split the tokenizer in two");
  comparison.candidate = header("8b01d77e6f5a4b3c2d1e0f9a8b7c6d5e4f3a2b1c", "Let the token list grow as it needs");
  comparison.baseline_fingerprint = comparison.candidate_fingerprint = "c0ffee0123456789";
  comparison.environment_differences = {{"compiler.version", "g++ 12.2.0", "g++ 12.3.0", false}};
  comparison.rule_version = "rounds-1";
  comparison.warnings = {"the governor of core 1 was powersave; a fixed frequency would narrow the intervals"};

  ComparisonRow slow_count = instructions_row("BM_tokenize/1024", 11013, 12378);
  ComparisonRow slow_time = time_row("BM_tokenize/1024", 1.0721, Verdict::regression);
  slow_count.functions = slow_time.functions = lost_reserve();
  slow_count.call_path = slow_time.call_path = {"BM_tokenize(benchmark::State&)", slow_count.functions[0].name,
                                                slow_count.functions[1].name};
  ComparisonRow open = time_row("BM_matmul/64/threads:2", 1.014, Verdict::inconclusive);
  open.baseline = 48.1e3;
  open.candidate = 48.1e3 * 1.014;
  open.interval = Interval{0.981, 1.049};
  open.p = 0.38;
  open.q = 1.0;
  open.minimum_detectable_effect = 0.021;
  open.reason = "the interval reaches from -1.9 % to +4.9 %: 24 rounds of this noise cannot tell";
  ComparisonRow hidden = instructions_row("BM_hash/8", 2000, 2040);
  ComparisonRow skipped = without_answer("BM_search/avx10", Verdict::skipped, "both sides skipped it: no AVX10 here");
  skipped.baseline.reset();
  comparison.rows = {
      time_row("BM_hash/8", 1.001, Verdict::unchanged),
      hidden,
      time_row("BM_intern/64", 0.9012, Verdict::improvement),
      instructions_row("BM_intern/64", 91230, 80411),
      open,
      without_answer(
          "BM_parse/empty", Verdict::failed,
          "the candidate's program ended by signal 11 (segmentation fault) in round 3; its last line: parse: "
          "input is empty"),
      time_row("BM_rank<std::less<int>, Descending>/1048576/buckets:4096", 1.0004, Verdict::unchanged),
      without_answer("BM_rank_wide/8", Verdict::fresh, "only the candidate has it"),
      skipped,
      without_answer("BM_split/16", Verdict::missing, "only the baseline has it"),
      without_answer("BM_sum/f32", Verdict::incomparable,
                     "measured on different machines: cpu.model is Xeon 8259CL there and EPYC 7R13 here"),
      slow_time,
      slow_count,
      time_row("BM_trim/8", 0.9987, Verdict::unchanged),
      instructions_row("BM_trim/8", 642, 642),
  };
  ci::decide_gates_in_words(comparison);
  return comparison;
}

Comparison quiet_comparison(int benchmarks) {
  Comparison comparison = comparison_with_every_verdict();
  comparison.rows.clear();
  comparison.warnings.clear();
  comparison.environment_differences.clear();
  for (int i = 0; i < benchmarks; ++i) {
    comparison.rows.push_back(time_row("BM_case/" + std::to_string(i), 1 + 0.0001 * (i % 40 - 20), Verdict::unchanged));
  }
  return comparison;
}

ComparisonRow row_changed_in(const std::string& benchmark, const std::string& file, int line, double factor) {
  ComparisonRow row = instructions_row(benchmark, 1000, 1000 * factor);
  const double change = 1000 * (factor - 1);
  row.functions = {{"work_of_" + benchmark + "(int)", file, line, change, change, 0, 1, true}};
  return row;
}

Comparison comparison_of(std::vector<ComparisonRow> rows) {
  Comparison comparison = quiet_comparison(0);
  comparison.rows = std::move(rows);
  return comparison;
}

storage::HistorySeries history_of_four_commits() {
  storage::HistorySeries series;
  series.benchmark = "BM_tokenize/1024";
  series.metric = *well_known_metric(kRealTime);
  series.fingerprint = "c0ffee0123456789";
  const std::int64_t start = 1767225600'000000000;
  series.points = {
      {"11aa", "1a2b3c4d5e6f", "Begin textkit", start, 812.4, 240, 24},
      {"22bb", "3f2a91c4d5e6", "Split the tokenizer in two", start + 600'000000000, 813.0, 240, 24},
      {"33cc", "8b01d77e6f5a", "Let the token list grow as it needs", start + 1200'000000000, 871.0, 240, 24},
      {"44dd", "9c12e88f7a6b", "Reserve the token list again", start + 1800'000000000, 811.7, 240, 24},
  };
  return series;
}

Run run_with_a_failure() {
  Run run;
  run.header = header("8b01d77e6f5a4b3c2d1e0f9a8b7c6d5e4f3a2b1c", "Let the token list grow as it needs");
  run.environment.set("cpu.model", "Xeon 8259CL", true);
  run.invocations = {{0, 0, 1, 0, 0}, {1, 0, 1, 0, 0}};
  Measurement time;
  time.benchmark.name = "BM_tokenize";
  time.benchmark.parameters = {{"", "1024"}};
  time.metric = *well_known_metric(kRealTime);
  time.invocations = {{0, {810, 812, 820}, {100, 100, 100}}, {1, {815, 816, 830}, {100, 100, 100}}};
  Measurement count = time;
  count.metric = *well_known_metric(kInstructions);
  count.invocations = {{0, {12378}, {}}};
  run.measurements = {time, count};
  Failure failure;
  failure.benchmark.name = "BM_parse/empty";
  failure.round = 2;
  failure.said = "ended by signal 11 (segmentation fault); its last line: parse: input is empty";
  Failure skip;
  skip.benchmark.name = "BM_search/avx10";
  skip.round = 0;
  skip.said = "no AVX10 here";
  skip.kind = FailureKind::skipped;
  run.failures = {failure, skip, skip};
  run.failures.back().round = 1;
  return run;
}

}  // namespace steelyard::sample
