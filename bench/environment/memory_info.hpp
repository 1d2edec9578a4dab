// How much memory there is, free or swapped: the fields of /proc/meminfo.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace steelyard {

// Bytes of a field such as "MemTotal" or "SwapFree"; absent where the file does not say them in kB.
std::optional<std::int64_t> memory_info_bytes(const std::filesystem::path& root, std::string_view field);

}  // namespace steelyard
