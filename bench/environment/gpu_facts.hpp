// Which graphics processors there are and which driver runs them, from files alone; no library of a vendor is opened.
#pragma once

#include <filesystem>
#include <string_view>

#include "bench/model/environment.hpp"

namespace steelyard {

// All facts of a device are named so, whoever tells them: files, or the program that used it.
inline constexpr std::string_view kGpuFacts = "gpu.";
inline constexpr std::string_view kGpuDevice = "gpu.device";
inline constexpr std::string_view kGpuUuid = "gpu.uuid";  // only a program says it

// Which of them make two runs incomparable: gpu.device, .uuid, .mig, .driver, .ecc, .power_limit_watts, .clock_policy
// and .max_memory_clock_hz. Not the runtime and the libraries, which belong to the build, and not what follows from the
// device (its memory, its multiprocessors).
bool is_decisive_gpu_fact(std::string_view name);

// The facts of the device that a program says it used, in place of those that files tell: these name all devices of
// the machine.
void take_device_facts(const Environment& told, Environment& environment);

// Decisive where a GPU of NVIDIA, AMD or Intel is present: gpu.device ("2 x NVIDIA A100"), gpu.driver, gpu.ecc and
// gpu.power_limit_watts where the files say them (AMD's and Intel's do; NVIDIA's tells them through its library only).
// A plain display adapter, as virtual machines have, is none.
void add_gpu_facts(const std::filesystem::path& root, Environment& environment);

}  // namespace steelyard
