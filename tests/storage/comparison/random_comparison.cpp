#include "tests/storage/comparison/random_comparison.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <utility>

namespace steelyard::storage_test {

std::uint64_t RandomComparison::below(std::uint64_t limit) { return engine_() % limit; }

std::string RandomComparison::text() {
  static const std::vector<std::string> parts{"BM_",
                                              "/",
                                              "\"",
                                              "\\",
                                              "{",
                                              "}",
                                              ",",
                                              "\n",
                                              "\t",
                                              "ä",
                                              "\xf0\x9f\x98\x80",
                                              "",
                                              "a",
                                              "\x01",
                                              "null",
                                              " ",
                                              "'",
                                              std::string(1, '\0')};
  std::string text;
  for (std::uint64_t left = below(6); left > 0; --left) text += parts[below(parts.size())];
  return text;
}

std::vector<std::string> RandomComparison::texts() {
  std::vector<std::string> texts(below(4));
  for (std::string& one : texts) one = text();
  return texts;
}

// Usual ones, and any bits that are a finite number.
double RandomComparison::number() {
  if (coin()) return static_cast<double>(below(2'000'001)) / 1e6;
  for (;;) {
    const auto value = std::bit_cast<double>(engine_());
    if (std::isfinite(value)) return value;
  }
}

std::optional<double> RandomComparison::perhaps_number() { return coin() ? std::optional(number()) : std::nullopt; }

RunHeader RandomComparison::header() {
  RunHeader header;
  header.id = text();
  header.created_at_unix_ns = std::bit_cast<std::int64_t>(engine_());
  header.tool = text();
  header.project = text();
  header.program = text();
  header.commit = {text(), text(), text(), text(), std::bit_cast<std::int64_t>(engine_()), coin()};
  header.session = text();
  header.layout = static_cast<Layout>(below(4));
  header.seed = engine_();
  for (std::uint64_t left = below(3); left > 0; --left) header.settings[text()] = text();
  return header;
}

Calibration RandomComparison::calibration() {
  Calibration calibration;
  calibration.fingerprint = text();
  calibration.at_unix_s = std::bit_cast<std::int64_t>(engine_());
  calibration.program = text();
  calibration.layout = static_cast<Layout>(below(4));
  calibration.seed = engine_();
  calibration.rounds = count();
  calibration.level = 0.01;
  calibration.false_gates = {1, 40, {0.1 / 3, 0.13}};
  calibration.drift_sequential = coin() ? std::optional(std::fabs(number())) : std::nullopt;
  calibration.benchmarks = {
      {"BM_a", "real_time", {0, 4, {0, 0.6}}, std::fabs(number()), {}, 0.01, {}, 0.02, {}, text()}};
  calibration.failed = coin();
  calibration.reason = text();
  return calibration;
}

FunctionChange RandomComparison::function() {
  FunctionChange function;
  function.name = text();
  function.file = text();
  function.line = count();
  function.self_change = number();
  function.inclusive_change = number();
  function.calls_change = number();
  function.share = number();
  function.own_source = coin();
  function.from_calls = perhaps_number();
  function.from_cost_per_call = perhaps_number();
  function.renamed_from = text();
  function.inlined_into = text();
  function.once_inlined_into = text();
  return function;
}

ComparisonRow RandomComparison::row() {
  ComparisonRow row;
  row.benchmark = text();
  row.metric = {text(), text(), static_cast<Better>(below(3)), static_cast<MetricKind>(below(2))};
  row.baseline = perhaps_number();
  row.candidate = perhaps_number();
  row.ratio = perhaps_number();
  if (coin()) row.interval = interval();
  row.confidence = number();
  constexpr std::size_t kTests = 7;  // as of the verdicts below
  row.test = static_cast<TestKind>(text().size() % kTests);
  row.layout = static_cast<Layout>(below(4));
  row.p = perhaps_number();
  row.p_kind = text().size() % 2 == 0 ? PKind::fixed : PKind::sequential;
  for (std::uint64_t left = below(3); left > 0; --left) row.looks.push_back({count(), number(), number()});
  row.q = perhaps_number();
  row.discovery_q = perhaps_number();
  row.minimum_effect = number();
  row.margin = number();
  row.minimum_detectable_effect = perhaps_number();
  if (coin()) row.equivalence_interval = interval();
  if (coin()) row.rounds_wanted = count();
  row.noise = {perhaps_number(), perhaps_number(), perhaps_number()};
  row.slot_effect = perhaps_number();
  row.rounds = count();
  row.jitter = perhaps_number();
  if (row.metric.kind == MetricKind::counted) row.count_scope = static_cast<CountScope>(below(3));
  if (coin()) row.solo = SoloCheck{number(), std::nullopt, count(), std::nullopt};
  if (row.solo && coin()) row.solo->interval = interval();
  if (row.solo && coin()) row.solo->agrees = coin();
  constexpr std::uint64_t kVerdicts = 8;  // without `skipped`, which came later: another bound draws other comparisons
  row.verdict = static_cast<Verdict>(below(kVerdicts));
  row.reason = text();
  for (std::uint64_t left = below(3); left > 0; --left) row.functions.push_back(function());
  row.call_path = texts();
  row.gates = coin();
  row.gate_note = text();
  return row;
}

PatternPolicy RandomComparison::pattern() {
  PatternPolicy pattern;
  pattern.match = text();
  pattern.minimum_effect = perhaps_number();
  pattern.margin = perhaps_number();
  pattern.counted_minimum_effect = perhaps_number();
  if (coin()) pattern.gates = texts();
  if (coin()) pattern.budget_ns = count();
  pattern.owner = text();
  pattern.where = text();
  pattern.until = text();
  pattern.reason = text();
  pattern.accepted_by = text();
  pattern.accepted_commit = text();
  pattern.machine = text();
  return pattern;
}

Creep RandomComparison::creep() {
  Creep creep;
  creep.origin = static_cast<LevelOrigin>(below(words_of(LevelOrigin{}).size()));
  creep.commit = text();
  creep.release = text();
  creep.at_unix_s = count();
  creep.accepted = number();
  creep.level = number();
  creep.ratio = number();
  creep.effect = number();
  creep.beyond = coin();
  for (std::uint64_t left = below(4); left > 0; --left) {
    CreepStep& step = creep.steps.emplace_back();
    step.commit = text();
    step.level = number();
    step.ratio = number();
  }
  return creep;
}

void RandomComparison::draw_later_fields(ComparisonRow& row) {
  row.noise.code_layout = perhaps_number();
  if (coin()) row.noise.code_layouts = count();
  if (coin()) row.noise.over_code_layouts = interval();
  row.cycles_ratio = perhaps_number();
  if (below(8) == 0) row.verdict = Verdict::skipped;
  for (std::size_t note = 0; note < kRowNoteCount; ++note) {
    if (below(4) == 0) row.notes.add(static_cast<RowNote>(note));
  }
  row.policies = texts();
  row.owner = text();
  if (coin()) row.creep = creep();
}

ChangePoint RandomComparison::change() {
  ChangePoint change;
  change.index = below(10);
  change.commit = text();
  change.last_good = text();
  change.before = number();
  change.after = number();
  change.ratio = perhaps_number();
  change.p = number();
  change.status = coin() ? ChangeStatus::confirmed : ChangeStatus::suspected;
  change.regression = coin();
  change.id = text();
  change.first = below(10);
  change.last = below(10);
  change.shared = number();
  return change;
}

SeriesHistory RandomComparison::series() {
  SeriesHistory history;
  history.series = {text(), text(), text(), static_cast<Better>(below(3)), {}};
  const bool has_one_each = coin();
  for (std::uint64_t left = below(12); left > 0; --left) {
    SeriesPoint point{{}, "commit " + std::to_string(below(5)), coin() ? "machine" : text(), text()};
    for (std::uint64_t more = has_one_each ? 1 : below(4); more > 0; --more) point.values.push_back(number());
    history.series.points.push_back(std::move(point));
  }
  for (std::uint64_t left = below(3); left > 0; --left) history.changes.push_back(change());
  history.usual_invocations = number();
  if (coin()) history.accepted = AcceptedLevel{number(), text()};
  return history;
}

JudgedHistory RandomComparison::draw_history() {
  JudgedHistory history;
  history.branch = text();
  for (std::uint64_t left = below(6); left > 0; --left) history.series.push_back(series());
  return history;
}

Comparison RandomComparison::draw(bool with_history) {
  Comparison comparison;
  comparison.baseline = header();
  comparison.candidate = header();
  comparison.baseline_fingerprint = text();
  comparison.candidate_fingerprint = text();
  for (std::uint64_t left = below(3); left > 0; --left) {
    comparison.environment_differences.push_back({text(), text(), text(), coin()});
  }
  comparison.policy = {number(), number(),  number(),
                       number(), engine_(), texts(),
                       texts(),  number(),  static_cast<Witness>(below(kWitnessCount)),
                       texts()};
  comparison.rule_version = text();
  comparison.warnings = texts();
  for (std::uint64_t left = below(3); left > 0; --left) {
    comparison.drifts.push_back({text(), number(), number(), count(), coin()});
  }
  if (coin()) comparison.calibration = calibration();
  if (with_history) comparison.history = draw_history();
  for (std::uint64_t left = below(8); left > 0; --left) comparison.rows.push_back(row());
  return comparison;
}

Comparison RandomComparison::draw_with_later_fields(bool with_history) {
  Comparison comparison = draw(with_history);
  for (ComparisonRow& row : comparison.rows) draw_later_fields(row);
  for (std::uint64_t left = below(3); left > 0; --left) comparison.policy.patterns.push_back(pattern());
  for (std::uint64_t left = below(3); left > 0; --left) {
    std::string earlier = text();
    comparison.earlier_names[std::move(earlier)] = text();
  }
  return comparison;
}

}  // namespace steelyard::storage_test
