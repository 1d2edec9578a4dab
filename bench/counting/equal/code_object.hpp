// A program file as far as its code is concerned: its functions by the names that Callgrind gives them, and what an
// address in it stands for, in words that another build of the same source would use too.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bench/environment/elf_file.hpp"
#include "bench/environment/mapped_file.hpp"
#include "bench/model/result.hpp"

namespace steelyard {

struct CodeFunction {
  std::string symbol;  // as linked
  std::uint64_t address = 0;
  std::string_view code;
};

class CodeObject {
 public:
  // Error (input): it cannot be read, is no 64-bit ELF program, has no symbols or above a million.
  static Result<CodeObject> open(const std::filesystem::path& path);

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
  void read_symbols();
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

}  // namespace steelyard
