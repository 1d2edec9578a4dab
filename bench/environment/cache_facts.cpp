#include "bench/environment/cache_facts.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "bench/environment/system_file.hpp"

namespace steelyard {
namespace {

// "32K", "16M", "512": bytes.
std::optional<std::int64_t> parse_cache_size(std::string_view text) {
  std::int64_t unit = 1;
  if (text.ends_with('K')) unit = std::int64_t{1} << 10;
  if (text.ends_with('M')) unit = std::int64_t{1} << 20;
  if (unit != 1) text.remove_suffix(1);
  const auto number = parse_number(text);
  if (!number || *number <= 0 || *number > (std::int64_t{1} << 32)) return std::nullopt;
  return *number * unit;
}

}  // namespace

void add_cache_facts(const std::filesystem::path& root, Environment& environment) {
  constexpr int kMostCaches = 10;  // index0 to index9; machines have four or five
  const std::filesystem::path folder = root / "sys/devices/system/cpu";
  std::map<std::string, std::set<std::int64_t>> sizes;
  std::int64_t last_level = 0;
  std::size_t last_level_threads = 0;
  for (const int core : parse_core_list(read_system_file(folder / "online").value_or(""))) {
    for (int index = 0; index < kMostCaches; ++index) {
      const std::filesystem::path cache =
          folder / ("cpu" + std::to_string(core)) / "cache" / ("index" + std::to_string(index));
      const auto level = read_system_number(cache / "level");
      if (!level) break;
      const std::string type = read_system_file(cache / "type").value_or("");
      const auto size = parse_cache_size(read_system_file(cache / "size").value_or(""));
      if (!size || *level < 1 || *level > 9) continue;
      const std::string suffix = type == "Data" ? "d" : type == "Instruction" ? "i" : "";
      sizes["cpu.cache.l" + std::to_string(*level) + (*level == 1 ? suffix : "")].insert(*size);
      if (*level < last_level || type == "Instruction") continue;
      if (*level > last_level) last_level_threads = 0;
      last_level = *level;
      const auto sharing = parse_core_list(read_system_file(cache / "shared_cpu_list").value_or(""));
      last_level_threads = std::max(last_level_threads, sharing.size());
    }
  }
  for (const auto& [name, values] : sizes) {
    std::string text;
    for (const std::int64_t value : values) text += (text.empty() ? "" : "+") + std::to_string(value);
    environment.set(name, text, false);
  }
  if (last_level_threads > 0) {
    environment.set("cpu.cache.last_level_threads", std::to_string(last_level_threads), false);
  }
}

}  // namespace steelyard
