// Reads callgrind.out files (Valgrind manual, "Callgrind Format Specification"): every part with its functions, calls
// and costs. Whatever cannot be read exactly is an error with file and line, never a smaller program.
//
//     Result<std::vector<CallgrindPart>> parts = read_callgrind("callgrind.out.4711");
//     if (!parts) return parts.error();
//     for (const CallgrindPart& part : *parts) show(part.events, part.totals, part.functions);
//
// Not a collector: see count.hpp. Not a merger of parts: a file with several dumps yields several parts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/counted_profile.hpp"
#include "bench/model/result.hpp"

namespace steelyard::bench {

// The piece of one function's self cost that was spent on lines of another file: what was inlined from there.
struct InlinedCost {
  std::uint32_t function = 0;  // index into CallgrindPart::functions, whose self includes this
  std::string file;
  std::vector<std::int64_t> self;  // one per event
};

// What one function spent at one place of the program: an address, a line or both, as the file's positions tell.
struct PositionCost {
  std::uint32_t function = 0;      // index into CallgrindPart::functions, whose self includes this
  std::uint32_t file = 0;          // index into CallgrindPart::position_files
  std::uint64_t address = 0;       // as the object's own file counts them; 0: there are none
  std::int32_t line = 0;           // 0: unknown
  std::vector<std::int64_t> self;  // one per event
  bool operator==(const PositionCost&) const = default;
};

struct CallgrindReadOptions {
  // Fills CallgrindPart::position_costs: several times the memory of the functions and arcs.
  bool keep_positions = false;
  // Of a program that may be a stranger's, which could put a link or a pipe in the file's place: neither is opened.
  bool is_left = false;
  // What the functions, calls, costs and names of one file may take, about: beyond it the file is refused.
  std::size_t maximum_bytes = std::size_t{4} << 30;
};

struct CallgrindPart {
  int part = 1;         // part: of the header; 1 where absent
  std::string thread;   // thread: of the header; empty where absent
  std::string command;  // cmd:
  // desc: Trigger: of the header, e.g. "Program termination" in a program's last part. A file of several parts that was
  // cut between two of them is what Callgrind had written by then, and only this tells it from one that is complete.
  std::string trigger;
  // Those of events:, then those that an event: line derives from them; every cost below has one number for each.
  std::vector<std::string> events;
  std::vector<std::int64_t> totals;  // as the file states them; equal to the sum of all self costs (checked)
  // In the order of the file. self is a function's whole own cost; inclusive counts a cycle of calls once (see
  // call_cycles.hpp).
  std::vector<ProfiledFunction> functions;
  std::vector<CallArc> arcs;         // one per pair of caller and callee; calls is 0 for one entered before the part
  std::vector<InlinedCost> inlined;  // by function, then file in the order of the file
  // Where asked for: one for each distinct function, file, address and line that cost something, in that order; those
  // of a function add up to its self.
  std::vector<PositionCost> position_costs;
  std::vector<std::string> position_files;
  std::vector<std::string> positions;  // "instr", "line" or both
  // One per event: by how much calls and the functions they lead to disagree in cost (see call_cycles.hpp). Callgrind
  // leaves a handful where the program ended within a call; more says that a call's cost was damaged.
  std::vector<std::int64_t> unbalanced;
  // As the file states it, and for people only: it differs from the totals where blocked threads or the caches' last
  // state were added.
  std::vector<std::int64_t> summary;
  std::vector<std::string> event_definitions;  // event: lines, e.g. "sysTime : sysTime (elapsed ns)"
  std::vector<std::string> other_headers;      // header lines with a key that the format does not document
};

// Empty files (what --separate-threads leaves behind) yield no parts: see find_callgrind_files. `name` is for messages.
// Cost: linear in the text, but for sorting the positions; a file is read in blocks and never wholly in memory. Error
// (input): anything the format does not allow, a part without totals: (cut off), self costs that do not add up to them,
// more than the bounds of the reader (a file of 4 GiB, a line of 16 MiB, 64 events, maximum_bytes).
Result<std::vector<CallgrindPart>> parse_callgrind(std::string_view text, std::string_view name,
                                                   const CallgrindReadOptions& options = {});
Result<std::vector<CallgrindPart>> read_callgrind(const std::filesystem::path& file,
                                                  const CallgrindReadOptions& options = {});

// The files of one program's profile. Callgrind writes F, or with several dumps F.1, F.2, ..., or with
// --separate-threads=yes F-01, F-02, ... (and F.1-01, ...) beside an F that stays empty.
//
//     Result<std::vector<CallgrindPart>> parts = read_callgrind_program("callgrind.out.4711");

struct CallgrindFile {
  std::filesystem::path path;
  int part = 0;    // 0: the name has none, it is the last
  int thread = 0;  // 0: the name has none
  bool operator==(const CallgrindFile&) const = default;
};

// The files beside `file` whose names are its name and a part, a thread or both, by part and thread, the last part
// last. A number behind a dot may be a process as well (callgrind.out.4711): only what is in the file tells.
std::vector<CallgrindFile> find_callgrind_files(const std::filesystem::path& file);

// What read_callgrind() reads where the file has text. Where it is empty: the parts of the files beside it, without
// those whose headers say another part or thread than their name (they are another program's). Error (input): an empty
// file with nothing beside it, one of a part's threads missing between two others, any error in one of the files.
Result<std::vector<CallgrindPart>> read_callgrind_program(const std::filesystem::path& file,
                                                          const CallgrindReadOptions& options = {});

// The costs of a profile, one number for each event. Sums are checked: what does not fit into 63 bits is told, and
// nothing wraps.

// a += b; false where the sum does not fit.
inline bool add_cost(std::int64_t& a, std::int64_t b) { return !__builtin_add_overflow(a, b, &a); }

// Event by event; false where a sum does not fit. Precondition: `sum` has at least as many events as `costs`.
inline bool add_costs(std::vector<std::int64_t>& sum, std::span<const std::int64_t> costs) {
  for (std::size_t event = 0; event < costs.size(); ++event) {
    if (!add_cost(sum[event], costs[event])) return false;
  }
  return true;
}

// sum += factor * costs, with as many events as the longer has. For costs of one part that was read, whose sums are
// known to fit, and a factor of 1 or -1.
inline void add_times(std::vector<std::int64_t>& sum, std::span<const std::int64_t> costs, std::int64_t factor) {
  sum.resize(std::max(sum.size(), costs.size()), 0);
  for (std::size_t event = 0; event < costs.size(); ++event) sum[event] += factor * costs[event];
}

inline bool is_zero(std::span<const std::int64_t> costs) {
  return std::all_of(costs.begin(), costs.end(), [](std::int64_t cost) { return cost == 0; });
}

// The last component of a path in a profile, without a copy. A path that ends in a slash has an empty one.

inline std::string_view file_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace steelyard::bench
