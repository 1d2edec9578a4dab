#include "bench/environment/elf_file.hpp"

#include <elf.h>

#include <algorithm>

#include "bench/environment/section_reader.hpp"

namespace steelyard {
namespace {

constexpr std::uint64_t kMostHeaders = 65536;
constexpr std::size_t kMostSymbols = std::size_t{4} << 20;

// The part of the file from `offset`, or nothing where it does not lie in it.
std::string_view part(std::string_view bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) return {};
  return bytes.substr(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
}

std::string_view text_at(std::string_view table, std::uint64_t offset) {
  if (offset >= table.size()) return {};
  constexpr std::size_t kLongest = 65536;  // forged tables must not cost their length for each name
  const std::string_view rest = table.substr(static_cast<std::size_t>(offset), kLongest);
  const std::size_t end = rest.find('\0');
  return end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
}

struct Header {
  std::uint64_t program_offset = 0;
  std::uint64_t section_offset = 0;
  std::uint64_t program_size = 0;
  std::uint64_t program_count = 0;
  std::uint64_t section_size = 0;
  std::uint64_t section_count = 0;
  std::uint64_t names = 0;
};

struct RawSection {
  ElfSection section;
  std::uint64_t name = 0;
  std::uint64_t size = 0;
};

RawSection read_section(std::string_view bytes, std::string_view record, std::size_t word) {
  SectionReader reader(record);
  RawSection raw;
  raw.name = reader.number(4);
  raw.section.type = static_cast<std::uint32_t>(reader.number(4));
  raw.section.flags = reader.number(word);
  raw.section.address = reader.number(word);
  const std::uint64_t offset = reader.number(word);
  raw.size = reader.number(word);
  raw.section.size = raw.size;
  raw.section.link = static_cast<std::uint32_t>(reader.number(4));
  if (raw.section.type == SHT_NOBITS || raw.section.type == SHT_NULL) return raw;
  raw.section.content = part(bytes, offset, raw.size);
  raw.section.outside = raw.section.content.size() != raw.size;
  return raw;
}

void read_sections(std::string_view bytes, Header header, ElfFile& file) {
  const std::size_t word = file.is_64 ? 8 : 4;
  const std::uint64_t least = file.is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
  if (header.section_offset == 0 || header.section_size < least) return;
  const std::string_view first = part(bytes, header.section_offset, least);
  if (first.empty()) return;
  // Counts that do not fit the header stand in the first section.
  const RawSection zero = read_section(bytes, first, word);
  if (header.section_count == 0) header.section_count = zero.size;
  if (header.names == SHN_XINDEX) header.names = zero.section.link;
  header.section_count = std::min(header.section_count, kMostHeaders);
  std::vector<std::uint64_t> names;
  for (std::uint64_t i = 0; i < header.section_count; ++i) {
    const std::string_view record = part(bytes, header.section_offset + i * header.section_size, least);
    if (record.empty()) break;
    const RawSection raw = read_section(bytes, record, word);
    file.sections.push_back(raw.section);
    names.push_back(raw.name);
  }
  if (header.names >= file.sections.size()) return;
  const std::string_view table = file.sections[static_cast<std::size_t>(header.names)].content;
  for (std::size_t i = 0; i < names.size(); ++i) file.sections[i].name = text_at(table, names[i]);
}

void read_segments(std::string_view bytes, const Header& header, ElfFile& file) {
  const std::uint64_t least = file.is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
  if (header.program_offset == 0 || header.program_size < least) return;
  for (std::uint64_t i = 0; i < header.program_count; ++i) {
    SectionReader reader(part(bytes, header.program_offset + i * header.program_size, least));
    const std::size_t word = file.is_64 ? 8 : 4;
    ElfSegment segment;
    segment.type = static_cast<std::uint32_t>(reader.number(4));
    if (file.is_64) segment.flags = static_cast<std::uint32_t>(reader.number(4));
    const std::uint64_t offset = reader.number(word);
    segment.address = reader.number(word);
    reader.number(word);  // physical address
    const std::uint64_t size = reader.number(word);
    segment.memory_bytes = reader.number(word);
    if (!file.is_64) segment.flags = static_cast<std::uint32_t>(reader.number(4));
    segment.alignment = reader.number(word);
    if (!reader.ok()) return;
    segment.content = part(bytes, offset, size);
    segment.outside = segment.content.size() != size;
    file.segments.push_back(segment);
  }
}

}  // namespace

bool ElfSection::is_compressed() const { return (flags & SHF_COMPRESSED) != 0; }

bool ElfFile::is_executable() const { return type == ET_EXEC || type == ET_DYN; }

const ElfSection* ElfFile::find(std::string_view name) const {
  const auto at = std::find_if(sections.begin(), sections.end(), [&](const ElfSection& s) { return s.name == name; });
  return at == sections.end() ? nullptr : &*at;
}

std::vector<ElfSymbol> ElfFile::symbols() const {
  std::vector<ElfSymbol> symbols;
  for (const char* name : {".symtab", ".dynsym"}) {
    const ElfSection* table = find(name);
    if (table == nullptr || table->link >= sections.size()) continue;
    const std::string_view names = sections[table->link].content;
    const std::size_t size = is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
    const std::size_t count = std::min(table->content.size() / size, kMostSymbols);
    symbols.reserve(symbols.size() + count);
    for (std::size_t i = 0; i < count; ++i) {
      SectionReader reader(table->content.substr(i * size, size));
      ElfSymbol symbol;
      symbol.name = text_at(names, reader.number(4));
      const auto place = [&] {
        symbol.address = reader.number(is_64 ? 8 : 4);
        symbol.size = reader.number(is_64 ? 8 : 4);
      };
      if (!is_64) place();
      symbol.type = static_cast<std::uint8_t>(reader.number(1) & 0xf);
      reader.number(1);  // visibility
      symbol.defined = reader.number(2) != SHN_UNDEF;
      if (is_64) place();
      if (!symbol.name.empty()) symbols.push_back(symbol);
    }
  }
  return symbols;
}

std::vector<std::string_view> ElfFile::needed() const {
  std::vector<std::string_view> libraries;
  const ElfSection* dynamic = find(".dynamic");
  if (dynamic == nullptr || dynamic->link >= sections.size()) return libraries;
  constexpr std::size_t kMostLibraries = 4096;
  SectionReader reader(dynamic->content);
  const std::size_t word = is_64 ? 8 : 4;
  while (libraries.size() < kMostLibraries) {
    const std::uint64_t tag = reader.number(word);
    const std::uint64_t value = reader.number(word);
    if (!reader.ok() || tag == DT_NULL) break;
    if (tag == DT_NEEDED) libraries.push_back(text_at(sections[dynamic->link].content, value));
  }
  return libraries;
}

Result<ElfFile> read_elf(std::string_view bytes) {
  SectionReader reader(bytes);
  const std::string_view identity = reader.text(EI_NIDENT);
  if (!identity.starts_with(std::string_view(ELFMAG, SELFMAG))) return input_error("", "a file that is no ELF program");
  ElfFile file;
  file.is_64 = identity[EI_CLASS] == ELFCLASS64;
  if (!file.is_64 && identity[EI_CLASS] != ELFCLASS32) return input_error("", "an ELF file of an unknown class");
  if (identity[EI_DATA] != ELFDATA2LSB) return input_error("", "an ELF file that is not little-endian");
  const std::size_t word = file.is_64 ? 8 : 4;
  file.type = static_cast<std::uint16_t>(reader.number(2));
  file.machine = static_cast<std::uint16_t>(reader.number(2));
  reader.number(4);  // version
  file.entry = reader.number(word);
  Header header;
  header.program_offset = reader.number(word);
  header.section_offset = reader.number(word);
  reader.number(4);  // flags
  reader.number(2);  // size of this header
  header.program_size = reader.number(2);
  header.program_count = reader.number(2);
  header.section_size = reader.number(2);
  header.section_count = reader.number(2);
  header.names = reader.number(2);
  if (!reader.ok()) return input_error("", "an ELF file that ends within its header");
  read_sections(bytes, header, file);
  read_segments(bytes, header, file);
  return file;
}

}  // namespace steelyard
