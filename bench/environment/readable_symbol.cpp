#include "bench/environment/readable_symbol.hpp"

// Without this libiberty's header declares basename(), otherwise than <cstring> does.
#define HAVE_DECL_BASENAME 1
#include <libiberty/demangle.h>

#include <algorithm>
#include <csetjmp>

namespace steelyard::bench {
namespace {

// The demangler takes no longer ones (twice as many parts as letters, of which it has a limit); nor does that of
// libstdc++.
constexpr std::size_t kLongestMangledName = DEMANGLE_RECURSION_LIMIT / 2;
// To learn the length of a pack, the demangler looks through its pattern, and through what that refers to as often as
// it refers to it, without a memory of where it has been. So many references at most triple it a third as often: 6,561
// times. Of 7,295 names with packs (readable_symbol.hpp) two have 25, the others no more than these.
constexpr std::size_t kMaxReferencesWithPacks = 24;
// Of a conversion to a template's parameter it reads what follows twice, and conversions can lie within each other.
// Real names have one at most.
constexpr std::size_t kMaxConversions = 8;

// Letters within a word count as well: too often, never too rarely.
std::size_t count(std::string_view text, std::string_view word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

// "S_", "S0_", "S1A_": to an earlier part of the name.
std::size_t count_references(std::string_view name) {
  std::size_t found = 0;
  for (std::size_t at = name.find('S'); at != std::string_view::npos; at = name.find('S', at + 1)) {
    const std::size_t end = name.find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", at + 1);
    if (end != std::string_view::npos && name[end] == '_') ++found;
  }
  return found;
}

// Whether the work is in proportion to what is written: all else that the demangler does writes a letter for each step
// or few.
bool is_bounded_by_its_output(std::string_view name) {
  if (name.size() > kLongestMangledName || count(name, "cv") > kMaxConversions) return false;
  constexpr std::string_view kOfPacks[] = {"Dp", "sp", "sZ", "sP"};
  const bool has_packs = std::any_of(std::begin(kOfPacks), std::end(kOfPacks),
                                     [&](std::string_view word) { return name.find(word) != std::string_view::npos; });
  return !has_packs || count_references(name) <= kMaxReferencesWithPacks;
}

struct Output {
  std::string text;
  std::jmp_buf beyond;
};

extern "C" void append_to_output(const char* text, std::size_t size, void* output) {
  auto& to = *static_cast<Output*>(output);
  if (size > kLongestReadableName - to.text.size()) std::longjmp(to.beyond, 1);
  to.text.append(text, size);
}

// The demangler hands over what it has written piece by piece, and knows no other way to stop than to be left: it holds
// no memory but its stack. False: left, or no mangled name.
bool demangle_into(Output& output, const std::string& name) {
  if (setjmp(output.beyond) != 0) return false;
  return cplus_demangle_v3_callback(name.c_str(), DMGL_PARAMS | DMGL_TYPES, append_to_output, &output) != 0;
}

}  // namespace

std::string readable_symbol(std::string_view symbol) {
  std::string name(symbol);
  if (!symbol.starts_with("_Z") || !is_bounded_by_its_output(symbol)) return name;
  Output output;
  output.text.reserve(256);
  return demangle_into(output, name) ? std::move(output.text) : name;
}

}  // namespace steelyard::bench
