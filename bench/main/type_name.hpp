// A name for a type in the identity of a benchmark: arithmetic types by their width, equal with every compiler
// ("float", "int32", "uint8"); others as the compiler spells them.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

namespace steelyard {

template <class T>
constexpr std::string_view function_name_with_type() {
  return __PRETTY_FUNCTION__;
}

template <class T>
std::string type_name() {
  if constexpr (std::is_same_v<T, bool>) return "bool";
  if constexpr (std::is_same_v<T, char>) return "char";
  if constexpr (std::is_integral_v<T>) return (std::is_signed_v<T> ? "int" : "uint") + std::to_string(8 * sizeof(T));
  // What surrounds a known type in the compiler's text surrounds every other.
  constexpr std::string_view kKnown = function_name_with_type<void>();
  constexpr std::size_t kBefore = kKnown.find("void");
  constexpr std::size_t kAfter = kKnown.size() - kBefore - 4;
  constexpr std::string_view kName = function_name_with_type<T>();
  return std::string(kName.substr(kBefore, kName.size() - kBefore - kAfter));
}

}  // namespace steelyard
