// The most memory that this process has had resident, in bytes, since it was last asked to forget (Linux: VmHWM of
// /proc/self/status; /proc/self/clear_refs forgets). Allocates nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace steelyard {

// False where the system does not offer it: then the peak is that of the whole process so far.
bool forget_peak_memory();
std::optional<std::int64_t> peak_memory();

// The number of a /proc/self/status; absent without a line "VmHWM: N kB".
std::optional<std::int64_t> peak_memory_of(std::string_view status);

}  // namespace steelyard
