// Reads what `hyperfine --export-json` writes (1.12 and newer): every run of a command is a process of its own and so
// an invocation with one sample. Its means are never taken: of a result without its times nothing can be judged.
#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/formats/import_formats.hpp"
#include "bench/formats/imported_run.hpp"
#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"

namespace steelyard::bench {
namespace {

constexpr const char* kHowToExport = "write it with hyperfine --export-json FILE";

// A name as Google Benchmark's: the command, then what --parameter-list gave it: "sort/threads:4".
BenchmarkId command_of(const JsonValue& result) {
  const JsonValue* const command = result.find("command");
  if (command == nullptr || !command->is(JsonValue::Kind::text)) return {};
  std::string name = command->text;
  for (const auto& [parameter, value] : result.members_of("parameters")) {
    if (can_name_parameter(parameter) && !value.word().empty()) name += '/' + parameter + ':' + value.word();
  }
  return parse_google_benchmark_name(name);
}

bool is_kept_amount(double value) { return value > 0 && value < 0x1p62; }

// The time of each run in seconds; NaN where that is no number. Empty: there are none.
std::vector<double> seconds_of_runs(const JsonValue& result) {
  const JsonValue* const list = result.find("times");
  if (list == nullptr) return {};
  std::vector<double> times = list->numbers;
  for (const JsonValue& item : list->items) {
    times.push_back(item.is(JsonValue::Kind::number) ? item.number : std::numeric_limits<double>::quiet_NaN());
  }
  return times;
}

std::string found_of_time(const JsonValue& result, std::size_t at, double seconds) {
  if (!std::isnan(seconds)) return shortest_text(seconds);
  const std::vector<JsonValue>& items = result.items_of("times");
  return at < items.size() ? describe(items[at]) : "no number";
}

// A command as one measurement of the time, and one of the memory where hyperfine tells it of each run.
void add_command(const JsonValue& result, const std::string& where, const BenchmarkId& id, ImportedRun& imported) {
  constexpr double kNanosecondsOfSecond = 1e9;
  std::string flaw;
  const std::vector<double> times = seconds_of_runs(result);
  if (times.empty()) {
    return imported.bad(where, "found no \"times\", wanted the time of each run; " + std::string(kHowToExport), id,
                        kRealTime);
  }
  const std::vector<double> memory = numbers_at(result, "memory_usage_byte", 1, flaw);
  const bool has_memory = memory.size() == times.size() && std::all_of(memory.begin(), memory.end(), is_kept_amount);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double nanoseconds = times[i] * kNanosecondsOfSecond;
    if (!is_kept_amount(nanoseconds)) {
      imported.bad(where + ".times[" + std::to_string(i) + ']',
                   "found " + found_of_time(result, i, times[i]) + ", wanted a time above 0 and of at most 146 years",
                   id, kRealTime);
      continue;
    }
    const std::uint32_t process = imported.add_process();
    imported.run().invocations.back().duration_ns = static_cast<std::int64_t>(nanoseconds);
    if (!imported.add({where, id, time_metric(), process, {nanoseconds}, {1}})) return;
    if (has_memory) imported.add({where, id, *well_known_metric("peak_rss"), process, {memory[i]}, {1}});
  }
}

std::size_t failed_runs(const JsonValue& result) {
  const std::vector<JsonValue> codes = result.list_of("exit_codes");
  return static_cast<std::size_t>(std::count_if(codes.begin(), codes.end(), [](const JsonValue& code) {
    return !code.is(JsonValue::Kind::number) || code.number != 0;
  }));
}

}  // namespace

Result<Run> load_hyperfine(const std::filesystem::path& path, ImportReading& reading) {
  ImportedRun imported("hyperfine", path, reading);
  std::unordered_set<std::string> names;
  STEELYARD_CHECK(read_json(
      path, "results[]",
      [&](JsonValue&& result, const std::string& where) {
        const BenchmarkId id = command_of(result);
        const std::string name = id.canonical();
        if (id.name.empty()) {
          imported.bad(where, "found no command");
        } else if (!names.insert(name).second) {
          imported.bad(
              where,
              "found the command \"" + name + "\" again, wanted each once; name it with hyperfine --command-name", id);
        } else {
          add_command(result, where, id, imported);
          const std::size_t failed = failed_runs(result);
          if (failed > 0) {
            reading.warnings.push_back(name + ": " + plural_text(failed, "run") +
                                       " ended with another exit status than 0");
          }
        }
        return true;
      },
      reading));
  return imported.finish("results of hyperfine as JSON", kHowToExport);
}

}  // namespace steelyard::bench
