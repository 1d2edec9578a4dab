// The inline function of attributed_program.cpp whose change is in a header.
#pragma once

#include <cstdint>

__attribute__((always_inline)) inline std::uint64_t mix_word(std::uint64_t value) {
  value ^= value >> 7;
#if STEELYARD_CHANGED
  asm volatile("nop");  // one more in the header
#endif
  return value * 3;
}
