// Perfetto's own format of traces, for ui.perfetto.dev and trace_processor: a quarter of a Chrome trace's size.
#pragma once

#include <ostream>

#include "bench/profile/trace.hpp"

namespace steelyard::bench {

// Packets of protos/perfetto/trace/trace.proto: a track for each thread and stream (what overlaps another event without
// nesting on one of its own), slices with their names told once, what they say of shapes and work as their arguments,
// and flows from calls to what they started. Times are since the recording's beginning; a clock snapshot holds that
// moment since 1970. Bytes of names that are no UTF-8 become U+FFFD. Samples are left out.
void write_perfetto_trace(const Trace& trace, std::ostream& out);

}  // namespace steelyard::bench
