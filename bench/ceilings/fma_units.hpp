// How many multiply-add units of which width a core has, where that is known of the microarchitecture. An expectation
// to check a measured peak against: units x lanes x 2 x clock. Never a ceiling by itself.
#pragma once

#include <optional>
#include <string_view>

#include "bench/ceilings/cpu_identity.hpp"

namespace steelyard {

struct FmaUnits {
  std::string_view microarchitecture;
  int units = 0;
  int width_bits = 0;
};

// Absent: not in the table.
std::optional<FmaUnits> fma_units(const CpuIdentity& cpu);

// Operations per cycle of one core in elements of `element_bits`, with instructions of `instruction_bits`.
double fma_operations_per_cycle(const FmaUnits& units, int element_bits, int instruction_bits);

}  // namespace steelyard
