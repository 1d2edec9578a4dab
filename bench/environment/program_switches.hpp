// What the producers of a program's units say in sum: which compiler, with which switches, how far optimized. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace steelyard {

struct ProducedBy {
  std::string compiler;  // "GNU C++17 12.2.0", without the switches
  std::string switches;  // "-O2 -march=x86-64"; empty: not recorded
  bool is_assembly = false;
};
ProducedBy parse_producer(std::string_view producer);

struct ProgramSwitches {
  std::string compiler;      // by falling number of units: "GNU C++17 12.2.0 + GNU C17 12.2.0"
  std::string switches;      // of most units; " (and 2 other sets)" where units differ
  std::string optimization;  // "-O2"; "-O0 in 3 of 10 units, -O2 in 7" where units differ; empty: not recorded
  std::int64_t unoptimized_units = 0;
  std::int64_t units = 0;  // that say their switches
};

// `producers`: text and number of units. Units of assembly are left out.
ProgramSwitches summarize_producers(const std::map<std::string, std::int64_t>& producers);

}  // namespace steelyard
