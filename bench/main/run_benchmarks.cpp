#include "bench/main/run_benchmarks.hpp"

#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <ostream>
#include <streambuf>
#include <string>
#include <vector>

#include "bench/main/axis_benchmark.hpp"
#include "bench/main/counted_region.hpp"
#include "bench/main/main_options.hpp"
#include "bench/main/memory_use.hpp"
#include "bench/main/run_session.hpp"
#include "bench/profile/spans/recorded_run.hpp"

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

namespace steelyard {
namespace {

// Keeps the report whole: while benchmarks run, what they write to standard output goes to standard error, and only the
// report goes to where standard output was.

// Writes to a file descriptor.
class DescriptorBuffer : public std::streambuf {
 public:
  explicit DescriptorBuffer(int descriptor) : descriptor_(descriptor) {}
  ~DescriptorBuffer() override { sync(); }

 protected:
  int_type overflow(int_type character) override;
  std::streamsize xsputn(const char* text, std::streamsize length) override;
  int sync() override;

 private:
  int descriptor_;
  std::string pending_;
};

class ReservedOutput {
 public:
  ReservedOutput();
  ReservedOutput(const ReservedOutput&) = delete;
  ReservedOutput& operator=(const ReservedOutput&) = delete;
  ~ReservedOutput();

  // To where standard output was.
  std::ostream& report() { return stream_; }

 private:
  int original_;  // -1: there is none, and nothing is redirected
  DescriptorBuffer buffer_;
  std::ostream stream_;
};

constexpr std::size_t kMaxPending = std::size_t{64} << 10;

int copy_of_standard_output() {
  std::cout.flush();
  std::fflush(stdout);
  // Not handed on to a program that a benchmark starts.
  return fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
}

DescriptorBuffer::int_type DescriptorBuffer::overflow(int_type character) {
  if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(character);
  pending_ += traits_type::to_char_type(character);
  return pending_.size() < kMaxPending || sync() == 0 ? character : traits_type::eof();
}

std::streamsize DescriptorBuffer::xsputn(const char* text, std::streamsize length) {
  pending_.append(text, static_cast<std::size_t>(length));
  return pending_.size() < kMaxPending || sync() == 0 ? length : 0;
}

int DescriptorBuffer::sync() {
  std::size_t done = 0;
  while (done < pending_.size()) {
    const ssize_t written = write(descriptor_, pending_.data() + done, pending_.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    done += static_cast<std::size_t>(written);
  }
  const bool is_all = done == pending_.size();
  pending_.clear();
  return is_all ? 0 : -1;
}

ReservedOutput::ReservedOutput()
    : original_(copy_of_standard_output()), buffer_(original_ >= 0 ? original_ : STDOUT_FILENO), stream_(&buffer_) {
  if (original_ >= 0) dup2(STDERR_FILENO, STDOUT_FILENO);
}

ReservedOutput::~ReservedOutput() {
  stream_.flush();
  if (original_ < 0) return;
  std::cout.flush();
  std::fflush(stdout);
  dup2(original_, STDOUT_FILENO);
  close(original_);
}

// SkipWithMessage came with 1.8, as did the unit of --benchmark_min_time.
template <class State>
constexpr bool time_takes_unit() {
  return requires(State & state) { state.SkipWithMessage(""); };
}

std::optional<std::string> variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::unique_ptr<benchmark::BenchmarkReporter> file_reporter(const std::string& format) {
  if (format == "console") {
    return std::make_unique<benchmark::ConsoleReporter>(benchmark::ConsoleReporter::OO_None);
  }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  if (format == "csv") return std::make_unique<benchmark::CSVReporter>();
#pragma GCC diagnostic pop
  return std::make_unique<benchmark::JSONReporter>();
}

// What a count of allocations depends on beside the program itself. Known to bench/formats, which compares counts of
// equal keys exactly.
std::string allocation_key() {
  std::string key = "bench_main allocations 1";
#ifdef __GLIBCXX__
  key += ";libstdc++ " + std::to_string(__GLIBCXX__);
#endif
#ifdef _LIBCPP_VERSION
  key += ";libc++ " + std::to_string(_LIBCPP_VERSION);
#endif
#ifdef __GLIBC__
  key += std::string(";glibc ") + gnu_get_libc_version();
#endif
  return key;
}

// A benchmark that calls exit() ends the run for all. There is no way back, but the report is finished, so that what
// was measured before it is not lost.
struct OpenReport {
  benchmark::BenchmarkReporter* display = nullptr;
  benchmark::BenchmarkReporter* file = nullptr;
};
OpenReport open_report;

void report_early_exit() {
  RunSession& session = RunSession::current();
  // Before the first benchmark it is Google Benchmark that ends the program, and says why; a forked child ends itself.
  if (!session.is_running() || session.benchmark().empty() || getpid() != session.process()) return;
  session.end();
  std::fprintf(stderr, "steelyard: benchmark \"%s\": the program ended in the middle of it; what follows was not run\n",
               session.benchmark().c_str());
  for (benchmark::BenchmarkReporter* reporter : {open_report.display, open_report.file}) {
    if (reporter == nullptr) continue;
    reporter->Finalize();
    reporter->GetOutputStream().flush();
  }
}

void run_with(const MainOptions& options) {
  // Made before standard output is redirected: it looks whether that is a terminal.
  const std::unique_ptr<benchmark::BenchmarkReporter> display(benchmark::CreateDefaultDisplayReporter());
  const auto file = file_reporter(options.file_format);
  ReservedOutput output;
  BlockReporter display_blocks(*display, options.order, !options.shows_blocks);
  BlockReporter file_blocks(*file, options.order, false);
  display_blocks.SetOutputStream(&output.report());
  open_report = {&display_blocks, options.has_file ? &file_blocks : nullptr};
  RunSession::current().begin(options.order);
  if (options.makes_single_iterations && !options.spans.file.empty())
    RunSession::current().record_iterations(options.spans.records_device);
  counted_region::begin(options.collects_by_hand);
  std::atexit(report_early_exit);
  if (options.has_file) {
    benchmark::RunSpecifiedBenchmarks(&display_blocks, &file_blocks);
  } else {
    benchmark::RunSpecifiedBenchmarks(&display_blocks);
  }
  RunSession::current().end();
  counted_region::end();
  open_report = {};
}

std::int64_t bytes_of_this_thread() { return static_cast<std::int64_t>(allocations_of_this_thread().bytes); }

// For --help: Google Benchmark's options, and ours.
void print_help() {
  benchmark::PrintDefaultHelp();
  std::fputs(main_options_help().c_str(), stdout);
}

int fail(const Error& error) {
  std::fprintf(stderr, "steelyard: %s\n", error.text().c_str());
  return 1;
}

}  // namespace

int run_benchmarks(int argc, char** argv) {
  const Result<MainOptions> options =
      parse_main_options({argv, argv + argc}, variable, time_takes_unit<benchmark::State>());
  if (!options) return fail(options.error());
  if (options->wants_help) {
    std::fputs(main_options_help().c_str(), stdout);
    return 0;
  }
  // Google Benchmark keeps pointers into what it is given.
  static std::vector<std::string> arguments;
  arguments = options->rest;
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  int count = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  benchmark::Initialize(&count, pointers.data(), print_help);
  if (benchmark::ReportUnrecognizedArguments(count, pointers.data())) return 1;
  if (const auto registered = register_axis_benchmarks(options->axes); !registered) return fail(registered.error());
  benchmark::AddCustomContext("steelyard_allocation_key", allocation_key());
  const Result<void> recorded =
      run_recorded(options->spans, "steelyard", bytes_of_this_thread, [&] { run_with(*options); });
  benchmark::Shutdown();
  return recorded ? 0 : fail(recorded.error());
}

}  // namespace steelyard
