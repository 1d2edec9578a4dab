// zstd over bytes in memory, by Boost.Iostreams. Internal to storage/archive.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace steelyard {

std::string compress(std::string_view bytes);

// Absent where the bytes are no zstd frame, are cut, or do not unpack to exactly `size` bytes. Memory grows with what
// is unpacked, not with what `size` claims, and stops there.
std::optional<std::string> decompress(std::string_view compressed, std::size_t size);

// The first `size` bytes, from the beginning of a frame that may be cut behind them. Absent where there are not so
// many.
std::optional<std::string> decompress_beginning(std::string_view compressed, std::size_t size);

}  // namespace steelyard
