// Machine code with the addresses taken out: what is left of two builds of one function can be compared byte by byte,
// and what the addresses point at by name. Not a disassembler for people.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/result.hpp"

namespace steelyard::bench {

struct CodeReference {
  std::size_t instruction = 0;  // offset of the instruction in the code
  std::uint64_t target = 0;     // the address that it jumps to, calls, reads, writes or takes
  bool operator==(const CodeReference&) const = default;
};

struct NormalizedCode {
  std::string bytes;  // as long as the code; zeros where an address stood
  std::vector<CodeReference> references;
};

struct CodeBytes {
  std::string_view bytes;
  std::uint64_t address = 0;  // of the first
  std::uint16_t machine = 0;  // as in an ELF header
  // Whether a plain number of 4 or 8 bytes is an address: programs at a fixed place have such.
  std::function<bool(std::uint64_t)> is_address;
};

// Linear in the bytes. Error (input): this CPU's code is not known; bytes that are no instruction; built without
// Capstone.
Result<NormalizedCode> normalize_code(const CodeBytes& code);

}  // namespace steelyard::bench
