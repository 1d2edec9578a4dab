// Reads callgrind.out files (Valgrind manual, "Callgrind Format Specification"): every part with its functions, calls
// and costs. Whatever cannot be read exactly is an error with file and line, never a smaller program.
//
//     Result<std::vector<CallgrindPart>> parts = read_callgrind("callgrind.out.4711");
//     if (!parts) return parts.error();
//     for (const CallgrindPart& part : *parts) show(part.events, part.totals, part.functions);
//
// Not a collector: see count.hpp. Not a merger of parts: a file with several dumps yields several parts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/counted_profile.hpp"
#include "bench/model/result.hpp"

namespace steelyard {

// The piece of one function's self cost that was spent on lines of another file: what was inlined from there.
struct InlinedCost {
  std::uint32_t function = 0;  // index into CallgrindPart::functions, whose self includes this
  std::string file;
  std::vector<std::int64_t> self;  // one per event
};

struct CallgrindPart {
  int part = 1;         // part: of the header; 1 where absent
  std::string thread;   // thread: of the header; empty where absent
  std::string command;  // cmd:
  // Those of events:, then those that an event: line derives from them; every cost below has one number for each.
  std::vector<std::string> events;
  std::vector<std::int64_t> totals;  // as the file states them; equal to the sum of all self costs (checked)
  // In the order of the file. self is a function's whole own cost; inclusive counts a cycle of calls once (see
  // call_cycles.hpp).
  std::vector<ProfiledFunction> functions;
  std::vector<CallArc> arcs;           // one per pair of caller and callee; calls is 0 for one entered before the part
  std::vector<InlinedCost> inlined;    // by function, then file in the order of the file
  std::vector<std::string> positions;  // "instr", "line" or both
  // As the file states it, and for people only: it differs from the totals where blocked threads or the caches' last
  // state were added.
  std::vector<std::int64_t> summary;
  std::vector<std::string> event_definitions;  // event: lines, e.g. "sysTime : sysTime (elapsed ns)"
  std::size_t recorded_functions = 0;          // those with a record of their own; the others are only called
  std::int64_t jumps = 0;                      // jump= and jcnd= records
  std::vector<std::string> other_headers;      // header lines with a key that the format does not document
};

// Empty files (what --separate-threads leaves behind) yield no parts. `name` is for messages. Cost: linear in the text,
// but for the lookup of names. Error (input): anything the format does not allow, a part without totals: (cut off),
// self costs that do not add up to them, more than the bounds of the reader (512 MiB, 64 events).
Result<std::vector<CallgrindPart>> parse_callgrind(std::string_view text, std::string_view name);
Result<std::vector<CallgrindPart>> read_callgrind(const std::filesystem::path& file);

}  // namespace steelyard
