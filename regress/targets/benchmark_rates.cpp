#include "regress/targets/benchmark_rates.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "bench/model/quantile.hpp"

namespace steelyard::regress {
namespace {

// Best first: a benchmark may report several of them.
constexpr std::array<std::string_view, 5> kFlopsNames{"flops", "flops_per_second", "FLOPS", "flop/s", "FLOP/s"};
constexpr std::array<std::string_view, 2> kBandwidthNames{"bandwidth", "bytes_per_second"};

template <std::size_t n>
std::optional<std::size_t> rank_in(const std::array<std::string_view, n>& names, std::string_view name) {
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) return std::nullopt;
  return static_cast<std::size_t>(at - names.begin());
}

// By invocation, so that the two rates of one process can be divided.
using RateByInvocation = std::map<std::uint32_t, double>;

RateByInvocation rates_by_invocation(const Measurement& measurement) {
  RateByInvocation rates;
  for (const InvocationSamples& samples : measurement.invocations) {
    std::vector<double> usable;
    std::copy_if(samples.values.begin(), samples.values.end(), std::back_inserter(usable), is_rate);
    if (!usable.empty()) rates[samples.invocation] = median(std::move(usable));
  }
  return rates;
}

struct Chosen {
  std::size_t rank = SIZE_MAX;
  RateByInvocation rates;
  void offer(std::optional<std::size_t> offered, const Measurement& measurement) {
    if (!offered || *offered >= rank) return;
    RateByInvocation found = rates_by_invocation(measurement);
    if (found.empty()) return;
    rank = *offered;
    rates = std::move(found);
  }
  std::vector<double> values() const {
    std::vector<double> list;
    for (const auto& [invocation, rate] : rates) list.push_back(rate);
    return list;
  }
};

std::optional<double> intensity_of(const RateByInvocation& flops, const RateByInvocation& bandwidth) {
  std::vector<double> intensities;
  for (const auto& [invocation, rate] : flops) {
    const auto at = bandwidth.find(invocation);
    if (at != bandwidth.end()) intensities.push_back(rate / at->second);
  }
  if (intensities.empty()) return std::nullopt;
  return median(std::move(intensities));
}

// A rate a second times a time in ns.
std::optional<double> work_of(const RateByInvocation& rates, const RateByInvocation& times) {
  constexpr double kSecondsPerNanosecond = 1e-9;
  std::vector<double> work;
  for (const auto& [invocation, rate] : rates) {
    const auto at = times.find(invocation);
    if (at != times.end()) work.push_back(rate * at->second * kSecondsPerNanosecond);
  }
  if (work.empty()) return std::nullopt;
  return median(std::move(work));
}

std::optional<double> median_of(const RateByInvocation& values) {
  std::vector<double> list;
  for (const auto& [invocation, value] : values) list.push_back(value);
  if (list.empty()) return std::nullopt;
  return median(std::move(list));
}

}  // namespace

bool is_rate(double value) { return value >= 1e-9 && value <= 1e24; }

std::vector<BenchmarkRates> rates_of(const Run& run) {
  struct Found {
    BenchmarkId id;
    Chosen flops;
    Chosen bandwidth;
    std::string failure{};
    RateByInvocation times{};   // real_time, ns
    RateByInvocation clocks{};  // Hz
  };
  std::map<std::string, Found> by_name;
  for (const Measurement& measurement : run.measurements) {
    Found& found = by_name[measurement.benchmark.canonical()];
    found.id = measurement.benchmark;
    found.flops.offer(rank_in(kFlopsNames, measurement.metric.name), measurement);
    found.bandwidth.offer(rank_in(kBandwidthNames, measurement.metric.name), measurement);
    if (measurement.metric.name == kRealTime) found.times = rates_by_invocation(measurement);
    if (measurement.metric.name == kSmClock) found.clocks = rates_by_invocation(measurement);
  }
  for (const Failure& failure : run.failures) {
    const std::string name = failure.benchmark.canonical();
    if (failure.benchmark.name.empty() || by_name.contains(name)) continue;
    by_name[name] = {failure.benchmark, {}, {}, to_text(failure)};
  }
  std::vector<BenchmarkRates> list;
  for (const auto& [name, found] : by_name) {
    list.push_back({found.id, name, found.flops.values(), found.bandwidth.values(),
                    intensity_of(found.flops.rates, found.bandwidth.rates), found.failure,
                    work_of(found.flops.rates, found.times), work_of(found.bandwidth.rates, found.times),
                    median_of(found.clocks)});
  }
  return list;
}

}  // namespace steelyard::regress
