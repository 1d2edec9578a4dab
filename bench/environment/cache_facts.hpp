// The processor's caches, as the kernel lists them under each core.
#pragma once

#include <filesystem>

#include "bench/model/environment.hpp"

namespace steelyard {

// cpu.cache.l1d, .l1i, .l2, .l3 in bytes of one cache ("32768+65536" where cores differ), and the largest number of
// threads that share a last-level cache as cpu.cache.last_level_threads. Never decisive: the CPU model implies them.
void add_cache_facts(const std::filesystem::path& root, Environment& environment);

}  // namespace steelyard
