// Ceilings of a small machine, round numbers, and of one datasheet.
#pragma once

#include <vector>

#include "bench/model/ceiling.hpp"

namespace steelyard::sample {

inline Ceiling bandwidth(std::string level, std::string access, int threads, double value, double spread = 0.01) {
  return {CeilingKind::bandwidth, "",        std::move(level), std::move(access), threads, value, value * (1 - spread),
          value * (1 + spread),   "measured"};
}
inline Ceiling arithmetic(std::string dtype, int threads, double value, double spread = 0.01) {
  return {CeilingKind::arithmetic, std::move(dtype),     "",        "", threads, value,
          value * (1 - spread),    value * (1 + spread), "measured"};
}

inline std::vector<DeviceCeilings> ceilings() {
  DeviceCeilings cpu{"CPU", "0123456789abcdef", {}};
  cpu.ceilings = {
      arithmetic("f32", 1, 120e9),        arithmetic("f64", 1, 60e9),         arithmetic("f32", 2, 240e9),
      arithmetic("f64", 2, 120e9),        bandwidth("L1", "read", 1, 400e9),  bandwidth("L2", "read", 1, 100e9),
      bandwidth("L2", "read", 2, 200e9),  bandwidth("DRAM", "read", 1, 12e9), bandwidth("DRAM", "triad", 1, 10e9),
      bandwidth("DRAM", "read", 2, 20e9), bandwidth("DRAM", "triad", 2, 18e9)};
  DeviceCeilings gpu{"A100 40G", "", {}};
  gpu.ceilings = {{CeilingKind::arithmetic, "bf16", "", "", 0, 312e12, std::nullopt, std::nullopt, "datasheet"},
                  {CeilingKind::bandwidth, "", "DRAM", "", 0, 1555e9, std::nullopt, std::nullopt, "datasheet"}};
  return {cpu, gpu};
}

}  // namespace steelyard::sample
