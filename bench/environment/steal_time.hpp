// Time that the hypervisor gave to others while this machine wanted to run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace steelyard {

struct ProcessorTime {
  std::int64_t total_ticks = 0;  // of all threads since boot: whatever they did
  std::int64_t idle_ticks = 0;   // with waiting for devices
  std::int64_t steal_ticks = 0;
};

// The first line of /proc/stat; absent where it cannot be read or has no steal time.
std::optional<ProcessorTime> read_processor_time(const std::filesystem::path& root = "/");

// Stolen of the time between the two that was not idle, 0 to 1; absent where nothing passed.
std::optional<double> steal_share(const ProcessorTime& before, const ProcessorTime& after);

}  // namespace steelyard
