// The counters that were asked for, and what a device tells beside the time, of one run: a line a benchmark and kind of
// counter, in place of a row each.
#include "ci/report/terminal_counters.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "ci/app/terminal_text.hpp"
#include "ci/report/number_text.hpp"
#include "ci/report/sample_summary.hpp"

namespace steelyard {
namespace {

struct Column {
  std::string_view metric;
  std::string_view head;
};
struct CounterGroup {
  std::string_view title;
  std::array<Column, 6> columns;  // an empty one is none
};
constexpr std::array<CounterGroup, 5> kGroups{{
    {"caches (model)",
     {{{"l1_hits", "L1 hits"}, {"ll_hits", "LL hits"}, {"ram_hits", "RAM hits"}, {"estimated_cycles", "est. cycles"}}}},
    {"branches (model)", {{{"branches", "executed"}, {"branch_mispredictions", "mispredicted"}}}},
    {"heap", {{{"heap_allocations", "allocations"}, {"heap_bytes", "bytes"}, {"heap_peak_bytes", "peak"}}}},
    {"machine",
     {{{"hardware_cycles", "cycles"},
       {"hardware_instructions", "instructions"},
       {"hardware_cache_misses", "cache misses"},
       {"hardware_branch_misses", "branch misses"},
       {"task_clock", "task clock"},
       {"page_faults", "page faults"}}}},
    {"device",
     {{{"hot_time", "hot"},
       {"device_cycles", "cycles"},
       {"sm_clock", "clock"},
       {"cold_start", "cold start"},
       {"warm_up", "warm-up"},
       {"discarded_samples", "discarded"}}}},
}};

// Texts of the values by benchmark, in the order of the run, and metric.
class CounterValues {
 public:
  explicit CounterValues(const Run& run) {
    for (const Measurement& measurement : run.measurements) {
      if (!is_extra_counter(measurement.metric.name)) continue;
      const std::string name = measurement.benchmark.canonical();
      const auto [at, is_new] = of_benchmark_.try_emplace(name);
      if (is_new) order_.push_back(name);
      const SampleSummary summary = summarize(measurement);
      at->second[measurement.metric.name] = summary.level ? level_text(*summary.level, measurement.metric.unit) : "-";
      metrics_.insert(measurement.metric.name);
    }
  }

  bool has(std::string_view metric) const { return metrics_.find(metric) != metrics_.end(); }
  const std::vector<std::string>& benchmarks() const { return order_; }
  // Null where that benchmark has no such value.
  const std::string* find(const std::string& benchmark, std::string_view metric) const {
    const auto& values = of_benchmark_.at(benchmark);
    const auto at = values.find(metric);
    return at == values.end() ? nullptr : &at->second;
  }

 private:
  std::map<std::string, std::map<std::string, std::string, std::less<>>> of_benchmark_;
  std::vector<std::string> order_;
  std::set<std::string, std::less<>> metrics_;
};

std::string group_text(const CounterValues& values, const CounterGroup& group, const TerminalStyle& style,
                       std::size_t most_name) {
  std::vector<const Column*> columns;
  for (const Column& column : group.columns) {
    if (values.has(column.metric)) columns.push_back(&column);
  }
  if (columns.empty()) return "";
  std::vector<std::vector<std::string>> rows{{std::string(group.title)}};
  for (const Column* column : columns) rows.front().emplace_back(column->head);
  for (const std::string& benchmark : values.benchmarks()) {
    const auto has_it = [&](const Column* column) { return values.find(benchmark, column->metric) != nullptr; };
    if (std::none_of(columns.begin(), columns.end(), has_it)) continue;
    std::vector<std::string>& row = rows.emplace_back();
    row.push_back(shortened(printable(benchmark, style.unicode), most_name, style.unicode));
    for (const Column* column : columns) {
      const std::string* value = values.find(benchmark, column->metric);
      row.push_back(value == nullptr ? "-" : *value);
    }
  }
  std::vector<Align> aligns(columns.size() + 1, Align::right);
  aligns.front() = Align::left;
  const std::string table = aligned_rows(rows, aligns, "");
  const std::size_t end_of_head = table.find('\n');
  return "\n" + paint(table.substr(0, end_of_head), Tone::dim, style.color) + table.substr(end_of_head);
}

}  // namespace

std::string terminal_counters(const Run& run, const TerminalStyle& style) {
  constexpr std::size_t kOtherColumns = 62;
  const std::size_t width = static_cast<std::size_t>(std::max(style.width, 40));
  const std::size_t most_name = std::max<std::size_t>(width > kOtherColumns ? width - kOtherColumns : 0, 16);
  const CounterValues values(run);
  std::string text;
  for (const CounterGroup& group : kGroups) text += group_text(values, group, style, most_name);
  return text;
}

}  // namespace steelyard
