#include "bench/environment/loaded_sections.hpp"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "bench/environment/elf_file.hpp"
#include "bench/model/sha256.hpp"

namespace steelyard {
namespace {

// Of the file, as offsets; what lies in it is hashed as if it were not there.
struct Blank {
  std::size_t begin = 0;
  std::size_t end = 0;
};

constexpr std::array<std::uint32_t, 7> kHashedKinds = {PT_LOAD,      PT_DYNAMIC,      PT_INTERP,   PT_TLS,
                                                       PT_GNU_STACK, PT_GNU_EH_FRAME, PT_GNU_RELRO};

std::size_t offset_in(std::string_view bytes, std::string_view part) {
  return static_cast<std::size_t>(part.data() - bytes.data());
}

std::vector<Blank> blanks_of(const ElfFile& file) {
  std::vector<Blank> blanks;
  // Offset, size, number and names of the table of sections, which itself is not loaded.
  if (file.is_64) {
    blanks.push_back({offsetof(Elf64_Ehdr, e_shoff), offsetof(Elf64_Ehdr, e_shoff) + sizeof(Elf64_Off)});
    blanks.push_back({offsetof(Elf64_Ehdr, e_shentsize), sizeof(Elf64_Ehdr)});
  } else {
    blanks.push_back({offsetof(Elf32_Ehdr, e_shoff), offsetof(Elf32_Ehdr, e_shoff) + sizeof(Elf32_Off)});
    blanks.push_back({offsetof(Elf32_Ehdr, e_shentsize), sizeof(Elf32_Ehdr)});
  }
  for (const ElfSegment& segment : file.segments) {
    if (segment.type != PT_NOTE) continue;
    for (const std::string_view id : file.build_ids(segment.content)) {
      const std::size_t begin = offset_in(file.bytes, id);
      blanks.push_back({begin, begin + id.size()});
    }
  }
  std::sort(blanks.begin(), blanks.end(), [](const Blank& a, const Blank& b) { return a.begin < b.begin; });
  return blanks;
}

void add_content(std::string_view bytes, std::string_view content, const std::vector<Blank>& blanks, Sha256& hash) {
  std::size_t at = content.empty() ? 0 : offset_in(bytes, content);
  const std::size_t end = at + content.size();
  for (const Blank& blank : blanks) {
    if (blank.end <= at || blank.begin >= end) continue;
    if (blank.begin > at) hash.add(bytes.substr(at, blank.begin - at));
    at = std::min(blank.end, end);
  }
  hash.add(bytes.substr(at, end - at));
}

void add_number(std::uint64_t number, Sha256& hash) { hash.add(std::to_string(number) + ','); }

}  // namespace

Result<LoadedSections> read_loaded_sections(std::string_view bytes) {
  STEELYARD_TRY(const ElfFile file, read_elf(bytes));
  if (!file.is_executable()) return input_error("", "an ELF file that is neither a program nor a library");
  const std::vector<Blank> blanks = blanks_of(file);
  LoadedSections loaded;
  bool any = false;
  Sha256 hash;
  for (const std::uint64_t number :
       {std::uint64_t{file.is_64}, std::uint64_t{file.type}, std::uint64_t{file.machine}, file.entry}) {
    add_number(number, hash);
  }
  for (const ElfSegment& segment : file.segments) {
    if (std::find(kHashedKinds.begin(), kHashedKinds.end(), segment.type) == kHashedKinds.end()) continue;
    if (segment.outside) return input_error("", "an ELF file that ends within what it wants loaded");
    for (const std::uint64_t number : {std::uint64_t{segment.type}, std::uint64_t{segment.flags}, segment.address,
                                       segment.memory_bytes, segment.alignment, segment.content.size()}) {
      add_number(number, hash);
    }
    add_content(bytes, segment.content, blanks, hash);
    any = any || segment.type == PT_LOAD;
    if (segment.type == PT_INTERP) loaded.interpreter = segment.content.substr(0, segment.content.find('\0'));
  }
  if (!any) return input_error("", "an ELF file of which nothing is loaded");
  loaded.sha256 = hash.hex();
  return loaded;
}

}  // namespace steelyard
