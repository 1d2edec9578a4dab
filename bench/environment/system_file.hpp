// Reading the small text files under /proc and /sys.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard::bench {

// Content without the blanks at its ends, 16 MiB at most; absent where it cannot be read.
std::optional<std::string> read_system_file(const std::filesystem::path& file);
// A whole file that is one decimal number; absent otherwise.
std::optional<std::int64_t> read_system_number(const std::filesystem::path& file);

// "madvise" of "always [madvise] never", as the kernel writes choices; any other text is its own choice.
std::string_view chosen_of(std::string_view text);
std::vector<std::string_view> lines_of(std::string_view text);
// All of it has to be a decimal number.
std::optional<std::int64_t> parse_number(std::string_view text);
// "0-3,8": 0 1 2 3 8, ascending as listed; empty where it is no such list. 65536 entries at most.
std::vector<int> parse_core_list(std::string_view text);

// How much memory there is, free or swapped: the fields of /proc/meminfo.

// Bytes of a field such as "MemTotal" or "SwapFree"; absent where the file does not say them in kB.
std::optional<std::int64_t> memory_info_bytes(const std::filesystem::path& root, std::string_view field);

// Time that the hypervisor gave to others while this machine wanted to run.

struct ProcessorTime {
  std::int64_t total_ticks = 0;  // of all threads since boot: whatever they did
  std::int64_t idle_ticks = 0;   // with waiting for devices
  std::int64_t steal_ticks = 0;
};

// The first line of /proc/stat; absent where it cannot be read or has no steal time.
std::optional<ProcessorTime> read_processor_time(const std::filesystem::path& root = "/");

// Stolen of the time between the two that was not idle, 0 to 1; absent where nothing passed.
std::optional<double> steal_share(const ProcessorTime& before, const ProcessorTime& after);

}  // namespace steelyard::bench
