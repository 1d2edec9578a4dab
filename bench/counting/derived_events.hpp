// Events that a callgrind.out file defines by a formula instead of counting them ("event: CEst = Ir + 10 L1m : cycle
// estimate"). They are evaluated here, never read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/counting/callgrind_reader.hpp"
#include "bench/model/result.hpp"

namespace steelyard {

// The definitions of a part are kept in CallgrindPart::event_definitions, as written after "event:". Those with a
// formula whose name is not counted are appended to `events`, and their values to every cost of the part, in the order
// of the file; a formula may use the ones before it. Error (input, without a place): a formula that is none, an event
// it does not know, a value above 63 bits.
Result<void> append_derived_events(CallgrindPart& part);

}  // namespace steelyard
