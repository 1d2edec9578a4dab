// Which very file was measured: its size and SHA-256, as facts that are recorded and never decide comparability.
#pragma once

#include <filesystem>

#include "bench/model/environment.hpp"

namespace steelyard {

// Sets program.bytes and program.sha256; leaves them out where the file cannot be read, or is above 4 GiB.
void add_program_facts(const std::filesystem::path& executable, Environment& environment);

}  // namespace steelyard
