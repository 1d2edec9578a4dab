// The conditions under which a count holds. Counts under different keys are not comparable.
#pragma once

#include <string>

#include "bench/counting/collection.hpp"

namespace steelyard {

// "valgrind-3.19.0;glibc 2.36 9a1b...;malloc libc.so.6 9a1b...;cpu x86 7ffafbff ...;libc routines 5d0c...;OpenBLAS
// Haswell": what is not known is left out. The build id of an allocator is a condition only where the system installed
// it. `link` is the path by which the program was run: a malloc of its own is "malloc of the program".
std::string count_key(const std::string& valgrind_version, const Collection& collection,
                      const std::filesystem::path& link);

}  // namespace steelyard
