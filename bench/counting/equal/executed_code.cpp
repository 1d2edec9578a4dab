#include "bench/counting/equal/executed_code.hpp"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "bench/counting/algebra/profile_delta.hpp"
#include "bench/counting/equal/machine_code.hpp"
#include "bench/environment/elf_file.hpp"
#include "bench/environment/readable_symbol.hpp"
#include "bench/model/elapsed.hpp"
#include "bench/model/result.hpp"

namespace steelyard::bench {
namespace {

// A program file as far as its code is concerned: its functions by the names that Callgrind gives them, and what an
// address in it stands for, in words that another build of the same source would use too.

struct CodeFunction {
  std::string symbol;  // as linked
  std::uint64_t address = 0;
  std::string_view code;
};

class CodeObject {
 public:
  // Error (input): it cannot be read, is no 64-bit ELF program, has no symbols or above a million, or their names need
  // more memory than kMaxSymbolNameBytes, or longer than that to read.
  static Result<CodeObject> open(const std::filesystem::path& path, Nanoseconds time);

  // All functions of that name as people read it (two constructors may share one), by symbol, each once.
  std::vector<CodeFunction> functions(const std::string& readable_name) const;
  // "symbol+8", "call of memcpy", "entry for puts", "in .rodata"; empty: nothing that is known.
  std::string meaning_of(std::uint64_t address) const;
  // Whether a plain number can be an address here: only in programs at a fixed place.
  bool is_address(std::uint64_t number) const;
  std::uint16_t machine() const { return file_.machine; }

 private:
  struct Symbol {
    std::uint64_t address;
    std::uint64_t size;
    std::string_view name;
  };
  CodeObject(MappedFile bytes, ElfFile file) : bytes_(std::move(bytes)), file_(std::move(file)) {}
  Result<void> read_symbols();
  Result<void> read_names(Nanoseconds time);
  void read_relocations();
  std::string_view code_at(std::uint64_t address, std::uint64_t size) const;
  const Symbol* symbol_at(std::uint64_t address) const;
  std::string called_by_stub(std::uint64_t address) const;

  MappedFile bytes_;
  ElfFile file_;
  std::vector<Symbol> symbols_;                      // by address, then name
  std::multimap<std::string, std::size_t> by_name_;  // readable name of a function, index into symbols_
  std::map<std::uint64_t, std::string> slots_;       // address that the loader fills: what it puts there
};

constexpr std::size_t kMaxExecutedSymbols = 1'000'000;
constexpr std::size_t kMaxRelocations = 4'000'000;
// Of all functions together; symbols may share one name in the file. LLVM 14's library exports 5 MB of them.
constexpr std::size_t kMaxSymbolNameBytes = std::size_t{256} << 20;

bool is_loaded(const ElfSection& section) { return (section.flags & SHF_ALLOC) != 0 && section.address != 0; }

const ElfSection* section_at(const ElfFile& file, std::uint64_t address) {
  for (const ElfSection& section : file.sections) {
    if (is_loaded(section) && address >= section.address && address - section.address < section.size) return &section;
  }
  return nullptr;
}

Result<CodeObject> CodeObject::open(const std::filesystem::path& path, Nanoseconds time) {
  STEELYARD_TRY(MappedFile bytes, MappedFile::open(path));
  STEELYARD_TRY(ElfFile file, read_elf(bytes.bytes()));
  if (!file.is_64) return input_error(path.string(), "a program of 32 bits");
  CodeObject object(std::move(bytes), std::move(file));
  Result<void> read = object.read_symbols();
  if (read) read = object.read_names(time);
  if (!read) return input_error(path.string(), read.error().found);
  object.read_relocations();
  return object;
}

Result<void> CodeObject::read_symbols() {
  for (const ElfSymbol& symbol : file_.symbols()) {
    const bool is_known = symbol.type == STT_FUNC || symbol.type == STT_OBJECT || symbol.type == STT_GNU_IFUNC;
    if (!symbol.defined || !is_known || symbol.address == 0) continue;
    symbols_.push_back({symbol.address, symbol.size, symbol.name});
  }
  if (symbols_.size() > kMaxExecutedSymbols) return input_error("", "above a million symbols");
  std::sort(symbols_.begin(), symbols_.end(), [](const Symbol& a, const Symbol& b) {
    return std::pair(a.address, a.name) < std::pair(b.address, b.name);
  });
  // .symtab and .dynsym have the same ones.
  const auto same = [](const Symbol& a, const Symbol& b) { return a.address == b.address && a.name == b.name; };
  symbols_.erase(std::unique(symbols_.begin(), symbols_.end(), same), symbols_.end());
  return {};
}

// Of functions, as Callgrind prints them.
Result<void> CodeObject::read_names(Nanoseconds time) {
  const auto begun = std::chrono::steady_clock::now();
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < symbols_.size(); ++i) {
    const ElfSection* section = section_at(file_, symbols_[i].address);
    const bool is_code = section != nullptr && (section->flags & SHF_EXECINSTR) != 0;
    if (!is_code || symbols_[i].size == 0) continue;
    if (symbols_[i].name.size() > kMaxSymbolNameBytes - bytes) return input_error("", "above 256 MiB of names");
    std::string name = readable_symbol(symbols_[i].name);
    if (name.size() > kMaxSymbolNameBytes - bytes) return input_error("", "above 256 MiB of names");
    bytes += name.size();
    by_name_.emplace(std::move(name), i);
    if (since(begun) > time) return input_error("", "names that take too long to read");
  }
  if (by_name_.empty()) return input_error("", "a program without symbols");
  return {};
}

// Slots that the loader fills with the address of a symbol, or with one of the program's own.
void CodeObject::read_relocations() {
  const ElfSection* dynamic = file_.find(".dynsym");
  const std::vector<ElfSymbol> symbols = dynamic == nullptr ? std::vector<ElfSymbol>() : file_.symbols_of(*dynamic);
  std::size_t left = kMaxRelocations;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> own;
  for (const ElfSection& section : file_.sections) {
    if (section.type != SHT_RELA || !is_loaded(section)) continue;
    const std::vector<ElfRelocation> relocations = file_.relocations_of(section, left);
    left -= relocations.size();
    for (const ElfRelocation& relocation : relocations) {
      if (relocation.symbol == 0) {
        own.emplace_back(relocation.slot, relocation.addend);
      } else if (relocation.symbol < symbols.size()) {
        slots_[relocation.slot] = "entry for " + std::string(symbols[relocation.symbol].name) +
                                  (relocation.addend == 0 ? "" : '+' + std::to_string(relocation.addend));
      }
    }
  }
  for (const auto& [slot, address] : own) {
    const Symbol* symbol = symbol_at(address);
    if (symbol != nullptr) {
      slots_[slot] = "entry for " + std::string(symbol->name) + '+' + std::to_string(address - symbol->address);
    }
  }
}

std::string_view CodeObject::code_at(std::uint64_t address, std::uint64_t size) const {
  const ElfSection* section = section_at(file_, address);
  if (section == nullptr) return {};
  const std::uint64_t offset = address - section->address;
  if (offset > section->content.size() || size > section->content.size() - offset) return {};
  return section->content.substr(offset, size);
}

std::vector<CodeFunction> CodeObject::functions(const std::string& readable_name) const {
  std::vector<CodeFunction> found;
  const auto [first, last] = by_name_.equal_range(readable_name);
  for (auto at = first; at != last; ++at) {
    const Symbol& symbol = symbols_[at->second];
    const bool is_alias =
        std::any_of(found.begin(), found.end(), [&](const CodeFunction& f) { return f.address == symbol.address; });
    if (!is_alias) found.push_back({std::string(symbol.name), symbol.address, code_at(symbol.address, symbol.size)});
  }
  std::sort(found.begin(), found.end(),
            [](const CodeFunction& a, const CodeFunction& b) { return a.symbol < b.symbol; });
  return found;
}

// The symbol that covers the address; of several at one place the first by name.
const CodeObject::Symbol* CodeObject::symbol_at(std::uint64_t address) const {
  auto at = std::upper_bound(symbols_.begin(), symbols_.end(), address,
                             [](std::uint64_t wanted, const Symbol& symbol) { return wanted < symbol.address; });
  if (at == symbols_.begin()) return nullptr;
  const std::uint64_t start = std::prev(at)->address;
  at = std::lower_bound(symbols_.begin(), symbols_.end(), start,
                        [](const Symbol& symbol, std::uint64_t wanted) { return symbol.address < wanted; });
  for (; at != symbols_.end() && at->address == start; ++at) {
    if (address == start || address - start < at->size) return &*at;
  }
  return nullptr;
}

// A stub jumps through a slot: FF 25 and the slot's distance, after at most a few bytes (endbr64, bnd).
std::string CodeObject::called_by_stub(std::uint64_t address) const {
  constexpr std::size_t kLongestStub = 16;
  const std::string_view code = code_at(address, kLongestStub);
  const std::size_t jump = code.find("\xff\x25");
  if (jump == std::string_view::npos || jump + 6 > code.size()) return "";
  std::int32_t distance = 0;
  std::memcpy(&distance, code.data() + jump + 2, sizeof distance);
  const auto slot = slots_.find(address + jump + 6 + static_cast<std::uint64_t>(std::int64_t{distance}));
  return slot == slots_.end() ? "" : "call by the " + slot->second;
}

std::string CodeObject::meaning_of(std::uint64_t address) const {
  if (const auto slot = slots_.find(address); slot != slots_.end()) return slot->second;
  if (const Symbol* symbol = symbol_at(address)) {
    return std::string(symbol->name) + '+' + std::to_string(address - symbol->address);
  }
  const ElfSection* section = section_at(file_, address);
  if (section == nullptr) return "";
  if ((section->flags & SHF_EXECINSTR) != 0) return called_by_stub(address);
  return "in " + std::string(section->name);
}

bool CodeObject::is_address(std::uint64_t number) const {
  return file_.type == ET_EXEC && section_at(file_, number) != nullptr;
}

}  // namespace

// One file of the baseline and its counterpart.
struct ExecutedCode::ObjectPair {
  std::string trouble;  // why it cannot be compared
  bool equal = false;   // as a whole
  std::optional<CodeObject> baseline;
  std::optional<CodeObject> candidate;
  std::map<std::string, std::string> compared;  // by function: the difference
};

namespace {

std::filesystem::path real_path(const std::filesystem::path& path) {
  std::error_code ignored;
  const std::filesystem::path real = std::filesystem::weakly_canonical(path, ignored);
  return ignored ? path.lexically_normal() : real;
}

Result<NormalizedCode> normalize(const CodeObject& object, const CodeFunction& function) {
  CodeBytes code;
  code.bytes = function.code;
  code.address = function.address;
  code.machine = object.machine();
  code.is_address = [&object](std::uint64_t number) { return object.is_address(number); };
  return normalize_code(code);
}

// Where a jump within the function leads, or what an address outside it stands for.
std::string meaning(const CodeObject& object, const CodeFunction& function, std::uint64_t target) {
  const std::uint64_t offset = target - function.address;
  if (target >= function.address && offset < function.code.size()) return "byte " + std::to_string(offset);
  return object.meaning_of(target);
}

std::string code_difference(const CodeObject& baseline, const CodeFunction& b, const CodeObject& candidate,
                            const CodeFunction& c) {
  if (b.code.empty() || c.code.empty()) return "its code is not in the file";
  if (b.code.size() != c.code.size()) {
    return "its code is " + std::to_string(b.code.size()) + " bytes in the baseline, " + std::to_string(c.code.size()) +
           " in the candidate";
  }
  const Result<NormalizedCode> of_b = normalize(baseline, b);
  if (!of_b) return "it cannot be compared: " + of_b.error().text();
  const Result<NormalizedCode> of_c = normalize(candidate, c);
  if (!of_c) return "it cannot be compared: " + of_c.error().text();
  if (of_b->bytes != of_c->bytes || of_b->references.size() != of_c->references.size()) return "its code differs";
  for (std::size_t i = 0; i < of_b->references.size(); ++i) {
    const CodeReference& from_b = of_b->references[i];
    const CodeReference& from_c = of_c->references[i];
    const std::string points_b = meaning(baseline, b, from_b.target);
    const std::string points_c = meaning(candidate, c, from_c.target);
    if (from_b.instruction == from_c.instruction && !points_b.empty() && points_b == points_c) continue;
    const auto shown = [](const std::string& text) { return text.empty() ? std::string("something unnamed") : text; };
    return "byte " + std::to_string(from_b.instruction) + " refers to " + shown(points_b) + " in the baseline, " +
           shown(points_c) + " in the candidate";
  }
  return "";
}

bool was_executed(const ProfiledFunction& function) {
  const auto costs = [](std::int64_t cost) { return cost != 0; };
  return function.calls != 0 || std::any_of(function.self.begin(), function.self.end(), costs);
}

}  // namespace

ExecutedCode::ExecutedCode(const LoadedProgram& baseline, const LoadedProgram& candidate, ExecutedCodeLimits limits)
    : baseline_(baseline), candidate_(candidate), limits_(limits) {}

ExecutedCode::~ExecutedCode() = default;

// The program's counterpart is the program; a library's is the one of its name.
ExecutedCode::ObjectPair& ExecutedCode::pair_of(const std::string& object) {
  std::unique_ptr<ObjectPair>& known = pairs_[object];
  if (known) return *known;
  known = std::make_unique<ObjectPair>();
  const std::filesystem::path wanted = real_path(object);
  std::size_t at = 0;
  while (at < baseline_.objects.size() && real_path(baseline_.objects[at].path) != wanted) ++at;
  std::size_t other = at == 0 ? 0 : 1;
  const auto is_counterpart = [&](const LoadedObject& candidate) {
    return candidate.path.filename() == baseline_.objects[at].path.filename();
  };
  while (at > 0 && at < baseline_.objects.size() && other < candidate_.objects.size() &&
         !is_counterpart(candidate_.objects[other])) {
    ++other;
  }
  if (at >= baseline_.objects.size() || other >= candidate_.objects.size()) {
    known->trouble = "it lies in " + (object.empty() ? std::string("no file") : object) +
                     ", which the loader does not bring to both sides";
    return *known;
  }
  known->equal = baseline_.objects[at].sha256 == candidate_.objects[other].sha256;
  if (known->equal) return *known;
  Result<CodeObject> of_baseline = CodeObject::open(baseline_.objects[at].path, limits_.time);
  Result<CodeObject> of_candidate = CodeObject::open(candidate_.objects[other].path, limits_.time);
  if (!of_baseline || !of_candidate) {
    known->trouble = "it cannot be compared: " + (of_baseline ? of_candidate : of_baseline).error().text();
    return *known;
  }
  known->baseline.emplace(std::move(of_baseline).value());
  known->candidate.emplace(std::move(of_candidate).value());
  return *known;
}

std::string ExecutedCode::compare(ObjectPair& pair, const std::string& function) {
  if (pair.equal || !pair.trouble.empty()) return pair.trouble;
  const auto [known, is_new] = pair.compared.emplace(function, "");
  if (!is_new) return known->second;
  const std::vector<CodeFunction> of_b = pair.baseline->functions(function);
  const std::vector<CodeFunction> of_c = pair.candidate->functions(function);
  std::string& difference = known->second;
  if (of_b.empty() || of_b.size() != of_c.size()) return difference = "it has no counterpart by name";
  for (std::size_t i = 0; i < of_b.size() && difference.empty(); ++i) {
    bytes_ += of_b[i].code.size() + of_c[i].code.size();
    difference = of_b[i].symbol == of_c[i].symbol ? code_difference(*pair.baseline, of_b[i], *pair.candidate, of_c[i])
                                                  : "it has no counterpart by name";
  }
  return difference;
}

std::string ExecutedCode::obstacle() {
  if (baseline_.objects.empty()) return "there is no program";
  const ObjectPair& program = pair_of(baseline_.objects.front().path.string());
  if (program.equal || !program.trouble.empty()) return program.trouble;
  constexpr std::string_view kReturn = "\xc3";
  const Result<NormalizedCode> known = normalize_code({kReturn, 0, program.baseline->machine(), {}});
  return known ? "" : "it cannot be compared: " + known.error().text();
}

std::string ExecutedCode::difference(const CountedProfile& profile) {
  if (profile.functions.empty()) return "there is no profile";
  if (profile.functions.size() > limits_.functions) return "more functions than are compared";
  if (std::none_of(profile.functions.begin(), profile.functions.end(), was_executed)) return "nothing was executed";
  const auto begun = std::chrono::steady_clock::now();
  const auto before = spent_;
  for (const ProfiledFunction& function : profile.functions) {
    if (!was_executed(function)) continue;
    if (bytes_ > limits_.bytes) return "more code than is compared";
    if (std::chrono::duration<double, std::nano>(spent_).count() > limits_.time.count()) {
      return "comparing it takes too long";
    }
    const std::string difference = compare(pair_of(function.object), function.name);
    spent_ = before + (std::chrono::steady_clock::now() - begun);
    if (!difference.empty()) return function.name + ": " + difference;
  }
  return "";
}

std::string count_difference(const CountedProfile& baseline, const CountedProfile& candidate) {
  ProfileDeltaOptions options;
  options.match.renamed = false;
  const Result<ProfileDelta> delta = profile_delta(baseline, candidate, options);
  if (!delta) return delta.error().text();
  for (const FunctionDelta& function : delta->functions) {
    const bool costs_the_same = function.self_change.empty() || function.self_change.front() == 0;
    if (!costs_the_same || function.calls_change != 0) return function.shown().key.function;
  }
  return "";
}

}  // namespace steelyard::bench
