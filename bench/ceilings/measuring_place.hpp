// Where ceilings are measured: the cores that this process may use, one thread each, and how much memory it may take.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace steelyard {

struct MeasuringPlace {
  std::vector<int> cores;         // one hardware thread of each core; at least one, -1 where nobody says which
  std::int64_t memory_bytes = 0;  // a quarter of what is free, 4 GiB at most
  std::vector<std::string> notes;
};

// Affinity, then the control group's quota in whole cores. The one that single threads use comes first: of the fastest
// kind, where there are big and little cores, and the last of them, as the first core serves most interrupts. `root` is
// "/" but in tests.
MeasuringPlace find_measuring_place(const std::filesystem::path& root = "/");

}  // namespace steelyard
