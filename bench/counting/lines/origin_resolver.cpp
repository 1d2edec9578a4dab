#include "bench/counting/lines/origin_resolver.hpp"

#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "bench/counting/lines/unit_origins.hpp"
#include "bench/model/result.hpp"
#include "bench/model/text.hpp"

namespace steelyard::bench {
namespace {

// The DWARF debug information of an executable or library, wherever it lies on this machine: in the file itself, or in
// a separate one that its build id or its .gnu_debuglink names. Never fetched from a server.

class DebugFile {
 public:
  // `system` is where separate files of installed programs lie. Error (input): `found` says why there is none.
  static Result<DebugFile> open(const std::filesystem::path& object,
                                const std::filesystem::path& system = "/usr/lib/debug");
  DebugFile(DebugFile&& other) noexcept;
  DebugFile& operator=(DebugFile&&) = delete;
  ~DebugFile();

  Dwarf* dwarf() const { return dwarf_; }
  const std::filesystem::path& path() const { return path_; }  // where it was found

 private:
  DebugFile(std::filesystem::path path, int descriptor, Dwarf* dwarf);

  std::filesystem::path path_;
  int descriptor_ = -1;  // libdw looks beside it for .dwo files while it is open
  Dwarf* dwarf_ = nullptr;
};

// Profiles name files, and one of them may be a pipe: opening it must not wait for a writer.
constexpr int kOpenFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;

// What the object says of a debug file that is not itself.
struct SeparateDebugFile {
  std::string build_id;  // raw bytes; empty: none
  std::string link;      // file name; empty: none
  std::uint32_t link_checksum = 0;
};

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
    const std::string digits = hex_text(separate.build_id);
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

// Entries of debug information read from one object: some seconds, and about a gigabyte where all that can be is code.
// A large program (cc1plus with -g) has 60 million, of which a benchmark needs few units.
constexpr std::size_t kMaxEntries = 50'000'000;
// Objects that are looked into; what a process can load is well below.
constexpr std::size_t kMaxObjects = 1000;

}  // namespace

class OriginResolver::DebuggedObject {
 public:
  DebuggedObject(const std::string& object, std::filesystem::file_time_type written) : name_(object) {
    std::error_code failure;
    if (const auto changed = std::filesystem::last_write_time(object, failure); !failure && changed > written) {
      why_unknown_ = object + ": it changed after the profile was written; count it again";
      return;
    }
    Result<DebugFile> file = DebugFile::open(object);
    if (!file) {
      why_unknown_ = file.error().text();
      return;
    }
    file_.emplace(std::move(file).value());
    list_units();
  }

  const CodeOrigin* find(std::uint64_t address) {
    const CodeRange* unit = segment_of(units_, address);
    if (unit == nullptr) return nullptr;
    Unit& read = unit_at(unit->entry);
    const CodeRange* segment = segment_of(read.code.segments, address);
    return segment == nullptr ? nullptr : &origin_at(read, segment->entry);
  }

  std::string file_of(std::uint64_t address, std::int32_t line) const {
    const CodeRange* unit = segment_of(units_, address);
    Dwarf_Die die;
    if (unit == nullptr ||
        dwarf_cu_info(handles_[unit->entry], nullptr, nullptr, &die, nullptr, nullptr, nullptr, nullptr) != 0) {
      return "";
    }
    Dwarf_Line* row = dwarf_getsrc_die(&die, address);
    int number = 0;
    if (row == nullptr || dwarf_lineno(row, &number) != 0 || number != line) return "";
    const char* file = dwarf_linesrc(row, nullptr, nullptr);
    return file == nullptr ? "" : file;
  }

  const std::string& why_unknown() const { return why_unknown_; }

 private:
  struct Unit {
    bool is_read = false;
    UnitOrigins code;
    std::unordered_map<std::uint32_t, CodeOrigin> origins;  // of the entries that were asked for
  };

  void list_units() {
    std::vector<CodeRange> ranges;
    Dwarf_CU* previous = nullptr;
    Dwarf_CU* unit = nullptr;
    Dwarf_Die die;
    while (dwarf_get_units(file_->dwarf(), previous, &unit, nullptr, nullptr, &die, nullptr) == 0) {
      previous = unit;
      const auto index = static_cast<std::uint32_t>(handles_.size());
      Dwarf_Addr base = 0, begin = 0, end = 0;
      const std::size_t before = ranges.size();
      for (ptrdiff_t at = 0; (at = dwarf_ranges(&die, at, &base, &begin, &end)) > 0;) {
        if (begin > 1 && begin < end) ranges.push_back({begin, end, index});
      }
      if (ranges.size() > before) handles_.push_back(unit);
    }
    units_ = flatten(std::move(ranges));
    read_.resize(handles_.size());
  }

  Unit& unit_at(std::uint32_t index) {
    Unit& unit = read_[index];
    if (unit.is_read) return unit;
    unit.is_read = true;
    unit.code = read_unit_origins(handles_[index], budget_);
    if (unit.code.lacks_split_file) {
      why_unknown_ = name_ +
                     ": a .dwo file of it is not where the compiler wrote it; build without -gsplit-dwarf, or "
                     "keep the build folder";
    } else if (!unit.code.is_whole) {
      why_unknown_ = name_ + ": its debug information is too large or too deeply nested to be read whole";
    }
    return unit;
  }

  static const CodeOrigin& origin_at(Unit& unit, std::uint32_t index) {
    const auto known = unit.origins.find(index);
    if (known != unit.origins.end()) return known->second;
    const CodeEntry& entry = unit.code.entries[index];
    const CodeEntry& owner = unit.code.entries[entry.owner];
    CodeOrigin origin{unit.code.names[entry.name], entry.owner != index, owner.file, owner.line};
    return unit.origins.emplace(index, std::move(origin)).first->second;
  }

  std::string name_;
  std::string why_unknown_;
  std::optional<DebugFile> file_;
  std::vector<Dwarf_CU*> handles_;  // of units that have code; libdw's
  std::vector<CodeRange> units_;    // their entry: index into handles_ and read_
  std::vector<Unit> read_;
  std::size_t budget_ = kMaxEntries;
};

OriginResolver::OriginResolver(std::filesystem::file_time_type written) : written_(written) {}
OriginResolver::~OriginResolver() = default;

OriginResolver::DebuggedObject* OriginResolver::opened(const std::string& object) {
  if (objects_.size() >= kMaxObjects && !objects_.contains(object)) return nullptr;
  std::unique_ptr<DebuggedObject>& found = objects_[object];
  if (found == nullptr) found = std::make_unique<DebuggedObject>(object, written_);
  return found.get();
}

const CodeOrigin* OriginResolver::find(const std::string& object, std::uint64_t address) {
  if (address == 0) return nullptr;
  const std::lock_guard lock(mutex_);
  DebuggedObject* found = opened(object);
  return found == nullptr ? nullptr : found->find(address);
}

std::string OriginResolver::file_of(const std::string& object, std::uint64_t address, std::int32_t line) {
  if (address == 0) return "";
  const std::lock_guard lock(mutex_);
  const DebuggedObject* found = opened(object);
  return found == nullptr ? "" : found->file_of(address, line);
}

std::string OriginResolver::why_unknown(const std::string& object) {
  const std::lock_guard lock(mutex_);
  const DebuggedObject* found = opened(object);
  return found == nullptr ? object + ": more than " + std::to_string(kMaxObjects) + " files" : found->why_unknown();
}

namespace {

using Costs = std::vector<std::int64_t>;

// Code that was not inlined is the function's own; it is called what Callgrind calls it, clone or not.
std::string origin_of(const ProfiledFunction& function, std::uint64_t address, OriginResolver* resolver) {
  const CodeOrigin* origin = resolver == nullptr ? nullptr : resolver->find(function.object, address);
  if (origin == nullptr) return "";
  return origin->is_inlined ? origin->function : function.name;
}

// What Callgrind says, unless the debug information has the line in a file of another name: of two ways to write one
// path, a profile has one.
std::string file_of(const std::string& told, const std::string& object, std::uint64_t address, std::int32_t line,
                    OriginResolver* resolver) {
  if (resolver == nullptr || line <= 0) return told;
  std::string found = resolver->file_of(object, address, line);
  return found.empty() || file_name(found) == file_name(told) ? told : found;
}

}  // namespace

void SourceCostSum::add_part(const CallgrindPart& part, const std::vector<std::uint32_t>& index_of,
                             std::int64_t factor) {
  std::vector<std::uint32_t> files;
  for (const std::string& name : part.position_files) files.push_back(file_index(name));
  for (const PositionCost& cost : part.position_costs) {
    add_times(costs_[{index_of[cost.function], files[cost.file], cost.address, cost.line}], cost.self, factor);
  }
}

std::uint32_t SourceCostSum::file_index(const std::string& name) {
  const auto [entry, is_new] = index_of_file_.try_emplace(name, static_cast<std::uint32_t>(files_.size()));
  if (is_new) files_.push_back(name);
  return entry->second;
}

std::vector<SourceCost> SourceCostSum::sources(const std::vector<ProfiledFunction>& functions,
                                               OriginResolver* resolver) const {
  std::map<std::tuple<std::uint32_t, std::string, std::int32_t, std::string>, Costs> by_line;
  for (const auto& [place, costs] : costs_) {
    if (is_zero(costs)) continue;
    const auto& [function, file, address, line] = place;
    const ProfiledFunction& ran_in = functions[function];
    std::string line_file = file_of(files_[file], ran_in.object, address, line, resolver);
    add_times(by_line[{function, std::move(line_file), line, origin_of(ran_in, address, resolver)}], costs, 1);
  }
  std::vector<SourceCost> sources;
  for (auto& [key, costs] : by_line) {
    if (is_zero(costs)) continue;
    const auto& [function, file, line, origin] = key;
    sources.push_back({function, file, origin, line, std::move(costs)});
  }
  return sources;
}

void SourceCostSum::set_declarations(std::vector<ProfiledFunction>& functions, OriginResolver& resolver) const {
  const auto key_of = [](const ProfiledFunction& function, const std::string& file) {
    return std::tuple(function.object, file, function.name);
  };
  std::set<std::tuple<std::string, std::string, std::string>> taken;
  for (const ProfiledFunction& function : functions) taken.insert(key_of(function, function.file));
  std::uint32_t last = UINT32_MAX;
  for (const auto& [place, costs] : costs_) {
    const std::uint32_t index = std::get<0>(place);
    if (index == last) continue;
    ProfiledFunction& function = functions[index];
    const CodeOrigin* origin = resolver.find(function.object, std::get<2>(place));
    if (origin == nullptr || origin->owner_file.empty()) continue;
    last = index;
    const bool is_free =
        origin->owner_file == function.file || taken.insert(key_of(function, origin->owner_file)).second;
    if (!is_free) continue;
    function.file = origin->owner_file;
    if (origin->owner_line > 0) function.line = origin->owner_line;
  }
}

bool sources_add_up(const CountedProfile& profile) {
  if (profile.sources.empty()) return true;
  std::vector<Costs> sums(profile.functions.size(), Costs(profile.events.size(), 0));
  for (const SourceCost& source : profile.sources) add_times(sums[source.function], source.self, 1);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i] != profile.functions[i].self) return false;
  }
  return true;
}

}  // namespace steelyard::bench
