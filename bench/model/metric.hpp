// What is read of a benchmark: a name, a unit, which direction is better, and whether it is noisy or counted.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/fields.hpp"

namespace steelyard {

enum class Better { lower, higher, undeclared };  // an undeclared direction is recorded and never judged
enum class MetricKind { noisy, counted };

struct Metric {
  std::string name;
  std::string unit;  // base unit: "ns", "count", "bytes", "bytes/s", "flop/s", "1/s", "1"
  Better better = Better::undeclared;
  MetricKind kind = MetricKind::noisy;
  bool operator==(const Metric&) const = default;

  // `own`: what the name is called among the fields of what the metric is a part of.
  static void fields(auto& visit, auto& self, const char* own) {
    visit(own, self.name, {.column = "metrics.name"});
    visit("unit", self.unit, {.column = "metrics.unit"});
    visit("better", self.better, {.column = "metrics.better"});
    visit("kind", self.kind, {.column = "metrics.kind"});
  }
};

inline constexpr std::string_view kRealTime = "real_time";
inline constexpr std::string_view kCpuTime = "cpu_time";
inline constexpr std::string_view kInstructions = "instructions";
inline constexpr std::string_view kDeviceCycles = "device_cycles";
inline constexpr std::string_view kSmClock = "sm_clock";

// The metrics that every layer knows (docs/reference/verdicts.md, "Fields"); absent for a user's own.
std::optional<Metric> well_known_metric(std::string_view name);

// Whether a change of the metric fails a gate whose policy names no metrics: real_time and the counted ones, but for
// those whose row says that they do not, as all of the extra counters.
bool gates_by_default(const Metric& metric);

// Whether it is one of the counters that are asked for by name (bench/counting/counters/counter_choice.hpp), or of the
// figures that a program which uses a device tells beside its time: they explain rather than judge. The former are
// taken in processes of their own or with the instructions. One that could not be had is no failure of the program.
bool is_extra_counter(std::string_view name);

// Each has a group: the table of a run's report that it stands in.
enum class CounterGroup { caches, branches, heap, machine, device };
inline constexpr std::size_t kCounterGroupCount = 5;
struct ExtraCounter {
  std::string_view metric;
  std::string_view column;  // what it is called in that table
};
std::vector<ExtraCounter> extra_counters_of(CounterGroup group);  // in the table's order

std::string_view to_text(Better better);    // "lower", "higher", "undeclared"
std::string_view to_text(MetricKind kind);  // "noisy", "counted"
std::span<const std::string_view> words_of(Better);
std::span<const std::string_view> words_of(MetricKind);
std::optional<Better> parse_better(std::string_view text);
std::optional<MetricKind> parse_metric_kind(std::string_view text);

}  // namespace steelyard
