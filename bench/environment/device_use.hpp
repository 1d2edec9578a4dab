// Whether a program uses a device such as a GPU, as its file tells without running it. Two processes at once would
// share the device, and a tool that simulates the processor cannot run what talks to a device's driver.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace steelyard {

// A program that links its device's libraries statically says it by a section of this name, whatever is in it.
inline constexpr std::string_view kDeviceSection = ".steelyard_device";

// "it links libcublasLt.so.13", "it is marked as a program of a device"; empty: nothing of the kind is seen. A script,
// and a library that is opened at run time, show nothing.
std::string device_use(std::string_view program_bytes);
// The same of a file; empty where it cannot be read.
std::string device_use_of_file(const std::filesystem::path& executable);

}  // namespace steelyard
