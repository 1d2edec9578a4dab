// A duet measures under contention: each side runs beside the other, and a build that needs more cache or memory may
// look slower than it is alone. So what a duet calls changed is measured again with nothing beside it, and the row
// tells whether the change is there too. It decides nothing: the error rates are those of the duet.
//
// Those samples are kept in the same runs under a metric of their own without a direction, so that nothing judges them
// and a replay finds them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/run.hpp"
#include "regress/ab/row.hpp"

namespace steelyard {

// A setting of both headers where there was something to check: "10 rounds".
inline constexpr std::string_view kSoloSetting = "solo_check";

// "real_time" -> "real_time_alone", of no direction; and the measurement as one of that metric.
std::string alone_metric(std::string_view metric);
Measurement as_alone(Measurement measurement);

// What the reason ends in: "alone: +4.80 % (+3.10 % to +6.50 %)", "alone it is less than the minimum effect (...): it
// is an effect of running beside another process", or that it was not measured. Empty where there is nothing to tell.
std::string solo_text(const ComparisonRow& row);

// A noisy change found in a duet.
bool is_to_check_alone(const ComparisonRow& row);

// agrees: the interval excludes no change in the row's direction. Not where it excludes a change in that direction of
// the row's minimum effect or more, significant or not. Absent: neither, or there is no interval.
std::optional<bool> agrees_alone(const ComparisonRow& row, const std::optional<Interval>& alone);

// Fills `solo` of each row that is to be checked and adds what it says to the reason; says so where its samples are
// lacking. Does nothing where the headers lack kSoloSetting. Benchmarks of several threads have a machine of their own
// in a duet too, and are not checked.
void check_alone(const RowContext& context, std::vector<ComparisonRow>& rows);

// A device's cycles as a check of its clock. A multiprocessor's clock follows power and heat: where the time of a
// kernel changed and its cycles did not, the clock did it and not the code. The check is reported and does not gate.

// Adds to the reason of each changed row of real_time whose benchmark has device_cycles on both sides that the cycles
// changed as well, or that they did not, with both clocks where they are known.
void check_device_clock(const Run& baseline, const Run& candidate, std::vector<ComparisonRow>& rows);

}  // namespace steelyard
