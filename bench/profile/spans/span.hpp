// Spans: stretches of a thread's time that have a name, for where the time of a step goes.
//
//     void linear(const Matrix& x, const Matrix& w) {
//       STEELYARD_SPAN("mlp/linear", .shapes = {{x.rows, x.columns}, {w.rows, w.columns}},
//                      .flops = 2.0 * x.rows * x.columns * w.columns);
//       ...
//     }
//
// A span begins where it stands and ends with its block; spans of one thread nest. Nothing is evaluated but whether
// spans are wanted until SpanRecording (span_recording.hpp) records them; then each takes two readings of the clock and
// one line in a buffer of its thread's own. What spans cost is measured by tests/studies/span_cost.cpp.
//
// Under nsys each is a range of NVTX as well, recorded or not.
#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "bench/profile/spans/span_file.hpp"

namespace steelyard {

// What a span may say of its work. Absent is not zero.
struct SpanFacts {
  std::initializer_list<std::initializer_list<std::int64_t>> shapes = {};  // of what goes in, a list of dimensions each
  std::optional<double> flops =
      std::nullopt;  // floating-point operations, a multiplication and an addition counted as 2
  std::optional<double> bytes = std::nullopt;  // read and written
};

// A place in the source that makes spans; lives as long as the program.
struct SpanSite {
  std::string_view name;              // a zero stands behind it
  std::string_view file;              // empty: it has no place in the source
  std::uint32_t line;                 // of one without a place: iterations that each of its spans makes; 0: not said
  std::atomic<std::uint32_t> id = 0;  // 0: no span of it was recorded yet
  std::atomic<std::uint32_t> written_in = 0;  // the last recording whose file has the name
};

// A name made at run time, such as a benchmark's. Each different text is kept until the program ends.
class SpanName {
 public:
  // `iterations`: that a span of it makes, so that its time can be told of one; 0: not said. More than 32 bits hold are
  // not said either.
  explicit SpanName(const std::string& text, std::int64_t iterations = 0);

 private:
  friend class Span;
  SpanSite* site_;
};

class Span {
 public:
  explicit Span(SpanSite& site) {
    if (wanted.load(std::memory_order_relaxed)) begin(site);
  }
  explicit Span(const SpanName& name) {
    if (wanted.load(std::memory_order_relaxed)) begin(*name.site_);
  }
  ~Span() {
    if (slot_ != nullptr || has_range_) end();
  }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

  // Whether one made now would be recorded, or seen by nsys.
  static bool are_wanted() { return wanted.load(std::memory_order_relaxed); }
  // Whether it is recorded, so that say() has an effect.
  bool is_recorded() const { return slot_ != nullptr; }
  void say(const SpanFacts& facts);
  // Another name than it began with, of what turned out to be something else.
  void rename(const SpanName& name);

 private:
  friend class SpanSwitch;
  static constinit std::atomic<bool> wanted;  // by a recording, or by nsys

  void begin(SpanSite& site);
  void end();

  SpanSlot* slot_ = nullptr;  // in the file of the recording, as it is mapped
  bool has_range_ = false;    // of NVTX
};

#define STEELYARD_SPAN_JOIN2(a, b) a##b
#define STEELYARD_SPAN_JOIN(a, b) STEELYARD_SPAN_JOIN2(a, b)
#define STEELYARD_SPAN(name, ...)                                                                                \
  static constinit ::steelyard::SpanSite STEELYARD_SPAN_JOIN(span_site_, __LINE__){"" name, __FILE__, __LINE__}; \
  ::steelyard::Span STEELYARD_SPAN_JOIN(span_, __LINE__)(STEELYARD_SPAN_JOIN(span_site_, __LINE__));             \
  __VA_OPT__(                                                                                                    \
      if (STEELYARD_SPAN_JOIN(span_, __LINE__).is_recorded()) STEELYARD_SPAN_JOIN(span_, __LINE__).say({__VA_ARGS__}))

}  // namespace steelyard
