#include "bench/environment/elf_file.hpp"

#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <utility>

#include "bench/model/sha256.hpp"

namespace steelyard::bench {

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  constexpr off_t kLargest = off_t{4} << 30;
  // Not blocking: a pipe without a writer is found out below, and must not be waited for.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return input_error(path.string(), std::strerror(errno), "a file that can be read");
  struct stat status = {};
  const bool usable = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= kLargest;
  const auto size = static_cast<std::size_t>(usable ? status.st_size : 0);
  void* const bytes = size > 0 ? ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0) : nullptr;
  ::close(file);
  if (!usable) return input_error(path.string(), "no regular file, or one above 4 GiB", "a file");
  if (bytes == MAP_FAILED) return input_error(path.string(), std::strerror(errno), "a file that can be mapped");
  return MappedFile(std::string_view(static_cast<const char*>(bytes), size));
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile::~MappedFile() {
  if (bytes_.empty()) return;
  // The mapping was made from a pointer to void; the view is only how it is read.
  ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

namespace {

constexpr std::uint64_t kMaxHeaders = 65536;
constexpr std::size_t kMaxSymbols = std::size_t{4} << 20;
constexpr std::size_t kMaxLibraries = 4096;
constexpr std::size_t kMaxBuildIds = 100;

// The part of the file from `offset`, or nothing where it does not lie in it.
std::string_view part(std::string_view bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) return {};
  return bytes.substr(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
}

// Not elf_strptr(), which may walk the whole table for each name: forged ones must not cost their length.
std::string_view text_at(std::string_view table, std::uint64_t offset) {
  if (offset >= table.size()) return {};
  constexpr std::size_t kLongest = 65536;
  const std::string_view rest = table.substr(static_cast<std::size_t>(offset), kLongest);
  const std::size_t end = rest.find('\0');
  return end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
}

// How many sections libelf would allocate for: a count that does not fit the header stands in the first section.
template <class Header, class Section>
std::uint64_t claimed_sections(std::string_view bytes) {
  Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  const bool is_in_first = header.e_shnum == 0 && header.e_shoff != 0;
  if (!is_in_first || header.e_shoff > bytes.size() - sizeof(Section)) return header.e_shnum;
  Section first;
  std::memcpy(&first, bytes.data() + header.e_shoff, sizeof first);
  return first.sh_size;
}

void read_sections(ElfFile& file) {
  std::vector<std::uint64_t> names;
  for (Elf_Scn* at = elf_getscn(file.elf.get(), 0); at != nullptr; at = elf_nextscn(file.elf.get(), at)) {
    GElf_Shdr header;
    if (gelf_getshdr(at, &header) == nullptr) break;
    ElfSection section;
    section.type = header.sh_type;
    section.flags = header.sh_flags;
    section.address = header.sh_addr;
    section.size = header.sh_size;
    section.link = header.sh_link;
    if (section.type != SHT_NOBITS && section.type != SHT_NULL) {
      section.content = part(file.bytes, header.sh_offset, header.sh_size);
      section.outside = section.content.size() != header.sh_size;
    }
    file.sections.push_back(section);
    names.push_back(header.sh_name);
  }
  std::size_t index = 0;
  if (elf_getshdrstrndx(file.elf.get(), &index) != 0 || index >= file.sections.size()) return;
  const std::string_view table = file.sections[index].content;
  for (std::size_t i = 0; i < names.size(); ++i) file.sections[i].name = text_at(table, names[i]);
}

void read_segments(ElfFile& file) {
  std::size_t count = 0;
  if (elf_getphdrnum(file.elf.get(), &count) != 0) return;
  for (std::size_t i = 0; i < std::min<std::size_t>(count, kMaxHeaders); ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(file.elf.get(), static_cast<int>(i), &header) == nullptr) return;
    ElfSegment segment{header.p_type, header.p_flags, header.p_vaddr, header.p_memsz, header.p_align, {}, false};
    segment.content = part(file.bytes, header.p_offset, header.p_filesz);
    segment.outside = segment.content.size() != header.p_filesz;
    file.segments.push_back(segment);
  }
}

// The first `most` records of `content` as libelf gives them to gelf_get...(); null where there is none.
Elf_Data* records_in(const ElfFile& file, std::string_view content, Elf_Type type, std::size_t most) {
  const std::size_t size = type == ELF_T_NHDR ? 1 : gelf_fsize(file.elf.get(), type, 1, EV_CURRENT);
  const std::size_t count = std::min(content.size() / size, most);
  if (count == 0) return nullptr;
  return elf_getdata_rawchunk(file.elf.get(), content.data() - file.bytes.data(), count * size, type);
}

}  // namespace

bool ElfSection::is_compressed() const { return (flags & SHF_COMPRESSED) != 0; }

bool ElfFile::is_executable() const { return type == ET_EXEC || type == ET_DYN; }

const ElfSection* ElfFile::find(std::string_view name) const {
  const auto at = std::find_if(sections.begin(), sections.end(), [&](const ElfSection& s) { return s.name == name; });
  return at == sections.end() ? nullptr : &*at;
}

std::vector<ElfSymbol> ElfFile::symbols_of(const ElfSection& table) const {
  std::vector<ElfSymbol> symbols;
  if (table.link >= sections.size()) return symbols;
  const std::string_view names = sections[table.link].content;
  Elf_Data* records = records_in(*this, table.content, ELF_T_SYM, kMaxSymbols);
  GElf_Sym record;
  for (int i = 0; records != nullptr && gelf_getsym(records, i, &record) != nullptr; ++i) {
    symbols.push_back({text_at(names, record.st_name), record.st_shndx != SHN_UNDEF,
                       static_cast<std::uint8_t>(GELF_ST_TYPE(record.st_info)), record.st_value, record.st_size});
  }
  return symbols;
}

std::vector<ElfSymbol> ElfFile::symbols() const {
  std::vector<ElfSymbol> symbols;
  for (const char* name : {".symtab", ".dynsym"}) {
    const ElfSection* table = find(name);
    if (table == nullptr) continue;
    const std::vector<ElfSymbol> found = symbols_of(*table);
    std::copy_if(found.begin(), found.end(), std::back_inserter(symbols),
                 [](const ElfSymbol& symbol) { return !symbol.name.empty(); });
  }
  return symbols;
}

std::vector<std::string_view> ElfFile::needed() const {
  std::vector<std::string_view> libraries;
  const ElfSection* dynamic = find(".dynamic");
  if (dynamic == nullptr || dynamic->link >= sections.size()) return libraries;
  Elf_Data* records = records_in(*this, dynamic->content, ELF_T_DYN, dynamic->content.size());
  GElf_Dyn record;
  for (int i = 0; records != nullptr && libraries.size() < kMaxLibraries; ++i) {
    if (gelf_getdyn(records, i, &record) == nullptr || record.d_tag == DT_NULL) break;
    if (record.d_tag == DT_NEEDED) libraries.push_back(text_at(sections[dynamic->link].content, record.d_un.d_val));
  }
  return libraries;
}

std::vector<ElfRelocation> ElfFile::relocations_of(const ElfSection& section, std::size_t most) const {
  std::vector<ElfRelocation> relocations;
  Elf_Data* records = records_in(*this, section.content, ELF_T_RELA, most);
  GElf_Rela record;
  for (int i = 0; records != nullptr && gelf_getrela(records, i, &record) != nullptr; ++i) {
    relocations.push_back({record.r_offset, GELF_R_SYM(record.r_info), static_cast<std::uint64_t>(record.r_addend)});
  }
  return relocations;
}

std::vector<std::string_view> ElfFile::build_ids(std::string_view notes) const {
  std::vector<std::string_view> ids;
  Elf_Data* records = records_in(*this, notes, ELF_T_NHDR, notes.size());
  GElf_Nhdr note;
  std::size_t name = 0;
  std::size_t content = 0;
  for (std::size_t at = 0; records != nullptr && ids.size() < kMaxBuildIds;) {
    at = gelf_getnote(records, at, &note, &name, &content);
    if (at == 0) break;
    const bool is_gnu = notes.substr(name, note.n_namesz) == std::string_view("GNU\0", 4);
    if (is_gnu && note.n_type == NT_GNU_BUILD_ID && note.n_descsz > 0) {
      ids.push_back(notes.substr(content, note.n_descsz));
    }
  }
  return ids;
}

Result<ElfFile> read_elf(std::string_view bytes) {
  if (bytes.size() < EI_NIDENT || !bytes.starts_with(std::string_view(ELFMAG, SELFMAG))) {
    return input_error("", "a file that is no ELF program");
  }
  ElfFile file;
  file.bytes = bytes;
  file.is_64 = bytes[EI_CLASS] == ELFCLASS64;
  if (!file.is_64 && bytes[EI_CLASS] != ELFCLASS32) return input_error("", "an ELF file of an unknown class");
  if (bytes[EI_DATA] != ELFDATA2LSB) return input_error("", "an ELF file that is not little-endian");
  if (bytes.size() < (file.is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr))) {
    return input_error("", "an ELF file that ends within its header");
  }
  const std::uint64_t claimed =
      file.is_64 ? claimed_sections<Elf64_Ehdr, Elf64_Shdr>(bytes) : claimed_sections<Elf32_Ehdr, Elf32_Shdr>(bytes);
  if (claimed > kMaxHeaders) return input_error("", "an ELF file of above 65,536 sections");
  elf_version(EV_CURRENT);
  // libelf's interface takes what it may write to; it does so only where it was opened for writing.
  file.elf.reset(elf_memory(const_cast<char*>(bytes.data()), bytes.size()), elf_end);
  GElf_Ehdr header;
  if (file.elf == nullptr || gelf_getehdr(file.elf.get(), &header) == nullptr) {
    return input_error("", std::string("an ELF file that cannot be read: ") + elf_errmsg(-1));
  }
  file.type = header.e_type;
  file.machine = header.e_machine;
  file.entry = header.e_entry;
  read_sections(file);
  read_segments(file);
  return file;
}

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
  }
  if (!any) return input_error("", "an ELF file of which nothing is loaded");
  loaded.sha256 = hash.hex();
  return loaded;
}

}  // namespace steelyard::bench
