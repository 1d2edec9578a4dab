// One value of a debug entry: how many bytes each form takes, and where a text stands. Values other than texts and
// offsets are stepped over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "bench/environment/section_reader.hpp"

namespace steelyard {

struct DwarfSizes {
  std::uint64_t version = 0;
  std::size_t offset_bytes = 4;  // 8 in the 64-bit format
  std::uint64_t address_bytes = 0;
};

// How a text is given: in place, or where to find it.
struct DwarfText {
  enum class Kind { none, here, strings, line_strings, index, elsewhere } kind = Kind::none;
  std::string_view here;
  std::uint64_t at = 0;
};

// A constant that stands in the abbreviation, not in the entry.
inline constexpr std::uint64_t kDwarfImplicitConstant = 0x21;

// Takes one value and keeps it in `text` where it is a text or an offset. False: a form that is not known.
bool take_dwarf_value(std::uint64_t form, const DwarfSizes& sizes, SectionReader& reader, DwarfText& text);

}  // namespace steelyard
