#include "bench/main/lone_iteration.hpp"

#include <cstddef>
#include <cstdio>
#include <string>

#include "bench/main/run_session.hpp"

namespace steelyard {
namespace {

// The state's own, which have no other way to them: an explicit instantiation may name private members (C++20
// [temp.spec]/6). They bear these names in 1.7.1 to 1.9.5.
template <class Tag, auto member>
struct StateField {
  friend auto& field_of(Tag, benchmark::State& state) { return state.*member; }
};
struct LeftIterations {
  friend auto& field_of(LeftIterations, benchmark::State&);
};
struct IsStarted {
  friend auto& field_of(IsStarted, benchmark::State&);
};
struct IsFinished {
  friend auto& field_of(IsFinished, benchmark::State&);
};
template struct StateField<LeftIterations, &benchmark::State::total_iterations_>;
template struct StateField<IsStarted, &benchmark::State::started_>;
template struct StateField<IsFinished, &benchmark::State::finished_>;

// What the field that has_failed() reads says of a failure: a truth value until 1.7, and since 1.8 an enumeration, in
// which 1 is SkippedWithMessage, of which error_occurred() knows nothing, and 2 SkippedWithError.
template <class State>
constexpr unsigned char value_of_error() {
  return requires(const State& state) { state.skipped(); }
  ? 2 : 1;
}
constexpr unsigned char kSkippedWithMessage = 1;  // since 1.8 alone

// That field stands right behind finished_; its name is no versions' in common.
void set_skipped(benchmark::State& state, unsigned char value) {
  constexpr std::size_t kMaxPadding = 8;
  auto* const finished = reinterpret_cast<unsigned char*>(&field_of(IsFinished(), state));
  const bool was_skipped = has_failed(state);
  for (std::size_t i = 1; i <= kMaxPadding; ++i) {
    const unsigned char before = finished[i];
    finished[i] = was_skipped ? 0 : value;
    const bool is_it = has_failed(state) != was_skipped;
    finished[i] = is_it ? value : before;
    if (is_it) return;
  }
}

}  // namespace

std::shared_ptr<std::barrier<>> LoneMeeting::next(int threads, bool has_failed, const std::function<bool()>& decide) {
  std::unique_lock lock(mutex_);
  has_failed_ = has_failed_ || has_failed;
  if (++arrived_ < threads) {
    // The others wait for the end of this one's function, in Google Benchmark's barriers.
    if (has_failed) return nullptr;
    changed_.wait(lock, [this, round = round_] { return round_ != round; });
    return together_;
  }
  const bool is_wanted = decide();
  together_ = is_wanted && !has_failed_ ? std::make_shared<std::barrier<>>(threads) : nullptr;
  arrived_ = 0;
  has_failed_ = false;
  ++round_;
  changed_.notify_all();
  return together_;
}

constinit thread_local LoneIteration* LoneIteration::current = nullptr;

LoneIteration::LoneIteration(benchmark::State& state, std::barrier<>& together, std::int64_t iterations)
    : state_(state), together_(together), iterations_(iterations) {
  set_iterations(state, 1);
  current = this;
  record(false);
}

// The others do not wait for a thread that left its function before the loop, or in it.
LoneIteration::~LoneIteration() {
  current = nullptr;
  if (waits_left_ > 0) together_.arrive_and_drop();
}

void LoneIteration::start() {
  field_of(IsStarted(), state_) = true;
  field_of(LeftIterations(), state_) = has_failed(state_) ? 0 : state_.max_iterations;
}

void LoneIteration::finish() {
  field_of(LeftIterations(), state_) = 0;
  field_of(IsFinished(), state_) = true;
}

void LoneIteration::record(bool is_wanted) {
  if (is_wanted) {
    pause_.reset();
    around_.reset();
  } else if (!pause_) {
    static const SpanName name{std::string(kAroundSingleIterations)};
    if (RunSession::current().records_devices()) around_.emplace(name);
    pause_.emplace();
  }
}

void LoneIteration::fail(const char* message) {
  end("failed", message);
  set_skipped(state_, value_of_error<benchmark::State>());
}

void LoneIteration::skip(const char* message) {
  end("was skipped", message);
  set_skipped(state_, kSkippedWithMessage);
}

void LoneIteration::end(const char* how, const char* message) {
  field_of(LeftIterations(), state_) = 0;
  if (!RunSession::current().end_lone_iterations(benchmark_of_thread())) return;
  std::fprintf(stderr, "steelyard: benchmark \"%s\": a single iteration %s, and is the last: %s\n",
               benchmark_of_thread().c_str(), how, message);
}

void LoneIteration::wait() {
  if (waits_left_ == 0) return;
  --waits_left_;
  together_.arrive_and_wait();
}

}  // namespace steelyard
