// What an operation of PyTorch computes, by the shapes of what goes in: as its profiler counts where it is asked to
// (with_flops), which its traces do not tell. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard::bench {

// `name`: "aten::mm". `shapes`: "[[64, 512], [512, 10]]". `inputs`: as texts, of what is no tensor ("[1, 1]"), by
// place; of a convolution alone. A multiplication and an addition count as 2. Absent: an operation of which PyTorch
// counts nothing, or less than is done (a sum whose first input is spread over a larger one), or shapes that are none
// of it.
std::optional<double> flops_of_operation(std::string_view name, std::string_view shapes,
                                         const std::vector<std::string>& inputs);

}  // namespace steelyard::bench
