// Which very file was measured and how it was built, as facts that are recorded and never decide comparability.
#pragma once

#include <filesystem>

#include "bench/model/environment.hpp"
#include "bench/runner/program.hpp"

namespace steelyard {

// Sets program.bytes and program.sha256, and of an ELF program what add_binary_facts sets; leaves them out where the
// file cannot be read, or is above 4 GiB.
void add_program_facts(const std::filesystem::path& executable, Environment& environment);
// The same, and program.preload where the program runs with LD_PRELOAD: an allocator preloaded is the one in force.
void add_program_facts(const Program& program, Environment& environment);

}  // namespace steelyard
