#include "regress/targets/axis_mean.hpp"

#include <algorithm>
#include <charconv>

#include "bench/model/quantile.hpp"
#include "bench/model/number_text.hpp"
#include "regress/targets/target_wording.hpp"

namespace steelyard {
namespace {

constexpr std::size_t kMostPointsShown = 12;

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
  for (std::size_t i = 0; i < std::min(in_order.size(), kMostPointsShown); ++i) {
    const double rate = median(row.metric == "flops" ? in_order[i]->flops : in_order[i]->bandwidth);
    const bool is_share = row.target.of != Target::Of::rate && row.ceiling;
    text += (i == 0 ? " " : ", ") + find_axis(in_order[i]->id, axis)->value + " at " +
            (is_share ? share_text(rate / row.ceiling->value) : rate_text(rate, row.metric));
  }
  if (in_order.size() > kMostPointsShown) {
    text += ", and " + std::to_string(in_order.size() - kMostPointsShown) + " more";
  }
  return text;
}

}  // namespace steelyard
