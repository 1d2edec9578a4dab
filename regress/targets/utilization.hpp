// How near the rates of a benchmark come to the ceilings of its device, with what both measurements leave open, and
// which of the two bounds it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/model/target.hpp"
#include "regress/targets/benchmark_rates.hpp"
#include "regress/targets/find_ceiling.hpp"

namespace steelyard {

// One rate against one ceiling, whatever they are of. Precondition: rates is not empty.
RateUtilization utilization_of(const std::vector<double>& rates, const FoundCeiling& found);

// Both rates of a benchmark. Its bound compares the intensity with the ridge of the two ceilings; it is empty where
// one of these is unknown, or where the rate shows that the data are not in that level.
UtilizationRow utilization_row(const BenchmarkRates& rates, const CeilingChoice& choice,
                               const std::vector<DeviceCeilings>& devices);

// "memory" below the ridge (arithmetic ceiling over bandwidth, in flop per byte), "arithmetic" from it on (Williams,
// Waterman and Patterson, Roofline: an insightful visual performance model, CACM 52(4), 2009).
std::string bound_at(double intensity, const Ceiling& arithmetic, const Ceiling& bandwidth);

// judge_utilization() in words, with what to look at; empty where the utilization is plausible.
std::string utilization_doubt(double utilization, const Ceiling& ceiling);

}  // namespace steelyard
