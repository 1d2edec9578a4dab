// Which of a device's ceilings a rate is held against. What is not known is not guessed: a dtype that nobody named, a
// level or a number of threads that was not measured give no ceiling, and the reason.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/target.hpp"

namespace steelyard::regress {

struct CeilingChoice {
  std::string device = "CPU";  // as DeviceCeilings::device
  std::string level = "DRAM";
  std::string access;  // empty: the fastest of the level
  std::string dtype;   // empty: not declared
  int threads = 1;
  std::string source;              // as Target::source
  std::optional<double> clock_hz;  // of the device while the benchmark ran
};

// What the benchmark's identity says, with what the targets that it has declare laid over it (the first that says it).
CeilingChoice ceiling_choice(const BenchmarkId& id, const std::vector<Target>& targets);

struct FoundCeiling {
  std::optional<Ceiling> ceiling;
  std::optional<MissingCeiling> missing;  // why there is none; absent where there is one
};

// A device's own name and its datasheet's; none for the CPU.
std::vector<std::string> names_of_device(const BenchmarkId& id, const std::vector<DeviceCeilings>& devices);

// Arithmetic is scaled by the clock that the benchmark ran at over the clock at which the ceiling holds, where both are
// known: half the clock is half the operations. Memory has a clock of its own and is not.
FoundCeiling find_bandwidth(const std::vector<DeviceCeilings>& devices, const CeilingChoice& choice);
FoundCeiling find_arithmetic(const std::vector<DeviceCeilings>& devices, const CeilingChoice& choice);

// "DRAM read", "f32", each with ", 2 threads" where more than one was declared; of a device "DRAM, datasheet",
// "bf16 at 1.29 GHz, measured".
std::string name_of(const Ceiling& ceiling);

}  // namespace steelyard::regress
