#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include "bench/counting/collection.hpp"
#include "bench/counting/counters/hardware_count.hpp"
#include "bench/counting/counters/heap_count.hpp"
#include "bench/counting/equal/counted_inputs.hpp"
#include "bench/formats/google_benchmark.hpp"
#include "bench/formats/import_formats.hpp"
#include "bench/formats/repetition_log.hpp"
#include "bench/runner/program_facts.hpp"
#include "tests/fuzz/claims.hpp"

namespace steelyard::testkit {
namespace {

BrokenClaim broken_claim_about_measurement(const Measurement& measurement) {
  for (const InvocationSamples& taken : measurement.invocations) {
    for (const double value : taken.values) {
      if (!std::isfinite(value)) return "samples are finite: " + measurement.benchmark.canonical();
    }
    for (const std::int64_t iterations : taken.iterations) {
      if (iterations <= 0) return "iterations are above 0: " + measurement.benchmark.canonical();
    }
  }
  if (measurement.metric.name.empty()) return "a metric has a name";
  return std::nullopt;
}

BrokenClaim broken_claim_about_imported(const Run& run) {
  for (const Measurement& measurement : run.measurements) {
    if (const auto broken = broken_claim_about_measurement(measurement)) return broken;
  }
  for (const Invocation& invocation : run.invocations) {
    if (invocation.duration_ns < 0) return "no process took less than no time";
  }
  return broken_claim_about_run(run);
}

bool has_last_line_with_end(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  char last = 0;
  file.seekg(-1, std::ios::end);
  return file.get(last) && last == '\n';
}

// Whether a file's last line may be one that is cut, which nothing but its missing end tells.
bool may_be_cut(const bench::ImportFormat& format, const std::string& text, const ImportInput& input) {
  if (format.name != "csv" && format.name != "go") return false;
  if (!input.is_folder()) return !text.ends_with('\n');
  const std::filesystem::recursive_directory_iterator files(input.path());
  return std::any_of(begin(files), end(files), [](const std::filesystem::directory_entry& one) {
    return one.is_regular_file() && !has_last_line_with_end(one.path());
  });
}

// A reading warns of so many damages.
constexpr std::size_t kMaxDamagesTold = 100;

bool has_warning_of(const bench::ImportReading& reading, const Error& damage) {
  return std::any_of(reading.warnings.begin(), reading.warnings.end(),
                     [&](const std::string& warning) { return warning.starts_with(damage.where); });
}

constexpr std::string_view kNextFile = "=== file: ";  // which is in no format

// The line of a path and what stands behind it, up to the next such line.
void write_file(const std::filesystem::path& folder, std::string_view part) {
  constexpr std::size_t kLongestPath = 200;
  const std::size_t line = std::min(part.find('\n'), part.size());
  std::filesystem::path path = folder;
  for (const std::filesystem::path& step : std::filesystem::path(part.substr(0, std::min(line, kLongestPath)))) {
    if (step != "." && step != ".." && !step.has_root_directory()) path /= step;
  }
  // No folder can be made where a file is, and no file where a folder is: then this one is not there.
  std::error_code ignored;
  std::filesystem::create_directories(path.parent_path(), ignored);
  part.remove_prefix(std::min(line + 1, part.size()));
  std::ofstream(path, std::ios::binary) << part;
}

// `readable`: the same file, of which what can be read was asked for. `is_store`: a folder with a file for each run.
struct ReadableInput {
  bool may_be_cut = false;
  bool is_store = false;
};
BrokenClaim broken_claim_about_readable(const Result<std::vector<Run>>& whole, const Result<std::vector<Run>>& readable,
                                        const bench::ImportReading& reading, const ReadableInput& input) {
  if (whole && !input.may_be_cut && (!readable || !reading.damages.empty() || readable->size() != whole->size())) {
    return "of a whole file all is readable";
  }
  if (whole || !readable) return std::nullopt;
  if (reading.damages.empty()) return "what is read of a file that is refused is of a damaged one";
  for (const Run& run : *readable) {
    if (const auto broken = broken_claim_about_imported(run)) return broken;
    if (run.measurements.empty()) return "what is kept of a damaged file is something";
  }
  const bool is_told = std::any_of(readable->begin(), readable->end(), [](const Run& run) {
    return std::any_of(run.failures.begin(), run.failures.end(),
                       [](const Failure& failure) { return failure.kind == FailureKind::bad_record; });
  });
  for (std::size_t i = 0; i < std::min(reading.damages.size(), kMaxDamagesTold); ++i) {
    if (!has_warning_of(reading, reading.damages[i])) return "a damage is a warning, too";
  }
  // Of a store's file that has no run the others know nothing.
  return is_told || input.is_store ? BrokenClaim() : BrokenClaim("a run of a damaged file says so");
}

}  // namespace

BrokenClaim broken_claim_about_google_benchmark(const std::string& text) {
  const std::size_t end = std::min(text.find('\0'), text.size());
  const std::string_view json = std::string_view(text).substr(0, end);
  std::optional<bench::PassLog> log;
  if (end < text.size()) log = bench::PassLog{std::string_view(text).substr(end + 1)};
  const auto file = bench::parse_google_benchmark(json, "file", log);
  if (!file) return broken_claim_about_error(file.error());
  for (const Measurement& measurement : file->measurements) {
    if (const auto broken = broken_claim_about_measurement(measurement)) return broken;
    if (measurement.invocations.size() != 1) return "a file is one invocation";
  }
  for (const bench::BadRecord& record : file->bad_records) {
    if (record.where.empty() || record.why.empty()) return "a bad record says where and why";
  }
  return std::nullopt;
}

ImportInput::ImportInput(const std::string& text) {
  if (!text.starts_with(kNextFile)) {
    file_.emplace(text);
    return;
  }
  std::string made = (std::filesystem::temp_directory_path() / "steelyard_fuzz_XXXXXX").string();
  if (::mkdtemp(made.data()) == nullptr) {
    std::perror("mkdtemp");
    std::abort();
  }
  around_ = made;
  std::filesystem::create_directory(path());
  constexpr int kMaxFiles = 16;
  const std::string between = '\n' + std::string(kNextFile);
  std::string_view rest = std::string_view(text).substr(kNextFile.size());
  for (int file = 0; file < kMaxFiles; ++file) {
    const std::size_t end = rest.find(between);
    write_file(path(), rest.substr(0, end));
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + between.size());
  }
}

ImportInput::~ImportInput() {
  std::error_code ignored;
  if (!around_.empty()) std::filesystem::remove_all(around_, ignored);
}

std::filesystem::path ImportInput::path() const { return file_ ? file_->path() : around_ / "results"; }

BrokenClaim broken_claim_about_import(const bench::ImportFormat& format, const std::string& text) {
  const ImportInput input(text);
  const std::string name = input.path().string();
  if (const auto recognised = bench::recognise_format(input.path()); !recognised) {
    if (const auto broken = broken_claim_about_error(recognised.error(), name)) return broken;
  }
  std::vector<std::string> warnings;
  const Result<std::vector<Run>> runs = bench::load_imported(format, input.path(), warnings);
  bench::ImportReading reading{.keeps_readable = true};
  const Result<std::vector<Run>> readable = bench::load_imported(format, input.path(), reading);
  const ReadableInput readable_input{may_be_cut(format, text, input),
                                     input.is_folder() && format.load_history != nullptr};
  if (const auto broken = broken_claim_about_readable(runs, readable, reading, readable_input)) return broken;
  if (!runs) return broken_claim_about_error(runs.error(), name);
  if (runs->empty()) return "what can be read has a run";
  for (const Run& run : *runs) {
    if (const auto broken = broken_claim_about_imported(run)) return broken;
    const auto is_bad = [](const Failure& failure) { return failure.kind == FailureKind::bad_record; };
    if (warnings.empty() && std::any_of(run.failures.begin(), run.failures.end(), is_bad)) {
      return "a record that cannot be used is a warning, too";
    }
  }
  return std::nullopt;
}

BrokenClaim broken_claim_about_program_output(const std::string& bytes) {
  for (const auto& [name, passes] : bench::read_pass_log(bytes)) {
    if (name.empty() || passes.empty()) return "passes are of a benchmark";
  }
  if (const auto passes = bench::parse_hardware_report(bytes)) {
    for (const auto& [metric, value] : bench::per_iteration(*passes)) {
      if (!std::isfinite(value.per_iteration) || value.per_iteration < 0) return "counts are numbers: " + metric;
      if (!(value.share_counted >= 0 && value.share_counted <= 1)) return "a share is one: " + metric;
    }
  }
  if (const auto record = bench::parse_heap_record(bytes); record && record->live_bytes > record->peak_bytes) {
    return "no more lives than at the peak";
  }
  if (const auto report = bench::parse_shim_report(bytes)) {
    bench::hides_its_clock(*report, bytes);
    bench::has_work_in_other_threads(*report);
    bench::what_is_wrong(*report, bytes);
  }
  if (const auto libraries = bench::parse_loader_list(bytes)) {
    for (const bench::LoadedLibrary& library : *libraries) {
      if (library.name.empty()) return "a library has a name";
    }
  }
  bench::Program program;
  program.executable = "/srv/bench";
  program.working_directory = "/srv";
  for (const std::string& file : bench::parse_opened_files(bytes, program, "/own").files) {
    if (file.empty() || file.find('\n') != std::string::npos) return "an opened file has a name of one line";
  }
  if (bench::without_trace(bytes).size() > bytes.size() + 1) return "leaving lines out makes nothing longer";
  return std::nullopt;
}

}  // namespace steelyard::testkit
