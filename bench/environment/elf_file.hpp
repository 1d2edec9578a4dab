// A program file taken apart into its sections: ELF, 32 or 64 bit, little-endian. Every offset and count in the file is
// checked against its size before it is used, and what lies outside counts as empty: a truncated or forged file yields
// an Error or less, never a crash. Not for linking, loading or big-endian files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/result.hpp"

namespace steelyard {

struct ElfSection {
  std::string_view name;
  std::uint32_t type = 0;
  std::uint64_t flags = 0;
  std::uint64_t address = 0;  // where it is loaded; 0: it is not
  std::uint64_t size = 0;     // in memory; larger than its content where that is all zeros
  std::uint32_t link = 0;     // index of the section with its names
  std::string_view content;
  bool outside = false;  // its content does not lie in the file

  bool is_compressed() const;
};

struct ElfSegment {
  std::uint32_t type = 0;
  std::uint32_t flags = 0;  // may be read, written, executed
  std::uint64_t address = 0;
  std::uint64_t memory_bytes = 0;  // what the content lacks of it is zeros
  std::uint64_t alignment = 0;
  std::string_view content;
  bool outside = false;  // its content does not lie in the file
};

struct ElfSymbol {
  std::string_view name;
  bool defined = false;
  std::uint8_t type = 0;  // STT_FUNC, STT_OBJECT, ...
  std::uint64_t address = 0;
  std::uint64_t size = 0;
};

struct ElfFile {
  bool is_64 = false;
  std::uint16_t type = 0;
  std::uint16_t machine = 0;
  std::uint64_t entry = 0;
  std::vector<ElfSection> sections;  // by index; empty where the file has none, as after sstrip
  std::vector<ElfSegment> segments;

  bool is_executable() const;  // a program, with or without a fixed address, or a shared library
  const ElfSection* find(std::string_view name) const;
  // Of .symtab and .dynsym, in this order; 4 million of each at most.
  std::vector<ElfSymbol> symbols() const;
  // Names of the libraries that the loader is to bring (DT_NEEDED), by the .dynamic section.
  std::vector<std::string_view> needed() const;
};

// All views point into `bytes`. Error (input): no ELF file, big-endian, or its header ends early.
Result<ElfFile> read_elf(std::string_view bytes);

}  // namespace steelyard
