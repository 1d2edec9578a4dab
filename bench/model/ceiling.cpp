#include "bench/model/ceiling.hpp"

#include <cmath>

#include "bench/model/text.hpp"

namespace steelyard {

UtilizationJudgement judge_utilization(double utilization) {
  if (!std::isfinite(utilization) || utilization <= 0) return UtilizationJudgement::measurement_error;
  if (utilization > kUtilizationError) return UtilizationJudgement::measurement_error;
  if (utilization > kUtilizationWarning) return UtilizationJudgement::above_ceiling;
  return UtilizationJudgement::plausible;
}

std::string utilization_warning(double utilization) {
  const std::string percent = decimals_text(utilization * 100, 1) + " %";
  switch (judge_utilization(utilization)) {
    case UtilizationJudgement::plausible:
      return "";
    case UtilizationJudgement::above_ceiling:
      return percent + " of the ceiling: the clock was above the ceiling's, or the ceiling is stale";
    case UtilizationJudgement::measurement_error:
      break;
  }
  if (!std::isfinite(utilization) || utilization <= 0)
    return "the utilization is no positive number: measurement error";
  return percent + " of the ceiling is a measurement error: check the flops and bytes that the benchmark states";
}

}  // namespace steelyard
