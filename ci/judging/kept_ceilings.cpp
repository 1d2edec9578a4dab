#include "ci/judging/kept_ceilings.hpp"

#include <charconv>
#include <map>
#include <string_view>
#include <system_error>

#include "bench/ceilings/measure_ceilings.hpp"
#include "bench/model/quantile.hpp"
#include "bench/model/text.hpp"
#include "regress/targets/benchmark_rates.hpp"
#include "storage/archive/archive.hpp"

namespace steelyard::ci {
namespace {

constexpr std::string_view kCeilingName = "ceiling";
constexpr std::string_view kClock = "clock";
constexpr std::string_view kAbsentSetting =
    "absent ";  // settings: "absent f16", "note 01", "how ceiling/f32/threads:1", ...
constexpr std::string_view kNote = "note ";
constexpr std::string_view kHow = "how ";
constexpr std::string_view kPerCycle = "per_cycle ";

Metric metric_of(const Ceiling& ceiling) {
  const bool is_integer = ceiling.kind == CeilingKind::arithmetic && ceiling.dtype.starts_with('i');
  if (is_integer) return {"operations", "op/s", Better::higher, MetricKind::noisy};
  return *well_known_metric(ceiling.kind == CeilingKind::arithmetic ? "flops" : "bandwidth");
}

BenchmarkId id_of(const Ceiling& ceiling) {
  BenchmarkId id;
  id.name = kCeilingName;
  if (ceiling.kind == CeilingKind::arithmetic) {
    id.parameters = {{"", ceiling.dtype}};
  } else {
    id.parameters = {{"", ceiling.level}, {"", ceiling.access}};
  }
  id.threads = ceiling.threads;
  return id;
}

void add_measurement(Run& run, const BenchmarkId& id, const Metric& metric, const std::vector<double>& values) {
  if (values.empty()) return;
  Measurement measurement;
  measurement.benchmark = id;
  measurement.metric = metric;
  measurement.invocations.push_back({0, values, {}});
  run.measurements.push_back(std::move(measurement));
}

double number_of_setting(const std::string& text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// "01" to "99": settings are kept in the order of their keys.
std::string two_digits(std::size_t number) { return (number < 10 ? "0" : "") + std::to_string(number); }

std::string setting(const Run& run, const std::string& key) {
  const auto at = run.header.settings.find(key);
  return at == run.header.settings.end() ? "" : at->second;
}

std::vector<double> samples_of(const Measurement& measurement) {
  std::vector<double> samples;
  for (const InvocationSamples& invocation : measurement.invocations) {
    samples.insert(samples.end(), invocation.values.begin(), invocation.values.end());
  }
  return samples;
}

// What it is of: positional ("ceiling/f32", "ceiling/DRAM/triad"), as we write it, or named, as a device's program does
// ("ceiling/dtype:bf16", "ceiling/access:copy/level:DRAM"), where other axes may stand beside.
std::optional<Ceiling> described_ceiling(const BenchmarkId& id) {
  Ceiling ceiling;
  std::vector<std::string> positional;
  for (const Parameter& parameter : id.parameters) {
    if (parameter.name.empty()) positional.push_back(parameter.value);
    if (parameter.name == "dtype") ceiling.dtype = parameter.value;
    if (parameter.name == "level") ceiling.level = parameter.value;
    if (parameter.name == "access") ceiling.access = parameter.value;
  }
  if (positional.size() == 1) ceiling.dtype = positional[0];
  if (positional.size() == 2) ceiling.level = positional[0], ceiling.access = positional[1];
  const bool is_arithmetic = ceiling.level.empty() && ceiling.access.empty();
  if (positional.size() > 2 || (is_arithmetic ? ceiling.dtype : ceiling.level).empty()) return std::nullopt;
  ceiling.kind = is_arithmetic ? CeilingKind::arithmetic : CeilingKind::bandwidth;
  if (!is_arithmetic) ceiling.dtype.clear();
  return ceiling;
}

std::optional<Ceiling> ceiling_of(const Measurement& measurement, const Run& run) {
  const BenchmarkId& id = measurement.benchmark;
  if (id.name != kCeilingName) return std::nullopt;
  std::optional<Ceiling> described = described_ceiling(id);
  if (!described) return std::nullopt;
  Ceiling& ceiling = *described;
  const std::string& metric = measurement.metric.name;
  const bool is_its_rate =
      ceiling.kind == CeilingKind::bandwidth ? metric == "bandwidth" : metric == "flops" || metric == "operations";
  if (!is_its_rate) return std::nullopt;
  ceiling.threads = id.device.empty() ? id.threads.value_or(1) : 0;
  ceiling.source = "measured";
  ceiling.how = setting(run, std::string(kHow) + id.canonical());
  ceiling.expected_per_cycle = number_of_setting(setting(run, std::string(kPerCycle) + id.canonical()));
  ceiling.samples = samples_of(measurement);
  bench::settle(ceiling);
  return ceiling;
}

}  // namespace

Run run_of_ceilings(const DeviceCeilings& ceilings, const Environment& environment) {
  Run run;
  run.environment = environment;
  run.invocations.push_back({});
  for (const Ceiling& ceiling : ceilings.ceilings) {
    const BenchmarkId id = id_of(ceiling);
    add_measurement(run, id, metric_of(ceiling), ceiling.samples);
    add_measurement(run, id, {std::string(kClock), "1/s", Better::undeclared, MetricKind::noisy},
                    ceiling.clock_samples);
    if (!ceiling.how.empty()) run.header.settings[std::string(kHow) + id.canonical()] = ceiling.how;
    if (ceiling.expected_per_cycle > 0) {
      run.header.settings[std::string(kPerCycle) + id.canonical()] = shortest_text(ceiling.expected_per_cycle);
    }
  }
  for (const AbsentCeiling& absent : ceilings.absent) {
    run.header.settings[std::string(kAbsentSetting) + absent.what] = absent.reason;
  }
  for (std::size_t i = 0; i < ceilings.notes.size(); ++i) {
    run.header.settings[std::string(kNote) + two_digits(i + 1)] = ceilings.notes[i];
  }
  return run;
}

DeviceCeilings ceilings_of_run(const Run& run) {
  DeviceCeilings device;
  device.device = "CPU";
  device.fingerprint = run.environment.fingerprint();
  std::map<std::string, std::vector<double>> clocks;
  for (const Measurement& measurement : run.measurements) {
    const std::string& metric = measurement.metric.name;
    if (metric == kClock || metric == kSmClock) clocks[measurement.benchmark.canonical()] = samples_of(measurement);
    if (measurement.benchmark.name == kCeilingName && !measurement.benchmark.device.empty()) {
      device.device = measurement.benchmark.device;
    }
  }
  for (const Measurement& measurement : run.measurements) {
    std::optional<Ceiling> ceiling = ceiling_of(measurement, run);
    if (!ceiling || !regress::is_rate(ceiling->value)) continue;
    if ((device.device == "CPU") != measurement.benchmark.device.empty()) continue;
    const auto at = clocks.find(measurement.benchmark.canonical());
    if (at != clocks.end()) ceiling->clock_samples = at->second;
    const bool is_of_a_device = ceiling->threads == 0 && ceiling->kind == CeilingKind::arithmetic;
    if (is_of_a_device && !ceiling->clock_samples.empty()) ceiling->at_clock_hz = median(ceiling->clock_samples);
    device.ceilings.push_back(std::move(*ceiling));
  }
  for (const auto& [key, text] : run.header.settings) {
    if (key.starts_with(kAbsentSetting)) device.absent.push_back({key.substr(kAbsentSetting.size()), text});
    if (key.starts_with(kNote)) device.notes.push_back(text);
  }
  return device;
}

std::filesystem::path ceilings_file(const std::filesystem::path& state, const std::string& fingerprint) {
  return state / "ceilings" / (fingerprint + ".syrun");
}

Result<void> keep_ceilings(const std::filesystem::path& state, const Run& run) {
  const std::filesystem::path file = ceilings_file(state, run.environment.fingerprint());
  std::error_code failure;
  std::filesystem::create_directories(file.parent_path(), failure);
  if (failure) {
    return input_error(file.parent_path().string(), failure.message(), "a folder that can be written",
                       "set STEELYARD_STATE to one");
  }
  return storage::write_archive(file, run);
}

Result<std::optional<DeviceCeilings>> read_ceilings(const std::filesystem::path& state,
                                                    const std::string& fingerprint) {
  const std::filesystem::path file = ceilings_file(state, fingerprint);
  if (fingerprint.empty()) return std::optional<DeviceCeilings>();
  std::error_code failure;
  const bool is_there = std::filesystem::exists(file, failure);
  if (failure) return input_error(file.string(), failure.message(), "a file that can be read");
  if (!is_there) return std::optional<DeviceCeilings>();
  STEELYARD_TRY(const Run run, storage::read_archive(file));
  const std::string found = run.environment.fingerprint();
  if (found != fingerprint) {
    return input_error(file.string(), "the ceilings of machine " + found, "those of " + fingerprint,
                       "measure them here: steelyard targets ceilings");
  }
  return std::optional<DeviceCeilings>(ceilings_of_run(run));
}

}  // namespace steelyard::ci
