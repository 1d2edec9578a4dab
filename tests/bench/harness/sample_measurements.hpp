// The measurements of the fixtures in tests/golden/measurements: every field set, and what is awkward to write down.
#pragma once

#include <vector>

#include "bench/model/task_measurement.hpp"

namespace steelyard {

std::vector<TaskMeasurement> sample_measurements();

}  // namespace steelyard
