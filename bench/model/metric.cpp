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
  bool gates = true;  // by default
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
};
constexpr std::array<std::string_view, 3> kBetterTexts{"lower", "higher", "undeclared"};
constexpr std::array<std::string_view, 2> kKindTexts{"noisy", "counted"};

template <class Enum, std::size_t n>
std::optional<Enum> find(const std::array<std::string_view, n>& texts, std::string_view text) {
  for (std::size_t i = 0; i < n; ++i) {
    if (texts[i] == text) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Metric> well_known_metric(std::string_view name) {
  for (const KnownMetric& known : kKnownMetrics) {
    if (known.name == name) return Metric{std::string(known.name), std::string(known.unit), known.better, known.kind};
  }
  return std::nullopt;
}

bool gates_by_default(const Metric& metric) {
  const auto known = std::find_if(kKnownMetrics.begin(), kKnownMetrics.end(),
                                  [&](const KnownMetric& candidate) { return candidate.name == metric.name; });
  if (known != kKnownMetrics.end() && !known->gates) return false;
  return metric.kind == MetricKind::counted || metric.name == kRealTime;
}

std::string_view to_text(Better better) { return kBetterTexts.at(static_cast<std::size_t>(better)); }
std::string_view to_text(MetricKind kind) { return kKindTexts.at(static_cast<std::size_t>(kind)); }
std::optional<Better> parse_better(std::string_view text) { return find<Better>(kBetterTexts, text); }
std::optional<MetricKind> parse_metric_kind(std::string_view text) { return find<MetricKind>(kKindTexts, text); }

}  // namespace steelyard
