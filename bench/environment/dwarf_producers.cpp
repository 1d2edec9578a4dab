#include "bench/environment/dwarf_producers.hpp"

#include <optional>
#include <vector>

#include "bench/environment/dwarf_value.hpp"
#include "bench/environment/section_reader.hpp"

namespace steelyard {
namespace {

// Numbers of DWARF 5, section 7; the GNU one is that of split units before version 5.
enum Attribute : std::uint64_t { kProducer = 0x25, kStringOffsetsBase = 0x72, kDwoName = 0x76, kGnuDwoName = 0x2130 };
enum UnitType : std::uint64_t { kTypeUnit = 2, kSkeleton = 4, kSplitCompile = 5, kSplitType = 6 };
constexpr std::size_t kMostTexts = 1000;
constexpr std::size_t kLongestText = 8192;
// The first entry nearly always has the first abbreviation, of about 15 attributes. A forged table must not be walked
// for each of many units.
constexpr int kMostAbbreviations = 1000;
constexpr int kMostAttributes = 10000;  // of all abbreviations walked for one unit

struct Sections {
  std::string_view info;
  std::string_view abbreviations;
  std::string_view strings;
  std::string_view line_strings;
  std::string_view string_offsets;
};

struct Unit {
  std::uint64_t type = 1;
  DwarfSizes sizes;
  std::uint64_t abbreviations = 0;
  SectionReader entries{""};
};

struct FirstEntry {
  DwarfText producer;
  std::uint64_t string_offsets_base = 0;
  bool names_dwo = false;
};

std::string_view zero_ended_at(std::string_view section, std::uint64_t offset) {
  if (offset >= section.size()) return {};
  const std::string_view rest = section.substr(static_cast<std::size_t>(offset), kLongestText);
  return rest.substr(0, rest.find('\0'));
}

// The list of (attribute, form) of the abbreviation with this code; absent where there is none.
std::optional<SectionReader> find_abbreviation(std::string_view section, const Unit& unit, std::uint64_t code) {
  if (unit.abbreviations > section.size()) return std::nullopt;
  SectionReader reader(section.substr(static_cast<std::size_t>(unit.abbreviations)));
  int attributes = 0;
  for (int walked = 0; walked < kMostAbbreviations && reader.ok(); ++walked) {
    const std::uint64_t found = reader.unsigned_leb();
    if (found == 0) return std::nullopt;
    reader.unsigned_leb();  // tag
    reader.number(1);       // whether it has children
    if (found == code) return reader;
    for (bool more = true; more && reader.ok();) {
      if (++attributes > kMostAttributes) return std::nullopt;
      const std::uint64_t attribute = reader.unsigned_leb();
      const std::uint64_t form = reader.unsigned_leb();
      if (form == kDwarfImplicitConstant) reader.unsigned_leb();
      more = attribute != 0 || form != 0;
    }
  }
  return std::nullopt;
}

std::optional<FirstEntry> read_first_entry(Unit& unit, const Sections& sections) {
  const std::uint64_t code = unit.entries.unsigned_leb();
  if (!unit.entries.ok()) return std::nullopt;
  FirstEntry entry;
  if (code == 0) return entry;  // an empty unit
  std::optional<SectionReader> list = find_abbreviation(sections.abbreviations, unit, code);
  if (!list) return std::nullopt;
  for (int attributes = 0; attributes < kMostAttributes; ++attributes) {
    const std::uint64_t attribute = list->unsigned_leb();
    const std::uint64_t form = list->unsigned_leb();
    if (!list->ok()) return std::nullopt;
    if (attribute == 0 && form == 0) return entry;
    if (form == kDwarfImplicitConstant) list->unsigned_leb();
    DwarfText text;
    if (!take_dwarf_value(form, unit.sizes, unit.entries, text) || !unit.entries.ok()) return std::nullopt;
    if (attribute == kProducer) entry.producer = text;
    if (attribute == kStringOffsetsBase) entry.string_offsets_base = text.at;
    if (attribute == kDwoName || attribute == kGnuDwoName) entry.names_dwo = true;
  }
  return std::nullopt;
}

std::string_view resolve(const FirstEntry& entry, const Unit& unit, const Sections& sections) {
  switch (entry.producer.kind) {
    case DwarfText::Kind::here:
      return entry.producer.here;
    case DwarfText::Kind::strings:
      return zero_ended_at(sections.strings, entry.producer.at);
    case DwarfText::Kind::line_strings:
      return zero_ended_at(sections.line_strings, entry.producer.at);
    case DwarfText::Kind::index: {
      if (entry.producer.at > sections.string_offsets.size()) return {};
      const std::uint64_t at = entry.string_offsets_base + entry.producer.at * unit.sizes.offset_bytes;
      if (at > sections.string_offsets.size()) return {};
      SectionReader reader(sections.string_offsets.substr(static_cast<std::size_t>(at)));
      const std::uint64_t offset = reader.number(unit.sizes.offset_bytes);
      return reader.ok() ? zero_ended_at(sections.strings, offset) : std::string_view();
    }
    case DwarfText::Kind::none:
    case DwarfText::Kind::elsewhere:
      break;
  }
  return {};
}

// Takes one unit off the section. Absent: the section does not follow the format from here on.
std::optional<Unit> take_unit(SectionReader& info) {
  constexpr std::uint64_t kLongFormat = 0xffffffff;
  constexpr std::uint64_t kFirstReserved = 0xfffffff0;
  Unit unit;
  std::uint64_t length = info.number(4);
  if (length == kLongFormat) {
    unit.sizes.offset_bytes = 8;
    length = info.number(8);
  } else if (length >= kFirstReserved) {
    return std::nullopt;
  }
  SectionReader reader(info.text(length));
  if (!info.ok()) return std::nullopt;
  unit.sizes.version = reader.number(2);
  if (unit.sizes.version < 2 || unit.sizes.version > 5) return std::nullopt;
  if (unit.sizes.version == 5) {
    unit.type = reader.number(1);
    unit.sizes.address_bytes = reader.number(1);
    unit.abbreviations = reader.number(unit.sizes.offset_bytes);
    if (unit.type == kSkeleton || unit.type == kSplitCompile) reader.number(8);
    if (unit.type == kTypeUnit || unit.type == kSplitType) {
      reader.number(8);
      reader.number(unit.sizes.offset_bytes);
    }
  } else {
    unit.abbreviations = reader.number(unit.sizes.offset_bytes);
    unit.sizes.address_bytes = reader.number(1);
  }
  if (!reader.ok() || unit.sizes.address_bytes == 0 || unit.sizes.address_bytes > 8) return std::nullopt;
  unit.entries = reader;
  return unit;
}

std::string_view content(const ElfFile& file, std::string_view name) {
  const ElfSection* section = file.find(name);
  return section == nullptr ? std::string_view() : section->content;
}

// What can be said without reading: absent where there is something to read.
std::optional<DebugInfo> state_of_sections(const ElfFile& file) {
  if (file.find(".zdebug_info") != nullptr) return DebugInfo::compressed;
  const ElfSection* info = file.find(".debug_info");
  if (info == nullptr) return file.find(".gnu_debuglink") != nullptr ? DebugInfo::separate : DebugInfo::none;
  for (const char* name : {".debug_info", ".debug_abbrev", ".debug_str", ".debug_line_str", ".debug_str_offsets"}) {
    const ElfSection* section = file.find(name);
    if (section != nullptr && section->is_compressed()) return DebugInfo::compressed;
    if (section != nullptr && section->outside) return DebugInfo::damaged;
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_text(DebugInfo state) {
  switch (state) {
    case DebugInfo::none:
      return "none";
    case DebugInfo::present:
      return "present";
    case DebugInfo::compressed:
      return "compressed";
    case DebugInfo::split:
      return "split";
    case DebugInfo::separate:
      return "in a separate file";
    case DebugInfo::damaged:
      return "damaged";
  }
  return "";
}

DwarfProducers read_producers(const ElfFile& file) {
  DwarfProducers producers;
  if (const auto state = state_of_sections(file)) {
    producers.state = *state;
    return producers;
  }
  const Sections sections{content(file, ".debug_info"), content(file, ".debug_abbrev"), content(file, ".debug_str"),
                          content(file, ".debug_line_str"), content(file, ".debug_str_offsets")};
  producers.state = DebugInfo::present;
  bool any_skeleton = false;
  bool any_elsewhere = false;
  SectionReader info(sections.info);
  while (info.left() > 0) {
    std::optional<Unit> unit = take_unit(info);
    const auto entry = unit ? read_first_entry(*unit, sections) : std::nullopt;
    if (!entry) {
      producers.state = DebugInfo::damaged;
      return producers;
    }
    any_skeleton = any_skeleton || unit->type == kSkeleton || entry->names_dwo;
    any_elsewhere = any_elsewhere || entry->producer.kind == DwarfText::Kind::elsewhere;
    const std::string_view text = resolve(*entry, *unit, sections);
    if (text.empty()) continue;
    const auto at = producers.units.find(std::string(text));
    if (at != producers.units.end()) {
      ++at->second;
    } else if (producers.units.size() < kMostTexts) {
      producers.units.emplace(text, 1);
    }
  }
  if (producers.units.empty() && any_skeleton) producers.state = DebugInfo::split;
  if (producers.units.empty() && any_elsewhere) producers.state = DebugInfo::separate;
  return producers;
}

}  // namespace steelyard
