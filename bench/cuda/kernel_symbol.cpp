#include "bench/cuda/kernel_symbol.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace steelyard::cuda {
namespace {

// Where the parameters begin: the first "(" outside of every "<", after the name itself. "(anonymous namespace)" is no
// list of parameters, and "operator()" is a name.
std::size_t parameters_begin(std::string_view text) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<') ++depth;
    if (text[i] == '>') --depth;
    if (text[i] != '(' || depth > 0) continue;
    if (text.substr(i).starts_with(kAnonymous)) {
      i += kAnonymous.size() - 1;
    } else if (text.substr(0, i).ends_with("operator") && text.substr(i).starts_with("()")) {
      ++i;
    } else {
      return i;
    }
  }
  return text.size();
}

// After the last blank outside of brackets; instances of templates come with their result before the name.
std::size_t name_begin(std::string_view text) {
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<' || text[i] == '(') ++depth;
    if (text[i] == '>' || text[i] == ')') --depth;
    if (text[i] == ' ' && depth == 0) begin = i + 1;
  }
  return begin;
}

// nvcc names an unnamed namespace after its file and a hash, another one in each build; demangled all are the same, and
// say nothing.
std::string without_unnamed_namespaces(std::string name) {
  constexpr std::string_view kUnnamed = "(anonymous namespace)::";
  for (std::size_t at = name.find(kUnnamed); at != std::string::npos; at = name.find(kUnnamed, at)) {
    name.erase(at, kUnnamed.size());
  }
  return name;
}

}  // namespace

std::string readable_kernel_name(const std::string& symbol) {
  std::string name = symbol;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> demangled(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                         std::free);
  if (status == 0 && demangled != nullptr) {
    const std::string_view whole(demangled.get());
    const std::string_view front = whole.substr(0, parameters_begin(whole));
    name = without_unnamed_namespaces(std::string(front.substr(name_begin(front))));
  }
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ';' || static_cast<unsigned char>(c) < 0x20; }, '_');
  return name;
}

}  // namespace steelyard::cuda
