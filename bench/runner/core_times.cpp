#include "bench/runner/core_times.hpp"

#include <unistd.h>

#include <array>
#include <string>

#include "bench/environment/system_file.hpp"

namespace steelyard {
namespace {

// The next word of the line, and the line without it.
std::string_view next_word(std::string_view& line) {
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t end = std::min(line.find(' ', begin), line.size());
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

}  // namespace

std::int64_t tick_ns() {
  const long ticks = ::sysconf(_SC_CLK_TCK);
  return ticks > 0 ? 1'000'000'000 / ticks : 10'000'000;
}

std::optional<CoreTimes> core_times_in(std::string_view stat, int core, std::int64_t tick_ns) {
  const std::string wanted = core < 0 ? "cpu" : "cpu" + std::to_string(core);
  for (std::string_view line : lines_of(stat)) {
    if (next_word(line) != wanted) continue;
    // user nice system idle iowait irq softirq steal
    std::array<std::int64_t, 8> ticks{};
    for (std::int64_t& count : ticks) {
      const auto number = parse_number(next_word(line));
      if (!number || *number < 0) return std::nullopt;
      count = *number;
    }
    return CoreTimes{(ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6]) * tick_ns, ticks[7] * tick_ns};
  }
  return std::nullopt;
}

std::optional<CoreTimes> read_core_times(int core, const std::filesystem::path& root) {
  const auto stat = read_system_file(root / "proc/stat");
  return stat ? core_times_in(*stat, core, tick_ns()) : std::nullopt;
}

std::optional<std::int64_t> migrations_in(std::string_view sched) {
  for (std::string_view line : lines_of(sched)) {
    if (next_word(line) != "se.nr_migrations") continue;
    if (next_word(line) != ":") return std::nullopt;
    return parse_number(next_word(line));
  }
  return std::nullopt;
}

std::optional<std::int64_t> migrations_of(pid_t process) {
  const auto sched = read_system_file(std::filesystem::path("/proc") / std::to_string(process) / "sched");
  return sched ? migrations_in(*sched) : std::nullopt;
}

}  // namespace steelyard
