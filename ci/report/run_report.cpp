// One run: levels and their two spreads, counts, what failed.
#include "ci/report/run_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/left_processes.hpp"
#include "bench/model/number_text.hpp"
#include "bench/model/run.hpp"
#include "bench/model/text.hpp"
#include "ci/app/terminal_text.hpp"
#include "ci/report/charts/text_charts.hpp"
#include "ci/report/comparison_text.hpp"
#include "ci/report/judgement_text.hpp"
#include "ci/report/markup.hpp"
#include "ci/report/profile.hpp"
#include "ci/report/targets.hpp"
#include "storage/comparison/comparison_document.hpp"

namespace steelyard::ci {
namespace {

constexpr std::array<std::string_view, kCounterGroupCount> kGroupTitles{"caches (model)", "branches (model)", "heap",
                                                                        "machine", "device"};
static_assert(!kGroupTitles.back().empty());

// Texts of the values by benchmark, in the order of the run, and metric.
class CounterValues {
 public:
  explicit CounterValues(const Run& run) {
    for (const Measurement& measurement : run.measurements) {
      if (!is_extra_counter(measurement.metric.name)) continue;
      const std::string name = measurement.benchmark.canonical();
      const auto [at, is_new] = of_benchmark_.try_emplace(name);
      if (is_new) order_.push_back(name);
      const SampleSummary summary = summarize(measurement);
      at->second[measurement.metric.name] = summary.level ? level_text(*summary.level, measurement.metric.unit) : "-";
      metrics_.insert(measurement.metric.name);
    }
  }

  bool has(std::string_view metric) const { return metrics_.find(metric) != metrics_.end(); }
  const std::vector<std::string>& benchmarks() const { return order_; }
  // Null where that benchmark has no such value.
  const std::string* find(const std::string& benchmark, std::string_view metric) const {
    const auto& values = of_benchmark_.at(benchmark);
    const auto at = values.find(metric);
    return at == values.end() ? nullptr : &at->second;
  }

 private:
  std::map<std::string, std::map<std::string, std::string, std::less<>>> of_benchmark_;
  std::vector<std::string> order_;
  std::set<std::string, std::less<>> metrics_;
};

std::string group_text(const CounterValues& values, CounterGroup group, const TerminalStyle& style,
                       std::size_t max_name) {
  std::vector<ExtraCounter> counters = extra_counters_of(group);
  std::erase_if(counters, [&](const ExtraCounter& counter) { return !values.has(counter.metric); });
  if (counters.empty()) return "";
  const ShownNames names(values.benchmarks(), style, max_name);
  std::vector<std::vector<std::string>> rows{{std::string(kGroupTitles.at(static_cast<std::size_t>(group)))}};
  for (const ExtraCounter& counter : counters) rows.front().emplace_back(counter.column);
  for (const std::string& benchmark : values.benchmarks()) {
    const auto has_it = [&](const ExtraCounter& counter) { return values.find(benchmark, counter.metric) != nullptr; };
    if (std::none_of(counters.begin(), counters.end(), has_it)) continue;
    std::vector<std::string>& row = rows.emplace_back();
    row.push_back(names.of(benchmark));
    for (const ExtraCounter& counter : counters) {
      const std::string* value = values.find(benchmark, counter.metric);
      row.push_back(value == nullptr ? "-" : *value);
    }
  }
  std::vector<Align> aligns(counters.size() + 1, Align::right);
  aligns.front() = Align::left;
  return "\n" + with_dim_head(aligned_rows(rows, aligns, ""), style.color);
}

std::string head_text(const Run& run, const TerminalStyle& style) {
  std::string line = printable(run.header.program.empty() ? run.header.tool : run.header.program, style.unicode);
  if (!run.header.commit.sha.empty()) {
    line += "  " + shown_sha(run.header.commit.sha) + (run.header.commit.dirty ? "+" : "");
    if (!run.header.commit.subject.empty()) line += " " + printable(run.header.commit.subject, style.unicode);
  }
  line = shortened(line, style.columns(), style.unicode);
  std::string facts;
  const auto add = [&](const std::string& fact) { facts += (facts.empty() ? "" : ", ") + fact; };
  if (!run.header.id.empty()) add("run " + run.header.id.substr(0, 12));
  const std::string fingerprint = run.environment.fingerprint();
  if (!fingerprint.empty()) add("machine " + shown_id(fingerprint));
  if (const std::string* model = run.environment.find("cpu.model")) add(printable(*model, style.unicode));
  return paint(line, Tone::strong, style.color) + "\n" +
         (facts.empty() ? "" : paint(facts, Tone::dim, style.color) + "\n") + "\n";
}

std::string spread_text(const std::optional<double>& spread) {
  return spread ? (*spread == 0 ? "0 %" : share_text(*spread, *spread < 0.001 ? 2 : 1)) : "";
}

// "20 x 3": samples of each invocation times invocations, as far as they are equal; else the sum.
std::string samples_text(const SampleSummary& summary) {
  if (summary.invocations == 0) return "none";
  if (summary.samples % summary.invocations == 0) {
    return grouped_text(summary.invocations) + " x " + grouped_text(summary.samples / summary.invocations);
  }
  return grouped_text(summary.samples) + " in " + grouped_text(summary.invocations);
}

// Whose failures of this metric have the same words: one cause, however many benchmarks.
std::string names_alike(const Run& run, const Failure& first) {
  std::set<std::string> names;
  for (const Failure& failure : run.failures) {
    if (failure.metric != first.metric || to_text(failure) != to_text(first)) continue;
    names.insert(failure.benchmark.canonical());
  }
  return named_benchmarks({names.begin(), names.end()}, 4);
}

// What left itself out says so in every round, and what was not reached in every benchmark: once is enough.
std::string failures_text(const Run& run, const TerminalStyle& style) {
  constexpr std::size_t kIndent = 11;
  std::set<std::string> told;
  std::string text;
  for (const Failure& failure : run.failures) {
    const bool skipped = is_skip(failure.kind), not_reached = failure.kind == FailureKind::not_reached;
    const bool failed = !skipped && !not_reached;
    std::string name = failure.benchmark.name.empty() ? "the program" : name_as_given(failure.benchmark.canonical());
    const bool of_all = failure.metric.empty() || (not_reached && failure.metric == kRealTime);
    std::string what = of_all ? "" : ", " + failure.metric;
    if (failure.round >= 0 && failed) what += ", round " + std::to_string(failure.round + 1);
    what += ": " + to_text(failure);
    if (!failed && !told.insert(not_reached ? what : name + what).second) continue;
    if (not_reached && !failure.benchmark.name.empty()) name = names_alike(run, failure);
    what = name + what;
    const VerdictMark mark = mark_of(failed ? Verdict::failed : skipped ? Verdict::skipped : Verdict::inconclusive);
    const std::string word = failed ? " failed" : skipped ? " skipped" : " not run";
    const std::string head = padded((style.unicode ? mark.unicode : mark.ascii) + word, kIndent);
    const std::vector<std::string> lines =
        wrapped(printable(what, style.unicode), style.columns(static_cast<int>(kIndent), 30));
    for (std::size_t i = 0; i < lines.size(); ++i) {
      text += (i == 0 ? paint(head, failed ? Tone::bad : Tone::dim, style.color) : std::string(kIndent, ' ')) +
              lines[i] + "\n";
    }
  }
  return text;
}

bool is_wider_than_its_loop(const Measurement& measurement) {
  return measurement.metric.kind == MetricKind::counted && measurement.count_basis.scope != CountScope::timed_region;
}

// "instructions, whole program": the number beside it has another meaning than one of the timed region.
std::string counted_label(const Measurement& measurement) {
  const std::string label = metric_label(measurement.metric);
  if (!is_wider_than_its_loop(measurement)) return label;
  return label + ", " + std::string(to_text(measurement.count_basis.scope));
}

// What such counts hold, and why; empty where all counts are of the timed region.
std::string wider_counts_text(const Run& run, const TerminalStyle& style) {
  const Measurement* first = nullptr;
  std::int64_t count = 0;
  for (const Measurement& measurement : run.measurements) {
    if (measurement.metric.name != kInstructions || !is_wider_than_its_loop(measurement)) continue;
    if (first == nullptr) first = &measurement;
    ++count;
  }
  if (first == nullptr) return "";
  const std::string those =
      count == 1 ? "1 count of instructions is" : grouped_text(count) + " counts of instructions are";
  return those + " not of the timed loop alone, but of all that ran in its " +
         (first->count_basis.scope == CountScope::whole_program ? "program" : "functions") +
         ", set-up included: " + printable(first->count_basis.jitter_from, style.unicode);
}

Json whole_or_null(const std::optional<std::int64_t>& count) { return count ? Json(*count) : Json(nullptr); }

Json conditions_json(const InvocationConditions& conditions) {
  return {{"voluntary_switches", whole_or_null(conditions.voluntary_switches)},
          {"involuntary_switches", whole_or_null(conditions.involuntary_switches)},
          {"migrations", whole_or_null(conditions.migrations)},
          {"minor_faults", whole_or_null(conditions.minor_faults)},
          {"major_faults", whole_or_null(conditions.major_faults)},
          {"user_ns", whole_or_null(conditions.user_ns)},
          {"system_ns", whole_or_null(conditions.system_ns)},
          {"steal_ns", whole_or_null(conditions.steal_ns)},
          {"other_busy_ns", whole_or_null(conditions.other_busy_ns)},
          {"mhz_before", json_number(conditions.mhz_before)},
          {"mhz_after", json_number(conditions.mhz_after)}};
}

Json samples_json(const std::vector<InvocationSamples>& of_invocations) {
  Json json = Json::array();
  for (const InvocationSamples& samples : of_invocations) {
    Json values = Json::array();
    for (const double value : samples.values) values.push_back(json_number(value));
    json.push_back(
        {{"invocation", samples.invocation}, {"values", std::move(values)}, {"iterations", samples.iterations}});
  }
  return json;
}

Json measurement_json(const Measurement& measurement) {
  const SampleSummary summary = summarize(measurement);
  Json json;
  json["benchmark"] = measurement.benchmark.canonical();
  json["metric"] = measurement.metric.name;
  json["unit"] = measurement.metric.unit;
  json["better"] = to_text(measurement.metric.better);
  json["kind"] = to_text(measurement.metric.kind);
  json["count_key"] = json_text(measurement.count_key);
  if (is_wider_than_its_loop(measurement)) json["count_scope"] = to_text(measurement.count_basis.scope);
  json["value"] = json_number(summary.level);
  json["within_invocations"] = json_number(summary.within);
  json["between_invocations"] = json_number(summary.between);
  json["invocations"] = samples_json(measurement.invocations);
  json["set_aside"] = samples_json(measurement.excluded);
  return json;
}

// As in a comparison, with the commit as an object of its own.
Json header_json(const Run& run) {
  storage::JsonWriter commit;
  Commit::fields(commit, run.header.commit);
  const storage::JsonWriter flat = storage::run_header_object(run.header, run.environment.fingerprint());
  Json json;
  for (const auto& [name, value] : flat.json().items()) {
    if (!commit.json().contains(name)) json[name] = name == "commit" ? commit.json() : value;
  }
  return json;
}

}  // namespace

std::string terminal_counters(const Run& run, const TerminalStyle& style) {
  constexpr std::size_t kOtherColumns = 62;
  const std::size_t width = style.columns();
  const std::size_t max_name = std::max<std::size_t>(width > kOtherColumns ? width - kOtherColumns : 0, 16);
  const CounterValues values(run);
  std::string text;
  for (std::size_t i = 0; i < kCounterGroupCount; ++i) {
    text += group_text(values, static_cast<CounterGroup>(i), style, max_name);
  }
  return text;
}

namespace {

// What stands in no table of its own, the metrics of a benchmark side by side, benchmarks as they come in the run.
std::vector<const Measurement*> by_benchmark(const Run& run) {
  std::map<std::string, std::size_t> places;
  std::vector<std::pair<std::size_t, const Measurement*>> placed;
  for (const Measurement& measurement : run.measurements) {
    if (is_extra_counter(measurement.metric.name)) continue;
    const std::size_t next = places.size();
    placed.emplace_back(places.try_emplace(measurement.benchmark.canonical(), next).first->second, &measurement);
  }
  std::stable_sort(placed.begin(), placed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const Measurement*> measurements;
  for (const auto& [place, measurement] : placed) measurements.push_back(measurement);
  return measurements;
}

}  // namespace

std::string terminal_run(const Run& run, const TerminalStyle& style, const TargetReport& targets) {
  constexpr std::size_t kOtherColumns = 62;  // what the columns beside the name take at most
  const std::size_t width = style.columns();
  const std::size_t max_name = std::max<std::size_t>(width > kOtherColumns ? width - kOtherColumns : 0, 16);
  const std::vector<const Measurement*> measurements = by_benchmark(run);
  std::vector<std::string> benchmarks;
  for (const Measurement* measurement : measurements) benchmarks.push_back(measurement->benchmark.canonical());
  const ShownNames names(benchmarks, style, max_name);
  std::vector<std::vector<std::string>> rows{
      {"benchmark", "metric", "level", "within", "between", "invocations x samples"}};
  for (const Measurement* one : measurements) {
    const Measurement& measurement = *one;
    const SampleSummary summary = summarize(measurement);
    rows.push_back({names.of(measurement.benchmark.canonical()), printable(counted_label(measurement), style.unicode),
                    summary.level ? level_text(*summary.level, measurement.metric.unit) : "-",
                    spread_text(summary.within), spread_text(summary.between), samples_text(summary)});
  }
  std::string text = head_text(run, style);
  if (run.measurements.empty()) text += "nothing was measured\n";
  if (!run.measurements.empty()) {
    text += with_dim_head(
        aligned_rows(rows, {Align::left, Align::left, Align::right, Align::right, Align::right, Align::right}, ""),
        style.color);
    text += "\n" +
            paint("within, between: standard deviation inside an invocation and from one to the next", Tone::dim,
                  style.color) +
            "\n";
  }
  const Run* const runs[] = {&run};
  if (const std::string disturbances = to_text(summarize_disturbances(runs)); !disturbances.empty()) {
    for (const std::string& line :
         wrapped(disturbances + "; `steelyard doctor` says what disturbs this machine", width)) {
      text += line + "\n";
    }
  }
  if (const std::optional<double> others = other_work_share(runs); others && *others > kBusyMachine) {
    for (const std::string& line : wrapped(busy_machine_text(*others), width)) text += line + "\n";
  }
  const std::string left = left_processes_text(left_processes_of(run.header.settings), "the program");
  for (const std::string& line : wrapped(printable(left, style.unicode), width)) text += line + "\n";
  for (const std::string& line : wrapped(wider_counts_text(run, style), width)) text += line + "\n";
  text += terminal_counters(run, style);
  for (const std::string& part : {terminal_targets(targets, style), failures_text(run, style)}) {
    if (!part.empty()) text += "\n" + part;
  }
  return text;
}

std::string json_run(const Run& run, const TargetReport& targets) {
  Json json;
  json["schema"] = "steelyard.run/1";
  json["run"] = header_json(run);
  json["environment"] = Json::array();
  for (const Fact& fact : run.environment.facts) {
    json["environment"].push_back({{"name", fact.name}, {"value", fact.value}, {"decisive", fact.decisive}});
  }
  json["invocations"] = Json::array();
  for (const Invocation& invocation : run.invocations) {
    json["invocations"].push_back({{"round", invocation.round},
                                   {"slot", invocation.slot},
                                   {"core", invocation.core >= 0 ? Json(invocation.core) : Json(nullptr)},
                                   {"started_at_unix_ns", invocation.started_at_unix_ns},
                                   {"duration_ns", invocation.duration_ns},
                                   {"conditions", conditions_json(invocation.conditions)},
                                   {"disturbed_by", invocation.disturbed_by},
                                   {"left_out", invocation.excluded}});
  }
  json["measurements"] = Json::array();
  for (const Measurement& measurement : run.measurements) json["measurements"].push_back(measurement_json(measurement));
  json["profiles"] = Json::array();
  for (const CountedProfile& profile : run.profiles) {
    json["profiles"].push_back({{"benchmark", profile.benchmark.canonical()},
                                {"iterations", profile.iterations},
                                {"events", profile.events},
                                {"totals", profile.totals},
                                {"functions", json_functions(profile.functions)}});
  }
  json["failures"] = Json::array();
  for (const Failure& failure : run.failures) {
    const bool is_whole = failure.benchmark.name.empty();
    json["failures"].push_back({{"benchmark", is_whole ? Json(nullptr) : Json(failure.benchmark.canonical())},
                                {"metric", json_text(failure.metric)},
                                {"round", failure.round >= 0 ? Json(failure.round) : Json(nullptr)},
                                {"kind", to_text(failure.kind)},
                                {"reason", to_text(failure)}});
  }
  json["labels"] = run.labels;
  json["targets"] = targets_json(targets);
  json["utilizations"] = utilizations_json(targets);
  return json_document(json);
}

namespace {

constexpr int kPlotLines = 12;
constexpr int kWidestPlot = 64;

std::string exponent_text(double exponent) { return decimal_text(exponent, 3); }

std::string size_text(double size) {
  const bool is_whole = size == std::floor(size) && size < 1e15;
  return is_whole ? std::to_string(static_cast<std::int64_t>(size)) : decimal_text(size, 4);
}

std::string fit_text(const regress::Sweep& sweep, const TerminalStyle& style) {
  const regress::ScalingFit& fit = sweep.fit;
  std::string text = "  " + sweep.metric.name + " as a power of " + sweep.parameter + ": " +
                     paint(exponent_text(fit.exponent), Tone::strong, style.color);
  if (fit.interval) {
    text += " [" + exponent_text(fit.interval->low) + ", " + exponent_text(fit.interval->high) + "]";
  }
  const std::int64_t replicates = fit.inputs > 0 ? fit.inputs : fit.rounds;
  std::string facts = small_share_text(fit.confidence) + " interval over " +
                      plural_text(replicates, fit.inputs > 0 ? "input" : "round");
  if (!fit.interval) facts = "no interval";
  if (sweep.data.is_counted && fit.inputs == 0) facts = "counted exactly";
  if (fit.r_squared) facts += "; r2 " + decimal_text(*fit.r_squared, 4);
  if (fit.exponent_at_smallest) {
    facts += "; " + exponent_text(*fit.exponent_at_smallest) + " between the two smallest sizes, " +
             exponent_text(*fit.exponent_at_largest) + " between the two largest";
  }
  text += "\n";
  for (const std::string& line : wrapped(printable(facts, style.unicode), style.columns(4, 30))) {
    text += "  " + paint(line, Tone::dim, style.color) + "\n";
  }
  return text;
}

std::string marked_lines(const std::string& mark, Tone tone, const std::string& text, const TerminalStyle& style) {
  std::string lines;
  for (const std::string& line : wrapped(printable(text, style.unicode), style.columns(4, 30))) {
    lines += (lines.empty() ? "  " + paint(mark, tone, style.color) + " " : std::string(4, ' ')) + line + "\n";
  }
  return lines;
}

// An exponent as it was claimed, to six digits: "2", "1.5".
std::string claimed_text(double value) {
  std::string text = decimals_text(value, 6);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

// Three decimals, so that a short interval keeps a width.
std::string interval_of(const Interval& interval) {
  return "[" + decimals_text(interval.low, 3) + ", " + decimals_text(interval.high, 3) + "]";
}

std::string claim_text(const regress::ScalingFit& fit, const regress::Claim& claim, const TerminalStyle& style) {
  switch (regress::judge_claim(fit, claim)) {
    case regress::ClaimVerdict::held:
      return marked_lines("=", Tone::good, claim_reason(fit, claim), style);
    case regress::ClaimVerdict::refuted:
      return marked_lines("!", Tone::bad, claim_reason(fit, claim), style);
    case regress::ClaimVerdict::undecided:
      break;
  }
  return marked_lines("?", Tone::doubtful, claim_reason(fit, claim), style);
}

// The sizes below their points, as far as there is room.
std::string size_axis(const regress::Sweep& sweep, const LogPlot& plot, std::size_t indent) {
  std::string line(indent, ' ');
  for (std::size_t i = 0; i < sweep.data.sizes.size(); ++i) {
    const std::size_t column = indent + static_cast<std::size_t>(plot.column_of_point[i]);
    if (i > 0 && column < line.size() + 1) continue;
    line = padded(line, column) + size_text(sweep.data.sizes[i]);
  }
  return line + "\n";
}

std::string plot_text(const regress::Sweep& sweep, const TerminalStyle& style) {
  constexpr int kAxisColumns = 14;
  std::vector<LogPoint> points;
  for (std::size_t i = 0; i < sweep.data.sizes.size(); ++i) points.push_back({sweep.data.sizes[i], sweep.levels[i]});
  const LogPlotShape shape{std::clamp(style.width - kAxisColumns - 8, 16, kWidestPlot), kPlotLines, style.unicode};
  const LogPlot plot = draw_log_plot(points, sweep.fit.coefficient, sweep.fit.exponent, shape);
  const std::string top = level_text(plot.highest, sweep.metric.unit);
  const std::string bottom = level_text(plot.lowest, sweep.metric.unit);
  const std::size_t label_columns = std::max(columns_of(top), columns_of(bottom));
  std::string text;
  for (std::size_t i = 0; i < plot.lines.size(); ++i) {
    const bool is_end = i == 0 || i + 1 == plot.lines.size();
    const std::string label = padded(i == 0 ? top : is_end ? bottom : "", label_columns, Align::right);
    const std::string tick = style.unicode ? (is_end ? " \u2524" : " \u2502") : (is_end ? " +" : " |");
    text += "  " + paint(label + tick, Tone::dim, style.color) + plot.lines[i] + "\n";
  }
  return text + size_axis(sweep, plot, label_columns + 4);
}

Json sweep_json(const regress::Sweep& sweep, const std::optional<regress::Claim>& claim) {
  const regress::ScalingFit& fit = sweep.fit;
  Json json;
  json["benchmark"] = sweep.benchmark;
  json["parameter"] = sweep.parameter;
  json["metric"] = sweep.metric.name;
  json["unit"] = sweep.metric.unit;
  json["sizes"] = sweep.data.sizes;
  json["levels"] = sweep.levels;
  json["rounds"] = fit.rounds;
  json["inputs"] = fit.inputs;
  json["exponent"] = fit.exponent;
  json["interval"] = fit.interval ? Json{fit.interval->low, fit.interval->high} : Json(nullptr);
  json["confidence"] = fit.confidence;
  json["coefficient"] = json_number(fit.coefficient);
  json["r_squared"] = json_number(fit.r_squared);
  json["exponent_at_smallest"] = json_number(fit.exponent_at_smallest);
  json["exponent_at_largest"] = json_number(fit.exponent_at_largest);
  json["curved"] = fit.is_curved;
  json["expected"] = claim ? Json(claim->exponent) : Json(nullptr);
  json["tolerance"] = claim ? Json(claim->tolerance) : Json(nullptr);
  json["verdict"] = claim ? Json(regress::to_text(regress::judge_claim(fit, *claim))) : Json(nullptr);
  json["reason"] = claim ? Json(claim_reason(fit, *claim)) : Json(nullptr);
  json["warnings"] = sweep_warnings(sweep);
  return json;
}

}  // namespace

std::string claim_reason(const regress::ScalingFit& fit, const regress::Claim& claim) {
  const std::string claimed = "a claimed exponent of " + claimed_text(claim.exponent) +
                              (claim.tolerance > 0 ? " +- " + claimed_text(claim.tolerance) : std::string());
  if (!fit.interval) return claimed + " cannot be judged: one round does not say how sure the exponent is";
  const std::string interval = interval_of(*fit.interval);
  switch (regress::judge_claim(fit, claim)) {
    case regress::ClaimVerdict::held:
      return claimed + " agrees with the interval " + interval;
    case regress::ClaimVerdict::refuted:
      return claimed + " lies outside the interval " + interval +
             (fit.is_curved ? "; the line is curved, see the exponents at its ends" : "");
    case regress::ClaimVerdict::undecided:
      break;
  }
  return claimed + " cannot be judged: the interval " + interval + " is too wide; measure more rounds or larger sizes";
}

std::vector<std::string> sweep_warnings(const regress::Sweep& sweep) {
  const regress::ScalingFit& fit = sweep.fit;
  std::vector<std::string> warnings;
  warnings.insert(warnings.end(), sweep.sizes_without_logarithm,
                  "a size of 0 or less has no logarithm and was excluded");
  warnings.insert(warnings.end(), sweep.sizes_without_level, "a size without a level above 0 was excluded");
  if (sweep.failed_sizes > 0) {
    warnings.push_back(plural_text(sweep.failed_sizes, "size") +
                       " yielded nothing: the exponent is that of the others");
  }
  if (sweep.has_no_whole_round) {
    warnings.emplace_back("no round has every size: the exponent is that of the sizes' medians, without an interval");
  } else if (sweep.excluded_rounds > 0) {
    warnings.push_back(plural_text(sweep.excluded_rounds, "round") + " without every size excluded");
  }
  if (fit.inputs == 0 && fit.rounds < 2 && !sweep.data.is_counted) {
    warnings.emplace_back("one round does not say how sure the exponent is: measure several invocations");
  }
  if (fit.is_curved) {
    warnings.emplace_back(
        *fit.exponent_at_smallest < *fit.exponent_at_largest
            ? "the line bends upwards: an overhead that does not grow, or a cache that was outgrown; one "
              "exponent does not describe it"
            : "the line bends downwards; one exponent does not describe it");
  }
  return warnings;
}

std::string terminal_sweeps(const std::vector<regress::Sweep>& sweeps, const std::optional<regress::Claim>& claim,
                            const TerminalStyle& style) {
  std::string text;
  for (const regress::Sweep& sweep : sweeps) {
    if (!text.empty()) text += "\n";
    text += paint(printable(name_as_given(sweep.benchmark), style.unicode), Tone::strong, style.color) + "\n";
    text += fit_text(sweep, style);
    if (claim) text += claim_text(sweep.fit, *claim, style);
    for (const std::string& warning : sweep_warnings(sweep)) text += marked_lines("~", Tone::doubtful, warning, style);
    text += plot_text(sweep, style);
  }
  return text;
}

std::string json_sweeps(const RunHeader& header, const std::vector<regress::Sweep>& sweeps,
                        const std::optional<regress::Claim>& claim) {
  Json json;
  json["schema"] = "steelyard.sweep/1";
  json["run"] = {{"id", header.id.empty() ? Json(nullptr) : Json(header.id)}, {"program", header.program}};
  json["sweeps"] = Json::array();
  for (const regress::Sweep& sweep : sweeps) json["sweeps"].push_back(sweep_json(sweep, claim));
  return json_document(json);
}

}  // namespace steelyard::ci
