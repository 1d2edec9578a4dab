// Reads what Python's tools write. pytest-benchmark (--benchmark-json, 3.2 and newer) is one process; it keeps every
// round unless --benchmark-save or no option at all left "data" out. pyperf (1.0 and newer) runs each of its "runs" in
// a worker process of its own, so that a run is an invocation; runs that only calibrate have no values and are left
// aside.
#include <array>
#include <map>
#include <utility>

#include "bench/formats/import_formats.hpp"
#include "bench/formats/imported_run.hpp"

namespace steelyard::bench {
namespace {

constexpr const char* kHowToKeepRounds = "write it with pytest --benchmark-json=FILE --benchmark-save-data";

// "tests/test_sort.py::test_sort[1000-2]" with the parameters {"n": 1000, "k": 2}. What is no scalar has no word of its
// own and stands in the name, as pytest wrote it.
BenchmarkId pytest_benchmark_of(const JsonValue& record) {
  std::string name = record.text_of("fullname");
  if (name.empty()) name = record.text_of("name");
  std::vector<Parameter> parameters;
  for (const auto& [parameter, value] : record.members_of("params")) {
    const std::string word = value.word();
    if (word.empty() || !can_name_parameter(parameter)) return benchmark_named(std::move(name));
    parameters.push_back({parameter, word});
  }
  const std::string written = '[' + record.text_of("param") + ']';
  if (parameters.empty() || !name.ends_with(written)) return benchmark_named(std::move(name));
  name.resize(name.size() - written.size());
  return benchmark_named(std::move(name), parameters);
}

void add_pytest_benchmark(const JsonValue& record, const std::string& where, std::uint32_t process,
                          ImportedRun& imported) {
  const BenchmarkId id = pytest_benchmark_of(record);
  std::string flaw;
  std::vector<double> rounds = numbers_at(record, "stats.data", 1e9, flaw);
  if (!rounds.empty()) {
    // "iterations" passes are one round, whose time stands there for one of them.
    std::vector<std::int64_t> iterations;
    const double passes = record.number_of("stats.iterations").value_or(0);
    if (passes >= 1 && passes < 0x1p62) iterations.assign(rounds.size(), static_cast<std::int64_t>(passes));
    imported.add({where + ".stats.data", id, time_metric(), process, std::move(rounds), std::move(iterations)});
  } else if (record.find("stats.data") != nullptr) {
    imported.bad(where + ".stats.data",
                 "found " + (flaw.empty() ? "an empty list" : flaw) + ", wanted times in seconds", id, kRealTime);
  } else if (const auto mean = record.number_of("stats.mean")) {
    imported.add_aggregate({where + ".stats.mean", id, time_metric(), process, {*mean * 1e9}});
  } else {
    imported.bad(where + ".stats", std::string("found neither data nor a mean; ") + kHowToKeepRounds, id, kRealTime);
  }
}

void take_pytest_commit(const JsonValue& rest, Run& run) {
  run.header.commit.sha = hash_at(rest, "commit_info.id");  // outside of a repository "unversioned"
  if (run.header.commit.sha.empty()) return;
  run.header.commit.branch = rest.text_of("commit_info.branch");
  if (run.header.commit.branch.starts_with('(')) run.header.commit.branch.clear();  // "(unknown)"
  const JsonValue* const dirty = rest.find("commit_info.dirty");
  run.header.commit.dirty = dirty != nullptr && dirty->number != 0;
  run.header.commit.committed_at_unix_s = unix_ns_of(rest, "commit_info.time") / 1'000'000'000;
}

void take_python_machine(const JsonValue& machine, ImportedRun& imported) {
  std::string cpu = machine.text_of("cpu.brand_raw");
  if (cpu.empty()) cpu = machine.text_of("cpu.brand");
  if (cpu.empty()) cpu = machine.text_of("processor");
  imported.fact("python.cpu", cpu, true);
  imported.fact("python.cpu_count", machine.text_of("cpu.count"), true);
  imported.fact("python.machine", machine.text_of("machine"), true);
  imported.fact("python.host", machine.text_of("node"));
  imported.fact("python.version", machine.text_of("python_version"));
  imported.fact("python.release", machine.text_of("release"));
}

struct PyperfUnit {
  double factor;
  Metric metric;
};
PyperfUnit pyperf_unit(const std::string& unit) {
  if (unit.empty() || unit == "second") return {1e9, time_metric()};
  if (unit == "byte") return {1, metric_named("bytes", scale_of("bytes"))};
  return {1, metric_named("value", {"1"})};
}

// Of the run, or else of its benchmark, or else of the suite.
std::string pyperf_metadata(const JsonValue& benchmark, const JsonValue* run, const std::string& key) {
  if (run != nullptr) {
    if (std::string own = run->text_of("metadata." + key); !own.empty()) return own;
  }
  return benchmark.text_of("metadata." + key);
}

constexpr std::array kPyperfFacts{"cpu_model_name", "cpu_count", "hostname", "python_version", "platform"};

void add_pyperf_benchmark(const JsonValue& benchmark, const std::string& place, const JsonValue& suite,
                          ImportedRun& imported) {
  const auto metadata = [&](const JsonValue* run, const std::string& key) {
    const std::string own = pyperf_metadata(benchmark, run, key);
    return own.empty() ? suite.text_of("metadata." + key) : own;
  };
  const std::vector<JsonValue>& runs = benchmark.items_of("runs");
  const JsonValue* const first = runs.empty() ? nullptr : &runs.front();
  const BenchmarkId id = benchmark_named(metadata(first, "name"));
  const std::string written = metadata(first, "unit");
  // The suite's stands behind the benchmarks, where it may be lost.
  if (written.empty() && suite.is_cut) return imported.bad(place, "found no unit before the damage, wanted one", id);
  const PyperfUnit unit = pyperf_unit(written);
  std::size_t with_values = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const JsonValue& run = runs[i];
    const std::string where = place + ".runs[" + std::to_string(i) + ']';
    if (run.find("values") == nullptr) continue;
    std::string flaw;
    std::vector<double> values = numbers_at(run, "values", unit.factor, flaw);
    if (!flaw.empty()) {
      imported.bad(where + ".values", "found " + flaw + ", wanted numbers", id, unit.metric.name);
      continue;
    }
    ++with_values;
    const std::uint32_t process = imported.add_process(imported.date_of(run, "metadata.date", where));
    const double loops =
        run.number_of("metadata.loops")
            .value_or(benchmark.number_of("metadata.loops").value_or(suite.number_of("metadata.loops").value_or(0)));
    std::vector<std::int64_t> iterations;
    if (loops >= 1 && loops < 0x1p62) iterations.assign(values.size(), static_cast<std::int64_t>(loops));
    imported.add({where + ".values", id, unit.metric, process, std::move(values), std::move(iterations)});
  }
  if (with_values == 0) imported.bad(place, "found no run with values, wanted at least one", id);
}

}  // namespace

Result<Run> load_pytest_benchmark(const std::filesystem::path& path, ImportReading& reading) {
  ImportedRun imported("pytest-benchmark", path, reading);
  const std::uint32_t process = imported.add_process();
  STEELYARD_TRY(const JsonValue rest, read_json(
                                          path, "benchmarks[]",
                                          [&](JsonValue&& record, const std::string& where) {
                                            add_pytest_benchmark(record, where, process, imported);
                                            return true;
                                          },
                                          reading));
  if (const JsonValue* const machine = rest.find("machine_info")) take_python_machine(*machine, imported);
  Run& run = imported.run();
  take_pytest_commit(rest, run);
  run.header.created_at_unix_ns = imported.date_of(rest, "datetime", "");
  run.invocations.front().started_at_unix_ns = run.header.created_at_unix_ns;
  run.header.settings["pytest-benchmark"] = rest.text_of("version");
  return imported.finish("benchmarks of pytest-benchmark", kHowToKeepRounds);
}

// Read twice: the suite's own metadata, which each benchmark may lean on, stand behind the benchmarks, and these are
// not held for its sake.
Result<Run> load_pyperf(const std::filesystem::path& path, ImportReading& reading) {
  ImportedRun imported("pyperf", path, reading);
  ImportReading first{.keeps_readable = reading.keeps_readable};  // its damages are told by the second
  STEELYARD_TRY(const JsonValue suite,
                read_json(
                    path, "benchmarks[]", [](JsonValue&&, const std::string&) { return true; }, first));
  std::map<std::string, std::string> of_first;  // metadata of the first benchmark
  bool is_first = true;
  STEELYARD_CHECK(read_json(
      path, "benchmarks[]",
      [&](JsonValue&& benchmark, const std::string& where) {
        if (std::exchange(is_first, false)) {
          const std::vector<JsonValue>& runs = benchmark.items_of("runs");
          for (const char* key : kPyperfFacts) {
            of_first[key] = pyperf_metadata(benchmark, runs.empty() ? nullptr : &runs.front(), key);
          }
        }
        add_pyperf_benchmark(benchmark, where, suite, imported);
        return true;
      },
      reading));
  const auto metadata = [&](const std::string& key) {
    const std::string own = suite.text_of("metadata." + key);
    return own.empty() ? of_first[key] : own;
  };
  imported.fact("python.cpu", metadata("cpu_model_name"), true);
  imported.fact("python.cpu_count", metadata("cpu_count"), true);
  imported.fact("python.host", metadata("hostname"));
  imported.fact("python.version", metadata("python_version"));
  imported.fact("python.platform", metadata("platform"));
  Run& run = imported.run();
  if (!run.invocations.empty()) run.header.created_at_unix_ns = run.invocations.front().started_at_unix_ns;
  return imported.finish("benchmarks of pyperf", "write it with pyperf's option --output FILE");
}

}  // namespace steelyard::bench
