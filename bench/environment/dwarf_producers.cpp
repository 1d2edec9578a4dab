#include "bench/environment/dwarf_producers.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <cstring>
#include <memory>
#include <optional>

namespace steelyard::bench {
namespace {

constexpr Dwarf_Half kOldestVersion = 2;  // of DWARF
constexpr Dwarf_Half kNewestVersion = 5;
constexpr std::size_t kMaxTexts = 1000;
constexpr std::size_t kMaxTextBytes = 8192;
// libdw keeps all units that it has come by, and all abbreviations, and sets itself no limit.
constexpr std::size_t kMaxUnits = 250'000;
constexpr std::size_t kMaxSteps = 10'000'000;
// Of one unit, over abbreviations and their attributes to the abbreviation of its first entry, which nearly always is
// the first, of about 15 attributes.
constexpr std::size_t kMaxStepsOfUnit = 10'000;
// libdw looks for the end of the table of section names once for each section.
constexpr std::size_t kMaxNameSearch = std::size_t{1} << 32;

struct EndDwarf {
  void operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }
};

struct FirstEntry {
  std::optional<Dwarf_Attribute> producer;
  bool names_dwo = false;
};

// LEB128 (DWARF 5, section 7.6). Absent: past the end, or above 32 bits, which libdw would cut off.
std::optional<std::uint32_t> take_number(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 35 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte >= 0x80) continue;
    return value <= UINT32_MAX ? std::optional(static_cast<std::uint32_t>(value)) : std::nullopt;
  }
  return std::nullopt;
}

bool skip_byte(std::string_view& bytes) {
  if (bytes.empty()) return false;
  bytes.remove_prefix(1);
  return true;
}

// A constant of any size that stands in the table itself.
bool skip_constant(std::string_view& bytes) {
  while (!bytes.empty() && (bytes.front() & 0x80) != 0) bytes.remove_prefix(1);
  return skip_byte(bytes);
}

// Whether the abbreviation with this code is among the first of `table`. libdw walks there for each unit: a forged
// table must not be walked for each of many.
bool is_found_soon(std::string_view table, std::uint32_t code, std::size_t& steps_left) {
  std::size_t steps = 0;
  while (steps < kMaxStepsOfUnit) {
    const auto found = take_number(table);
    if (!found || *found == 0 || !take_number(table) || !skip_byte(table))
      return false;  // tag, whether it has children
    for (bool more = true; more; ++steps, --steps_left) {
      const auto attribute = take_number(table);
      const auto form = take_number(table);
      if (!attribute || !form || steps >= kMaxStepsOfUnit) return false;
      if (*form == DW_FORM_implicit_const && !skip_constant(table)) return false;
      more = *attribute != 0 || *form != 0;
    }
    if (*found == code) return true;
  }
  return false;
}

int keep_attribute(Dwarf_Attribute* attribute, void* first_entry) {
  FirstEntry& entry = *static_cast<FirstEntry*>(first_entry);
  const unsigned name = dwarf_whatattr(attribute);
  if (name == DW_AT_producer) entry.producer = *attribute;
  entry.names_dwo = entry.names_dwo || name == DW_AT_dwo_name || name == DW_AT_GNU_dwo_name;
  return DWARF_CB_OK;
}

// The units of a file, one after the other, each checked before libdw reads its first entry.
class Units {
 public:
  Units(Dwarf* dwarf, std::string_view info, std::string_view abbreviations)
      : dwarf_(dwarf), info_(info), abbreviations_(abbreviations) {}

  bool any_left() const { return at_ < info_.size() && count_ < kMaxUnits && steps_left_ >= kMaxStepsOfUnit; }

  // Absent where from here on the section does not follow the format.
  std::optional<FirstEntry> take() {
    Dwarf_Off next = 0;
    Dwarf_Off table = 0;
    std::size_t header = 0;
    Dwarf_Half version = 0;
    if (dwarf_next_unit(dwarf_, at_, &next, &header, &version, &table, nullptr, nullptr, nullptr, nullptr) != 0 ||
        version < kOldestVersion || version > kNewestVersion || next > info_.size() || next < at_ + header ||
        table > abbreviations_.size()) {
      return std::nullopt;
    }
    const Dwarf_Off begin = at_ + header;
    std::string_view bytes = info_.substr(begin, next - begin);
    const auto code = take_number(bytes);
    if (!code) return std::nullopt;
    at_ = next;
    ++count_;
    FirstEntry entry;
    if (*code == 0) return entry;  // an empty unit
    if (!is_found_soon(abbreviations_.substr(table), *code, steps_left_)) return std::nullopt;
    Dwarf_Die die;
    if (dwarf_offdie(dwarf_, begin, &die) == nullptr) return std::nullopt;
    return dwarf_getattrs(&die, keep_attribute, &entry, 0) == 1 ? std::optional(entry) : std::nullopt;
  }

 private:
  Dwarf* dwarf_;
  std::string_view info_;
  std::string_view abbreviations_;
  Dwarf_Off at_ = 0;
  std::size_t count_ = 0;
  std::size_t steps_left_ = kMaxSteps;
};

std::string_view content(const ElfFile& file, std::string_view name) {
  const ElfSection* section = file.find(name);
  return section == nullptr ? std::string_view() : section->content;
}

// What can be said without reading: absent where there is something to read.
std::optional<DebugInfo> state_of_sections(const ElfFile& file) {
  for (const ElfSection& section : file.sections) {
    // libdw would unpack all of them, to whatever size they claim.
    const bool is_packed = section.name.find("debug_") != std::string_view::npos && section.is_compressed();
    if (is_packed || section.name.starts_with(".zdebug_")) return DebugInfo::compressed;
    // Of objects only; libdw takes them for the program's.
    if (section.name.starts_with(".gnu.debuglto_")) return DebugInfo::damaged;
  }
  if (file.find(".debug_info") == nullptr) {
    return file.find(".gnu_debuglink") != nullptr ? DebugInfo::separate : DebugInfo::none;
  }
  for (const char* name : {".debug_info", ".debug_abbrev", ".debug_str", ".debug_line_str", ".debug_str_offsets"}) {
    const ElfSection* section = file.find(name);
    if (section != nullptr && section->outside) return DebugInfo::damaged;
  }
  std::size_t names = 0;
  if (elf_getshdrstrndx(file.elf.get(), &names) != 0 || names >= file.sections.size() ||
      file.sections[names].content.size() > kMaxNameSearch / file.sections.size()) {
    return DebugInfo::damaged;
  }
  return std::nullopt;
}

void count_unit(std::string_view text, DwarfProducers& producers) {
  const auto at = producers.units.find(std::string(text));
  if (at != producers.units.end()) {
    ++at->second;
  } else if (!text.empty() && producers.units.size() < kMaxTexts) {
    producers.units.emplace(text, 1);
  }
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
  producers.state = DebugInfo::present;
  const std::string_view info = content(file, ".debug_info");
  if (info.empty()) return producers;
  const std::unique_ptr<Dwarf, EndDwarf> dwarf(dwarf_begin_elf(file.elf.get(), DWARF_C_READ, nullptr));
  if (dwarf == nullptr) producers.state = DebugInfo::damaged;
  bool any_skeleton = false;
  bool any_elsewhere = false;
  Units units(dwarf.get(), info, content(file, ".debug_abbrev"));
  while (dwarf != nullptr && units.any_left()) {
    std::optional<FirstEntry> entry = units.take();
    if (!entry) {
      producers.state = DebugInfo::damaged;
      return producers;
    }
    any_skeleton = any_skeleton || entry->names_dwo;
    if (!entry->producer) continue;
    const unsigned form = dwarf_whatform(&*entry->producer);
    if (form == DW_FORM_strp_sup || form == DW_FORM_GNU_strp_alt) {
      any_elsewhere = true;  // libdw would open the file that it lies in
    } else if (const char* text = dwarf_formstring(&*entry->producer)) {
      count_unit({text, ::strnlen(text, kMaxTextBytes)}, producers);
    }
  }
  if (producers.units.empty() && any_skeleton) producers.state = DebugInfo::split;
  if (producers.units.empty() && any_elsewhere) producers.state = DebugInfo::separate;
  return producers;
}

}  // namespace steelyard::bench
