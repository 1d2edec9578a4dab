#include "bench/model/metric.hpp"

#include <algorithm>
#include <array>

namespace steelyard {
namespace {

struct KnownMetric {
  std::string_view name;
  std::string_view unit;
  Better better;
  MetricKind kind;
  bool gates = true;  // by default, where it is counted or real_time
  // Of one that explains rather than judges: its table of a run's report, in which it stands in the order of the rows
  // here, and what its column is called there.
  std::optional<CounterGroup> group = {};
  std::string_view column = {};
};
constexpr std::array kKnownMetrics{
    KnownMetric{kRealTime, "ns", Better::lower, MetricKind::noisy},
    KnownMetric{kCpuTime, "ns", Better::lower, MetricKind::noisy},
    KnownMetric{kInstructions, "count", Better::lower, MetricKind::counted},
    KnownMetric{"allocations", "count", Better::lower, MetricKind::counted},
    KnownMetric{"bytes_allocated", "bytes", Better::lower, MetricKind::counted},
    KnownMetric{"peak_rss", "bytes", Better::lower, MetricKind::noisy},
    KnownMetric{"binary_size", "bytes", Better::lower, MetricKind::counted},
    KnownMetric{"flops", "flop/s", Better::higher, MetricKind::noisy},
    KnownMetric{"bandwidth", "bytes/s", Better::higher, MetricKind::noisy},
    KnownMetric{"flop_utilization", "1", Better::higher, MetricKind::noisy},
    KnownMetric{"bandwidth_utilization", "1", Better::higher, MetricKind::noisy},
    KnownMetric{"tokens_per_second", "1/s", Better::higher, MetricKind::noisy},
    // Counters that are asked for (docs/guide/counters.md). Hits of the first level are neither good nor bad by
    // themselves: fewer are less work, or the same work further away.
    KnownMetric{"l1_hits", "count", Better::undeclared, MetricKind::counted, false, CounterGroup::caches, "L1 hits"},
    KnownMetric{"ll_hits", "count", Better::lower, MetricKind::counted, false, CounterGroup::caches, "LL hits"},
    KnownMetric{"ram_hits", "count", Better::lower, MetricKind::counted, false, CounterGroup::caches, "RAM hits"},
    KnownMetric{"estimated_cycles", "count", Better::lower, MetricKind::counted, false, CounterGroup::caches,
                "est. cycles"},
    KnownMetric{"branches", "count", Better::lower, MetricKind::counted, false, CounterGroup::branches, "executed"},
    KnownMetric{"branch_mispredictions", "count", Better::lower, MetricKind::counted, false, CounterGroup::branches,
                "mispredicted"},
    KnownMetric{"heap_allocations", "count", Better::lower, MetricKind::counted, false, CounterGroup::heap,
                "allocations"},
    KnownMetric{"heap_bytes", "bytes", Better::lower, MetricKind::counted, false, CounterGroup::heap, "bytes"},
    KnownMetric{"heap_peak_bytes", "bytes", Better::lower, MetricKind::counted, false, CounterGroup::heap, "peak"},
    KnownMetric{"hardware_cycles", "count", Better::lower, MetricKind::noisy, false, CounterGroup::machine, "cycles"},
    KnownMetric{"hardware_instructions", "count", Better::lower, MetricKind::noisy, false, CounterGroup::machine,
                "instructions"},
    KnownMetric{"hardware_cache_misses", "count", Better::lower, MetricKind::noisy, false, CounterGroup::machine,
                "cache misses"},
    KnownMetric{"hardware_branch_misses", "count", Better::lower, MetricKind::noisy, false, CounterGroup::machine,
                "branch misses"},
    KnownMetric{"task_clock", "ns", Better::lower, MetricKind::noisy, false, CounterGroup::machine, "task clock"},
    KnownMetric{"page_faults", "count", Better::lower, MetricKind::noisy, false, CounterGroup::machine, "page faults"},
    // What a program that uses a device tells beside the time (docs/guide/gpu.md). The launches and the memory of one
    // iteration gate, as counts do; the rest explains a time.
    KnownMetric{"kernel_launches", "count", Better::lower, MetricKind::counted},
    KnownMetric{"device_memory", "bytes", Better::lower, MetricKind::counted},
    KnownMetric{"hot_time", "ns", Better::lower, MetricKind::noisy, false, CounterGroup::device, "hot"},
    KnownMetric{"device_cycles", "count", Better::lower, MetricKind::noisy, false, CounterGroup::device, "cycles"},
    KnownMetric{"sm_clock", "1/s", Better::undeclared, MetricKind::noisy, false, CounterGroup::device, "clock"},
    KnownMetric{"cold_start", "ns", Better::lower, MetricKind::noisy, false, CounterGroup::device, "cold start"},
    KnownMetric{"set_up", "ns", Better::lower, MetricKind::noisy, false, CounterGroup::device, "set-up"},
    KnownMetric{"warm_up", "ns", Better::lower, MetricKind::noisy, false, CounterGroup::device, "warm-up"},
    KnownMetric{"replays", "count", Better::undeclared, MetricKind::noisy, false, CounterGroup::device, "replays"},
    KnownMetric{"discarded_samples", "count", Better::undeclared, MetricKind::noisy, false, CounterGroup::device,
                "discarded"},
};
static_assert(std::all_of(kKnownMetrics.begin(), kKnownMetrics.end(), [](const KnownMetric& known) {
  if (!known.group) return known.column.empty();
  return !known.gates && !known.column.empty() && static_cast<std::size_t>(*known.group) < kCounterGroupCount;
}));
constexpr std::array<std::string_view, 3> kBetterTexts{"lower", "higher", "undeclared"};
constexpr std::array<std::string_view, 2> kMetricKindTexts{"noisy", "counted"};

const KnownMetric* find_known_metric(std::string_view name) {
  const auto known = std::find_if(kKnownMetrics.begin(), kKnownMetrics.end(),
                                  [&](const KnownMetric& candidate) { return candidate.name == name; });
  return known == kKnownMetrics.end() ? nullptr : &*known;
}

}  // namespace

std::optional<Metric> well_known_metric(std::string_view name) {
  const KnownMetric* const known = find_known_metric(name);
  if (known == nullptr) return std::nullopt;
  return Metric{std::string(known->name), std::string(known->unit), known->better, known->kind};
}

bool gates_by_default(const Metric& metric) {
  const KnownMetric* const known = find_known_metric(metric.name);
  if (known != nullptr && !known->gates) return false;
  return metric.kind == MetricKind::counted || metric.name == kRealTime;
}

bool is_extra_counter(std::string_view name) {
  const KnownMetric* const known = find_known_metric(name);
  return known != nullptr && known->group;
}

std::vector<ExtraCounter> extra_counters_of(CounterGroup group) {
  std::vector<ExtraCounter> counters;
  for (const KnownMetric& known : kKnownMetrics) {
    if (known.group == group) counters.push_back({known.name, known.column});
  }
  return counters;
}

std::string_view to_text(Better better) { return kBetterTexts.at(static_cast<std::size_t>(better)); }
std::string_view to_text(MetricKind kind) { return kMetricKindTexts.at(static_cast<std::size_t>(kind)); }
std::span<const std::string_view> words_of(Better) { return kBetterTexts; }
std::span<const std::string_view> words_of(MetricKind) { return kMetricKindTexts; }
std::optional<Better> parse_better(std::string_view text) { return parse_word<Better>(text); }
std::optional<MetricKind> parse_metric_kind(std::string_view text) { return parse_word<MetricKind>(text); }

}  // namespace steelyard
