// Reads criterion.rs: the folder that it leaves (target/criterion, 0.3 and newer), in which new/sample.json has every
// sample of a benchmark, or what cargo criterion --message-format=json prints, an object in a line or, where somebody
// has printed it anew, in several. A sample is `iters` passes that took `times` together. All of it is taken in one
// process.
#include <algorithm>

#include "bench/formats/import_formats.hpp"
#include "bench/formats/imported_run.hpp"

namespace steelyard::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxCriterionFolders = 200'000;
constexpr int kDeepestCriterionFolder = 8;

struct CriterionSamples {
  std::vector<double> per_iteration;
  std::vector<std::int64_t> iterations;
  std::string flaw;
};

CriterionSamples samples_of(const JsonValue& record, const char* passes, const char* totals, double factor) {
  CriterionSamples samples;
  const std::vector<double> iterations = numbers_at(record, passes, 1, samples.flaw);
  if (!samples.flaw.empty()) return samples;
  samples.per_iteration = numbers_at(record, totals, factor, samples.flaw);
  if (!samples.flaw.empty()) return samples;
  if (iterations.size() != samples.per_iteration.size()) {
    samples.flaw = std::to_string(iterations.size()) + " numbers of iterations and " +
                   std::to_string(samples.per_iteration.size()) + " measured values";
    return samples;
  }
  for (std::size_t i = 0; i < iterations.size(); ++i) {
    if (!(iterations[i] >= 1 && iterations[i] < 0x1p62)) {
      samples.flaw = "a sample of no iterations";
      return samples;
    }
    samples.per_iteration[i] /= iterations[i];
    samples.iterations.push_back(static_cast<std::int64_t>(iterations[i]));
  }
  return samples;
}

// Every folder "new" with its benchmark.json, by name.
Result<std::vector<fs::path>> benchmark_folders(const fs::path& root) {
  std::vector<fs::path> folders;
  std::error_code code;
  std::size_t seen = 0;
  fs::recursive_directory_iterator entry(root, code);
  for (; !code && entry != fs::recursive_directory_iterator(); entry.increment(code)) {
    if (entry.depth() >= kDeepestCriterionFolder) entry.disable_recursion_pending();
    if (++seen > kMaxCriterionFolders) {
      return input_error(root.string(), "more than " + std::to_string(kMaxCriterionFolders) + " files and folders",
                         "a folder that criterion left", "name the folder target/criterion itself");
    }
    if (entry->path().filename() != "benchmark.json" || entry->path().parent_path().filename() != "new") continue;
    folders.push_back(entry->path().parent_path());
  }
  if (code) return input_error(root.string(), code.message(), "a folder that can be read");
  std::sort(folders.begin(), folders.end());
  return folders;
}

Result<void> add_criterion_folder(const fs::path& folder, const fs::path& root, std::uint32_t process,
                                  ImportedRun& imported, ImportReading& reading) {
  const std::string where = folder.lexically_relative(root).generic_string();
  STEELYARD_TRY(const JsonValue about, read_json(folder / "benchmark.json", reading));
  const BenchmarkId id = parse_google_benchmark_name(about.text_of("full_id"));
  std::error_code code;
  if (fs::exists(folder / "sample.json", code)) {
    STEELYARD_TRY(const JsonValue record, read_json(folder / "sample.json", reading));
    CriterionSamples samples = samples_of(record, "iters", "times", 1);
    if (!samples.flaw.empty()) {
      imported.bad(where + "/sample.json", "found " + samples.flaw + ", wanted iters and times", id);
    } else {
      imported.add({where + "/sample.json", id, time_metric(), process, std::move(samples.per_iteration),
                    std::move(samples.iterations)});
    }
    return {};
  }
  STEELYARD_TRY(const JsonValue estimates, read_json(folder / "estimates.json", reading));
  const auto mean = estimates.number_of("mean.point_estimate");
  if (!mean) {
    imported.bad(where, "found neither sample.json nor a mean in estimates.json, wanted one", id);
  } else {
    imported.add_aggregate({where + "/estimates.json", id, time_metric(), process, {*mean}});
  }
  return {};
}

// Of an object that begins with a bracket alone in its line, and so ends with one.
void add_lines_to_its_end(std::string& text, ImportLines& lines) {
  std::string line;
  while (line != "}" && text.size() < ImportLines::kLongestLine && lines.next(line)) text += '\n' + line;
}

void add_criterion_message(const JsonValue& message, const std::string& where, std::uint32_t process,
                           ImportedRun& imported) {
  const BenchmarkId id = parse_google_benchmark_name(message.text_of("id"));
  const UnitScale scale = scale_of(message.text_of("unit"));
  CriterionSamples samples = samples_of(message, "iteration_count", "measured_values", scale.factor);
  const Metric metric = scale.unit == "ns" ? time_metric() : metric_named(message.text_of("unit"), scale);
  if (!samples.flaw.empty()) {
    return imported.bad(where, "found " + samples.flaw + ", wanted iteration_count and measured_values", id);
  }
  imported.add({where, id, metric, process, std::move(samples.per_iteration), std::move(samples.iterations)});
}

}  // namespace

Result<Run> load_criterion(const fs::path& path, ImportReading& reading) {
  ImportedRun imported("criterion", path, reading);
  const std::uint32_t process = imported.add_process();
  constexpr const char* kHow =
      "name the folder target/criterion, or write it with cargo criterion "
      "--message-format=json > FILE";
  std::error_code code;
  if (fs::is_directory(path, code)) {
    STEELYARD_TRY(const std::vector<fs::path> folders, benchmark_folders(path));
    for (const fs::path& folder : folders)
      STEELYARD_CHECK(add_criterion_folder(folder, path, process, imported, reading));
    return imported.finish("the folder that criterion leaves", kHow);
  }
  STEELYARD_TRY(ImportLines lines, ImportLines::open(path));
  for (std::string message_text; !reading.is_full && lines.next(message_text);) {
    if (message_text.find_first_not_of(" \t") == std::string::npos) continue;
    const std::string where = lines.where();
    const std::int64_t number = lines.number();
    if (message_text == "{") add_lines_to_its_end(message_text, lines);
    const Result<JsonValue> parsed = parse_json(message_text, where);
    if (!parsed) {
      STEELYARD_CHECK(reading.damaged(parsed.error()));
      continue;
    }
    const JsonValue& message = *parsed;
    if (message.text_of("reason") != "benchmark-complete") continue;
    add_criterion_message(message, "line " + std::to_string(number), process, imported);
  }
  return imported.finish("messages of cargo criterion", kHow);
}

}  // namespace steelyard::bench
