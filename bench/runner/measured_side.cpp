#include "bench/runner/measured_side.hpp"

#include <algorithm>

#include "bench/model/text.hpp"
#include "bench/runner/child_environment.hpp"

namespace steelyard {
namespace {

// A variable that no program reads.
constexpr const char* kPaddingName = "STEELYARD_PADDING";

}  // namespace

Result<MeasuredSide> MeasuredSide::prepare(Side side, const ListedProgram& listed, const Program* other,
                                           Nanoseconds timeout, const std::atomic<bool>* cancelled,
                                           const PrivateFolder& folder) {
  const Program& program = listed.program;
  std::error_code ignored;
  if (!std::filesystem::exists(program.executable, ignored)) {
    return input_error(program.executable.string(), "a file that is gone since it was asked for its benchmarks",
                       "the same program until it is measured");
  }
  STEELYARD_TRY(FreshCopy copy, FreshCopy::prepare(program, other, folder.of(side), cancelled));
  MeasuredSide measured(side, program, std::move(copy));
  measured.listing_ = listed.listing;
  if (listed.trouble) {
    if (cancelled == nullptr || !cancelled->load()) measured.record_.add_failure(listed.trouble->text());
    return measured;
  }
  ChildCommand& command = measured.command_;
  command.executable = program.executable;
  command.arguments = program.arguments;
  command.environment = child_environment(program);
  command.working_directory = program.working_directory;
  command.timeout = timeout;
  measured.output_file_ = folder.output_file(side);
  // After the user's own, so that these win. The result goes to a file: stdout is the program's to write to. With JSON
  // on stdout too, Google Benchmark says nothing on stderr, whose last line is then the program's own.
  command.arguments.insert(command.arguments.end(),
                           {"--benchmark_list_tests=false", "--benchmark_format=json",
                            "--benchmark_report_aggregates_only=false", "--benchmark_display_aggregates_only=false",
                            "--benchmark_out_format=json", "--benchmark_out=" + measured.output_file_.string()});
  return measured;
}

bool MeasuredSide::has(const ListedBenchmark& benchmark) const {
  return std::any_of(benchmarks().begin(), benchmarks().end(),
                     [&](const ListedBenchmark& own) { return own.name == benchmark.name; });
}

ChildCommand MeasuredSide::command(const std::vector<ListedBenchmark>& benchmarks, const SampleSize& size,
                                   std::optional<int> core, std::size_t padding) const {
  ChildCommand command = command_;
  command.executable = copy_.executable();
  for (const auto& [name, value] : copy_.environment()) command.environment[name] = value;
  command.environment[kPaddingName] = std::string(padding, 'x');
  std::vector<std::string> names;
  for (const ListedBenchmark& benchmark : benchmarks) names.push_back(benchmark.name);
  std::string min_time = in_seconds_text(size.min_time) + (listing_.min_time_takes_unit ? "s" : "");
  if (size.iterations > 0) {
    min_time = std::to_string(size.iterations) + "x";
    command.arguments.push_back("--benchmark_min_warmup_time=" + in_seconds_text(kWarmUp));
  }
  command.arguments.push_back("--benchmark_min_time=" + min_time);
  command.arguments.push_back("--benchmark_repetitions=" + std::to_string(size.repetitions));
  command.arguments.push_back("--benchmark_filter=" + exact_filter(names));
  command.core = core;
  command.output_limit = std::size_t{64} << 10;  // its own talk; the last line of stderr is what is read of it
  // What an earlier process wrote must not be taken for this one's.
  std::error_code ignored;
  std::filesystem::remove(output_file_, ignored);
  return command;
}

Result<GoogleBenchmarkFile> MeasuredSide::read(const ChildResult& child) const {
  return read_result(child, output_file_);
}

void MeasuredSide::add(const Attempt& attempt, const Result<ChildResult>& child) {
  record_.add(attempt, child, output_file_);
}

void MeasuredSide::add(const Attempt& attempt, const std::vector<ListedBenchmark>& benchmarks, const ChildResult& child,
                       GoogleBenchmarkFile file) {
  record_.take(attempt, benchmarks, child, std::move(file));
}

bool MeasuredSide::yielded(const Result<ChildResult>& child) const {
  if (!child || !child->succeeded()) return false;
  const Result<GoogleBenchmarkFile> file = read(*child);
  return file && !file->measurements.empty();
}

bool MeasuredSide::runs_only_in_place(ChildCommand command, const Result<ChildResult>& failed,
                                      const std::atomic<bool>* cancelled) {
  const bool ended = failed && (failed->end == ChildEnd::exited || failed->end == ChildEnd::signalled);
  if (!ended || tried_in_place_ || copy_.pages() != PagesOf::copied) return false;
  tried_in_place_ = true;
  const auto run = [&] {
    std::error_code ignored;
    std::filesystem::remove(output_file_, ignored);
    return yielded(run_child(command, cancelled));
  };
  if (run()) return false;  // it fails now and then, wherever it is
  command.executable = program_;
  return run();
}

std::string in_seconds_text(Nanoseconds duration) { return shortest_text(duration.count() / 1e9); }

}  // namespace steelyard
