// What activities of devices are called: copies as PyTorch's traces have them, calls without their version, graphs by
// what they consist of.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace steelyard {

// "Pinned" of a CUpti_ActivityMemoryKind.
std::string memory_name(std::uint8_t kind);
// "Memcpy HtoD (Pinned -> Device)" of a CUpti_ActivityMemcpyKind and the kinds of memory at both ends.
std::string copy_name(std::uint8_t kind, std::uint8_t from, std::uint8_t to);
// "cudaLaunchKernel" of "cudaLaunchKernel_v7000".
std::string call_name(std::string_view name);
// Of a CUpti_ActivityOverheadKind.
std::string overhead_name(std::uint32_t what);

// The nodes of a captured graph by what they do.
struct GraphNodes {
  std::uint64_t kernels = 0, copies = 0, sets = 0, others = 0;

  void add(int type);        // CUgraphNodeType
  std::string text() const;  // "graph of 3 kernels, 1 copy"
};

}  // namespace steelyard
