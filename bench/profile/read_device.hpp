// What devices did, of a file of spans (DeviceRecord), as events of a trace: streams are tracks of their device, calls
// stand on the track of their thread, where the spans are that they ran in. Part of read_spans.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bench/profile/spans/span_file.hpp"
#include "bench/profile/trace.hpp"

namespace steelyard::bench {

class DeviceReader {
 public:
  // `ns_of`: of a stamp, since Trace::start_unix_ns. `name_of`: a name's text by its number. The trace has the tracks
  // of its threads.
  DeviceReader(const SpanFileHeader& header, Trace& trace, std::function<std::int64_t(std::uint64_t)> ns_of,
               std::function<std::uint32_t(std::uint32_t)> name_of);

  void add(const DeviceRecord& record);
  // After the last record: names of streams, memory in use.
  void finish();

  // What calls took of devices' memory, and below 0 gave back.
  struct OfCall {
    std::uint32_t correlation = 0;
    std::int64_t bytes = 0;
  };
  std::vector<OfCall> taken() { return std::move(taken_); }

 private:
  std::uint32_t thread_track(std::uint32_t thread);
  std::uint32_t stream_track(std::uint32_t device, std::uint32_t stream);
  std::uint32_t kernel_name(std::uint32_t id);
  std::uint32_t launch_of(const DeviceRecord& record);
  void add_memory(const DeviceRecord& record);

  const SpanFileHeader& header_;
  Trace& trace_;
  std::function<std::int64_t(std::uint64_t)> ns_of_;
  std::function<std::uint32_t(std::uint32_t)> name_of_;
  std::unordered_map<std::int64_t, std::uint32_t> threads_;                   // by the system's number
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> streams_;  // by device and number
  std::unordered_map<std::uint32_t, int> priorities_;                         // by the stream's number
  std::unordered_map<std::uint32_t, std::uint32_t> kernel_names_;             // readable, by the name's number
  std::map<std::pair<std::vector<std::uint32_t>, double>, std::uint32_t>
      launches_;                      // one plus the index, by what it is
  std::vector<TraceMemory> changes_;  // of memory in use
  std::vector<OfCall> taken_;
};

// What a recording by CUPTI lacks, and what devices there were.
void add_device_facts(const SpanFileHeader& header, Trace& trace);

}  // namespace steelyard::bench
