#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "storage/calibration/calibration_document.hpp"
#include "storage/comparison/comparison_document.hpp"
#include "storage/comparison/history_document.hpp"
#include "storage/document/json_value.hpp"
#include "storage/place/whole_file.hpp"

namespace steelyard {
namespace {

constexpr std::size_t kMostRows = 1'000'000;
constexpr std::size_t kMostTexts = 10'000;  // metrics, facts, warnings, functions, looks of one list
constexpr std::int64_t kMostRounds = 1'000'000;

// A word of a fixed list, by the function that parses it.
template <class Parse>
auto word(const JsonValue& value, Parse parse, const char* wanted) {
  const auto parsed = parse(value.text());
  if (!parsed) value.refuse(wanted);
  using Word = typename std::decay_t<decltype(parsed)>::value_type;
  return parsed.value_or(Word{});
}

RunHeader read_header(const JsonValue& value) {
  RunHeader header;
  header.id = value.at("id").text();
  header.created_at_unix_ns = value.at("created_at_unix_ns").integer(INT64_MIN, INT64_MAX);
  header.tool = value.at("tool").text();
  header.project = value.at("project").text();
  header.program = value.at("program").text();
  header.commit.sha = value.at("commit").text();
  header.commit.parent = value.at("parent").text();
  header.commit.branch = value.at("branch").text();
  header.commit.subject = value.at("subject").text();
  if (!value.at("committed_at_unix_s").is_null()) {
    header.commit.committed_at_unix_s = value.at("committed_at_unix_s").integer(INT64_MIN, INT64_MAX);
  }
  header.commit.dirty = value.at("dirty").boolean();
  header.session = value.at("session").text();
  header.layout = word(value.at("layout"), parse_layout, "a layout");
  header.seed = value.at("seed").unsigned_integer();
  const JsonValue settings = value.at("settings");
  if (settings.is_null()) return header;
  for (const std::string& name : settings.names()) header.settings[name] = settings.at(name).text();
  return header;
}

ComparisonPolicy read_policy(const JsonValue& value) {
  ComparisonPolicy policy;
  policy.false_alarm_rate = value.at("false_alarm_rate").number();
  policy.confidence = value.at("confidence").number();
  policy.minimum_effect = value.at("minimum_effect").number();
  policy.margin = value.at("margin").number();
  policy.seed = value.at("seed").unsigned_integer();
  policy.metrics = value.at("metrics").texts(kMostTexts);
  policy.gates = value.at("gates").texts(kMostTexts);
  policy.counted_minimum_effect = value.at("counted_minimum_effect").number();
  policy.witness = word(value.at("witness"), parse_witness, "decided, either, time, instructions or both");
  policy.ignored_facts = value.at("ignored_facts").texts(kMostTexts);
  return policy;
}

FunctionChange read_function(const JsonValue& value) {
  FunctionChange function;
  function.name = value.at("name").text();
  function.file = value.at("file").text();
  if (!value.at("line").is_null()) function.line = static_cast<std::int32_t>(value.at("line").integer(0, INT32_MAX));
  function.self_change = value.at("self_change").number_or_absent().value_or(0);
  function.inclusive_change = value.at("inclusive_change").number_or_absent().value_or(0);
  function.calls_change = value.at("calls_change").number_or_absent().value_or(0);
  function.share = value.at("share").number_or_absent().value_or(0);
  function.own_source = value.at("own_source").boolean();
  function.from_calls = value.at("from_calls").number_or_absent();
  function.from_cost_per_call = value.at("from_cost_per_call").number_or_absent();
  function.renamed_from = value.at("renamed_from").text();
  function.inlined_into = value.at("inlined_into").text();
  function.once_inlined_into = value.at("once_inlined_into").text();
  return function;
}

void read_evidence(const JsonValue& value, ComparisonRow& row) {
  row.p = value.at("p").number_or_absent();
  row.p_kind = value.at("p_kind").text();
  for (const JsonValue& look : value.at("looks").items(kMostTexts)) {
    row.looks.push_back({static_cast<std::int32_t>(look.at("rounds").integer(0, kMostRounds)),
                         look.at("p").number_or_absent().value_or(1), look.at("share").number_or_absent().value_or(1)});
  }
  row.q = value.at("q").number_or_absent();
  row.discovery_q = value.at("discovery_q").number_or_absent();
  row.equivalence_interval = value.at("equivalence_interval").interval();
  if (!value.at("rounds_wanted").is_null()) {
    row.rounds_wanted = static_cast<std::int32_t>(value.at("rounds_wanted").integer(0, INT32_MAX));
  }
  const JsonValue noise = value.at("noise");
  row.noise = {noise.at("within").number_or_absent(), noise.at("between").number_or_absent(),
               noise.at("rounds").number_or_absent()};
  row.minimum_detectable_effect = value.at("minimum_detectable_effect").number_or_absent();
  row.slot_effect = value.at("slot_effect").number_or_absent();
  row.jitter = value.at("jitter").number_or_absent();
}

SoloCheck read_solo(const JsonValue& value) {
  SoloCheck solo;
  solo.ratio = value.at("ratio").number_or_absent().value_or(1);
  solo.interval = value.at("interval").interval();
  solo.rounds = static_cast<std::int32_t>(value.at("rounds").integer(0, kMostRounds));
  if (!value.at("agrees").is_null()) solo.agrees = value.at("agrees").boolean();
  return solo;
}

ComparisonRow read_row(const JsonValue& value) {
  ComparisonRow row;
  row.benchmark = value.at("benchmark").text();
  row.metric.name = value.at("metric").text();
  row.metric.unit = value.at("unit").text();
  row.metric.better = word(value.at("better"), parse_better, "lower, higher or undeclared");
  row.metric.kind = word(value.at("kind"), parse_metric_kind, "noisy or counted");
  row.baseline = value.at("baseline").number_or_absent();
  row.candidate = value.at("candidate").number_or_absent();
  row.ratio = value.at("ratio").number_or_absent();
  row.interval = value.at("interval").interval();
  row.confidence = value.at("confidence").number();
  row.test = value.at("test").text();
  row.layout = word(value.at("layout"), parse_layout, "a layout");
  row.rounds = static_cast<std::int32_t>(value.at("rounds").integer(0, kMostRounds));
  row.minimum_effect = value.at("minimum_effect").number();
  row.margin = value.at("margin").number();
  read_evidence(value, row);
  if (!value.at("count_scope").is_null()) {
    row.count_scope =
        word(value.at("count_scope"), parse_count_scope, "timed region, whole functions or whole program");
  }
  if (!value.at("solo").is_null()) row.solo = read_solo(value.at("solo"));
  row.verdict = word(value.at("verdict"), parse_verdict, "a verdict");
  row.reason = value.at("reason").text();
  row.gates = value.at("gates").boolean();
  row.gate_note = value.at("gate_note").text();
  for (const JsonValue& function : value.at("functions").items(kMostTexts)) {
    row.functions.push_back(read_function(function));
  }
  row.call_path = value.at("call_path").texts(kMostTexts);
  return row;
}

void read_circumstances(const JsonValue& root, Comparison& comparison) {
  for (const JsonValue& value : root.at("environment_differences").items(kMostTexts)) {
    comparison.environment_differences.push_back({value.at("name").text(), value.at("baseline").text(),
                                                  value.at("candidate").text(), value.at("decisive").boolean()});
  }
  comparison.warnings = root.at("warnings").texts(kMostTexts);
  for (const JsonValue& value : root.at("drifts").items(kMostTexts)) {
    comparison.drifts.push_back({value.at("metric").text(), value.at("ratio").number_or_absent().value_or(1),
                                 value.at("deviation").number_or_absent().value_or(0),
                                 value.at("benchmarks").integer(0, INT64_MAX), value.at("removed").boolean()});
  }
  const JsonValue calibration = root.at("calibration");
  if (!calibration.is_null()) comparison.calibration = read_calibration_value(calibration);
  const JsonValue history = root.at("history");
  if (!history.is_null()) comparison.history = read_history_value(history);
}

}  // namespace

Result<Comparison> parse_comparison(std::string_view text, const std::string& name) {
  STEELYARD_TRY(const JsonDocument document, JsonDocument::parse(text, name, kComparisonSchema));
  const JsonValue root = document.root();
  Comparison comparison;
  comparison.baseline = read_header(root.at("baseline"));
  comparison.candidate = read_header(root.at("candidate"));
  comparison.baseline_fingerprint = root.at("baseline").at("fingerprint").text();
  comparison.candidate_fingerprint = root.at("candidate").at("fingerprint").text();
  comparison.policy = read_policy(root.at("policy"));
  comparison.rule_version = root.at("rule_version").text();
  read_circumstances(root, comparison);
  for (const JsonValue& row : root.at("comparisons").items(kMostRows)) comparison.rows.push_back(read_row(row));
  STEELYARD_CHECK(document.check());
  return comparison;
}

int comparison_version(std::string_view beginning) {
  constexpr std::string_view kName = "\"steelyard.comparison/";
  const std::size_t at = beginning.find(kName);
  if (at == std::string_view::npos) return 0;
  int version = 0;
  const char* const digits = beginning.data() + at + kName.size();
  std::from_chars(digits, beginning.data() + beginning.size(), version);
  return std::max(version, 0);
}

Result<Comparison> as_kept(const Comparison& comparison) {
  return parse_comparison(comparison_document(comparison), "the comparison");
}

Result<Comparison> read_comparison(const std::filesystem::path& file) {
  STEELYARD_TRY(const std::string text, read_file(file, kMostComparisonBytes));
  return parse_comparison(text, file.string());
}

}  // namespace steelyard
