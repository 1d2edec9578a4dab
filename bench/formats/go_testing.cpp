// Reads what `go test -bench` prints, the text that benchstat reads, too:
//
//     goos: linux
//     pkg: example.com/sort
//     BenchmarkSort/n=1000-8    20000    61234 ns/op    2048 B/op    3 allocs/op
//
// A line is one sample of `20000` iterations, and -count repeats it within the process. A heading that begins anew for
// a package of which results were already read is a process of its own, as where several outputs were appended to one
// file.
#include <map>

#include "bench/formats/import_formats.hpp"
#include "bench/formats/imported_run.hpp"
#include "bench/model/parse_number.hpp"

namespace steelyard::bench {
namespace {

constexpr std::string_view kBenchmark = "Benchmark";

std::vector<std::string_view> words_of_line(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; (at = line.find_first_not_of(" \t", at)) != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

// "BenchmarkSort/n=1000/rand-8": "Sort" is never cut off, parts "key=value" are parameters, others positional ones, and
// a last "-8" is the number of processors that Go was given.
BenchmarkId go_benchmark_of(std::string_view written, const std::string& package) {
  std::string_view processors;
  const std::size_t dash = written.rfind('-');
  if (dash != std::string_view::npos && parse_as<unsigned>(written.substr(dash + 1))) {
    processors = written.substr(dash + 1);
    written = written.substr(0, dash);
  }
  const std::size_t slash = std::min(written.find('/'), written.size());
  std::vector<Parameter> parameters;
  for (std::string_view rest = written.substr(slash); !rest.empty();) {
    rest.remove_prefix(1);
    const std::string_view part = rest.substr(0, rest.find('/'));
    const std::size_t equals = part.find('=');
    const bool is_named = equals != std::string_view::npos && can_name_parameter(part.substr(0, equals));
    if (is_named) {
      parameters.push_back({std::string(part.substr(0, equals)), std::string(part.substr(equals + 1))});
    } else {
      parameters.push_back({"", std::string(part)});
    }
    rest.remove_prefix(part.size());
  }
  if (!processors.empty()) parameters.push_back({"gomaxprocs", std::string(processors)});
  BenchmarkId id = benchmark_named(std::string(written.substr(0, slash)), parameters);
  id.suite = package;
  return id;
}

Metric go_metric(std::string_view unit, const UnitScale& scale) {
  if (unit == "ns/op") return time_metric();
  if (unit == "B/op") return metric_named("bytes_allocated", scale);
  if (unit == "allocs/op") return metric_named("allocations", {"count"});
  if (unit == "MB/s") return {"bytes_per_second", scale.unit, Better::higher, MetricKind::noisy};
  return metric_named(unit, scale);
}

class GoReader {
 public:
  explicit GoReader(ImportedRun& imported) : imported_(imported) {}

  void take(const std::string& line, const std::string& where) {
    if (line.starts_with("goos: ")) return begin_heading(line.substr(6));
    if (line.starts_with("goarch: ")) return imported_.fact("go.arch", line.substr(8), true);
    if (line.starts_with("cpu: ")) return imported_.fact("go.cpu", line.substr(5), true);
    if (line.starts_with("pkg: ")) return begin_package(line.substr(5));
    if (line.starts_with("--- FAIL: Benchmark") || line.starts_with("--- SKIP: Benchmark")) return take_outcome(line);
    if (line.starts_with(kBenchmark)) take_result(line, where);
  }

 private:
  void begin_heading(const std::string& system) {
    imported_.fact("go.os", system, true);
    package_.clear();
  }

  void begin_package(std::string package) {
    package_ = std::move(package);
    const std::size_t comment = package_.find_first_of(" \t");
    if (comment != std::string::npos) package_.resize(comment);
    process_of_.erase(package_);  // what follows is of another process than what stood before
  }

  std::uint32_t process() {
    const auto [at, is_new] = process_of_.try_emplace(package_, 0);
    if (is_new) at->second = imported_.add_process();
    return at->second;
  }

  void take_outcome(const std::string& line) {
    const BenchmarkId id = go_benchmark_of(words_of_line(line)[2], package_);
    if (line.starts_with("--- SKIP")) return imported_.skipped(id, "skipped itself");
    imported_.failed(id, "failed");
  }

  // A name alone in its line is that of a benchmark that has just begun, and printed something.
  void take_result(const std::string& line, const std::string& where) {
    const std::vector<std::string_view> words = words_of_line(line);
    if (words.size() < 2) return;
    const auto iterations = parse_as<std::int64_t>(words[1]);
    if (!iterations) return;
    const BenchmarkId id = go_benchmark_of(words[0], package_);
    if (*iterations <= 0 || words.size() < 4 || words.size() % 2 != 0) {
      return imported_.bad(where,
                           words.size() < 4 || words.size() % 2 != 0
                               ? "found a line that breaks off, wanted a number and its unit, such as 61234 ns/op"
                               : "found " + std::string(words[1]) + " iterations, wanted at least 1",
                           id);
    }
    for (std::size_t i = 2; i + 1 < words.size(); i += 2) {
      const auto value = parse_as<double>(words[i]);
      const UnitScale scale = scale_of(words[i + 1]);
      const Metric metric = go_metric(words[i + 1], scale);
      if (!value) {
        imported_.bad(where,
                      "found \"" + std::string(words[i]) + "\", wanted a number before " + std::string(words[i + 1]),
                      id, metric.name);
        continue;
      }
      imported_.add({where, id, metric, process(), {*value * scale.factor}, {*iterations}, true});
    }
  }

  ImportedRun& imported_;
  std::string package_;
  std::map<std::string, std::uint32_t> process_of_;
};

}  // namespace

Result<Run> load_go(const std::filesystem::path& path, ImportReading& reading) {
  STEELYARD_TRY(ImportLines lines, ImportLines::open(path));
  ImportedRun imported("go", path, reading);
  GoReader reader(imported);
  for (std::string line; !reading.is_full && lines.next(line);) {
    // A word alone is no result, cut or not.
    if (line.find_first_of(" \t") != std::string::npos && is_cut_line(lines, reading)) continue;
    reader.take(line, "line " + std::to_string(lines.number()));
  }
  return imported.finish("the text that go test -bench prints", "write it with go test -bench . -count 10 > FILE");
}

}  // namespace steelyard::bench
