#include "bench/environment/memory_info.hpp"

#include <string>

#include "bench/environment/system_file.hpp"

namespace steelyard {

std::optional<std::int64_t> memory_info_bytes(const std::filesystem::path& root, std::string_view field) {
  const std::string text = read_system_file(root / "proc/meminfo").value_or("");
  for (const std::string_view line : lines_of(text)) {  // "MemTotal:       16384256 kB"
    if (!line.starts_with(field) || line.substr(field.size(), 1) != ":") continue;
    std::string_view amount = trimmed(line.substr(field.size() + 1));
    if (!amount.ends_with(" kB")) return std::nullopt;
    amount.remove_suffix(3);
    const auto kibibytes = parse_number(trimmed(amount));
    if (!kibibytes || *kibibytes < 0 || *kibibytes > (std::int64_t{1} << 50)) return std::nullopt;
    return *kibibytes << 10;
  }
  return std::nullopt;
}

}  // namespace steelyard
