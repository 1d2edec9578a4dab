#include "bench/counting/lines/debug_file.hpp"

#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>
#include <vector>

namespace steelyard {
namespace {

// Profiles name files, and one of them may be a pipe: opening it must not wait for a writer.
constexpr int kOpenFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;

// What the object says of a debug file that is not itself.
struct SeparateDebugFile {
  std::string build_id;  // raw bytes; empty: none
  std::string link;      // file name; empty: none
  std::uint32_t link_checksum = 0;
};

std::string hex(std::string_view bytes) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    text += kDigits[value >> 4];
    text += kDigits[value & 15];
  }
  return text;
}

std::string build_id_of(Elf* elf) {
  const void* bytes = nullptr;
  const ssize_t length = dwelf_elf_gnu_build_id(elf, &bytes);
  return length > 0 ? std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(length)) : "";
}

SeparateDebugFile separate_file_of(Elf* elf) {
  SeparateDebugFile separate;
  separate.build_id = build_id_of(elf);
  GElf_Word checksum = 0;
  if (const char* link = dwelf_elf_gnu_debuglink(elf, &checksum)) {
    // A file name, as its documentation has it: never a path out of the folders that are searched.
    separate.link = std::filesystem::path(link).filename().string();
    separate.link_checksum = checksum;
  }
  return separate;
}

// The checksum of .gnu_debuglink: CRC-32 with the polynomial 0xEDB88320 ("Debugging with GDB", section "Separate Debug
// Files").
std::uint32_t checksum_of(const std::filesystem::path& file) {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value & 1u) != 0 ? (value >> 1) ^ 0xEDB88320u : value >> 1;
    table[i] = value;
  }
  std::ifstream stream(file, std::ios::binary);
  std::vector<char> block(1 << 16);
  std::uint32_t checksum = 0xFFFFFFFFu;
  while (stream.read(block.data(), static_cast<std::streamsize>(block.size())) || stream.gcount() > 0) {
    for (std::streamsize i = 0; i < stream.gcount(); ++i) {
      const auto byte = static_cast<unsigned char>(block[static_cast<std::size_t>(i)]);
      checksum = table[(checksum ^ byte) & 0xFFu] ^ (checksum >> 8);
    }
  }
  return checksum ^ 0xFFFFFFFFu;
}

bool has_units(Dwarf* dwarf) {
  Dwarf_CU* next = nullptr;
  Dwarf_Half version = 0;
  std::uint8_t type = 0;
  return dwarf_get_units(dwarf, nullptr, &next, &version, &type, nullptr, nullptr) == 0;
}

struct Opened {
  int descriptor = -1;
  Dwarf* dwarf = nullptr;  // null: the file has none that can be read
};

Opened open_dwarf(const std::filesystem::path& file) {
  Opened opened;
  opened.descriptor = ::open(file.c_str(), kOpenFlags);
  if (opened.descriptor < 0) return opened;
  opened.dwarf = dwarf_begin(opened.descriptor, DWARF_C_READ);
  if (opened.dwarf != nullptr && !has_units(opened.dwarf)) {
    dwarf_end(opened.dwarf);
    opened.dwarf = nullptr;
  }
  if (opened.dwarf == nullptr) {
    ::close(opened.descriptor);
    opened.descriptor = -1;
  }
  return opened;
}

bool belongs_to(const SeparateDebugFile& separate, Dwarf* dwarf, const std::filesystem::path& file) {
  const std::string build_id = build_id_of(dwarf_getelf(dwarf));
  if (!separate.build_id.empty() && !build_id.empty()) return separate.build_id == build_id;
  return !separate.link.empty() && checksum_of(file) == separate.link_checksum;
}

std::vector<std::filesystem::path> candidates(const SeparateDebugFile& separate, const std::filesystem::path& object,
                                              const std::filesystem::path& system) {
  std::vector<std::filesystem::path> files;
  if (separate.build_id.size() > 1) {
    const std::string digits = hex(separate.build_id);
    files.push_back(system / ".build-id" / digits.substr(0, 2) / (digits.substr(2) + ".debug"));
  }
  if (!separate.link.empty()) {
    const std::filesystem::path folder = object.parent_path();
    files.push_back(folder / separate.link);
    files.push_back(folder / ".debug" / separate.link);
    files.push_back(system / folder.relative_path() / separate.link);
  }
  return files;
}

}  // namespace

DebugFile::DebugFile(std::filesystem::path path, int descriptor, Dwarf* dwarf)
    : path_(std::move(path)), descriptor_(descriptor), dwarf_(dwarf) {}

DebugFile::DebugFile(DebugFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      dwarf_(std::exchange(other.dwarf_, nullptr)) {}

DebugFile::~DebugFile() {
  if (dwarf_ != nullptr) dwarf_end(dwarf_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<DebugFile> DebugFile::open(const std::filesystem::path& object, const std::filesystem::path& system) {
  elf_version(EV_CURRENT);
  const int descriptor = ::open(object.c_str(), kOpenFlags);
  if (descriptor < 0) return input_error(object.string(), std::strerror(errno), "a file that can be read");
  Elf* elf = elf_begin(descriptor, ELF_C_READ_MMAP, nullptr);
  const bool is_elf = elf != nullptr && elf_kind(elf) == ELF_K_ELF;
  const SeparateDebugFile separate = is_elf ? separate_file_of(elf) : SeparateDebugFile{};
  elf_end(elf);
  ::close(descriptor);
  if (!is_elf) return input_error(object.string(), "no ELF file", "an executable or library");

  if (const Opened own = open_dwarf(object); own.dwarf != nullptr) return DebugFile(object, own.descriptor, own.dwarf);
  for (const std::filesystem::path& file : candidates(separate, object, system)) {
    const Opened opened = open_dwarf(file);
    if (opened.dwarf == nullptr) continue;
    DebugFile found(file, opened.descriptor, opened.dwarf);
    if (belongs_to(separate, opened.dwarf, file)) return found;
  }
  return input_error(object.string(), "no debug information", "lines and inlined functions of its code",
                     "build it with -g, or install the package with its debug symbols");
}

}  // namespace steelyard
