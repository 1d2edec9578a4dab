// Chrome's trace format (Google, "Trace Event Format"), as PyTorch's profiler and chrome://tracing write it and
// Perfetto's page opens it: reading into a Trace, and writing one.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "bench/model/result.hpp"
#include "bench/profile/trace.hpp"

namespace steelyard::bench {

// Members that are ours alone.
inline constexpr std::string_view kRecordingMember = "recording";  // RecordingFacts by name, and kDeviceRefusalMember
inline constexpr std::string_view kDeviceRefusalMember = "device refusal";
inline constexpr std::string_view kDidNotEnd = "did not end";  // of an event's args

// PyTorch's words for what is a number of an event's detail.
struct DetailWord {
  std::string_view word;
  std::optional<std::int64_t> EventDetail::*value;
};
inline constexpr std::array<DetailWord, 4> kDetailWords{{{"Ev Idx", &EventDetail::index},
                                                         {"Record function id", &EventDetail::record_function},
                                                         {"Sequence number", &EventDetail::sequence},
                                                         {"Fwd thread id", &EventDetail::forward_thread}}};
inline constexpr std::string_view kInputTypes = "Input type";
inline constexpr std::string_view kQueued = "queued";            // of a kernel, in microseconds; 0: not known
inline constexpr std::string_view kBackwardCategory = "fwdbwd";  // of arrows from a forward to its backward operation

struct ReadChromeOptions {
  std::size_t max_events = 20'000'000;  // of each kind: spans, arrows, changes of memory
  // As the format has it, to the letter: for tests of what is written here.
  bool is_strict = false;
};

// `text`: an object with traceEvents, or the list of events alone. Complete events (ph X) and those begun and ended (B
// and E) become events; names of processes and threads (M) those of the tracks; what else there is, is no time span and
// left as it is. Of a text that is cut in the middle what stands whole before is read. Bytes that are no UTF-8, which
// JSON cannot hold, and escaped halves of surrogate pairs are read as U+FFFD and counted. Times keep whole nanoseconds.
// An event that ends before it begins (Trace::backwards) or has no time that is one (Trace::unreadable), and a change
// of memory without either or for which there is no room (Trace::memory_excluded), is left out and counted; control
// characters, NaN and Infinity, which JSON has not, are taken.
// Error (input): `name` and the byte or the event where it is no such file. `is_strict`: and where it has any of these.
Result<Trace> read_chrome_trace(std::string_view text, const std::string& name, const ReadChromeOptions& options = {});

// Strictly valid JSON: spans of a track nest (what overlaps another without nesting stands on a track of its own beside
// it), each arrow from a call to what it started has both its ends, and a name is what it was; only bytes that are no
// UTF-8, which JSON cannot hold, become U+FFFD. `metadata_title`: traceName.
void write_chrome_trace(const Trace& trace, const std::string& title, std::ostream& out);

}  // namespace steelyard::bench
