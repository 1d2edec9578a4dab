// Which steps of a loop are recorded: some are waited for, some warm up, some are recorded, and that repeats.
//
//     StepProfiler profiler(schedule, ProfiledSpans("traces"));   // one file a window of active steps
//     for (const Batch& batch : batches) {
//       train(batch);
//       STEELYARD_CHECK(profiler.step());
//     }
//     STEELYARD_CHECK(profiler.finish());
//
// The schedule and what happens between two actions are those of PyTorch's torch.profiler.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "bench/profile/spans/span.hpp"
#include "bench/profile/spans/span_recording.hpp"

namespace steelyard {

enum class StepAction { none, warm_up, record, record_and_save };

// In steps. After skip_first each cycle is wait, then warm_up, then active; `repeat` cycles, or without end.
struct StepSchedule {
  std::int64_t wait = 0;
  std::int64_t warm_up = 1;
  std::int64_t active = 1;
  std::int64_t repeat = 0;  // 0: without end
  std::int64_t skip_first = 0;
  bool skips_first_wait = false;  // the first cycle begins with its warm-up

  // Error (input): a negative number, no active step.
  Result<void> check() const;
  // Precondition: check() holds; step >= 0, counted from 0. The last active step of a cycle is to be saved.
  StepAction action(std::int64_t step) const;
};

// What a profiler is told to do, in order, when one action follows another; at the end the next one is absent.
enum class ProfilerOrder {
  prepare,  // get ready, so that to start costs little: record what is not kept
  start,    // record from here on
  stop,     // and keep what was recorded
  ready,    // hand it out
  warn,     // what was recorded, or begun to be, is lost: the schedule went back before a save
};
std::vector<ProfilerOrder> orders_between(StepAction from, std::optional<StepAction> to);

class StepProfiler {
 public:
  // May fail where `order` says prepare, start or stop.
  using Obey = std::function<Result<void>(ProfilerOrder order)>;

  // Begins with step 0. Precondition: the schedule's check() holds. Errors of the first orders are told by the first
  // step(). That a schedule has no warm-up is told on standard error: names, and room for spans, are then made in a
  // window's first step (Trace::begins_cold).
  StepProfiler(const StepSchedule& schedule, Obey obey);
  // Without a schedule: every step is recorded, and saved at the end.
  explicit StepProfiler(Obey obey);
  // Ends if finish() was not called; an error is lost then.
  ~StepProfiler();
  StepProfiler(const StepProfiler&) = delete;
  StepProfiler& operator=(const StepProfiler&) = delete;

  // The next step begins. While steps are recorded each is a span "ProfilerStep#N", as PyTorch has it, counted from 0.
  Result<void> step();
  // Saves a window that is complete, and what was recorded of one that is not.
  Result<void> finish();

  std::int64_t steps() const { return step_; }

 private:
  StepAction action_of(std::int64_t step) const { return schedule_ ? schedule_->action(step) : StepAction::record; }
  Result<void> go_to(std::optional<StepAction> next);
  void begin();
  void mark();

  std::optional<StepSchedule> schedule_;  // absent: all steps are recorded
  Obey obey_;
  std::int64_t step_ = 0;
  StepAction action_ = StepAction::none;
  bool is_finished_ = false;
  std::unique_ptr<Span> marker_;
  std::optional<Error> failure_;
};

// Records spans, one file a window: FOLDER/HOST_PROCESS.TIME.spans (time in nanoseconds since 1970), the naming of
// PyTorch's TensorBoard handler. `ready` is called with each file; what it returns is what step() returns. What is
// recorded in the warm-up, for which room is in the file, is no part of it; a window of which no step was recorded
// leaves no file once the next begins or the last of this is destroyed. `options`: but for `file` and `is_warming_up`,
// which it sets itself.
class ProfiledSpans {
 public:
  using Ready = std::function<Result<void>(const RecordedSpans& spans)>;
  explicit ProfiledSpans(std::filesystem::path folder, Ready ready = nullptr, SpanRecordingOptions options = {});
  Result<void> operator()(ProfilerOrder order);

 private:
  std::filesystem::path folder_;
  Ready ready_;
  SpanRecordingOptions options_;
  struct Window {
    ~Window() { remove_empty(); }
    void remove_empty();
    std::optional<SpanRecording> recording;
    RecordedSpans recorded;
    bool was_handed_out = false;
  };
  std::shared_ptr<Window> window_;  // shared: functions are copied
};

}  // namespace steelyard
