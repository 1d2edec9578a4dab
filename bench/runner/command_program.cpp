#include "bench/runner/command_program.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "bench/formats/import_formats.hpp"
#include "bench/model/extended_expression.hpp"
#include "bench/model/quantile.hpp"
#include "bench/runner/descriptor.hpp"
#include "bench/runner/fresh_copy.hpp"

namespace steelyard::bench {
namespace {

constexpr std::size_t kLargestResults = std::size_t{256} << 20;  // as of Google Benchmark's
constexpr std::size_t kOutputKept = std::size_t{64} << 10;       // the last line of stderr is what is read of it
// CPU time over wall time above which more than one core was used: a little more than 1 is how both are rounded.
constexpr double kSeveralCores = 1.2;
// Beyond what an empty process has: what was forked grows as results come in.
constexpr double kTellingMemory = 1.5;
constexpr const char* kDoesNothing = "/bin/true";
constexpr const char* kShellProgram = "/bin/sh";
constexpr int kEmptyProcesses = 7;
constexpr Nanoseconds kEmptyTimeout = seconds(10);

bool writes_file(const Program& program) {
  return std::any_of(program.arguments.begin(), program.arguments.end(),
                     [](const std::string& word) { return word.find(kOutputMark) != std::string::npos; });
}

bool is_run_by_shell(const Program& program) {
  return program.executable == kShellProgram && !program.arguments.empty() && program.arguments.front() == "-c";
}

struct EmptyProcess {
  Nanoseconds takes;
  std::int64_t peak_bytes = 0;
  int core = -1;
};

// What starting costs: of the shell, where that starts the command.
EmptyProcess run_empty(const Program& program, std::optional<int> core, const std::atomic<bool>* cancelled) {
  ChildCommand command = command_of(program);
  command.executable = is_run_by_shell(program) ? kShellProgram : kDoesNothing;
  command.arguments = is_run_by_shell(program) ? std::vector<std::string>{"-c", ":"} : std::vector<std::string>{};
  command.discards_output = true;
  command.core = core;
  command.timeout = kEmptyTimeout;
  EmptyProcess empty;
  std::vector<double> times;
  for (int i = 0; i < kEmptyProcesses; ++i) {
    const Result<ChildResult> child = run_child(command, cancelled);
    if (!child || !child->succeeded()) return empty;
    times.push_back(static_cast<double>(child->use.executed_ns));
    empty.peak_bytes = std::max(empty.peak_bytes, child->use.peak_resident_bytes);
    empty.core = child->core;
  }
  empty.takes = nanoseconds(median(std::move(times)));
  return empty;
}

Measurement outside_measurement(const BenchmarkId& id, std::string_view metric, std::vector<double> values) {
  Measurement measurement;
  measurement.benchmark = id;
  measurement.metric = *well_known_metric(metric);
  std::vector<std::int64_t> iterations(values.size(), 1);
  measurement.invocations.push_back({0, std::move(values), std::move(iterations)});
  return measurement;
}

GoogleBenchmarkFile measured_from_outside(const BenchmarkId& id, const ChildResult& child, bool tells_memory) {
  std::vector<double> real_time, cpu_time, memory;
  for (const ProcessUse& use : child.uses.empty() ? std::vector<ProcessUse>{child.use} : child.uses) {
    real_time.push_back(static_cast<double>(std::max<std::int64_t>(use.executed_ns, 1)));
    cpu_time.push_back((use.user_time + use.system_time).count());
    memory.push_back(static_cast<double>(use.peak_resident_bytes));
  }
  GoogleBenchmarkFile file;
  file.taken_at_unix_ns = child.started_at_unix_ns;
  file.measurements.push_back(outside_measurement(id, kRealTime, std::move(real_time)));
  // The kernel may account in ticks, of which a short process has none.
  const bool is_timed = std::all_of(cpu_time.begin(), cpu_time.end(), [](double time) { return time > 0; });
  if (is_timed) file.measurements.push_back(outside_measurement(id, kCpuTime, std::move(cpu_time)));
  if (tells_memory) file.measurements.push_back(outside_measurement(id, "peak_rss", std::move(memory)));
  return file;
}

// The suite is the project's name for a program: what a format calls one becomes a part of the name.
BenchmarkId without_suite(BenchmarkId id) {
  if (!id.suite.empty()) id.name = id.suite + "::" + id.name;
  id.suite.clear();
  return id;
}

// Whatever processes its tool started, they are one invocation of ours.
GoogleBenchmarkFile as_one_invocation(Run run) {
  GoogleBenchmarkFile file;
  for (Measurement& measurement : run.measurements) {
    if (measurement.invocations.empty()) continue;
    measurement.benchmark = without_suite(std::move(measurement.benchmark));
    InvocationSamples all{0, {}, {}};
    for (const InvocationSamples& samples : measurement.invocations) {
      all.values.insert(all.values.end(), samples.values.begin(), samples.values.end());
      all.iterations.insert(all.iterations.end(), samples.iterations.begin(), samples.iterations.end());
    }
    if (all.iterations.size() != all.values.size()) all.iterations.clear();
    measurement.invocations = {std::move(all)};
    file.measurements.push_back(std::move(measurement));
  }
  for (Failure& failure : run.failures) {
    failure.benchmark = without_suite(std::move(failure.benchmark));
    file.failures.push_back(std::move(failure));
  }
  return file;
}

// Its output, where the command was given no file. Nothing that it put in the file's place is followed.
Result<void> put_output(const ChildResult& child, const std::filesystem::path& file) {
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
  if (child.output.empty()) return program_error("its output", "nothing", "results");
  if (child.output_truncated) {
    return program_error("its output", "more than " + to_text(Bytes(static_cast<double>(kLargestResults))), "results",
                         "let it write a file: " + std::string(kOutputMark) + " among its arguments");
  }
  // Another that runs beside it may put a link there now.
  const Descriptor made(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  std::string_view left = child.output;
  while (made.is_open() && !left.empty()) {
    const ssize_t written = ::write(made.number(), left.data(), left.size());
    if (written < 0 && errno != EINTR) break;
    left.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
  }
  return left.empty() ? Result<void>()
                      : program_error(file.string(), "a file that cannot be written", "space for results");
}

Result<GoogleBenchmarkFile> read_with(const ImportFormat& format, const Program& program, const ChildResult& child,
                                      const std::filesystem::path& file) {
  if (!writes_file(program)) STEELYARD_CHECK(put_output(child, file));
  if (const Result<std::string> left = read_left_file(file, 1); !left) {
    return program_error("its results", left.error().found, "a file of " + std::string(format.name));
  }
  ImportReading reading;  // what it warns of is a failure of the run, too
  Result<Run> run = format.load(file, reading);
  if (!run) return program_error("its results", run.error().found, run.error().wanted);
  return as_one_invocation(std::move(run).value());
}

std::vector<ListedBenchmark> benchmarks_of(const GoogleBenchmarkFile& file) {
  std::vector<ListedBenchmark> benchmarks;
  const auto add = [&](const BenchmarkId& id) {
    const ListedBenchmark listed{id, id.canonical()};
    if (!id.name.empty() && std::find(benchmarks.begin(), benchmarks.end(), listed) == benchmarks.end()) {
      benchmarks.push_back(listed);
    }
  };
  for (const Measurement& measurement : file.measurements) add(measurement.benchmark);
  for (const Failure& failure : file.failures) add(failure.benchmark);
  return benchmarks;
}

}  // namespace

Result<void> keep_matching(const std::string& filter, std::vector<ListedBenchmark>& benchmarks) {
  if (filter.empty() || filter == "all") return {};  // as Google Benchmark takes them
  const bool is_excluding = filter.starts_with('-');
  STEELYARD_TRY(const ExtendedExpression expression,
                ExtendedExpression::compile(filter.substr(is_excluding ? 1 : 0), "--filter", filter));
  std::erase_if(benchmarks,
                [&](const ListedBenchmark& benchmark) { return expression.finds_in(benchmark.name) == is_excluding; });
  return {};
}

ChildCommand invocation_of(const Program& program, const std::filesystem::path& output_file) {
  const MeasuredCommand& how = *program.command;
  ChildCommand command = command_of(program);
  for (std::string& word : command.arguments) {
    const std::size_t at = word.find(kOutputMark);
    if (how.format != nullptr && at != std::string::npos) word.replace(at, kOutputMark.size(), output_file.string());
  }
  command.prepare = how.prepare;
  command.ignore_failure = how.ignore_failure;
  command.discards_output = how.format == nullptr || writes_file(program);
  command.output_limit = command.discards_output ? kOutputKept : kLargestResults;
  return command;
}

Result<GoogleBenchmarkFile> read_invocation(const Program& program, const ProgramListing& listing,
                                            const ChildResult& child, const std::filesystem::path& output_file) {
  if (program.command->format != nullptr) return read_with(*program.command->format, program, child, output_file);
  BenchmarkId id;
  id.name = program.command->name;
  return measured_from_outside(id, child, listing.process && listing.process->tells_memory);
}

Result<ProgramListing> list_command(const Program& program, std::optional<int> core, const MeasuringSettings& settings,
                                    const std::atomic<bool>* cancelled) {
  STEELYARD_TRY(const PrivateFolder folder, PrivateFolder::create());
  const std::filesystem::path output_file = folder.output_file(Side::baseline);
  ChildCommand command = invocation_of(program, output_file);
  command.timeout = settings.timeout;
  const std::string where = program.executable.string();
  ProgramListing listing;
  bool uses_several_cores = false;
  std::int64_t peak_bytes = 0;
  std::optional<ChildResult> last;
  for (int i = 0; i < std::max(1, program.command->warmup); ++i) {
    std::error_code ignored;
    std::filesystem::remove(output_file, ignored);
    STEELYARD_TRY(ChildResult child, run_invocations({command}, cancelled).front());
    if (!child.succeeded()) {
      return program_error(where, "it " + child.describe(), "a command that exits with 0",
                           child.end == ChildEnd::exited ? "measure it all the same with --ignore-failure" : "");
    }
    const auto wall = static_cast<double>(child.use.executed_ns);
    uses_several_cores |= (child.use.user_time + child.use.system_time).count() > kSeveralCores * wall;
    listing.start = nanoseconds(static_cast<double>(child.duration_ns));
    peak_bytes = child.use.peak_resident_bytes;
    last = std::move(child);
  }
  const EmptyProcess empty = run_empty(program, core, cancelled);
  listing.core = empty.core;
  if (program.command->format == nullptr) {
    BenchmarkId id;
    id.name = program.command->name;
    listing.benchmarks = {{id, id.name}};
    const bool tells = static_cast<double>(peak_bytes) > kTellingMemory * static_cast<double>(empty.peak_bytes);
    const Nanoseconds takes = nanoseconds(static_cast<double>(last->use.executed_ns));
    listing.process = ProcessFacts{takes, empty.takes, empty.peak_bytes > 0 && tells};
  } else {
    STEELYARD_TRY(const GoogleBenchmarkFile file, read_invocation(program, listing, *last, output_file));
    listing.benchmarks = benchmarks_of(file);
  }
  for (ListedBenchmark& benchmark : listing.benchmarks) benchmark.uses_several_cores = uses_several_cores;
  STEELYARD_CHECK(keep_matching(settings.filter, listing.benchmarks));
  return listing;
}

}  // namespace steelyard::bench
