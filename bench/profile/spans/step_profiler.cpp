#include "bench/profile/spans/step_profiler.hpp"

#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

namespace steelyard {

Result<void> StepSchedule::check() const {
  const auto refused = [](const char* what, std::int64_t found, const char* wanted) {
    return input_error(std::string("schedule, ") + what, std::to_string(found), wanted);
  };
  if (wait < 0) return refused("wait", wait, "0 steps or more");
  if (warm_up < 0) return refused("warm_up", warm_up, "0 steps or more");
  if (active < 1) return refused("active", active, "1 step or more");
  if (repeat < 0) return refused("repeat", repeat, "0, for no end, or more");
  if (skip_first < 0) return refused("skip_first", skip_first, "0 steps or more");
  constexpr std::int64_t kMaxSteps = 1'000'000'000'000;
  for (const std::int64_t steps : {wait, warm_up, active, skip_first}) {
    if (steps > kMaxSteps) return refused("steps", steps, "no more than 10^12");
  }
  return {};
}

StepAction StepSchedule::action(std::int64_t step) const {
  if (step < skip_first) return StepAction::none;
  step -= skip_first;
  if (skips_first_wait) step += wait;
  const std::int64_t cycle = wait + warm_up + active;
  if (repeat > 0 && step / cycle >= repeat) return StepAction::none;
  const std::int64_t place = step % cycle;
  if (place < wait) return StepAction::none;
  if (place < wait + warm_up) return StepAction::warm_up;
  return place == cycle - 1 ? StepAction::record_and_save : StepAction::record;
}

std::vector<ProfilerOrder> orders_between(StepAction from, std::optional<StepAction> to) {
  using enum ProfilerOrder;
  using Orders = std::vector<ProfilerOrder>;
  // Rows by what was, columns by what comes: none, warm_up, record, record_and_save, the end.
  static const std::array<std::array<Orders, 5>, 4> kOrders{{
      {{{}, {prepare}, {prepare, start}, {prepare, start}, {}}},
      {{{warn, start, stop}, {}, {start}, {start}, {start, stop}}},
      {{{warn, stop}, {warn, stop}, {}, {}, {stop, ready}}},
      {{{stop, ready},
        {stop, ready, prepare},
        {stop, ready, prepare, start},
        {stop, ready, prepare, start},
        {stop, ready}}},
  }};
  return kOrders[static_cast<std::size_t>(from)][to ? static_cast<std::size_t>(*to) : 4];
}

StepProfiler::StepProfiler(const StepSchedule& schedule, Obey obey) : schedule_(schedule), obey_(std::move(obey)) {
  if (schedule.warm_up == 0) {
    std::fputs(
        "steelyard: StepProfiler without a warm-up: names, and room for spans, are made in the first recorded step\n",
        stderr);
  }
  begin();
}

StepProfiler::StepProfiler(Obey obey) : obey_(std::move(obey)) { begin(); }

void StepProfiler::begin() {
  if (const auto begun = go_to(action_of(0)); !begun) failure_ = begun.error();
  mark();
}

StepProfiler::~StepProfiler() { static_cast<void>(finish()); }

Result<void> StepProfiler::go_to(std::optional<StepAction> next) {
  const std::vector<ProfilerOrder> orders = orders_between(action_, next);
  action_ = next.value_or(StepAction::none);
  Result<void> first;
  for (const ProfilerOrder order : orders) {
    const Result<void> done = obey_(order);
    if (first && !done) first = done;
  }
  return first;
}

void StepProfiler::mark() {
  const bool is_recorded = action_ == StepAction::record || action_ == StepAction::record_and_save;
  if (is_recorded) marker_ = std::make_unique<Span>(SpanName("ProfilerStep#" + std::to_string(step_)));
}

Result<void> StepProfiler::step() {
  if (failure_) return *std::exchange(failure_, std::nullopt);
  if (is_finished_) return bug_error("StepProfiler::step()", "a call after finish()");
  marker_.reset();
  const Result<void> done = go_to(action_of(++step_));
  mark();
  return done;
}

Result<void> StepProfiler::finish() {
  if (std::exchange(is_finished_, true)) return {};
  marker_.reset();
  const Result<void> done = go_to(std::nullopt);
  return failure_ ? Result<void>(*failure_) : done;
}

ProfiledSpans::ProfiledSpans(std::filesystem::path folder, Ready ready, SpanRecordingOptions options)
    : folder_(std::move(folder)),
      ready_(std::move(ready)),
      options_(std::move(options)),
      window_(std::make_shared<Window>()) {}

namespace {

std::string file_name_now() {
  std::array<char, 65> host{};
  gethostname(host.data(), host.size() - 1);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::string(host.data()) + '_' + std::to_string(getpid()) + '.' +
         std::to_string(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()) + ".spans";
}

}  // namespace

// A recording that ended before its first step has nothing to say, and would be taken for one of another process.
void ProfiledSpans::Window::remove_empty() {
  std::error_code error;
  if (recorded.is_empty && !was_handed_out) std::filesystem::remove(recorded.file, error);
  recorded = {};
  was_handed_out = false;
}

Result<void> ProfiledSpans::operator()(ProfilerOrder order) {
  switch (order) {
    case ProfilerOrder::prepare: {
      window_->remove_empty();
      std::error_code error;
      std::filesystem::create_directories(folder_, error);
      if (error) return input_error(folder_.string(), error.message(), "a folder for recorded spans");
      options_.file = folder_ / file_name_now();
      options_.is_warming_up = true;
      auto started = SpanRecording::start(options_);
      if (!started) return started.error();
      window_->recording.emplace(std::move(*started));
      return {};
    }
    case ProfilerOrder::start:
      if (window_->recording) window_->recording->end_warm_up();
      return {};
    case ProfilerOrder::stop:
      if (!window_->recording) return {};
      window_->recorded = window_->recording->stop();
      window_->recording.reset();
      return {};
    case ProfilerOrder::ready:
      window_->was_handed_out = true;
      return ready_ ? ready_(window_->recorded) : Result<void>();
    case ProfilerOrder::warn:
      return {};
  }
  return {};
}

}  // namespace steelyard
