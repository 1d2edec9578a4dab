// What a Chrome trace tells beside its events, by track and time: memory that was taken, and arrows. Which events it is
// of is known once all are there, in their order.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/profile/trace.hpp"

namespace steelyard::bench {

// Memory that was taken, or given back, as PyTorch's "[memory]" tells it.
struct ToldMemory {
  std::uint32_t track = 0;
  std::int64_t at_ns = 0;
  std::int64_t bytes = 0;  // below 0: given back
  bool is_on_device = false;
};
// Each is of the innermost event of its track that it falls into. False: it is more than 2^60 bytes.
bool add_told_memory(std::vector<ToldMemory> told, Trace& trace);

// Where an arrow begins and ends, by track and time.
struct ToldArrow {
  using Place = std::pair<std::uint32_t, std::int64_t>;
  std::optional<Place> tail, head;
};
// By the process, as it was told, and their ids in it: each process of a file, as a rank of training is, counts its own
// from 1.
using ToldArrows = std::map<std::pair<std::string, std::string>, ToldArrow>;
// From forward to backward operations: those of which both ends are events, of several that begin there the innermost.
void add_backward_links(const ToldArrows& arrows, Trace& trace);

}  // namespace steelyard::bench
