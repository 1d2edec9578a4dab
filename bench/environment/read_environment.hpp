// Finds out what machine this is: CPU, topology, memory, hypervisor, kernel, governor, libc, load.
#pragma once

#include <filesystem>

#include "bench/model/environment.hpp"

namespace steelyard::bench {

// `root` is "/" but in tests, where it holds a copy of the few files under /proc and /sys that are read. A file that is
// absent leaves its fact out. Decisive facts: docs/reference/verdicts.md, "Fingerprint".
Environment read_environment(const std::filesystem::path& root = "/");

}  // namespace steelyard::bench
