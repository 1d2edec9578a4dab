#include "bench/runner/side_record.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>

#include "bench/environment/gpu_facts.hpp"

namespace steelyard {
namespace {

constexpr int kMostFailures = 3;
// A hang costs the whole time limit; the second is the last.
constexpr int kWeightOfTimeOut = 2;
// The reader's own limit; checked before anything is read into memory.
constexpr std::uintmax_t kLargestOutput = std::uintmax_t{256} << 20;

// What is known better from the machine itself, or differs from process to process.
constexpr std::array<std::string_view, 8> kForgottenFacts = {
    "google.date",        "google.executable", "google.host_name", "google.num_cpus",
    "google.mhz_per_cpu", "google.cache.",     "google.load_avg",  "google.json_schema_version"};

bool is_kept(std::string_view name) {
  return std::none_of(kForgottenFacts.begin(), kForgottenFacts.end(),
                      [&](std::string_view forgotten) { return name.starts_with(forgotten); });
}

Result<std::string> read_output(const std::filesystem::path& file) {
  std::error_code failure;
  const std::uintmax_t size = std::filesystem::file_size(file, failure);
  if (failure || size == 0) return program_error("its output", "no result file");
  if (size > kLargestOutput) return program_error("its output", "a result file above 256 MiB");
  std::string content(size, '\0');
  std::ifstream stream(file, std::ios::binary);
  if (!stream.read(content.data(), static_cast<std::streamsize>(size))) {
    return program_error("its output", "a result file that cannot be read");
  }
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
  run.environment = std::move(told_);
  return run;
}

// What is decisive of the device and no longer as it was; empty where nothing is.
std::string SideRecord::device_change(const Environment& environment) const {
  if (run_.invocations.empty()) return "";
  for (const Fact& fact : environment.facts) {
    if (!is_decisive_gpu_fact(fact.name)) continue;
    const std::string* const before = told_.find(fact.name);
    if (before == nullptr || *before == fact.value) continue;
    return "the device is not as before: " + fact.name + " is " + fact.value + ", was " + *before;
  }
  return "";
}

void SideRecord::add_failure(const ListedBenchmark& benchmark, std::string reason) {
  run_.failures.push_back({id_of(benchmark), "", -1, std::move(reason)});
}

void SideRecord::add_failure(std::string reason) { run_.failures.push_back({{}, "", -1, std::move(reason)}); }

void SideRecord::fail(const Attempt& attempt, std::string reason, int weight) {
  failure_weight_[attempt.benchmark.name] += weight;
  run_.failures.push_back({id_of(attempt.benchmark), "", attempt.round, std::move(reason)});
}

bool SideRecord::has_given_up(const std::string& benchmark) const {
  const auto at = failure_weight_.find(benchmark);
  return at != failure_weight_.end() && at->second >= kMostFailures;
}

void SideRecord::add(const Attempt& attempt, const Result<ChildResult>& child,
                     const std::filesystem::path& output_file) {
  if (!child) return fail(attempt, child.error().text(), 1);
  if (child->end == ChildEnd::cancelled) return;
  if (child->end == ChildEnd::timed_out) return fail(attempt, child->describe(), kWeightOfTimeOut);
  if (!child->succeeded()) return fail(attempt, child->describe(), 1);
  Result<GoogleBenchmarkFile> file = read_result(*child, output_file);
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
    fail(attempt, with_last_line(failure.reason, child), 1);
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

Result<GoogleBenchmarkFile> read_result(const ChildResult& child, const std::filesystem::path& output_file) {
  const auto told = [&](const Error& error) { return program_error("", with_last_line(error.text(), child)); };
  const Result<std::string> content = read_output(output_file);
  if (!content) return told(content.error());
  Result<GoogleBenchmarkFile> file = parse_google_benchmark(*content, "its output");
  if (!file) return told(file.error());
  return file;
}

std::vector<std::uint32_t> SideRecord::invocations_of(const std::string& benchmark) const {
  const auto at = invocations_of_.find(benchmark);
  return at == invocations_of_.end() ? std::vector<std::uint32_t>() : at->second;
}

void SideRecord::mark(std::uint32_t position, std::vector<std::string> disturbed_by) {
  run_.invocations[position].disturbed_by = std::move(disturbed_by);
}

void SideRecord::leave_out(std::uint32_t position) {
  run_.invocations[position].left_out = true;
  for (Measurement& measurement : run_.measurements) {
    auto& judged = measurement.invocations;
    const auto is_it = [&](const InvocationSamples& samples) { return samples.invocation == position; };
    const auto at = std::find_if(judged.begin(), judged.end(), is_it);
    if (at == judged.end()) continue;
    measurement.set_aside.push_back(std::move(*at));
    judged.erase(at);
  }
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
    if (is_kept(fact.name)) told_.set(fact.name, fact.value, is_decisive_gpu_fact(fact.name));
  }
}

}  // namespace steelyard
