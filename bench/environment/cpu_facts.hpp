// What processor this is, as the kernel tells it: model, features, cores, threads, governor, turbo, hypervisor.
#pragma once

#include <filesystem>

#include "bench/model/environment.hpp"

namespace steelyard {

// Sets the cpu.* facts and `hypervisor`; leaves out what the files under `root` do not say.
void add_cpu_facts(const std::filesystem::path& root, Environment& environment);

}  // namespace steelyard
