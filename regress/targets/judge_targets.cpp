#include "regress/targets/judge_targets.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "bench/model/number_text.hpp"
#include "bench/model/quantile.hpp"
#include "regress/targets/target_wording.hpp"
#include "regress/targets/utilization.hpp"

namespace steelyard::regress {
namespace {

const std::vector<double>& rates_of_metric(const BenchmarkRates& rates, const std::string& metric) {
  return metric == "flops" ? rates.flops : rates.bandwidth;
}

CeilingChoice narrowed(CeilingChoice choice, const Target& target) {
  if (!target.level.empty()) choice.level = target.level;
  if (!target.access.empty()) choice.access = target.access;
  if (!target.dtype.empty()) choice.dtype = target.dtype;
  if (target.threads) choice.threads = *target.threads;
  if (!target.source.empty()) choice.source = target.source;
  return choice;
}

CeilingChoice choice_for(const BenchmarkRates& rates, const std::vector<Target>& targets) {
  CeilingChoice choice = ceiling_choice(rates.id, targets);
  choice.clock_hz = rates.clock_hz;
  return choice;
}

// A target that holds over an axis, with the benchmarks that differ in that axis alone.
struct AxisGroup {
  Target target;
  CeilingChoice choice;
  std::vector<const BenchmarkRates*> points;
};

TargetRow judge_group(const AxisGroup& group, const std::vector<DeviceCeilings>& devices) {
  const AxisMean mean = mean_over_axis(group.points, group.target);
  if (!mean.why_none.empty()) {
    TargetRow row;
    row.benchmark = mean.rates.benchmark;
    row.target = group.target;
    row.metric = group.target.metric;
    row.reason = mean.why_none;
    return row;
  }
  CeilingChoice choice = group.choice;
  choice.clock_hz = mean.rates.clock_hz;
  TargetRow row = judge_target(mean.rates, group.target, choice, devices);
  row.reason += points_text(group.points, row);
  return row;
}

// What is held against `least`: a share of the ceiling, or the rate itself.
struct Held {
  double value = 0;
  std::optional<Interval> interval;
};

void decide(TargetRow& row, const Held& held) {
  const double least = row.target.least;
  if (!held.interval) {
    row.reason = one_invocation_reason();
  } else if (held.interval->low >= least) {
    row.verdict = TargetVerdict::met;
    row.reason = decided_reason(row);
  } else if (held.interval->high < least) {
    row.verdict = TargetVerdict::missed;
    row.reason = decided_reason(row);
  } else {
    row.reason = undecided_reason(row, what_would_do(row));
  }
}

void take(TargetRow& row, const RateUtilization& rate, const std::string& metric) {
  row.metric = metric;
  row.achieved = rate.achieved;
  row.achieved_interval = rate.achieved_interval;
  row.ceiling = rate.ceiling;
  row.utilization = rate.utilization;
  row.utilization_interval = rate.utilization_interval;
}

void judge_share(TargetRow& row) {
  const std::string doubt = utilization_doubt(*row.utilization, *row.ceiling);
  if (judge_utilization(*row.utilization) == UtilizationJudgement::measurement_error) {
    row.reason = doubt;
    return;
  }
  if (row.ceiling->source == kMeasured && !(row.ceiling->low && row.ceiling->high)) {
    row.reason = unknown_spread_reason();
    return;
  }
  decide(row, {*row.utilization, row.utilization_interval});
  if (!doubt.empty()) row.reason += "; " + doubt;
}

// The roofline is the lower of the two bounds, so a kernel's share of it is the larger of its two shares; the interval
// of the larger of two is that of their bounds.
void judge_roofline(TargetRow& row, const BenchmarkRates& rates, const CeilingChoice& choice,
                    const std::vector<DeviceCeilings>& devices) {
  for (const char* metric : {"flops", "bandwidth"}) {
    if (rates_of_metric(rates, metric).empty()) {
      row.reason = no_rate_reason(rates, metric);
      return;
    }
  }
  const UtilizationRow both = utilization_row(rates, choice, devices);
  for (const auto& rate : {both.flops, both.bandwidth}) {
    if (rate->utilization) continue;
    row.reason = rate->unknown;
    return;
  }
  const bool by_memory = *both.bandwidth->utilization >= *both.flops->utilization;
  const RateUtilization& larger = by_memory ? *both.bandwidth : *both.flops;
  const RateUtilization& smaller = by_memory ? *both.flops : *both.bandwidth;
  take(row, larger, by_memory ? "bandwidth" : "flops");
  if (larger.utilization_interval && smaller.utilization_interval) {
    row.utilization_interval =
        Interval{std::max(larger.utilization_interval->low, smaller.utilization_interval->low),
                 std::max(larger.utilization_interval->high, smaller.utilization_interval->high)};
  }
  judge_share(row);
}

// Two equal processes get half each of what they share, and half of that again where the cache that they share held the
// data of one only. What would be missed at four times the rate is missed.
constexpr double kMaxTakenByAnother = 4;

void doubt_if_missed(TargetRow& row) {
  if (row.verdict != TargetVerdict::missed) return;
  const auto& held = row.target.of == Target::Of::rate ? row.achieved_interval : row.utilization_interval;
  if (held->high * kMaxTakenByAnother < row.target.least) return;
  row.verdict = TargetVerdict::undecided;
  row.reason += beside_another_reason();
}

TargetRow unmatched_row(const DeclaredTarget& declared) {
  TargetRow row;
  row.benchmark = declared.benchmark;
  row.target = declared.target;
  row.metric = declared.target.metric;
  row.reason = "no benchmark of this run has a name like this; mend the pattern, or measure what it means";
  return row;
}

int severity(TargetVerdict verdict) {
  switch (verdict) {
    case TargetVerdict::missed:
      return 0;
    case TargetVerdict::undecided:
      return 1;
    case TargetVerdict::met:
      return 2;
  }
  return 3;
}

// Doubts about utilizations, said once each. That a rate passes DRAM where nobody said which level the data are in is
// no error: it is one line for all such benchmarks.
class Doubts {
 public:
  void take(const UtilizationRow& row, bool level_is_declared) {
    for (const auto& rate : {row.flops, row.bandwidth}) {
      if (!rate || !rate->utilization) continue;
      const std::string doubt = utilization_doubt(*rate->utilization, *rate->ceiling);
      if (doubt.empty()) continue;
      if (rate->ceiling->level == "DRAM" && !level_is_declared) {
        cached_.push_back(row.benchmark);
      } else {
        doubts_.push_back(row.benchmark + ": " + doubt);
      }
    }
  }

  std::vector<std::string> warnings() && {
    constexpr std::size_t kMost = 6;
    const std::size_t more = doubts_.size() > kMost ? doubts_.size() - kMost : 0;
    doubts_.resize(doubts_.size() - more);
    if (more > 0) doubts_.push_back(plural_text(static_cast<std::int64_t>(more), "more utilization") + " above 100 %");
    if (!cached_.empty()) doubts_.push_back(cached_line());
    return std::move(doubts_);
  }

 private:
  std::string cached_line() const {
    constexpr std::size_t kNamed = 3;
    std::string names;
    for (std::size_t i = 0; i < std::min(cached_.size(), kNamed); ++i) names += (i == 0 ? "" : ", ") + cached_[i];
    if (cached_.size() > kNamed) names += " and " + std::to_string(cached_.size() - kNamed) + " more";
    return names +
           ": more bytes than DRAM gives, so the data stay in a cache (declare its level with the target) or the cost "
           "is counted high";
  }

  std::vector<std::string> doubts_;
  std::vector<std::string> cached_;
};

// What was declared for devices that this run did not use is no verdict of it, and not forgotten either.
std::string other_devices_text(const std::vector<BenchmarkRates>& rates, const TargetQuestion& question) {
  std::set<std::string> devices;
  std::int64_t count = 0;
  for (const DeclaredTarget& declared : question.configured) {
    if (declared.target.device.empty()) continue;
    const bool is_used = std::any_of(rates.begin(), rates.end(), [&](const BenchmarkRates& one) {
      return is_for_device(declared.target, names_of_device(one.id, question.devices));
    });
    if (is_used) continue;
    ++count;
    devices.insert(declared.target.device);
  }
  if (count == 0) return "";
  std::string names;
  for (const std::string& device : devices) names += (names.empty() ? "" : ", ") + device;
  return plural_text(count, "target") + (count == 1 ? " is" : " are") + " for other devices (" + names +
         ") and not held here";
}

}  // namespace

TargetRow judge_target(const BenchmarkRates& rates, const Target& target, const CeilingChoice& general,
                       const std::vector<DeviceCeilings>& devices) {
  TargetRow row;
  row.benchmark = rates.benchmark;
  row.target = target;
  row.metric = target.metric;
  row.intensity = rates.intensity;
  const CeilingChoice choice = narrowed(general, target);
  const UtilizationRow both = utilization_row(rates, choice, devices);
  row.bound = both.bound;
  row.invocations = both.invocations;
  if (target.of == Target::Of::roofline) {
    judge_roofline(row, rates, choice, devices);
    return row;
  }
  const auto& rate = target.metric == "flops" ? both.flops : both.bandwidth;
  if (!rate) {
    row.reason = no_rate_reason(rates, target.metric);
    return row;
  }
  take(row, *rate, target.metric);
  if (target.of == Target::Of::rate) {
    decide(row, {rate->achieved, rate->achieved_interval});
  } else if (rate->utilization) {
    judge_share(row);
  } else {
    row.reason = rate->unknown;
  }
  return row;
}

std::vector<TargetRow> unmatched_targets(const std::vector<DeclaredTarget>& declared,
                                         const std::vector<BenchmarkRates>& rates,
                                         const std::vector<DeviceCeilings>& devices) {
  std::vector<TargetRow> rows;
  for (const DeclaredTarget& one : declared) {
    const bool has_device = std::any_of(rates.begin(), rates.end(), [&](const BenchmarkRates& benchmark) {
      return is_for_device(one.target, names_of_device(benchmark.id, devices));
    });
    if (!has_device && !one.target.device.empty()) continue;
    const bool has_any = std::any_of(rates.begin(), rates.end(), [&](const BenchmarkRates& benchmark) {
      return matches_pattern(one.benchmark, benchmark.benchmark);
    });
    if (!has_any) rows.push_back(unmatched_row(one));
  }
  return rows;
}

void sort_worst_first(std::vector<TargetRow>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const TargetRow& a, const TargetRow& b) {
    return std::tuple(severity(a.verdict), a.benchmark) < std::tuple(severity(b.verdict), b.benchmark);
  });
}

TargetReport judge_targets(const std::vector<BenchmarkRates>& rates, const TargetQuestion& question) {
  TargetReport report;
  Doubts doubts;
  report.targets = question.unreadable;
  std::map<std::string, AxisGroup> groups;
  for (const BenchmarkRates& one : rates) {
    const std::vector<Target> targets =
        targets_of(one.benchmark, question.configured, question.of_program, names_of_device(one.id, question.devices));
    const CeilingChoice choice = choice_for(one, targets);
    for (const Target& target : targets) {
      if (!target.over.empty()) {
        AxisGroup& group = groups[name_over_axis(one.id, target.over) + '\n' + target.where + '\n' + target.text];
        group.target = target;
        group.choice = choice;
        group.points.push_back(&one);
        continue;
      }
      report.targets.push_back(judge_target(one, target, choice, question.devices));
      if (question.beside_another) doubt_if_missed(report.targets.back());
    }
    if (question.devices.empty() || (one.flops.empty() && one.bandwidth.empty())) continue;
    report.utilizations.push_back(utilization_row(one, choice, question.devices));
    doubts.take(report.utilizations.back(),
                std::any_of(targets.begin(), targets.end(), [](const Target& t) { return !t.level.empty(); }));
  }
  for (const auto& [name, group] : groups) {
    report.targets.push_back(judge_group(group, question.devices));
    if (question.beside_another) doubt_if_missed(report.targets.back());
  }
  report.warnings = std::move(doubts).warnings();
  if (std::string text = other_devices_text(rates, question); !text.empty()) report.warnings.push_back(std::move(text));
  if (question.beside_another && !report.utilizations.empty()) report.warnings.push_back(beside_another_warning());
  sort_worst_first(report.targets);
  return report;
}

namespace {

constexpr std::size_t kMaxPointsShown = 12;

const Parameter* find_axis(const BenchmarkId& id, const std::string& axis) {
  const auto at = std::find_if(id.parameters.begin(), id.parameters.end(),
                               [&](const Parameter& parameter) { return parameter.name == axis; });
  return at == id.parameters.end() ? nullptr : &*at;
}

// What is missing of a point for a mean of this metric; empty where nothing is.
std::string obstacle(const BenchmarkRates& point, const std::vector<double>& rates, const std::optional<double>& work,
                     const std::string& metric) {
  if (rates.empty()) return no_rate_reason(point, metric);
  if (!work || !is_rate(*work)) return "it reports no real_time, which weighs it";
  return "";
}

struct Weighted {
  const std::vector<double>* rates = nullptr;
  double work = 0;  // of one iteration
};

// The harmonic mean weighted with the work, invocation by invocation.
std::vector<double> means_of(const std::vector<Weighted>& points) {
  std::size_t invocations = points.front().rates->size();
  for (const Weighted& point : points) invocations = std::min(invocations, point.rates->size());
  std::vector<double> means;
  for (std::size_t i = 0; i < invocations; ++i) {
    double work = 0;
    double time = 0;
    for (const Weighted& point : points) {
      work += point.work;
      time += point.work / (*point.rates)[i];
    }
    means.push_back(work / time);
  }
  return means;
}

// Weighted with the time; absent where a point does not tell its clock.
std::optional<double> mean_clock(const std::vector<const BenchmarkRates*>& points,
                                 const std::vector<Weighted>& weighted) {
  double cycles = 0;
  double time = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!points[i]->clock_hz) return std::nullopt;
    const double of_point = weighted[i].work / median(*weighted[i].rates);
    cycles += *points[i]->clock_hz * of_point;
    time += of_point;
  }
  return cycles / time;
}

// Numbers by their size, so that 1024 comes before 16384 and after 512.
bool comes_before(const std::string& a, const std::string& b) {
  const auto number = [](const std::string& text) {
    double value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    return code == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
  };
  const auto left = number(a);
  const auto right = number(b);
  return left && right ? *left < *right : a < b;
}

}  // namespace

std::string name_over_axis(const BenchmarkId& id, const std::string& axis) {
  BenchmarkId over = id;
  for (Parameter& parameter : over.parameters) {
    if (parameter.name == axis) parameter.value = "*";
  }
  return over.canonical();
}

AxisMean mean_over_axis(const std::vector<const BenchmarkRates*>& points, const Target& target) {
  const BenchmarkRates& first = *points.front();
  AxisMean mean;
  mean.rates.id = first.id;
  mean.rates.benchmark = name_over_axis(first.id, target.over);
  if (find_axis(first.id, target.over) == nullptr) {
    mean.why_none = "the benchmark has no axis \"" + target.over + "\" to take a mean over; mend `over` of the target";
    return mean;
  }
  if (target.of == Target::Of::roofline) {
    mean.why_none = "the roofline of a mean is none of its points'; hold bandwidth or flops over an axis";
    return mean;
  }
  const bool is_flops = target.metric == "flops";
  std::vector<Weighted> weighted;
  for (const BenchmarkRates* point : points) {
    const std::vector<double>& rates = is_flops ? point->flops : point->bandwidth;
    const std::optional<double>& work = is_flops ? point->flop_count : point->byte_count;
    if (const std::string why = obstacle(*point, rates, work, target.metric); !why.empty()) {
      mean.why_none = point->benchmark + ": " + why;
      return mean;
    }
    weighted.push_back({&rates, *work});
  }
  (is_flops ? mean.rates.flops : mean.rates.bandwidth) = means_of(weighted);
  mean.rates.clock_hz = mean_clock(points, weighted);
  double flops = 0;
  double bytes = 0;
  for (const BenchmarkRates* point : points) {
    flops += point->flop_count.value_or(0);
    bytes += point->byte_count.value_or(0);
  }
  const bool all_have_both =
      std::all_of(points.begin(), points.end(), [](const BenchmarkRates* p) { return p->flop_count && p->byte_count; });
  if (all_have_both && bytes > 0) mean.rates.intensity = flops / bytes;
  return mean;
}

std::string points_text(const std::vector<const BenchmarkRates*>& points, const TargetRow& row) {
  std::vector<const BenchmarkRates*> in_order = points;
  const std::string& axis = row.target.over;
  std::stable_sort(in_order.begin(), in_order.end(), [&](const BenchmarkRates* a, const BenchmarkRates* b) {
    return comes_before(find_axis(a->id, axis)->value, find_axis(b->id, axis)->value);
  });
  std::string text = "; by " + axis + ":";
  for (std::size_t i = 0; i < std::min(in_order.size(), kMaxPointsShown); ++i) {
    const double rate = median(row.metric == "flops" ? in_order[i]->flops : in_order[i]->bandwidth);
    const bool is_share = row.target.of != Target::Of::rate && row.ceiling;
    text += (i == 0 ? " " : ", ") + find_axis(in_order[i]->id, axis)->value + " at " +
            (is_share ? share_text(rate / row.ceiling->value) : rate_text(rate, row.metric));
  }
  if (in_order.size() > kMaxPointsShown) {
    text += ", and " + std::to_string(in_order.size() - kMaxPointsShown) + " more";
  }
  return text;
}

}  // namespace steelyard::regress
