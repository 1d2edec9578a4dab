// The conditions under which a count holds. Counts under different keys are not comparable.
#pragma once

#include <string>

#include "bench/counting/collection.hpp"

namespace steelyard {

// "valgrind-3.19.0;glibc 2.36;malloc libc.so.6;cpu x86 7ffafbff ...;tunables pinned;OpenBLAS Haswell": what is not
// known is left out. `link` is the path by which the program was run: a malloc of its own is "malloc of the program".
std::string count_key(const std::string& valgrind_version, const Collection& collection,
                      const std::filesystem::path& link);

}  // namespace steelyard
