// Which graphics processors there are and which driver runs them, from files alone; no library of a vendor is opened.
#pragma once

#include <filesystem>

#include "bench/model/environment.hpp"

namespace steelyard {

// Decisive where a GPU of NVIDIA, AMD or Intel is present: gpu.device ("2 x NVIDIA A100"), gpu.driver, gpu.ecc and
// gpu.power_limit_watts where the files say them (AMD's and Intel's do; NVIDIA's tells them through its library only).
// A plain display adapter, as virtual machines have, is none.
void add_gpu_facts(const std::filesystem::path& root, Environment& environment);

}  // namespace steelyard
