#include "bench/counting/equal/code_object.hpp"

#include <cxxabi.h>
#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

namespace steelyard {
namespace {

constexpr std::size_t kMostSymbols = 1'000'000;
constexpr std::size_t kMostRelocations = 4'000'000;

// As Callgrind prints it.
std::string readable(std::string_view symbol) {
  const std::string name(symbol);
  if (!symbol.starts_with("_Z")) return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 && text ? std::string(text.get()) : name;
}

bool is_loaded(const ElfSection& section) { return (section.flags & SHF_ALLOC) != 0 && section.address != 0; }

const ElfSection* section_at(const ElfFile& file, std::uint64_t address) {
  for (const ElfSection& section : file.sections) {
    if (is_loaded(section) && address >= section.address && address - section.address < section.size) return &section;
  }
  return nullptr;
}

}  // namespace

Result<CodeObject> CodeObject::open(const std::filesystem::path& path) {
  STEELYARD_TRY(MappedFile bytes, MappedFile::open(path));
  STEELYARD_TRY(ElfFile file, read_elf(bytes.bytes()));
  if (!file.is_64) return input_error(path.string(), "a program of 32 bits");
  CodeObject object(std::move(bytes), std::move(file));
  object.read_symbols();
  if (object.symbols_.size() > kMostSymbols) return input_error(path.string(), "above a million symbols");
  if (object.by_name_.empty()) return input_error(path.string(), "a program without symbols");
  object.read_relocations();
  return object;
}

void CodeObject::read_symbols() {
  for (const ElfSymbol& symbol : file_.symbols()) {
    const bool is_known = symbol.type == STT_FUNC || symbol.type == STT_OBJECT || symbol.type == STT_GNU_IFUNC;
    if (!symbol.defined || !is_known || symbol.address == 0) continue;
    symbols_.push_back({symbol.address, symbol.size, symbol.name});
  }
  if (symbols_.size() > kMostSymbols) return;
  std::sort(symbols_.begin(), symbols_.end(), [](const Symbol& a, const Symbol& b) {
    return std::pair(a.address, a.name) < std::pair(b.address, b.name);
  });
  // .symtab and .dynsym have the same ones.
  const auto same = [](const Symbol& a, const Symbol& b) { return a.address == b.address && a.name == b.name; };
  symbols_.erase(std::unique(symbols_.begin(), symbols_.end(), same), symbols_.end());
  for (std::size_t i = 0; i < symbols_.size(); ++i) {
    const ElfSection* section = section_at(file_, symbols_[i].address);
    const bool is_code = section != nullptr && (section->flags & SHF_EXECINSTR) != 0;
    if (is_code && symbols_[i].size > 0) by_name_.emplace(readable(symbols_[i].name), i);
  }
}

// Slots that the loader fills with the address of a symbol, or with one of the program's own.
void CodeObject::read_relocations() {
  const ElfSection* dynamic = file_.find(".dynsym");
  const std::vector<ElfSymbol> symbols = dynamic == nullptr ? std::vector<ElfSymbol>() : file_.symbols_of(*dynamic);
  std::size_t left = kMostRelocations;
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

}  // namespace steelyard
