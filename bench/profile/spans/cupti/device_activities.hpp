// What CUDA devices do while spans are recorded, by CUPTI (cupti_library.hpp): kernels, copies, sets, graphs, the calls
// that started them, and memory, written into the spans' own file (span_file.hpp) by the spans' own clock. What belongs
// to which span is worked out by who reads the file: a call lies in the span of its thread that was open, and what it
// started has its number.
//
// CUPTI fills buffers of 8 MiB and hands them back when they are full, a second later at most; what was handed back is
// in the file, whatever becomes of the process.
#pragma once

#include <cstdint>
#include <string>

#include "bench/model/result.hpp"
#include "bench/profile/spans/chunk_file.hpp"
#include "bench/profile/spans/span_recording.hpp"

namespace steelyard {

// What is recorded into, and how. All of it outlives the recording of activity.
struct RecordedFile {
  SpanFileHeader& header;
  ChunkFile& chunks;
  std::uint32_t (*name)(const std::string& text);  // its number, with which it stands in the file from here on
  std::uint64_t (*stamp)();  // the clock of the spans in nanoseconds, as SpanFileHeader::ns_a_stamped_tick has it
};

// One at a time in a process. The header says what was refused in part. Error (program): no CUPTI, one whose records
// are not known, no driver, another subscriber in this process; nothing is recorded then.
Result<void> start_device_activities(const DeviceActivityOptions& options, const RecordedFile& file);
// What is counted as lost is counted anew.
void end_device_warm_up();
// What is complete is written; what is not is counted. When it returns nothing is written any more. Whether something
// was that is no warm-up: work, or a pause.
bool stop_device_activities();
// In a forked child, whose parent records.
void forget_device_activities();

}  // namespace steelyard
