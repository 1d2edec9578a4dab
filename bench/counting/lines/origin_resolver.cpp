#include "bench/counting/lines/origin_resolver.hpp"

#include <elfutils/libdw.h>

#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bench/counting/lines/debug_file.hpp"
#include "bench/counting/lines/unit_origins.hpp"

namespace steelyard {
namespace {

// Entries of debug information read from one object: some seconds, and about a gigabyte where all that can be is code.
// A large program (cc1plus with -g) has 60 million, of which a benchmark needs few units.
constexpr std::size_t kMostEntries = 50'000'000;
// Objects that are looked into; what a process can load is well below.
constexpr std::size_t kMostObjects = 1000;

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
  std::size_t budget_ = kMostEntries;
};

OriginResolver::OriginResolver(std::filesystem::file_time_type written) : written_(written) {}
OriginResolver::~OriginResolver() = default;

OriginResolver::DebuggedObject* OriginResolver::opened(const std::string& object) {
  if (objects_.size() >= kMostObjects && !objects_.contains(object)) return nullptr;
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
  return found == nullptr ? object + ": more than " + std::to_string(kMostObjects) + " files" : found->why_unknown();
}

}  // namespace steelyard
