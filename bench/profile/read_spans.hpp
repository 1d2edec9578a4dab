// Reads the file of recorded spans (span_file.hpp), also one whose process was killed while it was written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "bench/model/result.hpp"
#include "bench/profile/trace.hpp"

namespace steelyard::bench {

struct ReadSpansOptions {
  std::size_t max_events = 50'000'000;               // some 7 GiB; beyond it the file is refused
  std::uint64_t max_bytes = std::uint64_t{1} << 36;  // of the file, which may be longer than what is in it
};

// Times are in whole nanoseconds by the line through the two clock readings of the file that lie farthest apart.
// A span that ends before it begins is left out and counted; a file that is cut in the middle has what stands before.
// A time that is none (kMaxTraceTime) stands at that bound.
// Error (input): no such file; where it is damaged: which byte, what is there; times that no process took.
Result<Trace> read_spans(const std::filesystem::path& file, const ReadSpansOptions& options = {});

}  // namespace steelyard::bench
