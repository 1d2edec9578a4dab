#include "bench/runner/measured_side.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include "bench/environment/gpu_facts.hpp"
#include "bench/formats/repetition_log.hpp"
#include "bench/model/text.hpp"
#include "bench/runner/child_process.hpp"
#include "bench/runner/command_program.hpp"
#include "bench/runner/measure.hpp"
#include "bench/runner/run_folder.hpp"

namespace steelyard::bench {
namespace {

constexpr int kMaxFailures = 3;
// A hang costs the whole time limit; the second is the last.
constexpr int kWeightOfTimeOut = 2;
// The reader's own limit; checked before anything is read into memory.
constexpr std::size_t kLargestOutput = std::size_t{256} << 20;

// Two lines of about 60 bytes a pass: more repetitions than anybody asks for.
constexpr std::size_t kLargestLog = std::size_t{4} << 20;

// What is known better from the machine itself, or differs from process to process.
constexpr std::array<std::string_view, 8> kForgottenFacts = {
    "google.date",        "google.executable", "google.host_name", "google.num_cpus",
    "google.mhz_per_cpu", "google.cache.",     "google.load_avg",  "google.json_schema_version"};

bool is_kept(std::string_view name) {
  return std::none_of(kForgottenFacts.begin(), kForgottenFacts.end(),
                      [&](std::string_view forgotten) { return name.starts_with(forgotten); });
}

bool is_missing(const std::filesystem::path& file) {
  std::error_code unknown;
  return std::filesystem::symlink_status(file, unknown).type() == std::filesystem::file_type::not_found;
}

Result<std::string> read_output(const std::filesystem::path& file) {
  Result<std::string> content = read_left_file(file, kLargestOutput + 1);
  if (!content && !is_missing(file)) return program_error("its output", content.error().found + ", not a result file");
  if (!content || content->empty()) {
    const std::string lack = lack_of_space(file.parent_path());
    return program_error("its output", "no result file" + (lack.empty() ? "" : "; " + lack));
  }
  if (content->size() > kLargestOutput) return program_error("its output", "a result file above 256 MiB");
  return content;
}

std::string with_last_line(std::string reason, const ChildResult& child) {
  const std::string line = last_line(child.error_output);
  return line.empty() ? reason : reason + "; its last line of stderr: \"" + line + "\"";
}

}  // namespace

BenchmarkId SideRecord::id_of(const ListedBenchmark& benchmark) const {
  BenchmarkId id = benchmark.id;
  id.device = device_;
  return id;
}

Run& SideRecord::so_far() {
  for (Failure& failure : run_.failures) {
    if (!failure.benchmark.name.empty()) failure.benchmark.device = device_;
  }
  return run_;
}

Run SideRecord::take() {
  Run run = std::move(so_far());
  run.environment = std::move(reported_);
  return run;
}

// What is decisive of the device and no longer as it was; empty where nothing is.
std::string SideRecord::device_change(const Environment& environment) const {
  if (run_.invocations.empty()) return "";
  for (const Fact& fact : environment.facts) {
    if (!is_decisive_gpu_fact(fact.name)) continue;
    const std::string* const before = reported_.find(fact.name);
    if (before == nullptr || *before == fact.value) continue;
    return "the device is not as before: " + fact.name + " is " + fact.value + ", was " + *before;
  }
  return "";
}

void SideRecord::add_failure(const ListedBenchmark& benchmark, std::string reason, FailureKind kind) {
  run_.failures.push_back({id_of(benchmark), "", -1, std::move(reason), kind});
}

void SideRecord::add_failure(const Program& program, std::string reason) {
  run_.failures.push_back({whole_of(program), "", -1, std::move(reason)});
}

void SideRecord::interrupted(const std::vector<ListedBenchmark>& benchmarks) {
  for (const ListedBenchmark& benchmark : benchmarks) {
    if (!invocations_of(benchmark.name).empty()) continue;
    run_.failures.push_back(
        {id_of(benchmark), std::string(kRealTime), -1, std::string(kInterruptedBefore), FailureKind::not_reached});
  }
}

void SideRecord::fail(const Attempt& attempt, std::string reason, int weight, FailureKind kind) {
  failure_weight_[attempt.benchmark.name] += weight;
  run_.failures.push_back({id_of(attempt.benchmark), "", attempt.round, std::move(reason), kind});
}

bool SideRecord::has_given_up(const std::string& benchmark) const {
  const auto at = failure_weight_.find(benchmark);
  return at != failure_weight_.end() && at->second >= kMaxFailures;
}

void SideRecord::add(const Attempt& attempt, const Result<ChildResult>& child, const ResultReader& read) {
  if (!child) return fail(attempt, child.error().text(), 1);
  if (child->end == ChildEnd::cancelled) return;
  if (child->end == ChildEnd::not_run) return fail(attempt, child->describe(), 0, FailureKind::not_reached);
  if (child->end == ChildEnd::timed_out) return fail(attempt, child->describe(), kWeightOfTimeOut);
  if (!child->succeeded()) return fail(attempt, child->describe(), 1);
  Result<GoogleBenchmarkFile> file = read(*child);
  if (!file) return fail(attempt, file.error().text(), 1);
  take(attempt, {attempt.benchmark}, *child, std::move(file).value());
}

void SideRecord::take(const Attempt& attempt, const std::vector<ListedBenchmark>& benchmarks, const ChildResult& child,
                      GoogleBenchmarkFile file) {
  Attempt one = attempt;
  if (const std::string change = device_change(file.environment); !change.empty()) {
    for (const ListedBenchmark& benchmark : benchmarks) {
      one.benchmark = benchmark;
      fail(one, change, 1);
    }
    return;
  }
  if (const std::string* const device = file.environment.find(kGpuDevice)) device_ = *device;
  const auto invocation = static_cast<std::uint32_t>(run_.invocations.size());
  bool has_samples = false;
  for (const ListedBenchmark& benchmark : benchmarks) {
    one.benchmark = benchmark;
    if (!take_one(one, benchmarks.size() == 1, child, file)) continue;
    invocations_of_[benchmark.name].push_back(invocation);
    has_samples = true;
  }
  if (!has_samples) return;
  keep_facts(file.environment);
  run_.invocations.push_back(
      {attempt.round, attempt.slot, child.core, child.started_at_unix_ns, child.duration_ns, attempt.conditions});
}

// False: it has no samples, which is a failure. `alone`: what the file says of no benchmark in particular is of this.
bool SideRecord::take_one(const Attempt& attempt, bool alone, const ChildResult& child, GoogleBenchmarkFile& file) {
  BenchmarkId wanted = attempt.benchmark.id;
  wanted.suite.clear();  // of which the file knows nothing
  if (const std::string* const device = file.environment.find(kGpuDevice)) wanted.device = *device;
  const auto invocation = static_cast<std::uint32_t>(run_.invocations.size());
  bool has_samples = false;
  bool has_failure = false;
  for (Measurement& measurement : file.measurements) {
    if (measurement.benchmark != wanted || measurement.invocations.empty()) continue;
    measurement.benchmark.suite = attempt.benchmark.id.suite;
    append(std::move(measurement), invocation);
    has_samples = true;
  }
  for (const Failure& failure : file.failures) {
    if (failure.benchmark != wanted && !failure.benchmark.name.empty()) continue;
    if (is_skip(failure.kind)) {
      fail(attempt, failure.said, 1, failure.kind);
    } else {
      fail(attempt, with_last_line(failure.said, child), 1);
    }
    has_failure = true;
  }
  for (const BadRecord& record : file.bad_records) {
    if (!alone && record.benchmark != wanted && !record.benchmark.name.empty()) continue;
    fail(attempt, "its output, " + record.where + ": " + record.why, 1);
    has_failure = true;
  }
  if (const auto label = file.labels.find(wanted.canonical()); label != file.labels.end()) {
    run_.labels.try_emplace(id_of(attempt.benchmark).canonical(), label->second);
  }
  if (!has_samples && !has_failure)
    fail(attempt, with_last_line("its output holds no result of this benchmark", child), 1);
  return has_samples;
}

void SideRecord::note_left(const std::vector<ListedBenchmark>& benchmarks, const ChildResult& child) {
  const LeftProcesses::Count left{child.left_ended, child.left_running};
  if (!left.any() || child.end == ChildEnd::cancelled) return;
  const ListedBenchmark whose = benchmarks.size() == 1 ? benchmarks.front() : ListedBenchmark{};
  left_.try_emplace(whose.name, whose, LeftProcesses::Count{}).first->second.second += left;
}

LeftProcesses SideRecord::left_processes() const {
  LeftProcesses left;
  for (const auto& [name, one] : left_) left.benchmarks[name.empty() ? "" : id_of(one.first).canonical()] += one.second;
  return left;
}

Result<GoogleBenchmarkFile> read_result(const ChildResult& child, const std::filesystem::path& output_file) {
  const auto told = [&](const Error& error) { return program_error("", with_last_line(error.text(), child)); };
  const Result<std::string> content = read_output(output_file);
  if (!content) return told(content.error());
  Result<GoogleBenchmarkFile> file = parse_google_benchmark(*content, "its output", PassLog{child.error_output});
  if (!file) return told(file.error());
  return file;
}

std::vector<std::uint32_t> SideRecord::invocations_of(const std::string& benchmark) const {
  const auto at = invocations_of_.find(benchmark);
  return at == invocations_of_.end() ? std::vector<std::uint32_t>() : at->second;
}

void SideRecord::mark(std::uint32_t position, std::vector<std::string> disturbed_by) {
  std::vector<std::string>& known = run_.invocations[position].disturbed_by;
  for (std::string& cause : disturbed_by) {
    if (std::find(known.begin(), known.end(), cause) == known.end()) known.push_back(std::move(cause));
  }
}

void SideRecord::exclude(std::uint32_t position) {
  run_.invocations[position].excluded = true;
  for (Measurement& measurement : run_.measurements) {
    auto& judged = measurement.invocations;
    const auto is_it = [&](const InvocationSamples& samples) { return samples.invocation == position; };
    const auto at = std::find_if(judged.begin(), judged.end(), is_it);
    if (at == judged.end()) continue;
    measurement.excluded.push_back(std::move(*at));
    judged.erase(at);
  }
}

std::vector<SearchedProcess> SideRecord::searched(const ListedBenchmark& benchmark, int repetitions) const {
  const auto at = measurement_at_.find(std::pair(id_of(benchmark).canonical(), std::string(kRealTime)));
  if (at == measurement_at_.end()) return {};
  std::vector<SearchedProcess> processes;
  for (const auto& [invocation, values, iterations] : run_.measurements[at->second].invocations) {
    if (iterations.empty() || iterations.size() != values.size()) continue;
    const std::size_t asked = static_cast<std::size_t>(std::max(repetitions, 1));
    std::vector<Nanoseconds> lasted(values.size() % asked == 0 ? asked : 1);
    for (std::size_t i = 0; i < values.size(); ++i) {
      lasted[i * lasted.size() / values.size()] += nanoseconds(values[i] * static_cast<double>(iterations[i]));
    }
    processes.push_back({invocation, run_.invocations[invocation].round, std::ranges::min(iterations),
                         *std::ranges::min_element(lasted)});
  }
  return processes;
}

void SideRecord::append(Measurement&& measurement, std::uint32_t invocation) {
  InvocationSamples samples = std::move(measurement.invocations.front());
  samples.invocation = invocation;
  const auto [at, is_new] = measurement_at_.emplace(
      std::pair(measurement.benchmark.canonical(), measurement.metric.name), run_.measurements.size());
  if (is_new) {
    measurement.invocations.clear();
    run_.measurements.push_back(std::move(measurement));
  }
  run_.measurements[at->second].invocations.push_back(std::move(samples));
}

void SideRecord::keep_facts(const Environment& environment) {
  if (!run_.invocations.empty()) return;  // the first file speaks for all
  for (const Fact& fact : environment.facts) {
    if (is_kept(fact.name)) reported_.set(fact.name, fact.value, is_decisive_gpu_fact(fact.name));
  }
}

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
  for (const ListedBenchmark& benchmark : listed.listing.benchmarks) {
    const auto own = program.own_benchmarks.find(benchmark.name);
    if (own == program.own_benchmarks.end()) continue;
    // The file knows nothing of suites.
    BenchmarkId written = own->second.id;
    BenchmarkId today = benchmark.id;
    written.suite.clear();
    today.suite.clear();
    measured.today_.emplace(written.canonical(), std::move(today));
  }
  if (listed.trouble) {
    if (cancelled == nullptr || !cancelled->load()) {
      measured.record_.add_failure(program, listed.trouble->text());
    }
    return measured;
  }
  ChildCommand& command = measured.command_;
  measured.output_file_ = folder.output_file(side);
  if (program.command) {
    command = invocation_of(program, measured.output_file_);
    command.timeout = timeout;
    return measured;
  }
  command = command_of(program);
  command.timeout = timeout;
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
  command.core = core;
  // What an earlier process wrote must not be taken for this one's.
  std::error_code ignored;
  std::filesystem::remove(output_file_, ignored);
  if (of_.command) {
    command.processes = size.repetitions;
    return command;
  }
  std::vector<std::string> names;
  for (const ListedBenchmark& benchmark : benchmarks) names.push_back(of_.own_name(benchmark.name));
  std::string min_time = in_seconds_text(size.min_time) + (listing_.min_time_takes_unit ? "s" : "");
  if (size.iterations > 0) {
    min_time = std::to_string(size.iterations) + "x";
    command.arguments.push_back("--benchmark_min_warmup_time=" + in_seconds_text(kWarmUp));
  }
  command.arguments.push_back("--benchmark_min_time=" + min_time);
  command.arguments.push_back("--benchmark_repetitions=" + std::to_string(size.repetitions));
  command.arguments.push_back("--benchmark_filter=" + exact_filter(names));
  command.output_limit = std::size_t{64} << 10;  // its own talk; the last line of stderr is what is read of it
  if (std::any_of(names.begin(), names.end(), [&](const std::string& name) { return logged_.contains(name); })) {
    command.arguments.emplace_back(kPassLogOption);
    command.output_limit = kLargestLog;
  }
  return command;
}

Result<GoogleBenchmarkFile> MeasuredSide::read(const ChildResult& child) const {
  Result<GoogleBenchmarkFile> file =
      of_.command ? read_invocation(of_, listing_, child, output_file_) : read_result(child, output_file_);
  if (file && !today_.empty()) call_by_todays_names(*file);
  return file;
}

void MeasuredSide::call_by_todays_names(GoogleBenchmarkFile& file) const {
  const auto rename = [this](BenchmarkId& id) {
    BenchmarkId own = id;
    own.device.clear();  // of which the listing knows nothing
    const auto known = today_.find(own.canonical());
    if (known == today_.end()) return;
    const std::string device = id.device;
    id = known->second;
    id.device = device;
  };
  for (Measurement& measurement : file.measurements) rename(measurement.benchmark);
  for (Failure& failure : file.failures) rename(failure.benchmark);
  for (BadRecord& record : file.bad_records) rename(record.benchmark);
  std::map<std::string, std::string> labels;
  for (auto& [name, label] : file.labels) {
    const auto known = today_.find(name);
    labels.emplace(known == today_.end() ? name : known->second.canonical(), std::move(label));
  }
  file.labels = std::move(labels);
}

void MeasuredSide::add(const Attempt& attempt, const Result<ChildResult>& child) {
  if (child) record_.note_left({attempt.benchmark}, *child);
  record_.add(attempt, child, [this](const ChildResult& ended) { return read(ended); });
}

void MeasuredSide::add_whole(const Attempt& attempt, const std::vector<ListedBenchmark>& benchmarks,
                             const Result<ChildResult>& child) {
  if (child) record_.note_left(benchmarks, *child);
  if (child && child->succeeded()) {
    Result<GoogleBenchmarkFile> file = read(*child);
    if (file) return record_.take(attempt, benchmarks, *child, std::move(file).value());
  }
  // It has failed, or left nothing: each of them has.
  Attempt one = attempt;
  for (const ListedBenchmark& benchmark : benchmarks) {
    one.benchmark = benchmark;
    record_.add(one, child, [this](const ChildResult& ended) { return read(ended); });
  }
}

void MeasuredSide::add(const Attempt& attempt, const std::vector<ListedBenchmark>& benchmarks, const ChildResult& child,
                       GoogleBenchmarkFile file) {
  record_.note_left(benchmarks, child);
  record_.take(attempt, benchmarks, child, std::move(file));
}

bool MeasuredSide::yielded(const Result<ChildResult>& child) const {
  if (!child || !child->succeeded()) return false;
  const Result<GoogleBenchmarkFile> file = read(*child);
  return file && !file->measurements.empty();
}

bool MeasuredSide::wants_log(const Result<ChildResult>& child) {
  if (of_.command || !child || !child->succeeded()) return false;
  const Result<GoogleBenchmarkFile> file = read(*child);
  if (!file) return false;
  bool any_new = false;
  for (const std::string& name : file->only_aggregates) any_new = logged_.insert(name).second || any_new;
  return any_new;
}

bool MeasuredSide::may_try_in_place(const Result<ChildResult>& failed) const {
  const bool ended = failed && (failed->end == ChildEnd::exited || failed->end == ChildEnd::signalled);
  // Relinked programs lie elsewhere, whatever is done: where the program as built would run alone is no help to them.
  return ended && !tried_in_place_ && copy_.pages() == PagesOf::copied && !copy_.has_layouts();
}

bool MeasuredSide::runs_only_in_place(ChildCommand command, const Result<ChildResult>& failed,
                                      const std::atomic<bool>* cancelled) {
  if (!may_try_in_place(failed)) return false;
  tried_in_place_ = true;
  const auto run = [&] {
    std::error_code ignored;
    std::filesystem::remove(output_file_, ignored);
    return yielded(run_child(command, cancelled));
  };
  if (run()) return false;  // it fails now and then, wherever it is
  command.executable = of_.executable;
  return run();
}

std::string in_seconds_text(Nanoseconds duration) { return shortest_text(duration.count() / 1e9); }

}  // namespace steelyard::bench
