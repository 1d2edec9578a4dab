// A symbol of a program as people read it: "_ZN1a1bEi" becomes "a::b(int)". The names of a stranger's program are his
// to choose, and a name of C++ refers to its own parts: one of a few hundred bytes can stand for gigabytes. So there is
// a bound, beyond which a name stays as it is; the one place in the program that demangles what it reads from a file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace steelyard::bench {

// Of 153,146 names of LLVM 14, Clang 14 and our own programs and tests the longest takes 7,825 bytes.
inline constexpr std::size_t kLongestReadableName = std::size_t{64} << 10;

// What is no mangled name of C++ comes back as it is; so does a name above 1,024 bytes, one whose readable form would
// be above kLongestReadableName, and one whose form may take above a tenth of a second to find. Bounded time and memory
// for any bytes. The form is that of GNU libiberty, by which Callgrind and the tools of GNU name functions.
std::string readable_symbol(std::string_view symbol);

}  // namespace steelyard::bench
