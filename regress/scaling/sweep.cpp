#include "regress/scaling/sweep.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "bench/model/parse_number.hpp"
#include "bench/model/quantile.hpp"
#include "bench/model/text.hpp"

namespace steelyard::regress {
namespace {

constexpr std::string_view kThreadsParameter = "threads";
constexpr std::size_t kFewestSizes = 3;  // two points always lie on a line

std::optional<double> number_of(const std::string& text) {
  const std::optional<double> value = parse_as<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

// One place of an identity that a size can stand in.
struct SizePlace {
  std::string parameter;
  double size = 0;
  BenchmarkId rest;  // with a * in that place
};

std::vector<SizePlace> size_places(const BenchmarkId& id) {
  std::vector<SizePlace> places;
  int position = 0;
  for (std::size_t i = 0; i < id.parameters.size(); ++i) {
    const Parameter& parameter = id.parameters[i];
    const std::string name = parameter.name.empty() ? "argument " + std::to_string(++position) : parameter.name;
    const std::optional<double> size = number_of(parameter.value);
    if (!size || is_measuring_word(name)) continue;
    places.push_back({name, *size, id});
    places.back().rest.parameters[i].value = "*";
  }
  if (id.threads) {
    places.push_back({std::string(kThreadsParameter), static_cast<double>(*id.threads), id});
    places.back().rest.threads.reset();
    places.back().rest.parameters.push_back({std::string(kThreadsParameter), "*"});
  }
  return places;
}

bool is_wanted(const std::string& parameter, const std::string& over) {
  if (over.empty()) return parameter != kThreadsParameter && parameter != kRepeatedDraw;
  return parameter == over || parameter == "argument " + over;
}

// The level of each round: the median of what its invocations took. Rounds without a usable value are excluded.
std::map<std::int32_t, double> levels_by_round(const Run& run, const Measurement& measurement) {
  std::map<std::int32_t, std::vector<double>> values;
  for (const InvocationSamples& samples : measurement.invocations) {
    std::vector<double> finite;
    for (const double value : samples.values) {
      if (std::isfinite(value)) finite.push_back(value);
    }
    if (finite.empty()) continue;
    const std::size_t at = samples.invocation;
    const std::int32_t round = at < run.invocations.size() ? run.invocations[at].round : static_cast<std::int32_t>(at);
    values[round].push_back(median(finite));
  }
  std::map<std::int32_t, double> levels;
  for (auto& [round, several] : values) {
    if (const double level = median(several); level > 0) levels[round] = level;
  }
  return levels;
}

// By size; none: it failed.
using Group = std::map<double, const Measurement*>;

// Sizes that yielded nothing are excluded and counted, and so are rounds that lack one of the others.
void gather(const Run& run, const Group& group, Sweep& sweep) {
  std::vector<std::map<std::int32_t, double>> levels;
  std::set<std::int32_t> rounds;
  for (const auto& [size, measurement] : group) {
    if (measurement == nullptr) {
      ++sweep.failed_sizes;
      continue;
    }
    std::map<std::int32_t, double> found = levels_by_round(run, *measurement);
    if (size <= 0 || found.empty()) {
      ++(size <= 0 ? sweep.sizes_without_logarithm : sweep.sizes_without_level);
      continue;
    }
    sweep.data.sizes.push_back(size);
    std::vector<double> all;
    for (const auto& [round, level] : found) {
      rounds.insert(round);
      all.push_back(level);
    }
    sweep.levels.push_back(median(std::move(all)));
    levels.push_back(std::move(found));
  }
  for (const std::int32_t round : rounds) {
    std::vector<double> complete;
    for (const auto& of_size : levels) {
      if (const auto at = of_size.find(round); at != of_size.end()) complete.push_back(at->second);
    }
    if (complete.size() == levels.size()) sweep.data.rounds.push_back(std::move(complete));
  }
  sweep.has_no_whole_round = sweep.data.rounds.empty() && !sweep.levels.empty();
  sweep.excluded_rounds = sweep.has_no_whole_round ? 0 : rounds.size() - sweep.data.rounds.size();
  if (sweep.has_no_whole_round) sweep.data.rounds.push_back(sweep.levels);
}

struct Found {
  std::map<std::pair<std::string, std::string>, Group> groups;  // by benchmark and parameter
  std::set<std::string> parameters;                             // numeric ones
  bool has_metric = false;
  bool has_benchmark = false;
};

Found look_through(const Run& run, const SweepChoice& choice) {
  Found found;
  const auto is_chosen = [&](const BenchmarkId& id) {
    return id.canonical().find(choice.benchmark) != std::string::npos;
  };
  for (const Measurement& measurement : run.measurements) {
    if (measurement.metric.name != choice.metric) continue;
    found.has_metric = true;
    if (!is_chosen(measurement.benchmark)) continue;
    found.has_benchmark = true;
    for (const SizePlace& place : size_places(measurement.benchmark)) {
      found.parameters.insert(place.parameter);
      if (!is_wanted(place.parameter, choice.over)) continue;
      found.groups[{place.rest.canonical(), place.parameter}][place.size] = &measurement;
    }
  }
  // What failed in some rounds only is there as a measurement with the others.
  for (const Failure& failure : run.failures) {
    if (!is_chosen(failure.benchmark)) continue;
    for (const SizePlace& place : size_places(failure.benchmark)) {
      const auto group = found.groups.find({place.rest.canonical(), place.parameter});
      if (group != found.groups.end()) group->second.try_emplace(place.size, nullptr);
    }
  }
  return found;
}

Error nothing_found(const Found& found, const SweepChoice& choice) {
  if (!found.has_metric) return input_error("--metric", '"' + choice.metric + '"', "a metric that the run has");
  if (!found.has_benchmark) {
    return input_error("--benchmark", '"' + choice.benchmark + '"', "a part of the name of a benchmark in the run");
  }
  const std::string names = joined_text(found.parameters, ", ");
  return input_error(choice.over.empty() ? "steelyard sweep" : "--over",
                     choice.over.empty() ? "no sweep" : '"' + choice.over + '"',
                     "three benchmarks or more that differ in one numeric parameter only",
                     names.empty() ? "no benchmark has a numeric parameter" : "numeric parameters: " + names);
}

}  // namespace

Result<std::vector<Sweep>> find_sweeps(const Run& run, const SweepChoice& choice) {
  if (choice.over == kElements) {
    if (auto inputs = find_input_sweeps(run, choice)) return inputs;  // else a parameter may have that name
  }
  const Found found = look_through(run, choice);
  std::vector<Sweep> sweeps;
  for (const auto& [name, group] : found.groups) {
    Sweep sweep;
    sweep.benchmark = name.first;
    sweep.parameter = name.second;
    const auto is_measured = [](const auto& one) { return one.second != nullptr; };
    sweep.metric = std::find_if(group.begin(), group.end(), is_measured)->second->metric;
    sweep.data.is_counted = sweep.metric.kind == MetricKind::counted;
    gather(run, group, sweep);
    if (sweep.data.sizes.size() < kFewestSizes) continue;
    STEELYARD_TRY(sweep.fit, fit_scaling(sweep.data, choice.confidence));
    sweeps.push_back(std::move(sweep));
  }
  if (sweeps.empty() && choice.over == kElements) return find_input_sweeps(run, choice);  // says why there is none
  if (sweeps.empty()) return nothing_found(found, choice);
  return sweeps;
}

namespace {

constexpr std::size_t kFewestInputs = 3;  // two points always lie on a line

std::optional<double> elements_of(const Run& run, const BenchmarkId& id) {
  const auto label = run.labels.find(id.canonical());
  if (label == run.labels.end()) return std::nullopt;
  const std::string_view text = label->second;
  const std::size_t word = text.find(kElementsWord);
  if (word == std::string_view::npos || (word > 0 && text[word - 1] != ' ')) return std::nullopt;
  std::int64_t count = 0;
  const char* const begin = text.data() + word + kElementsWord.size();
  const auto [end, code] = std::from_chars(begin, text.data() + text.size(), count);
  const bool is_whole_word = end == text.data() + text.size() || *end == ' ';
  if (code != std::errc() || !is_whole_word || count <= 0) return std::nullopt;
  return static_cast<double>(count);
}

// Median of the invocations' medians; absent where no value is above 0.
std::optional<double> level_of(const Measurement& measurement) {
  std::vector<double> levels;
  for (const InvocationSamples& samples : measurement.invocations) {
    std::vector<double> usable;
    for (const double value : samples.values) {
      if (std::isfinite(value) && value > 0) usable.push_back(value);
    }
    if (!usable.empty()) levels.push_back(median(std::move(usable)));
  }
  if (levels.empty()) return std::nullopt;
  return median(std::move(levels));
}

std::string family_of(BenchmarkId id) {
  id.parameters = {{"", "*"}};
  return id.canonical();
}

struct Input {
  double elements = 0;
  double level = 0;
};

}  // namespace

Result<std::vector<Sweep>> find_input_sweeps(const Run& run, const SweepChoice& choice) {
  std::map<std::string, std::pair<Metric, std::vector<Input>>> families;
  for (const Measurement& measurement : run.measurements) {
    const bool is_chosen = measurement.benchmark.canonical().find(choice.benchmark) != std::string::npos;
    if (measurement.metric.name != choice.metric || !is_chosen) continue;
    const auto elements = elements_of(run, measurement.benchmark);
    const auto level = level_of(measurement);
    if (!elements || !level) continue;
    auto& [metric, inputs] = families[family_of(measurement.benchmark)];
    metric = measurement.metric;
    inputs.push_back({*elements, *level});
  }
  std::vector<Sweep> sweeps;
  for (auto& [name, family] : families) {
    auto& [metric, inputs] = family;
    std::stable_sort(inputs.begin(), inputs.end(),
                     [](const Input& a, const Input& b) { return a.elements < b.elements; });
    if (inputs.size() < kFewestInputs || inputs.front().elements == inputs.back().elements) continue;
    Sweep sweep;
    sweep.benchmark = name;
    sweep.parameter = kElements;
    sweep.metric = metric;
    for (const Input& input : inputs) {
      sweep.data.sizes.push_back(input.elements);
      sweep.levels.push_back(input.level);
    }
    sweep.data.rounds = {sweep.levels};
    STEELYARD_TRY(sweep.fit, fit_inputs(sweep.data.sizes, sweep.levels, choice.confidence));
    sweeps.push_back(std::move(sweep));
  }
  if (!sweeps.empty()) return sweeps;
  return input_error("--over", "no sweep over elements",
                     "three inputs or more of different sizes in one benchmark, whose labels say their elements",
                     "items of STEELYARD_FUZZED_BENCHMARK say so; of others write --over PARAMETER");
}

}  // namespace steelyard::regress
