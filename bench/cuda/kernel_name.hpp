// A kernel's name as data. Libraries write into the name of a kernel what it is built of: the architecture, the operand
// types, the layouts, the tile, the stages of its pipeline, how warps and clusters share the work. Two builds that run
// different kernels differ before any time does, and the fields say in what.
//
//     const KernelName name = parse_kernel_name("nvjet_hsh_128x256_64x4_2x1_v_bz_coopA_TNN");
//     name.family;  // "nvjet"
//     name.tile;    // "128x256x64"
//     kernel_differences(before, after);  // {"tile 128x128x64 became 64x64x64", "stages 3 became 5"}
//
// The makers of these names document none of them and change them between versions. So nothing here fails: what is not
// recognized stays in `options` or, for a name of no known family, in `text` alone.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard::bench {

struct KernelName {
  std::string text;    // as the driver says it
  std::string family;  // "xmma", "cublas", "cutlass", "cutlass3x", "nvjet", "steelyard"; empty: not known
  std::string arch;    // "sm80", "sm90"; "ampere" reads sm80, "hopper" sm90
  std::string kernel;  // our own: the function's name, "layer_norm"; others: what it computes, "gemm"
  // Operands in the order of the name, in one spelling: "f32", "bf16", "e4m3", "s8". Of our own: template arguments.
  std::vector<std::string> operands;
  std::string instruction;           // of the tensor cores: "16x8x16", "64x256x16"
  std::string layouts;               // "tn n"; lower case
  std::string tile;                  // of one block: "128x256x64", the last number the depth, where the name says it
  std::string stages;                // of the pipeline: "4"
  std::string warps;                 // "2x2x1": how they share the tile
  std::string cluster;               // "2x1x1"
  std::vector<std::string> options;  // all else, as spelled: "ldg8", "relu", "coopA", "splitK"

  bool is_known() const { return !family.empty(); }
  bool operator==(const KernelName&) const = default;
};

// A mangled C++ name is read too. Names longer than kLongestKernelName are not taken apart.
inline constexpr std::size_t kLongestKernelName = 8192;
KernelName parse_kernel_name(std::string_view text);

// For people: an own kernel without its namespaces and arguments, others as they are; cut to 120 characters.
std::string short_text(const KernelName& name);

// In words, a field each, in the order of the fields. Empty: the same name. Where one of the two is of no known family,
// or no field differs: one sentence with both names.
std::vector<std::string> kernel_differences(const KernelName& before, const KernelName& after);

// Of all kernels of a benchmark, in the order of their launches: those that both sides run are left out, the rest are
// paired in order. "kernel A became B: tile 128x128x64 became 64x64x64", "kernel C is gone", "kernel D is new", "3
// launches became 1 of kernel E". Empty: the same kernels, each as often; their order does not matter.
std::vector<std::string> kernel_changes(const std::vector<std::string>& before, const std::vector<std::string>& after);

}  // namespace steelyard::bench
