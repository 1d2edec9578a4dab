#include "bench/harness/timer.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <exception>

#include "bench/harness/median_interval.hpp"
#include "bench/harness/timing_session.hpp"

namespace steelyard {
namespace {

constexpr double kAdaptiveBlockingSeconds = 0.05;  // min_run_time of the calibration before adaptive_autorange
constexpr std::size_t kReferenceLeastBlocks = 4;   // that the reference's rule to stop looks at
constexpr double kPilotShare = 1.0 / 3;            // of max_run_time at most
constexpr double kMaxBlocks = 100'000;             // of one adaptive measurement

double in_s(Nanoseconds duration) { return duration.count() / 1e9; }

std::string number_text(double value) {
  std::array<char, 32> digits{};
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::general, 4).ptr;
  return {digits.data(), end};
}

Error option_error(const char* option, std::string found, std::string wanted) {
  return input_error(std::string("timer: ") + option, std::move(found), std::move(wanted));
}

Result<void> check_duration(const char* option, Nanoseconds duration) {
  if (duration.count() > 0 && std::isfinite(duration.count())) return {};
  return option_error(option, number_text(in_s(duration)) + " s", "a time above 0");
}

Result<void> check_share(const char* option, double share) {
  if (share > 0 && std::isfinite(share)) return {};
  return option_error(option, number_text(share), "a number above 0");
}

Result<void> check(const AdaptiveOptions& options) {
  STEELYARD_CHECK(check_share("precision", options.precision));
  STEELYARD_CHECK(check_share("threshold", options.threshold));
  STEELYARD_CHECK(check_duration("min_run_time", options.min_run_time));
  STEELYARD_CHECK(check_duration("max_run_time", options.max_run_time));
  if (options.max_run_time >= options.min_run_time) return {};
  return option_error("max_run_time", number_text(in_s(options.max_run_time)) + " s",
                      "at least min_run_time, " + number_text(in_s(options.min_run_time)) + " s");
}

// The body with threads set, and what it throws as an Error.
template <class Body>
Result<TaskMeasurement> run_session(const TimedLoop& loop, const TimerOptions& options, const Body& body) {
  if (options.task.threads < 1) return option_error("threads", std::to_string(options.task.threads), "at least 1");
  const auto thrown = [&options](const char* text) {
    return program_error("timer of \"" + options.task.title() + '"', text);
  };
  try {
    const std::vector<ThreadCount> counts = options.thread_counts ? *options.thread_counts : loaded_thread_counts();
    TimingSession session(loop, options);
    std::string names;
    for (const ThreadCount& count : counts) names += (names.empty() ? "" : ", ") + count.name;
    session.measurement().metadata["threads_set_in"] = names.empty() ? "no library" : names;
    const ScopedThreadCount scope(counts, options.task.threads);
    return body(session);
  } catch (const std::exception& exception) {
    return thrown(exception.what());
  } catch (...) {
    return thrown("threw what is no std::exception");
  }
}

TaskMeasurement adapt_as_reference(TimingSession& session, const AdaptiveOptions& options) {
  const TaskMeasurement& so_far = session.measurement();
  for (bool can_stop = false; session.spent_seconds() < in_s(options.min_run_time) || !can_stop;) {
    session.take_block(options.callback);
    can_stop = so_far.raw_times.size() >= kReferenceLeastBlocks &&
               *so_far.interquartile_range() / *so_far.median() < options.threshold;
    if (!can_stop && session.spent_seconds() > in_s(options.max_run_time)) return session.finish("max_run_time");
  }
  return session.finish("threshold");
}

// The last kPilotBlocks whose halves agree, or what there was time for. At least one.
std::vector<double> take_pilot(TimingSession& session, double max_seconds) {
  const TaskMeasurement& so_far = session.measurement();
  do {
    // Still warming up: the older half is not what will be measured.
    if (so_far.raw_times.size() == kPilotBlocks) session.drop_oldest(kPilotBlocks / 2);
    while (so_far.raw_times.size() < kPilotBlocks) {
      session.take_block({});
      if (session.spent_seconds() >= max_seconds) break;
    }
  } while (session.spent_seconds() < max_seconds && !halves_agree(so_far.times_in_order()));
  return so_far.times_in_order();
}

TaskMeasurement adapt_by_plan(TimingSession& session, const AdaptiveOptions& options) {
  const double max_seconds = in_s(options.max_run_time);
  const std::vector<double> pilot = take_pilot(session, max_seconds * kPilotShare);
  const double block = session.spent_seconds() / static_cast<double>(session.blocks_taken());
  const auto blocks_in = [block](double seconds) {
    return static_cast<std::size_t>(std::clamp(std::ceil(seconds / block), 1.0, kMaxBlocks));
  };
  const std::size_t most = blocks_in(max_seconds - session.spent_seconds());
  const std::size_t planned = plan_blocks(pilot, options.precision, blocks_in(in_s(options.min_run_time)), most);
  session.drop_oldest(pilot.size());
  // One block at least; past that, a machine that slows down does not hold the caller up.
  const TaskMeasurement& so_far = session.measurement();
  do session.take_block(options.callback);
  while (so_far.raw_times.size() < planned && session.spent_seconds() <= max_seconds);

  auto& metadata = session.measurement().metadata;
  const std::vector<double> times = so_far.times_in_order();
  metadata["pilot_blocks"] = std::to_string(pilot.size());
  metadata["planned_blocks"] = std::to_string(planned);
  metadata["precision_wanted"] = number_text(options.precision);
  if (const auto reached = relative_precision(times)) metadata["precision_reached"] = number_text(*reached);
  metadata["interval_doubt"] = to_text(median_interval(times).doubt);
  metadata["halves"] = halves_agree(times) ? "agree" : "differ";
  const bool is_cut = times.size() < planned || planned == most;
  const bool by_number = times.size() == static_cast<std::size_t>(kMaxBlocks);
  return session.finish(!is_cut ? "plan" : by_number ? "most_blocks" : "max_run_time");
}

}  // namespace

Timer::Timer(TimedLoop loop, TimerOptions options) : loop_(std::move(loop)), options_(std::move(options)) {
  options_.task = dedented(std::move(options_.task));
  if (!options_.clock) options_.clock = std::make_shared<MonotonicClock>();
}

Result<TaskMeasurement> Timer::timeit(std::int64_t number) {
  if (number < 1) return option_error("number", std::to_string(number), "at least 1 run");
  return run_session(loop_, options_, [number](TimingSession& session) {
    session.seconds_of(std::max<std::int64_t>(number / 100, 2));
    session.take_runs(number);
    return session.finish("number");
  });
}

Result<TaskMeasurement> Timer::trials(int count, int warmups) {
  if (count < 1) return option_error("trials", std::to_string(count), "at least 1");
  if (warmups < 0) return option_error("warmups", std::to_string(warmups), "0 or more");
  return run_session(loop_, options_, [count, warmups](TimingSession& session) {
    for (int i = 0; i < warmups; ++i) session.seconds_of(1);
    for (int i = 0; i < count; ++i) session.take_runs(1);
    return session.finish("trials");
  });
}

Result<TaskMeasurement> Timer::blocked_autorange(const BlockedOptions& options) {
  STEELYARD_CHECK(check_duration("min_run_time", options.min_run_time));
  return run_session(loop_, options_, [&options](TimingSession& session) {
    session.calibrate_for(in_s(options.min_run_time));
    do session.take_block(options.callback);
    while (session.spent_seconds() < in_s(options.min_run_time));
    return session.finish("min_run_time");
  });
}

Result<TaskMeasurement> Timer::adaptive_autorange(const AdaptiveOptions& options) {
  STEELYARD_CHECK(check(options));
  return run_session(loop_, options_, [&options](TimingSession& session) {
    session.calibrate_for(kAdaptiveBlockingSeconds);
    return session.is_reference() ? adapt_as_reference(session, options) : adapt_by_plan(session, options);
  });
}

double MonotonicClock::seconds_of(std::int64_t runs, const TimedLoop& loop) {
  const auto begin = std::chrono::steady_clock::now();
  loop(runs);
  const auto end = std::chrono::steady_clock::now();
  return std::chrono::duration<double>(end - begin).count();
}

namespace {

struct Names {
  const char* library;
  const char* get;
  const char* set;
};

// OpenMP first: an OpenBLAS that is built on it takes over its count, and is restored before it.
constexpr Names kKnown[] = {{"OpenMP", "omp_get_max_threads", "omp_set_num_threads"},
                            {"OpenBLAS", "openblas_get_num_threads", "openblas_set_num_threads"}};

}  // namespace

std::vector<ThreadCount> loaded_thread_counts() {
  std::vector<ThreadCount> found;
  for (const Names& names : kKnown) {
    const auto get = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, names.get));
    const auto set = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, names.set));
    if (get != nullptr && set != nullptr) found.push_back({names.library, get, set});
  }
  return found;
}

ScopedThreadCount::ScopedThreadCount(std::vector<ThreadCount> counts, int threads) : counts_(std::move(counts)) {
  // All are read before any is set: setting one may change another.
  for (const ThreadCount& count : counts_) before_.push_back(count.get());
  for (const ThreadCount& count : counts_) count.set(threads);
}

ScopedThreadCount::~ScopedThreadCount() {
  for (std::size_t i = counts_.size(); i-- > 0;) counts_[i].set(before_[i]);
}

}  // namespace steelyard
