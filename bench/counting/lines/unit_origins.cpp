#include "bench/counting/lines/unit_origins.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <algorithm>
#include <ctime>
#include <unordered_map>
#include <utility>

#include "bench/environment/readable_symbol.hpp"

namespace steelyard::bench {
namespace {

bool is_before(const CodeRange& a, const CodeRange& b) {
  if (a.begin != b.begin) return a.begin < b.begin;
  if (a.end != b.end) return a.end > b.end;  // the outer one first
  return a.entry < b.entry;
}

// Walks the ranges from the lowest address up; those that hold the place reached lie on a stack, the innermost on top.
class Sweep {
 public:
  void enter(const CodeRange& range) {
    advance_to(range.begin);
    open_.push_back(range);
  }

  std::vector<CodeRange> finish() && {
    advance_to(UINT64_MAX);
    return std::move(segments_);
  }

 private:
  void advance_to(std::uint64_t place) {
    while (!open_.empty() && place_ < place) {
      const CodeRange& innermost = open_.back();
      if (innermost.end > place_) emit(std::min(innermost.end, place), innermost.entry);
      if (open_.back().end <= place_) open_.pop_back();
    }
    place_ = place;
  }

  void emit(std::uint64_t end, std::uint32_t entry) {
    const bool goes_on = !segments_.empty() && segments_.back().end == place_ && segments_.back().entry == entry;
    if (goes_on) {
      segments_.back().end = end;
    } else {
      segments_.push_back({place_, end, entry});
    }
    place_ = end;
  }

  std::vector<CodeRange> open_;
  std::vector<CodeRange> segments_;
  std::uint64_t place_ = 0;
};

}  // namespace

std::vector<CodeRange> flatten(std::vector<CodeRange> ranges) {
  std::erase_if(ranges, [](const CodeRange& range) { return range.begin >= range.end; });
  std::sort(ranges.begin(), ranges.end(), is_before);
  Sweep sweep;
  for (const CodeRange& range : ranges) sweep.enter(range);
  return std::move(sweep).finish();
}

const CodeRange* segment_of(const std::vector<CodeRange>& segments, std::uint64_t address) {
  const auto after =
      std::upper_bound(segments.begin(), segments.end(), address,
                       [](std::uint64_t wanted, const CodeRange& segment) { return wanted < segment.begin; });
  if (after == segments.begin()) return nullptr;
  const CodeRange& candidate = *std::prev(after);
  return address < candidate.end ? &candidate : nullptr;
}

namespace {

constexpr std::uint32_t kNone = UINT32_MAX;
constexpr int kDeepest = 500;            // nested blocks and inlined calls; compilers stay below 100
constexpr std::size_t kMaxOrigins = 16;  // steps from an inlined call to its declaration; 3 in practice
// Of the budget, whose unit is an entry walked over: about 100 ns, and 20 bytes where it is kept.
constexpr std::size_t kRangeShare = 10;
constexpr std::size_t kTextBytesOfShare = 16;
constexpr std::size_t kNanosecondsOfShare = 100;

// Of this thread alone: what else the machine does shall not change what is read.
std::size_t processor_nanoseconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::size_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::size_t>(now.tv_nsec);
}

const char* text_of(Dwarf_Die& die, unsigned attribute) {
  Dwarf_Attribute found;
  const char* text = dwarf_formstring(dwarf_attr_integrate(&die, attribute, &found));
  return text;
}

// The entry that `die` is an instance or the definition of.
bool follow(Dwarf_Die& die) {
  Dwarf_Attribute found;
  for (const unsigned attribute : {DW_AT_abstract_origin, DW_AT_specification}) {
    Dwarf_Die origin;
    if (dwarf_attr(&die, attribute, &found) == nullptr || dwarf_formref_die(&found, &origin) == nullptr) continue;
    die = origin;
    return true;
  }
  return false;
}

// Not dwarf_decl_file(): it asserts that the table of files can be read.
std::string declared_file(Dwarf_Die& die) {
  Dwarf_Attribute found;
  Dwarf_Word index = 0;
  Dwarf_Die unit;
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  if (dwarf_attr_integrate(&die, DW_AT_decl_file, &found) == nullptr || dwarf_formudata(&found, &index) != 0) return "";
  if (dwarf_cu_die(found.cu, &unit, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr) == nullptr) return "";
  if (dwarf_getsrcfiles(&unit, &files, &count) != 0 || index >= count) return "";
  const char* name = dwarf_filesrc(files, index, nullptr, nullptr);
  return name == nullptr ? "" : name;
}

class UnitWalk {
 public:
  explicit UnitWalk(std::size_t& budget) : budget_(budget) {}

  UnitOrigins run(Dwarf_Die& unit) && {
    walk_children(unit, {kNone, 0, 0});
    // Only now: the scope of a function may stand behind the place it is inlined at.
    for (std::size_t i = 0; i < dies_.size(); ++i) origins_.entries[i].name = name_index(dies_[i]);
    origins_.segments = flatten(std::move(ranges_));
    return std::move(origins_);
  }

 private:
  struct Scope {
    std::uint32_t outer = 0;  // index into scopes_
    Dwarf_Die die = {};       // a namespace, class or function
  };
  struct Place {
    std::uint32_t owner;  // the function around it; kNone outside of all
    std::uint32_t scope;  // the namespaces, classes and functions around it: index into scopes_
    int depth;
  };

  void walk_children(Dwarf_Die& parent, const Place& place) {
    Dwarf_Die die;
    if (dwarf_child(&parent, &die) != 0) return;
    do {
      if (budget_ == 0 || place.depth > kDeepest) {
        origins_.is_whole = false;
        return;
      }
      --budget_;
      visit(die, {place.owner, place.scope, place.depth + 1});
    } while (dwarf_siblingof(&die, &die) == 0);
  }

  void visit(Dwarf_Die& die, const Place& place) {
    switch (dwarf_tag(&die)) {
      case DW_TAG_subprogram:
        if (place.scope != 0) scope_of_.emplace(die.addr, place.scope);
        walk_children(die, {add_entry(die, kNone), inner_scope(die, place.scope), place.depth});
        break;
      case DW_TAG_inlined_subroutine:
        add_entry(die, place.owner);
        walk_children(die, place);
        break;
      case DW_TAG_namespace:
      case DW_TAG_class_type:
      case DW_TAG_structure_type:
      case DW_TAG_union_type:
        walk_children(die, {place.owner, inner_scope(die, place.scope), place.depth});
        break;
      case DW_TAG_lexical_block:
      case DW_TAG_try_block:
      case DW_TAG_catch_block:
      case DW_TAG_module:
        walk_children(die, place);
        break;
      default:
        break;
    }
  }

  bool spend(std::size_t share) {
    if (budget_ >= share) {
      budget_ -= share;
      return true;
    }
    budget_ = 0;
    return origins_.is_whole = false;
  }

  // The new entry's index; kNone where the function has no code of its own here. An owner of kNone: it is one itself.
  std::uint32_t add_entry(Dwarf_Die& die, std::uint32_t owner) {
    const auto index = static_cast<std::uint32_t>(origins_.entries.size());
    const std::size_t before = ranges_.size();
    Dwarf_Addr base = 0, begin = 0, end = 0;
    ptrdiff_t at = 0;
    while ((at = dwarf_ranges(&die, at, &base, &begin, &end)) > 0) {
      // A linker that dropped the function leaves its ranges behind, at 0.
      if (begin <= 1 || begin >= end) continue;
      // Many entries of a damaged file may name one long list.
      if (!spend(kRangeShare)) break;
      ranges_.push_back({begin, end, index});
    }
    if (ranges_.size() == before) return kNone;
    CodeEntry& entry = origins_.entries.emplace_back();
    dies_.push_back(die);
    entry.owner = owner == kNone ? index : owner;
    if (owner != kNone) return index;
    if (std::string file = declared_file(die); spend(file.size() / kTextBytesOfShare)) entry.file = std::move(file);
    int line = 0;
    if (dwarf_decl_line(&die, &line) == 0) entry.line = line;
    return index;
  }

  std::uint32_t inner_scope(Dwarf_Die& die, std::uint32_t outer) {
    scopes_.push_back({outer, die});
    return static_cast<std::uint32_t>(scopes_.size() - 1);
  }

  // "outer::work::" of a scope inside a function.
  std::string text_of_scope(std::uint32_t scope, int depth = 0) {
    if (scope == 0 || depth > kDeepest) return "";
    Dwarf_Die die = scopes_[scope].die;
    const char* name = dwarf_diename(&die);
    // A function of a namespace is declared in it and defined outside of it.
    const std::uint32_t outer =
        dwarf_tag(&die) == DW_TAG_subprogram ? declared_in(die, scopes_[scope].outer) : scopes_[scope].outer;
    const std::string text = text_of_scope(outer, depth + 1);
    if (text.size() > kLongestReadableName) return text;
    if (name != nullptr) return text + name + "::";
    if (dwarf_tag(&die) == DW_TAG_namespace) return text + "(anonymous namespace)::";
    // The type of a lambda has no name.
    return text + "{lambda}::";
  }

  std::uint32_t name_index(Dwarf_Die die) {
    Dwarf_Die declaration = die;
    const std::uint32_t scope = declared_in(declaration, 0);
    const auto [entry, is_new] =
        name_by_declaration_.try_emplace(declaration.addr, static_cast<std::uint32_t>(origins_.names.size()));
    if (is_new) origins_.names.push_back(affordable_name(die, scope));
    return entry->second;
  }

  // Many entries may share one long name, and a name may be made to take long to read. Empty: not read.
  std::string affordable_name(Dwarf_Die& die, std::uint32_t scope) {
    if (!spend(1)) return "";
    const std::size_t begun = processor_nanoseconds();
    std::string name = name_of(die, scope);
    const std::size_t took = processor_nanoseconds() - begun;
    return spend(name.size() / kTextBytesOfShare + took / kNanosecondsOfShare) ? name : "";
  }

  // The scope of the function's declaration, to which `die` is led; `otherwise` where it is outside of all.
  std::uint32_t declared_in(Dwarf_Die& die, std::uint32_t otherwise) {
    std::uint32_t scope = otherwise;
    for (std::size_t step = 0; step < kMaxOrigins; ++step) {
      if (const auto found = scope_of_.find(die.addr); found != scope_of_.end()) scope = found->second;
      if (!follow(die)) break;
    }
    return scope;
  }

  std::string name_of(Dwarf_Die& die, std::uint32_t scope) {
    for (const unsigned attribute : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name}) {
      if (const char* name = text_of(die, attribute)) return readable_symbol(name);
    }
    const char* name = text_of(die, DW_AT_name);
    if (name == nullptr) return "";
    Dwarf_Attribute found;
    bool is_external = false;
    dwarf_formflag(dwarf_attr_integrate(&die, DW_AT_external, &found), &is_external);
    // extern "C": whatever scope it was declared in, its symbol has none.
    return is_external ? name : text_of_scope(scope) + name;
  }

  std::size_t& budget_;
  UnitOrigins origins_;
  std::vector<Dwarf_Die> dies_;  // of each entry
  std::vector<CodeRange> ranges_;
  std::vector<Scope> scopes_ = {{}};                                    // the first: outside of all
  std::unordered_map<const void*, std::uint32_t> scope_of_;             // of functions, where not the outermost
  std::unordered_map<const void*, std::uint32_t> name_by_declaration_;  // index into names
};

}  // namespace

UnitOrigins read_unit_origins(Dwarf_CU* unit, std::size_t& budget) {
  Dwarf_Die die, split;
  std::uint8_t type = 0;
  UnitOrigins nothing;
  if (dwarf_cu_info(unit, nullptr, &type, &die, &split, nullptr, nullptr, nullptr) != 0) return nothing;
  if (type != DW_UT_skeleton) return UnitWalk(budget).run(die);
  nothing.lacks_split_file = dwarf_tag(&split) == DW_TAG_invalid;
  return nothing.lacks_split_file ? nothing : UnitWalk(budget).run(split);
}

}  // namespace steelyard::bench
