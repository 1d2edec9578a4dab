// Which graphics processors there are and which driver runs them, from files alone; no library of a vendor is opened.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "bench/model/environment.hpp"

namespace steelyard::bench {

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

// Whether a program uses a device such as a GPU, as its file tells without running it. Two processes at once would
// share the device, and a tool that simulates the processor cannot run what talks to a device's driver.

// A program that links its device's libraries statically says it by a section of this name, whatever is in it.
inline constexpr std::string_view kDeviceSection = ".steelyard_device";

// "it links libcublasLt.so.13", "it is marked as a program of a device"; empty: nothing of the kind is seen. A script,
// and a library that is opened at run time, show nothing.
std::string device_use(std::string_view program_bytes);
// device_use() of a file; empty where it cannot be read.
std::string device_use_of_file(const std::filesystem::path& executable);

}  // namespace steelyard::bench
