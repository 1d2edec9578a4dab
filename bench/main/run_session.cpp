#include "bench/main/run_session.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace steelyard {
namespace {

// Google Benchmark aims 1.4 times above the time that was asked for; a quarter more for noise.
constexpr double kOvershoot = 1.75;

}  // namespace

bool BlockBudget::skips(std::int64_t iterations, bool fixes_length) const {
  if (order_.blocks <= 1 || iterations != iterations_ || calls_ < order_.repetitions) return false;
  if (fixes_length) return true;
  const Nanoseconds next = spent_ * (1.0 / calls_);
  return spent_ + next > order_.min_time * (kOvershoot * order_.repetitions);
}

void BlockBudget::add(std::int64_t iterations, Nanoseconds took) {
  if (iterations != iterations_) begin_next_benchmark();
  iterations_ = iterations;
  ++calls_;
  spent_ += took;
}

void BlockBudget::begin_next_benchmark() {
  iterations_ = 0;
  calls_ = 0;
  spent_ = Nanoseconds(0);
}

RunSession& RunSession::current() {
  // Never destroyed: a benchmark that calls exit() is still reported on (see run_benchmarks.cpp).
  static RunSession& session = *new RunSession;
  return session;
}

void RunSession::begin(BlockOrder order) {
  const std::lock_guard lock(mutex_);
  budget_.emplace(order);
  process_ = getpid();
  is_running_ = true;
}

void RunSession::end() {
  const std::lock_guard lock(mutex_);
  budget_.reset();  // what the program runs later by itself is no part of it
  is_running_ = false;
}

bool RunSession::skips_next(std::int64_t iterations, bool fixes_length) {
  const std::lock_guard lock(mutex_);
  return budget_ && budget_->skips(iterations, fixes_length);
}

void RunSession::add_pass(std::int64_t iterations, Nanoseconds took) {
  const std::lock_guard lock(mutex_);
  if (budget_) budget_->add(iterations, took);
}

void RunSession::begin_next_benchmark() {
  const std::lock_guard lock(mutex_);
  if (budget_) budget_->begin_next_benchmark();
}

bool RunSession::end_lone_iterations(const std::string& benchmark) {
  const std::lock_guard lock(mutex_);
  return lone_budgets_[benchmark].end();
}

void RunSession::set_benchmark(const std::string& name) {
  const std::lock_guard lock(mutex_);
  benchmark_ = name;
}

std::string RunSession::benchmark() {
  const std::lock_guard lock(mutex_);
  return benchmark_;
}

namespace {

thread_local std::string running_benchmark;

}  // namespace

void set_benchmark_of_thread(std::string name) { running_benchmark = std::move(name); }
const std::string& benchmark_of_thread() { return running_benchmark; }

namespace {

using ReportedRun = benchmark::BenchmarkReporter::Run;
using benchmark::Counter;

// error_occurred and error_message until 1.7, skipped and skip_message since 1.8.
template <class AnyRun>
bool run_has_failed(const AnyRun& run) {
  if constexpr (requires { run.error_occurred; }) {
    return run.error_occurred;
  } else {
    return run.skipped != decltype(run.skipped){};
  }
}

template <class AnyRun>
const std::string& message_of(const AnyRun& run) {
  if constexpr (requires { run.error_message; }) {
    return run.error_message;
  } else {
    return run.skip_message;
  }
}

bool is_skipped(const ReportedRun& run) { return run_has_failed(run) && message_of(run) == kSkippedBlock; }

double average(const ReportedRuns& runs, const std::string& name, bool is_rate) {
  double sum = 0;
  for (const ReportedRun& run : runs) {
    const auto at = run.counters.find(name);
    const double value = at == run.counters.end() ? 0 : at->second.value;
    sum += is_rate ? 1 / value : value;
  }
  const auto n = static_cast<double>(runs.size());
  return is_rate ? n / sum : sum / n;
}

// All of one benchmark, at least one, each of as many iterations.
ReportedRun join(const ReportedRuns& blocks) {
  const auto failed =
      std::find_if(blocks.begin(), blocks.end(), [](const ReportedRun& run) { return run_has_failed(run); });
  if (failed != blocks.end()) return *failed;
  ReportedRun whole = blocks.front();
  for (auto block = blocks.begin() + 1; block != blocks.end(); ++block) {
    whole.iterations += block->iterations;
    whole.real_accumulated_time += block->real_accumulated_time;
    whole.cpu_accumulated_time += block->cpu_accumulated_time;
  }
  for (auto& [name, counter] : whole.counters) {
    const bool is_rate = (counter.flags & Counter::kIsRate) != 0 && counter.value > 0;
    counter.value = average(blocks, name, is_rate);
  }
  return whole;
}

}  // namespace

ReportedRuns without_skipped(const ReportedRuns& runs) {
  ReportedRuns kept;
  std::copy_if(runs.begin(), runs.end(), std::back_inserter(kept),
               [](const ReportedRun& run) { return !is_skipped(run); });
  if (kept.size() != runs.size()) {
    for (ReportedRun& run : kept) run.repetitions = static_cast<std::int64_t>(kept.size());
  }
  return kept;
}

ReportedRuns joined(const ReportedRuns& runs, int repetitions) {
  ReportedRuns blocks, result;
  for (const ReportedRun& run : runs) {
    const bool is_fit = run.report_big_o || run.report_rms;
    if (run.run_type == ReportedRun::RT_Iteration)
      blocks.push_back(run);
    else if (is_fit || repetitions > 1)
      result.push_back(run);
  }
  if (blocks.empty()) return result;
  const std::size_t groups = std::min(blocks.size(), static_cast<std::size_t>(repetitions));
  ReportedRuns lines;
  for (std::size_t group = 0; group < groups; ++group) {
    const auto at = [&](std::size_t i) {
      return blocks.begin() + static_cast<std::ptrdiff_t>(i * blocks.size() / groups);
    };
    lines.push_back(join({at(group), at(group + 1)}));
    lines.back().repetitions = repetitions;
    lines.back().repetition_index = static_cast<std::int64_t>(group);
  }
  lines.insert(lines.end(), result.begin(), result.end());
  return lines;
}

bool BlockReporter::ReportContext(const Context& context) {
  inner_.SetOutputStream(&GetOutputStream());
  inner_.SetErrorStream(&GetErrorStream());
  return inner_.ReportContext(context);
}

void BlockReporter::ReportRuns(const std::vector<Run>& runs) {
  RunSession::current().begin_next_benchmark();
  ReportedRuns kept = without_skipped(runs);
  if (kept.empty()) return;
  const std::string name = kept.front().run_name.str();
  const bool has_raw = kept.front().run_type == Run::RT_Iteration;
  if (has_raw) raw_of_ = name;
  // Aggregates alone, as the source may ask for, have no repetitions to be joined with.
  if (joins_ && (has_raw || raw_of_ == name)) kept = joined(kept, order_.repetitions);
  if (!kept.empty()) inner_.ReportRuns(kept);
}

void BlockReporter::Finalize() { inner_.Finalize(); }

}  // namespace steelyard
