// The calls through which most of a change reached the function that spends it.
#pragma once

#include <cstdint>
#include <vector>

#include "ci/attribution/profile_difference.hpp"

namespace steelyard {

// The shortest chain of calls from a root to `target` among those whose every call carries as much of the change as
// can be had: at least nine tenths, else half, a quarter, a tenth, else any. Indices into functions, the root first;
// `target` alone where it is a root or nothing reaches it. Precondition: total_change is not 0. Linear in functions +
// arcs.
std::vector<std::uint32_t> call_path_to(std::uint32_t target, const ProfileDifference& difference);

}  // namespace steelyard
