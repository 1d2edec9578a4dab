// Reads what `hyperfine --export-json` writes (1.12 and newer): every run of a command is a process of its own and so
// an invocation with one sample. Its means are never taken: of a result without its times nothing can be judged.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "bench/formats/import_formats.hpp"

namespace steelyard::bench {
namespace {

using nlohmann::json;

constexpr std::uintmax_t kMaxExportBytes = std::uintmax_t{64} << 20;
constexpr int kMaxExportDepth = 8;
constexpr std::size_t kMaxRuns = 1'000'000;  // of all commands together
constexpr double kNanosecondsInASecond = 1e9;
constexpr double kLargest = 0x1p62;  // of nanoseconds (146 years) and bytes: both are kept in 64 bits
constexpr const char* kHowToExport = "write it with hyperfine --export-json FILE";

Error not_hyperfine(const std::filesystem::path& path, std::string found) {
  return input_error(path.string(), std::move(found), "results of hyperfine as JSON", kHowToExport);
}

Result<json> read_document(const std::filesystem::path& path) {
  std::error_code code;
  const std::uintmax_t size = std::filesystem::file_size(path, code);
  if (code) return not_hyperfine(path, code.message());
  if (size > kMaxExportBytes) {
    return input_error(path.string(), std::to_string(size) + " bytes", "at most " + std::to_string(kMaxExportBytes),
                       "import its commands in several files");
  }
  std::ifstream in(path, std::ios::binary);
  bool is_too_deep = false;
  const auto stop_at_depth = [&](int depth, json::parse_event_t, const json&) {
    is_too_deep = is_too_deep || depth > kMaxExportDepth;
    return !is_too_deep;
  };
  json document = json::parse(in, stop_at_depth, false);
  if (is_too_deep) return not_hyperfine(path, "more than " + std::to_string(kMaxExportDepth) + " levels");
  if (document.is_discarded()) return not_hyperfine(path, "no JSON");
  const auto results = document.is_object() ? document.find("results") : document.end();
  if (!document.is_object() || results == document.end() || !results->is_array()) {
    return not_hyperfine(path, "no list \"results\"");
  }
  return document;
}

// A name as Google Benchmark's: the command, then what --parameter-list gave it: "sort/threads:4".
std::string command_of(const json& result) {
  const auto command = result.find("command");
  if (command == result.end() || !command->is_string()) return "";
  std::string name = command->get<std::string>();
  const auto parameters = result.find("parameters");
  if (name.empty() || parameters == result.end() || !parameters->is_object()) return name;
  for (const auto& [parameter, value] : parameters->items()) {
    if (can_name_parameter(parameter) && value.is_string()) name += '/' + parameter + ':' + value.get<std::string>();
  }
  return name;
}

// The numbers of a list, each times `scale`. Empty: it is none, or has something else than positive numbers that can be
// kept.
std::vector<double> numbers_of(const json& result, const char* key, double scale) {
  const auto list = result.find(key);
  if (list == result.end() || !list->is_array()) return {};
  std::vector<double> values;
  for (const json& one : *list) {
    const double value = one.is_number() ? one.get<double>() * scale : 0;
    if (!(value > 0 && value <= kLargest)) return {};
    values.push_back(value);
  }
  return values;
}

Measurement measurement_of(const BenchmarkId& benchmark, std::string_view metric, const std::vector<double>& values,
                           std::size_t first_invocation) {
  Measurement measurement{benchmark, *well_known_metric(metric), "", {}};
  for (std::size_t i = 0; i < values.size(); ++i) {
    measurement.invocations.push_back({static_cast<std::uint32_t>(first_invocation + i), {values[i]}, {1}});
  }
  return measurement;
}

// Appends one command. The answer says why it could not be used; empty: it could.
std::string append_result(const json& result, const std::string& name, Run& run) {
  const std::vector<double> times = numbers_of(result, "times", kNanosecondsInASecond);
  if (times.empty()) return "found no \"times\", wanted the time of each run; " + std::string(kHowToExport);
  if (run.invocations.size() + times.size() > kMaxRuns) return "above " + std::to_string(kMaxRuns) + " runs";
  const BenchmarkId benchmark = parse_google_benchmark_name(name);
  const std::size_t first = run.invocations.size();
  for (std::size_t i = 0; i < times.size(); ++i) {
    Invocation invocation;
    invocation.round = static_cast<std::int32_t>(first + i);  // commands run one after the other
    invocation.duration_ns = static_cast<std::int64_t>(times[i]);
    run.invocations.push_back(std::move(invocation));
  }
  run.measurements.push_back(measurement_of(benchmark, kRealTime, times, first));
  const std::vector<double> memory = numbers_of(result, "memory_usage_byte", 1);
  if (memory.size() == times.size()) run.measurements.push_back(measurement_of(benchmark, "peak_rss", memory, first));
  return "";
}

std::size_t failed_runs(const json& result) {
  const auto codes = result.find("exit_codes");
  if (codes == result.end() || !codes->is_array()) return 0;
  std::size_t failed = 0;
  for (const json& code : *codes) failed += code == 0 ? 0 : 1;
  return failed;
}

}  // namespace

Result<Run> load_hyperfine(const std::filesystem::path& path, std::vector<std::string>& warnings) {
  STEELYARD_TRY(const json document, read_document(path));
  Run run;
  run.header.tool = "hyperfine";
  run.header.program = path.filename().string();
  std::set<std::string> names;
  std::size_t index = 0;
  for (const json& result : document["results"]) {
    const std::string where = "results[" + std::to_string(index++) + "]";
    const std::string name = result.is_object() ? command_of(result) : "";
    std::string flaw = name.empty() ? "found no command" : "";
    if (flaw.empty() && !names.insert(name).second) {
      flaw = "found the command \"" + name + "\" again, wanted each once; name it with hyperfine --command-name";
    }
    if (flaw.empty()) flaw = append_result(result, name, run);
    if (!flaw.empty()) {
      warnings.push_back(path.string() + ": " + where + ": " + flaw);
      run.failures.push_back({name.empty() ? BenchmarkId{} : parse_google_benchmark_name(name), "", -1,
                              where + ": " + flaw, FailureKind::bad_record});
    } else if (const std::size_t failed = failed_runs(result); failed > 0) {
      warnings.push_back(name + ": " + std::to_string(failed) + (failed == 1 ? " run" : " runs") +
                         " ended with another exit status than 0");
    }
  }
  if (index == 0) return not_hyperfine(path, "an empty list \"results\"");
  return run;
}

}  // namespace steelyard::bench
