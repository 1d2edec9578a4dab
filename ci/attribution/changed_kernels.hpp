// Names the kernels that changed between two runs of a device's benchmarks: what was launched comes before how long it
// took. The labels of the benchmarks have them ("kernels: NAME, NAME").
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/run.hpp"

namespace steelyard {

// The names after "kernels:" in a label whose parts are separated by ';'. A ", " inside brackets separates nothing, as
// it may stand in template arguments. Empty: the label names none.
std::vector<std::string> kernels_of_label(std::string_view label);

// Of each benchmark whose kernels changed: the sentence stands first in the reasons of its rows that were judged, and
// they are in ComparisonRow::kernel_changes, and one warning of the comparison lists the benchmarks, so that it is told
// where no time changed too. A side that names no kernels changes nothing.
void tell_changed_kernels(Comparison& comparison, const Run& baseline, const Run& candidate);

}  // namespace steelyard
