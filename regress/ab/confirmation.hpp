// A duet measures under contention: each side runs beside the other, and a build that needs more cache or memory may
// look slower than it is alone. So what a duet calls changed is measured again with nothing beside it, and the row
// tells whether the change is there too. Where what was measured alone contradicts it the row is inconclusive: two
// measurements of the same builds that exclude each other say nothing of the builds. That can only take alarms away;
// docs/method/sequential.md has what it costs in power.
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
#include "regress/ab/judged.hpp"
#include "regress/ab/row.hpp"
#include "regress/ab/rules.hpp"

namespace steelyard::regress {

// A setting of both headers where there was something to check: "10 rounds".
inline constexpr std::string_view kSoloSetting = "solo_check";

// "real_time" -> "real_time_alone", of no direction; and the measurement as one of that metric.
std::string alone_metric(std::string_view metric);
Measurement as_alone(Measurement measurement);

// How the change alone lies to that in the duet.
//   smaller, larger  both are of one direction, and their intervals exclude each other
//   agrees           else, where it is there alone
//   contradicts      it is not
//   too_wide         alone cannot tell
enum class Agreement { agrees, smaller, larger, contradicts, too_wide };
Agreement agreement(const ComparisonRow& row);  // precondition: `row.solo`

// A noisy change found in a duet.
bool is_to_check_alone(const ComparisonRow& row);

// Whether `alone`, the interval of what was measured alone, agrees with the row's change.
//   false   it excludes a change in the row's direction of the minimum effect or more; or it lies wholly on the side of
//           no change from the row's interval, so that it excludes all that the duet saw, and does not itself hold
//           nothing but changes of the minimum effect or more in that direction: a smaller change is one all the same
//   true    else, where it excludes no change
//   absent  neither, or there is no interval
// rounds_2: without the second half of the first.
std::optional<bool> agrees_alone(const ComparisonRow& row, const std::optional<Interval>& alone,
                                 Rules rules = kNewestRules);

// Fills `solo` of each row that is to be checked, and the fact of what it says; of one whose samples are lacking that.
// A change that is contradicted becomes inconclusive, with RowNote::contradicted_alone. Does nothing where the headers
// lack kSoloSetting. Benchmarks of several threads have a machine of their own in a duet too, and are not checked.
void check_alone(const RowContext& context, std::vector<RowDraft>& drafts);

// A device's cycles as a check of its clock. A multiprocessor's clock follows power and heat: where the time of a
// kernel changed and its cycles did not, the clock did it and not the code. The check is reported and does not gate.

// Sets `device` of each changed row of real_time whose benchmark has device_cycles on both sides: that the cycles
// changed as well, or that they did not, with both clocks where they are known.
void check_device_clock(const Run& baseline, const Run& candidate, std::vector<RowDraft>& drafts,
                        Rules rules = kNewestRules);

}  // namespace steelyard::regress
