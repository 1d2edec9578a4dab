// The files that archives lie in: read within a bound, written whole or not at all. Knows nothing of what is in them.
// Internal to storage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "bench/model/result.hpp"

namespace steelyard {

// Error (input): absent, unreadable, no regular file, above `limit` bytes.
Result<std::string> read_file(const std::filesystem::path& path, std::int64_t limit);

// Its first `most` bytes, or all where it has fewer. Error (input): absent, unreadable, no regular file.
Result<std::string> read_beginning(const std::filesystem::path& path, std::size_t most);

// Written under another name in the same folder, flushed to the disk, renamed, and the folder flushed: under `path` is
// ever the old file or the whole new one. Error: store where the disk is full or failing, else input; the part that was
// written is removed.
Result<void> write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace steelyard
