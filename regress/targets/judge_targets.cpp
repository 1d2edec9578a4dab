#include "regress/targets/judge_targets.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "bench/model/parse_number.hpp"
#include "bench/model/quantile.hpp"
#include "regress/policy/pattern_policy.hpp"
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
  std::vector<const BenchmarkRates*> points;
  std::vector<CeilingChoice> choices;  // one a point
};

// Of the metric that the target holds, whatever clocks the points ran at, which the mean weighs.
std::optional<Ceiling> ceiling_of(const AxisGroup& group, std::size_t point,
                                  const std::vector<DeviceCeilings>& devices) {
  CeilingChoice choice = narrowed(group.choices[point], group.target);
  choice.clock_hz.reset();
  return (group.target.metric == "flops" ? find_arithmetic : find_bandwidth)(devices, choice).ceiling;
}

bool ceilings_differ(const AxisGroup& group, const std::vector<DeviceCeilings>& devices) {
  const auto identity = [&](std::size_t point) {
    const std::optional<Ceiling> ceiling = ceiling_of(group, point, devices);
    return ceiling ? std::optional(std::pair(name_of(*ceiling), ceiling->value)) : std::nullopt;
  };
  for (std::size_t point = 1; point < group.points.size(); ++point) {
    if (identity(point) != identity(0)) return true;
  }
  return false;
}

TargetRow judge_group(const AxisGroup& group, const std::vector<DeviceCeilings>& devices) {
  AxisMean mean = mean_over_axis(group.points, group.target);
  if (!mean.why_none && group.target.of != Target::Of::rate && ceilings_differ(group, devices)) {
    mean.why_none.emplace().kind = TargetReason::Kind::ceilings_differ;
  }
  if (mean.why_none) {
    TargetRow row;
    row.benchmark = mean.rates.benchmark;
    row.target = group.target;
    row.metric = group.target.metric;
    row.why = std::move(*mean.why_none);
    return row;
  }
  CeilingChoice choice = group.choices.back();
  choice.clock_hz = mean.rates.clock_hz;
  TargetRow row = judge_target(mean.rates, group.target, choice, devices);
  row.why.points = points_of(group.points, group.target.over, row.metric);
  return row;
}

// What is held against `least`: a share of the ceiling, or the rate itself.
struct Held {
  double value = 0;
  std::optional<Interval> interval;
};

void decide(TargetRow& row, const Held& held) {
  const double least = row.target.least;
  row.why.kind = held.interval ? TargetReason::Kind::interval : TargetReason::Kind::one_invocation;
  if (!held.interval) return;
  if (held.interval->low >= least) {
    row.verdict = TargetVerdict::met;
  } else if (held.interval->high < least) {
    row.verdict = TargetVerdict::missed;
  }
}

TargetReason no_rate(const BenchmarkRates& rates, const std::string& metric) {
  TargetReason why;
  why.kind = TargetReason::Kind::no_rate;
  why.metric = metric;
  why.failure = rates.failure;
  return why;
}

void set_no_ceiling(const RateUtilization& rate, TargetRow& row) {
  row.why.kind = TargetReason::Kind::no_ceiling;
  row.why.missing = rate.missing;
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
  if (judge_utilization(*row.utilization) == UtilizationJudgement::measurement_error) {
    row.why.kind = TargetReason::Kind::measurement_error;
  } else if (row.ceiling->source == kMeasured && !(row.ceiling->low && row.ceiling->high)) {
    row.why.kind = TargetReason::Kind::unknown_spread;
  } else {
    decide(row, {*row.utilization, row.utilization_interval});
  }
}

// The roofline is the lower of the two bounds, so a kernel's share of it is the larger of its two shares; the interval
// of the larger of two is that of their bounds.
void judge_roofline(TargetRow& row, const BenchmarkRates& rates, const CeilingChoice& choice,
                    const std::vector<DeviceCeilings>& devices) {
  for (const char* metric : {"flops", "bandwidth"}) {
    if (rates_of_metric(rates, metric).empty()) {
      row.why = no_rate(rates, metric);
      return;
    }
  }
  const UtilizationRow both = utilization_row(rates, choice, devices);
  for (const auto& rate : {both.flops, both.bandwidth}) {
    if (rate->utilization) continue;
    set_no_ceiling(*rate, row);
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
  row.why.beside_another = true;
}

TargetRow unmatched_row(const DeclaredTarget& declared) {
  TargetRow row;
  row.benchmark = declared.benchmark;
  row.target = declared.target;
  row.metric = declared.target.metric;
  row.why.kind = TargetReason::Kind::no_benchmark;
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

// What was declared for devices that this run did not use is no verdict of it, and not forgotten either.
void add_other_devices(const std::vector<BenchmarkRates>& rates, const TargetQuestion& question, TargetReport& report) {
  std::set<std::string> devices;
  for (const DeclaredTarget& declared : question.configured) {
    if (declared.target.device.empty()) continue;
    const bool is_used = std::any_of(rates.begin(), rates.end(), [&](const BenchmarkRates& one) {
      return is_for_device(declared.target, names_of_device(one.id, question.devices));
    });
    if (is_used) continue;
    ++report.other_device_targets;
    devices.insert(declared.target.device);
  }
  report.other_devices.assign(devices.begin(), devices.end());
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
    row.why = no_rate(rates, target.metric);
    return row;
  }
  take(row, *rate, target.metric);
  if (target.of == Target::Of::rate) {
    decide(row, {rate->achieved, rate->achieved_interval});
  } else if (rate->utilization) {
    judge_share(row);
  } else {
    set_no_ceiling(*rate, row);
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
  report.targets = question.unreadable;
  report.beside_another = question.beside_another;
  std::map<std::string, AxisGroup> groups;
  for (const BenchmarkRates& one : rates) {
    const std::vector<Target> targets =
        targets_of(one.benchmark, question.configured, question.of_program, names_of_device(one.id, question.devices));
    const CeilingChoice choice = choice_for(one, targets);
    for (const Target& target : targets) {
      if (!target.over.empty()) {
        AxisGroup& group = groups[name_over_axis(one.id, target.over) + '\n' + target.where + '\n' + target.text];
        group.target = target;
        group.choices.push_back(choice);
        group.points.push_back(&one);
        continue;
      }
      report.targets.push_back(judge_target(one, target, choice, question.devices));
      if (question.beside_another) doubt_if_missed(report.targets.back());
    }
    if (question.devices.empty() || (one.flops.empty() && one.bandwidth.empty())) continue;
    report.utilizations.push_back(utilization_row(one, choice, question.devices));
    report.utilizations.back().level_is_declared =
        std::any_of(targets.begin(), targets.end(), [](const Target& t) { return !t.level.empty(); });
  }
  for (const auto& [name, group] : groups) {
    report.targets.push_back(judge_group(group, question.devices));
    if (question.beside_another) doubt_if_missed(report.targets.back());
  }
  add_other_devices(rates, question, report);
  sort_worst_first(report.targets);
  return report;
}

namespace {

const Parameter* find_axis(const BenchmarkId& id, const std::string& axis) {
  const auto at = std::find_if(id.parameters.begin(), id.parameters.end(),
                               [&](const Parameter& parameter) { return parameter.name == axis; });
  return at == id.parameters.end() ? nullptr : &*at;
}

// What is missing of a point for a mean of this metric; absent where nothing is.
std::optional<TargetReason> obstacle(const BenchmarkRates& point, const std::vector<double>& rates,
                                     const std::optional<double>& work, const std::string& metric) {
  std::optional<TargetReason> why;
  if (rates.empty()) {
    why = no_rate(point, metric);
  } else if (!work || !is_rate(*work)) {
    why.emplace().kind = TargetReason::Kind::no_time;
  }
  if (why) why->point = point.benchmark;
  return why;
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
  const auto left = parse_as<double>(a);
  const auto right = parse_as<double>(b);
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
    mean.why_none.emplace().kind = TargetReason::Kind::no_axis;
    return mean;
  }
  if (target.of == Target::Of::roofline) {
    mean.why_none.emplace().kind = TargetReason::Kind::mean_of_rooflines;
    return mean;
  }
  const bool is_flops = target.metric == "flops";
  std::vector<Weighted> weighted;
  for (const BenchmarkRates* point : points) {
    const std::vector<double>& rates = is_flops ? point->flops : point->bandwidth;
    const std::optional<double>& work = is_flops ? point->flop_count : point->byte_count;
    mean.why_none = obstacle(*point, rates, work, target.metric);
    if (mean.why_none) return mean;
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

std::vector<TargetReason::Point> points_of(const std::vector<const BenchmarkRates*>& points, const std::string& axis,
                                           const std::string& metric) {
  std::vector<TargetReason::Point> told;
  for (const BenchmarkRates* point : points) {
    told.push_back({find_axis(point->id, axis)->value, median(rates_of_metric(*point, metric))});
  }
  std::stable_sort(told.begin(), told.end(), [](const TargetReason::Point& a, const TargetReason::Point& b) {
    return comes_before(a.value, b.value);
  });
  return told;
}

}  // namespace steelyard::regress
