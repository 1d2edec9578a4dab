#include "bench/main/axis_benchmark.hpp"

#include <algorithm>
#include <cstdio>
#include <set>
#include <string>

#include "bench/model/run.hpp"

namespace steelyard {
namespace {

// Static objects define benchmarks before main can say where to: C++ offers no other place than a list like this, which
// Google Benchmark's own list does not replace, as it cannot be changed once the command line is known.
std::vector<AxisDefinition>& definitions() {
  static std::vector<AxisDefinition> list;
  return list;
}

Result<std::vector<Axis>> axes_with(const AxisDefinition& definition, const std::vector<AxisOverride>& overrides) {
  std::vector<Axis> axes;
  for (const Axis& declared : definition.axes) {
    Axis axis = declared;
    for (const AxisOverride& given : overrides) {
      if (given.axis != declared.name) continue;
      STEELYARD_TRY(axis, overridden(declared, given));  // of several, the last
    }
    axes.push_back(std::move(axis));
  }
  return axes;
}

std::vector<std::string> known_axes() {
  std::set<std::string> names;
  for (const AxisDefinition& definition : definitions()) {
    for (const Axis& axis : definition.axes) names.insert(axis.name);
  }
  return {names.begin(), names.end()};
}

void register_failure(const std::string& benchmark, const Error& error) {
  const std::string text = error.text();
  std::fprintf(stderr, "steelyard: benchmark \"%s\": %s\n", benchmark.c_str(), text.c_str());
  benchmark::RegisterBenchmark(benchmark.c_str(),
                               [message = std::string(kBrokenBenchmark) + text](benchmark::State& state) {
                                 state.SkipWithError(message.c_str());
                               });
}

void register_point(const AxisDefinition& definition, const AxisPoint& point) {
  auto* family =
      benchmark::RegisterBenchmark(point.name(definition.name).c_str(),
                                   [run = definition.run, point](benchmark::State& state) { run(state, point); });
  if (point.has_threads()) family->Threads(static_cast<int>(point.threads()));
  if (definition.configure) definition.configure(*family);
}

std::optional<Error> wrong_name(const std::string& name, std::set<std::string>& seen) {
  const bool is_printable =
      std::none_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; });
  if (name.empty() || !is_printable) return input_error("name", '"' + name + '"', "printable text");
  if (!seen.insert(name).second) {
    return input_error("name", "a second benchmark of this name, which is excluded", "one name for each",
                       "give it another with .name()");
  }
  return std::nullopt;
}

}  // namespace

void define_axis_benchmark(AxisDefinition definition) { definitions().push_back(std::move(definition)); }

Result<void> register_axis_benchmarks(const std::vector<AxisOverride>& overrides) {
  const std::vector<std::string> known = known_axes();
  for (const AxisOverride& given : overrides) STEELYARD_CHECK(check_is_known(given, known));
  std::set<std::string> seen;
  for (const AxisDefinition& definition : definitions()) {
    if (const auto error = wrong_name(definition.name, seen)) {
      std::fprintf(stderr, "steelyard: benchmark \"%s\": %s\n", definition.name.c_str(), error->text().c_str());
      continue;
    }
    if (definition.error) {
      register_failure(definition.name, *definition.error);
      continue;
    }
    STEELYARD_TRY(std::vector<Axis> axes, axes_with(definition, overrides));
    const Result<std::vector<AxisPoint>> points = points_of(std::move(axes), definition.filter);
    if (!points) {
      register_failure(definition.name, points.error());
      continue;
    }
    for (const AxisPoint& point : *points) register_point(definition, point);
  }
  return {};
}

}  // namespace steelyard
