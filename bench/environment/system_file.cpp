#include "bench/environment/system_file.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>

namespace steelyard {

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

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks(" \t\r\n\0", 5);
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
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

std::optional<std::int64_t> parse_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<int> parse_core_list(std::string_view text) {
  constexpr std::int64_t kMost = 65536;
  std::vector<int> cores;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view part = trimmed(text.substr(0, comma));
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    const std::size_t dash = part.find('-');
    const auto first = parse_number(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_number(part.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last >= kMost) return {};
    for (std::int64_t core = *first; core <= *last; ++core) cores.push_back(static_cast<int>(core));
    if (cores.size() > kMost) return {};
  }
  return cores;
}

}  // namespace steelyard
