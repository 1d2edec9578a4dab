#include "bench/environment/steal_time.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "bench/environment/system_file.hpp"

namespace steelyard {

std::optional<ProcessorTime> read_processor_time(const std::filesystem::path& root) {
  const std::string text = read_system_file(root / "proc/stat").value_or("");
  // "cpu  user nice system idle iowait irq softirq steal guest guest_nice": guest times are in user and nice already.
  constexpr int kIdle = 3;
  constexpr int kWaiting = 4;
  constexpr int kSteal = 7;
  std::string_view line = std::string_view(text).substr(0, text.find('\n'));
  if (!line.starts_with("cpu ")) return std::nullopt;
  line.remove_prefix(4);
  ProcessorTime time;
  for (int field = 0; field <= kSteal; ++field) {
    line = trimmed(line);
    const std::size_t end = std::min(line.find(' '), line.size());
    const auto ticks = parse_number(line.substr(0, end));
    if (!ticks || *ticks < 0 || *ticks > (std::int64_t{1} << 56)) return std::nullopt;
    time.total_ticks += *ticks;
    if (field == kIdle || field == kWaiting) time.idle_ticks += *ticks;
    if (field == kSteal) time.steal_ticks = *ticks;
    line.remove_prefix(end);
  }
  return time;
}

std::optional<double> steal_share(const ProcessorTime& before, const ProcessorTime& after) {
  const std::int64_t busy = (after.total_ticks - after.idle_ticks) - (before.total_ticks - before.idle_ticks);
  const std::int64_t stolen = after.steal_ticks - before.steal_ticks;
  if (busy <= 0 || stolen < 0 || stolen > busy) return std::nullopt;
  return static_cast<double>(stolen) / static_cast<double>(busy);
}

}  // namespace steelyard
