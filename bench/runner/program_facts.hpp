// Which very file was measured and how it was built, and how it would come by pages of its own, as facts that never
// decide comparability.
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

// What a measurement here could do for fresh pages (fresh_copy.hpp), found out by doing it once. Sets copies.folder and
// copies.execution ("allowed" or "forbidden"), or copies.obstacle where there is no such folder. Of `program`, where it
// is not null, program.pages ("copied", "reread", "kept"), with program.pages_reason where it is not copied, and
// program.copy and program.renewal, what is copied and how long that takes.
void add_copy_facts(const Program* program, Environment& environment);

}  // namespace steelyard
