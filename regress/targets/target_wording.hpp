// The sentences of a target's verdict, with what would decide one that is undecided.
#pragma once

#include <string>

#include "bench/model/target.hpp"
#include "regress/targets/benchmark_rates.hpp"

namespace steelyard::regress {

// Three significant digits in the unit that keeps them between 1 and 1000: "12.4 GB/s", "812 Gflop/s". metric:
// "bandwidth" or "flops".
std::string rate_text(double rate, const std::string& metric);

std::string no_rate_reason(const BenchmarkRates& rates, const std::string& metric);
std::string one_invocation_reason();
std::string unknown_spread_reason();
std::string beside_another_reason();  // follows that of a missed target
std::string beside_another_warning();
// Precondition of the rest: the row has its rate and its interval, and of a share the utilization.
std::string decided_reason(const TargetRow& row);
std::string undecided_reason(const TargetRow& row, const std::string& would_do);
// How many invocations would, as the square of the distance asks for them; or that the ceiling is known too badly.
std::string what_would_do(const TargetRow& row);

}  // namespace steelyard::regress
