#include "regress/scaling/input_sweep.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "bench/model/quantile.hpp"

namespace steelyard {
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

}  // namespace steelyard
