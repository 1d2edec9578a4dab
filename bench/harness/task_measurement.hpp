// What the Timer yields. The value itself lies in bench/model, since it is archived.
#pragma once

#include "bench/model/task_measurement.hpp"
