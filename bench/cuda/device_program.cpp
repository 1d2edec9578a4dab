#include "bench/cuda/device_program.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "bench/cuda/device_row.hpp"
#include "bench/model/quantity.hpp"
#include "bench/model/text.hpp"

namespace steelyard::cuda {
namespace {

std::string date_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  if (::gmtime_r(&now, &parts) == nullptr) return {};
  std::array<char, 40> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S+00:00", &parts)};
}

// "790 Tflop/s", "4.31 TB/s": three significant digits.
std::string rate_text(double rate, const char* unit) {
  if (!(rate > 0)) return {};
  constexpr std::array<const char*, 6> kPrefixes{"", "k", "M", "G", "T", "P"};
  std::size_t prefix = 0;
  while (rate >= 999.5 && prefix + 1 < kPrefixes.size()) {
    rate /= 1000;
    ++prefix;
  }
  return decimals_text(rate, rate < 9.995 ? 2 : rate < 99.95 ? 1 : 0) + ' ' + kPrefixes[prefix] + unit;
}

std::vector<std::string> cells_of(const RowSummary& row) {
  if (row.end == RowEnd::failed) return {row.name, "failed", "", "", "", "", ""};
  if (row.end == RowEnd::skipped) return {row.name, "skipped", "", "", "", "", ""};
  return {row.name,
          row.cold_ns ? to_text(Nanoseconds(*row.cold_ns)) : "",
          row.hot_ns ? to_text(Nanoseconds(*row.hot_ns)) : "",
          rate_text(row.flops, "flop/s"),
          rate_text(row.bandwidth, "B/s"),
          rate_text(row.tokens, "tokens/s"),
          std::to_string(row.samples)};
}

}  // namespace

ResultHeader result_header(const std::string& executable) {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  return {date_text(), host.data(), executable, static_cast<int>(std::thread::hardware_concurrency())};
}

namespace {

std::string context_json(const ResultHeader& header, const Facts& facts) {
  JsonObject context;
  context.text("date", header.date)
      .text("host_name", header.host_name)
      .text("executable", header.executable)
      .integer("num_cpus", header.cpus)
      .add("caches", "[]")
      .add("load_avg", "[]")
      .text("library_build_type", "release")
      .integer("json_schema_version", 1);
  for (const auto& [key, value] : facts) context.text(key, value);
  return context.str();
}

}  // namespace

std::string result_json(const ResultHeader& header, const Facts& facts, const std::vector<FinishedRow>& rows) {
  std::string json = "{\"context\": " + context_json(header, facts) + ",\n\"benchmarks\": [";
  const char* separator = "\n";
  for (const FinishedRow& row : rows) {
    for (const std::string& record : row.records) {
      json += separator + record;
      separator = ",\n";
    }
  }
  return json + "\n]}\n";
}

std::string result_table(const std::vector<FinishedRow>& rows) {
  std::vector<std::vector<std::string>> cells{
      {"benchmark", "cold", "hot", "arithmetic", "bandwidth", "tokens", "samples"}};
  for (const FinishedRow& row : rows) cells.push_back(cells_of(row.summary));
  // Few programs make any.
  if (std::none_of(rows.begin(), rows.end(), [](const FinishedRow& row) { return row.summary.tokens > 0; })) {
    for (std::vector<std::string>& line : cells) line.erase(line.end() - 2);
  }
  std::vector<Align> aligns(cells.front().size(), Align::right);
  aligns.front() = Align::left;
  std::istringstream lines(aligned_rows(cells, aligns, ""));
  std::string table;
  std::string line;
  std::getline(lines, line);
  table += line + '\n';
  for (const FinishedRow& row : rows) {
    std::getline(lines, line);
    table += line + '\n';
    if (row.summary.end != RowEnd::measured) table += "    " + row.summary.text + '\n';
  }
  return table;
}

namespace {

// Set by the handler of SIGINT and SIGTERM: what was measured until then is still written.
std::atomic<int> ended_by{0};
extern "C" void note_signal(int number) { ended_by.store(number); }

void watch_signals() {
  struct sigaction action {};
  action.sa_handler = note_signal;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

int fail(const DeviceProgram& program, const Error& error, DeviceExit status) {
  std::fprintf(stderr, "%s: %s\n", program.name.c_str(), error.text().c_str());
  return status;
}

// A file that goes with its owner.
class TemporaryFile {
 public:
  static Result<TemporaryFile> make() {
    std::error_code failure;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(failure);
    std::string path = ((failure ? std::filesystem::path("/tmp") : folder) / "steelyard-device-XXXXXX").string();
    const int file = ::mkstemp(path.data());
    if (file < 0) return program_error(path, std::string("it cannot be made: ") + std::strerror(errno));
    ::close(file);
    return TemporaryFile(std::move(path));
  }
  ~TemporaryFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  TemporaryFile(TemporaryFile&& other) noexcept : path_(std::exchange(other.path_, std::string())) {}
  TemporaryFile& operator=(TemporaryFile&&) = delete;

  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFile(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// Whole or not at all: beside its place, then moved there.
Result<void> write_file(const std::string& path, const std::string& content) {
  const std::string beside = path + ".part";
  {
    std::ofstream file(beside, std::ios::binary | std::ios::trunc);
    if (!file.write(content.data(), static_cast<std::streamsize>(content.size())) || !file.flush()) {
      return program_error("--benchmark_out", path + " cannot be written: " + std::strerror(errno));
    }
  }
  std::error_code failure;
  std::filesystem::rename(beside, path, failure);
  if (failure) return program_error("--benchmark_out", path + " cannot be written: " + failure.message());
  return {};
}

// Looked at before anything is measured, as what is measured would be lost with it.
Result<void> check_place(const std::string& path) {
  if (path.empty()) return {};
  const auto refuse = [&](const std::string& why) {
    return program_error("--benchmark_out", path + " cannot be written: " + why);
  };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return refuse("it is a folder; name a file in it");
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) == 0) return {};
  return refuse(folder.string() + ": " + std::strerror(errno));
}

// Rows as they come, beside the place of the result: what a kill leaves of it. Lines: the context, then a record each.
// Goes when the result is written. Trouble costs no measurement; the result itself will say it.
class PartialResult {
 public:
  PartialResult(const DeviceProgram& program, const DeviceOptions& options) : program_(program), options_(options) {}

  void keep(const Facts& facts, const FinishedRow& row) {
    if (options_.out.empty()) return;
    if (!file_.is_open()) {
      file_.open(path(), std::ios::binary | std::ios::trunc);
      Facts all = facts;
      all.insert(all.end(), options_.context.begin(), options_.context.end());
      file_ << context_json(result_header(program_.name), all) << '\n';
    }
    for (const std::string& record : row.records) file_ << record << '\n';
    file_.flush();
  }
  void remove() {
    if (file_.is_open()) ::unlink(path().c_str());
  }

 private:
  std::string path() const { return options_.out + ".partial"; }

  const DeviceProgram& program_;
  const DeviceOptions& options_;
  std::ofstream file_;
};

// A line that is written over, on a terminal only.
void show_progress(std::size_t done, std::size_t of, const std::string& name) {
  if (::isatty(STDERR_FILENO) == 0) return;
  std::fprintf(stderr, "\r\033[K[%zu/%zu] %.100s", done, of, name.c_str());
}
void end_progress() {
  if (::isatty(STDERR_FILENO) != 0) std::fputs("\r\033[K", stderr);
}

int write_result(const DeviceProgram& program, const DeviceOptions& options, const SuiteReport& report) {
  Facts facts = report.facts;
  facts.insert(facts.end(), options.context.begin(), options.context.end());
  const std::string json = result_json(result_header(program.name), facts, report.rows);
  std::fputs((options.json_on_stdout ? json : result_table(report.rows)).c_str(), stdout);
  if (std::fflush(stdout) != 0) return fail(program, program_error("stdout", std::strerror(errno)), kNotWritten);
  // Where no person reads the table and no file is asked for, stderr alone is left to be looked at.
  for (const FinishedRow& row : report.rows) {
    if (row.summary.end == RowEnd::measured || !options.json_on_stdout || !options.out.empty()) continue;
    std::fprintf(stderr, "%s: %s\n", row.summary.name.c_str(), row.summary.text.c_str());
  }
  if (options.out.empty()) return kDone;
  const Result<void> written = write_file(options.out, json);
  return written ? kDone : fail(program, written.error(), kNotWritten);
}

int measure(const DeviceProgram& program, const DeviceOptions& options, const std::vector<std::string>& arguments,
            const std::vector<DeviceCase>& cases) {
  if (const Result<void> place = check_place(options.out); !place) return fail(program, place.error(), kNotWritten);
  const Result<TemporaryFile> report_file = TemporaryFile::make();
  if (!report_file) return fail(program, report_file.error(), kNotWritten);
  watch_signals();
  Supervision supervision;
  supervision.executable = "/proc/self/exe";
  std::error_code ignored;
  if (const auto self = std::filesystem::read_symlink("/proc/self/exe", ignored); !ignored) {
    supervision.executable = self;
  }
  supervision.arguments = arguments;
  supervision.report = report_file->path();
  supervision.longest_silence = options.timeout;
  supervision.cancelled = &ended_by;
  for (const DeviceCase& one : cases) supervision.benchmarks.push_back({one.name, one.target});
  supervision.progress = [&](std::size_t done, const std::string& name) { show_progress(done, cases.size(), name); };
  PartialResult partial(program, options);
  supervision.keep = [&](const Facts& facts, const FinishedRow& row) { partial.keep(facts, row); };
  const Result<SuiteReport> report = supervise(supervision);
  end_progress();
  if (!report) return fail(program, report.error(), kNoDevice);
  const int status = write_result(program, options, *report);
  if (status == kDone) partial.remove();
  const int signal = ended_by.load();
  return signal != 0 ? 128 + signal : status;
}

}  // namespace

int run_device_program(const DeviceProgram& program, const std::vector<std::string>& arguments) {
  const Result<DeviceOptions> options = parse_device_options(arguments);
  if (!options) return fail(program, options.error(), kBadInput);
  if (options->help) {
    std::fputs(device_options_help(program.name).c_str(), stdout);
    return kDone;
  }
  if (options->list_devices) return program.list_devices();
  Result<std::vector<DeviceCase>> all = program.suite.cases(options->choice);
  if (!all) return fail(program, all.error(), kBadInput);
  const Result<std::vector<DeviceCase>> chosen = matching(std::move(all).value(), options->filter);
  if (!chosen) return fail(program, chosen.error(), kBadInput);
  if (!options->worker_report.empty()) {
    // Nobody would read its rows.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    return program.work(*options, *chosen);
  }
  // In Google Benchmark's words, by which it is known.
  if (chosen->empty()) {
    std::fprintf(stderr, "Failed to match any benchmarks against regex: %s\n", options->filter.c_str());
    return kDone;
  }
  if (options->list_tests) {
    for (const DeviceCase& one : *chosen) std::printf("%s\n", one.name.c_str());
    return kDone;
  }
  if (!options->profile.empty()) {
    if (program.profile) return program.profile(*options, *chosen);
    return fail(program, input_error("--steelyard_profile", "a program that records none", "one that does"), kBadInput);
  }
  return measure(program, *options, arguments, *chosen);
}

}  // namespace steelyard::cuda
