#include "bench/environment/system_file.hpp"

#include <algorithm>
#include <fstream>

#include "bench/model/parse_number.hpp"
#include "bench/model/text.hpp"

namespace steelyard::bench {

std::optional<std::string> read_system_file(const std::filesystem::path& file) {
  constexpr std::size_t kLargest = std::size_t{16} << 20;  // /proc/cpuinfo takes some 2 KiB a thread
  constexpr std::size_t kChunk = 4096;                     // holds all of nearly every such file
  std::error_code failure;
  if (std::filesystem::is_directory(file, failure)) return std::nullopt;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return std::nullopt;
  std::string content;
  while (stream && content.size() < kLargest) {
    const std::size_t before = content.size();
    content.resize(before + std::max(kChunk, before));
    stream.read(content.data() + before, static_cast<std::streamsize>(content.size() - before));
    content.resize(before + static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad()) return std::nullopt;
  return std::string(trimmed(content));
}

std::optional<std::int64_t> read_system_number(const std::filesystem::path& file) {
  const std::optional<std::string> content = read_system_file(file);
  return content ? parse_number(*content) : std::nullopt;
}

std::string_view chosen_of(std::string_view text) {
  const std::size_t open = text.find('[');
  const std::size_t close = text.find(']');
  const bool marked = open < close && close != std::string_view::npos;
  return marked ? text.substr(open + 1, close - open - 1) : text;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::optional<std::int64_t> parse_number(std::string_view text) { return parse_as<std::int64_t>(text); }

std::vector<int> parse_core_list(std::string_view text) {
  constexpr std::int64_t kMax = 65536;
  std::vector<int> cores;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view part = trimmed(text.substr(0, comma));
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    const std::size_t dash = part.find('-');
    const auto first = parse_number(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_number(part.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last >= kMax) return {};
    for (std::int64_t core = *first; core <= *last; ++core) cores.push_back(static_cast<int>(core));
    if (cores.size() > kMax) return {};
  }
  return cores;
}

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

}  // namespace steelyard::bench
