// A program file taken apart into its sections by libelf: ELF, 32 or 64 bit, little-endian. What lies outside the file
// counts as empty, and what libelf would do without a limit has one here: a truncated or forged file yields an Error or
// less, never a crash. Not for linking, loading or big-endian files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/result.hpp"

struct Elf;  // libelf's

namespace steelyard::bench {

// A file's bytes mapped into memory, read only: not copied, so that a debug build larger than what memory has to spare
// can be looked at.
//
//     STEELYARD_TRY(const MappedFile file, MappedFile::open(path));
//     ... file.bytes() ...

class MappedFile {
 public:
  // Error (input): it cannot be read, is no regular file, or is above 4 GiB.
  static Result<MappedFile> open(const std::filesystem::path& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile();

  std::string_view bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::string_view bytes) : bytes_(bytes) {}
  std::string_view bytes_;
};

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

// Where the loader writes the address of a symbol, or, of symbol 0, the addend's.
struct ElfRelocation {
  std::uint64_t slot = 0;
  std::uint64_t symbol = 0;  // index into .dynsym
  std::uint64_t addend = 0;
};

struct ElfFile {
  std::string_view bytes;    // the whole file
  std::shared_ptr<Elf> elf;  // libelf's handle of the same
  bool is_64 = false;
  std::uint16_t type = 0;
  std::uint16_t machine = 0;
  std::uint64_t entry = 0;
  std::vector<ElfSection> sections;  // by index; empty where the file has none, as after sstrip
  std::vector<ElfSegment> segments;

  bool is_executable() const;  // a program, with or without a fixed address, or a shared library
  const ElfSection* find(std::string_view name) const;
  // Of a table of symbols, by index; 4 million at most.
  std::vector<ElfSymbol> symbols_of(const ElfSection& table) const;
  // Symbols of .symtab and .dynsym that have a name, in this order.
  std::vector<ElfSymbol> symbols() const;
  // Names of the libraries that the loader is to bring (DT_NEEDED), by the .dynamic section.
  std::vector<std::string_view> needed() const;
  // Of a section of type SHT_RELA; `most` at most.
  std::vector<ElfRelocation> relocations_of(const ElfSection& section, std::size_t most) const;
  // What the GNU build id notes among `notes`, the content of a section or segment, hold; 100 at most.
  std::vector<std::string_view> build_ids(std::string_view notes) const;
};

// All views point into `bytes`. Error (input): no ELF file, big-endian, its header ends early, or it has above 65,536
// sections.
Result<ElfFile> read_elf(std::string_view bytes);

// What of a program file a process would have in memory, as one hash: equal for two builds that differ in nothing but
// what is never loaded (debug information, the table of symbols, comments) and in what only names the build (the build
// id). A program of equal hash, with equal libraries, arguments, environment and files, runs the same instructions.
//
// Not the hash of the file: program.sha256 is that.

struct LoadedSections {
  std::string sha256;
};

// Hashes class, machine, entry, and every segment that is loaded or that tells the loader how (thread-local storage,
// stack, relocations made read-only): address, flags, size in memory, content. Blank: the build id, and where the file
// keeps its table of sections. Dynamic relocations are content. Error (input): no ELF program; nothing in it is loaded;
// a segment that lies outside the file.
Result<LoadedSections> read_loaded_sections(std::string_view bytes);

}  // namespace steelyard::bench
