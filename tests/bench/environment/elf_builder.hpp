// Makes small ELF files by hand, for layouts that no compiler at hand writes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace steelyard::testkit {

struct BuiltSection {
  std::string name;
  std::string content;
  std::uint32_t type = 1;  // SHT_PROGBITS
  std::uint64_t flags = 0;
  std::string link = "";  // name of the section with its names
};

// An executable for a little-endian machine with these sections and no segment.
std::string build_elf(bool is_64, std::vector<BuiltSection> sections);

std::string little_endian(std::uint64_t value, std::size_t bytes);
// One unit of .debug_info of this version (2 to 5): header, abbreviation code 1, then `entry`.
std::string build_unit(int version, const std::string& entry, bool long_format = false);
// .debug_abbrev with the one abbreviation 1: a compile unit with these pairs of attribute and form.
std::string build_abbreviation(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& attributes);

}  // namespace steelyard::testkit
