// Reads nvbench's JSON (--json FILE, or --jsonbin FILE: file version 1). With --jsonbin the time of every cold sample
// lies beside it as numbers of 4 bytes (FILE-bin/0.bin); without, only means and deviations are there. The time is the
// GPU's by CUDA events, or the processor's of a benchmark that uses no device.
#include <array>
#include <bit>
#include <fstream>
#include <map>

#include "bench/formats/import_formats.hpp"
#include "bench/formats/imported_run.hpp"
#include "bench/model/parse_number.hpp"

namespace steelyard::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxSampleFileBytes = std::uintmax_t{256} << 20;

// Numbers beside the samples: one each for a state, so that they explain and never judge alone.
struct NvbenchFigure {
  std::string_view tag;
  std::string_view metric;
  double factor;
};
constexpr std::array kFigures{
    NvbenchFigure{"nv/cold/time/cpu/mean", "cpu_time", 1e9},
    NvbenchFigure{"nv/batch/time/gpu/mean", "hot_time", 1e9},
    NvbenchFigure{"nv/cold/bw/global/bytes_per_second", "bandwidth", 1},
    NvbenchFigure{"nv/cold/bw/global/utilization", "bandwidth_utilization", 1},
    NvbenchFigure{"nv/cold/sm_clock_rate/mean", "sm_clock", 1},
};
// Where the samples of a state are, and what stands for them, in the order of what is wanted.
struct NvbenchTimes {
  std::string_view samples;
  std::string_view mean;
};
constexpr std::array kNvbenchTimes{NvbenchTimes{"nv/json/bin:nv/cold/sample_times", "nv/cold/time/gpu/mean"},
                                   NvbenchTimes{"nv/json/bin:nv/cpu_only/sample_times", "nv/cpu_only/time/cpu/mean"},
                                   NvbenchTimes{"nv/json/bin:nv/cupti/sample_times", "nv/batch/time/gpu/mean"}};

// Values are named and typed, numbers written as texts: [{"name": "value", "type": "float64", "value": "0.25"}].
std::string named_value(const JsonValue& summary, std::string_view name) {
  for (const JsonValue& one : summary.items_of("data")) {
    if (one.text_of("name") == name) return one.text_of("value");
  }
  return "";
}

const JsonValue* summary_of(const JsonValue& state, std::string_view tag) {
  for (const JsonValue& summary : state.items_of("summaries")) {
    if (summary.text_of("tag") == tag) return &summary;
  }
  return nullptr;
}

std::optional<double> figure_of(const JsonValue& state, std::string_view tag) {
  const JsonValue* const summary = summary_of(state, tag);
  return summary != nullptr ? parse_as<double>(named_value(*summary, "value")) : std::nullopt;
}

// Seconds. `flaw`: why there are none.
std::vector<double> samples_in(const fs::path& results, const JsonValue& summary, std::string& flaw) {
  // Only the last two parts of what the file names are followed, beside the file itself: it may have been moved, and it
  // may be a stranger's.
  const fs::path named = named_value(summary, "filename");
  const fs::path folder = named.parent_path().filename();
  if (!named.has_filename() || named.filename() == ".." || folder == ".." || folder == ".") {
    flaw = "no file name";
    return {};
  }
  const fs::path file = results.parent_path() / folder / named.filename();
  std::error_code code;
  if (fs::is_symlink(fs::symlink_status(file, code)) || fs::is_symlink(fs::symlink_status(file.parent_path(), code))) {
    flaw = file.string() + ": a link";
    return {};
  }
  const std::uintmax_t size = fs::file_size(file, code);
  if (code || size % sizeof(float) != 0 || size > kMaxSampleFileBytes) {
    flaw = file.string() + (code ? ": " + code.message() : ": " + std::to_string(size) + " bytes");
    return {};
  }
  const auto count = static_cast<std::size_t>(size / sizeof(float));
  const auto wanted = parse_as<std::uint64_t>(named_value(summary, "size"));
  if (wanted && *wanted != count) {
    flaw = file.string() + ": " + std::to_string(count) + " samples where the file says " + std::to_string(*wanted);
    return {};
  }
  static_assert(std::endian::native == std::endian::little && sizeof(float) == 4);
  std::vector<float> packed(count);
  std::ifstream stream(file, std::ios::binary);
  stream.read(reinterpret_cast<char*>(packed.data()), static_cast<std::streamsize>(size));
  if (!stream) flaw = file.string() + " cannot be read";
  return {packed.begin(), packed.end()};
}

class NvbenchReader {
 public:
  NvbenchReader(fs::path path, std::map<std::string, std::string> devices, ImportedRun& imported)
      : path_(std::move(path)), devices_(std::move(devices)), imported_(imported), process_(imported.add_process()) {}

  void take(const JsonValue& benchmark, const std::string& where) {
    std::size_t index = 0;
    for (const JsonValue& state : benchmark.items_of("states")) {
      take_state(state, benchmark.text_of("name"), where + ".states[" + std::to_string(index++) + ']');
    }
  }

 private:
  BenchmarkId benchmark_of(const JsonValue& state, const std::string& name) const {
    std::vector<Parameter> parameters;
    for (const JsonValue& axis : state.items_of("axis_values")) {
      parameters.push_back({axis.text_of("name"), axis.text_of("value")});
    }
    BenchmarkId id = benchmark_named(name, parameters);
    const auto device = devices_.find(state.text_of("device"));
    if (device != devices_.end()) id.device = device->second;
    return id;
  }

  void take_state(const JsonValue& state, const std::string& name, const std::string& where) {
    const BenchmarkId id = benchmark_of(state, name);
    const JsonValue* const is_skipped = state.find("is_skipped");
    if (is_skipped != nullptr && is_skipped->number != 0) return imported_.skipped(id, state.text_of("skip_reason"));
    if (!add_times(state, id, where)) return;
    for (const NvbenchFigure& figure : kFigures) {
      const auto value = figure_of(state, figure.tag);
      if (!value || !(*value > 0)) continue;
      const Metric known = *well_known_metric(figure.metric);
      imported_.add({where + '.' + std::string(figure.tag),
                     id,
                     metric_named(known.name, {known.unit}),
                     process_,
                     {*value * figure.factor}});
    }
  }

  bool add_times(const JsonValue& state, const BenchmarkId& id, const std::string& where) {
    for (const NvbenchTimes& times : kNvbenchTimes) {
      if (const JsonValue* const summary = summary_of(state, times.samples)) {
        std::string flaw;
        std::vector<double> samples = samples_in(path_, *summary, flaw);
        for (double& one : samples) one *= 1e9;
        if (flaw.empty()) {
          return imported_.add(
              {where + '.' + std::string(times.samples), id, time_metric(), process_, std::move(samples)});
        }
        imported_.bad(where, "found " + flaw + ", wanted the samples beside the JSON; copy the folder with it", id);
        return false;
      }
    }
    for (const NvbenchTimes& times : kNvbenchTimes) {
      const auto mean = figure_of(state, times.mean);
      if (mean) return imported_.add_aggregate({where, id, time_metric(), process_, {*mean * 1e9}});
    }
    imported_.bad(where, "found no time, wanted samples or a mean", id, kRealTime);
    return false;
  }

  fs::path path_;
  std::map<std::string, std::string> devices_;  // names by their numbers
  ImportedRun& imported_;
  std::uint32_t process_;
};

}  // namespace

Result<Run> load_nvbench(const fs::path& path, ImportReading& reading) {
  constexpr std::string_view kBenchmarks = "benchmarks[]";
  // Devices first, which the benchmarks name by their numbers.
  ImportReading first{.keeps_readable = reading.keeps_readable};  // its damages are told by the second
  STEELYARD_TRY(const JsonValue rest,
                read_json(
                    path, kBenchmarks, [](JsonValue&&, const std::string&) { return true; }, first));
  ImportedRun imported("nvbench", path, reading);
  std::map<std::string, std::string> devices;
  for (const JsonValue& device : rest.items_of("devices")) {
    const std::string name = device.text_of("name");
    devices[device.text_of("id")] = name;
    imported.fact("nvbench.device." + device.text_of("id"), name, true);
  }
  imported.run().header.settings["nvbench"] = rest.text_of("meta.version.nvbench.string");
  NvbenchReader reader(path, std::move(devices), imported);
  STEELYARD_CHECK(read_json(
      path, kBenchmarks,
      [&](JsonValue&& benchmark, const std::string& where) {
        reader.take(benchmark, where);
        return true;
      },
      reading));
  return imported.finish("results of nvbench", "write it with --jsonbin FILE");
}

}  // namespace steelyard::bench
