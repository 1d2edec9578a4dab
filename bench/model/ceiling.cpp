#include "bench/model/ceiling.hpp"

#include <cmath>

namespace steelyard {

UtilizationJudgement judge_utilization(double utilization) {
  if (!std::isfinite(utilization) || utilization <= 0) return UtilizationJudgement::measurement_error;
  if (utilization > kUtilizationError) return UtilizationJudgement::measurement_error;
  if (utilization > kUtilizationWarning) return UtilizationJudgement::above_ceiling;
  return UtilizationJudgement::plausible;
}

}  // namespace steelyard
