#include "ci/app/terminal_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <set>
#include <utility>

#include "bench/model/benchmark_id.hpp"

namespace steelyard::ci {
namespace {

// Select Graphic Rendition codes (ECMA-48, 8.3.117), in the order of Tone.
constexpr std::array<std::string_view, 6> kToneCodes{"", "\x1b[32m", "\x1b[31m", "\x1b[33m", "\x1b[2m", "\x1b[1m"};

// Room for a character on both sides of a gap.
constexpr std::size_t kMinNameColumns = 8;

}  // namespace

std::string paint(std::string_view text, Tone tone, bool color) {
  const std::string_view code = kToneCodes.at(static_cast<std::size_t>(tone));
  if (!color || code.empty() || text.empty()) return std::string(text);
  return std::string(code) + std::string(text) + "\x1b[0m";
}

std::string with_dim_head(std::string_view table, bool color) {
  const std::size_t end = std::min(table.find('\n'), table.size());
  return paint(table.substr(0, end), Tone::dim, color) + std::string(table.substr(end));
}

namespace {

// `line` without what begins a command in the middle of a line: "##[error]", "##vso[task]".
std::string without_commands(std::string_view line) {
  std::string text;
  for (std::size_t at = 0; at < line.size(); ++at) {
    text += line[at];
    if (!line.substr(0, at + 1).ends_with("##")) continue;
    const std::size_t bracket = line.find_first_not_of("abcdefghijklmnopqrstuvwxyz", at + 1);
    if (bracket != std::string_view::npos && line[bracket] == '[') text += ' ';
  }
  return text;
}

// Whether a reader sees nothing there. GitHub's runner trims all that .NET's Char.IsWhiteSpace() says yes to before it
// looks for a command, and its comparison of texts may leave out what the Unicode Standard calls default ignorable.
// Control characters and line breaks are none any more (printable()).
bool is_invisible(std::uint32_t point) {
  struct Range {
    std::uint32_t first, last;
  };
  constexpr Range kInvisible[] = {
      {0x20, 0x20},     {0xa0, 0xa0},     {0xad, 0xad},     {0x34f, 0x34f},   {0x115f, 0x1160},  {0x1680, 0x1680},
      {0x17b4, 0x17b5}, {0x180b, 0x180f}, {0x2000, 0x200d}, {0x202f, 0x202f}, {0x205f, 0x206f},  {0x3000, 0x3000},
      {0x3164, 0x3164}, {0xfe00, 0xfe0f}, {0xfeff, 0xfeff}, {0xffa0, 0xffa0}, {0xe0000, 0xe0fff}};
  return std::any_of(std::begin(kInvisible), std::end(kInvisible),
                     [point](const Range& range) { return point >= range.first && point <= range.last; });
}

// Whether the first two characters that can be seen are colons.
bool begins_as_command(std::string_view line) {
  int colons = 0;
  for (std::size_t at = 0; at < line.size() && colons < 2;) {
    const CodePoint point = code_point_at(line, at);
    if (point.value != ':' && !is_invisible(point.value)) return false;
    colons += point.value == ':' ? 1 : 0;
    at += point.bytes;
  }
  return colons == 2;
}

}  // namespace

std::string log_text(std::string_view text) {
  std::string result;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = without_commands(printable_line(text.substr(begin, end - begin), true));
    result += (begin == 0 ? "" : "\n") + std::string(begins_as_command(line) ? "| " : "") + line;
    begin = end + 1;
  }
  return result;
}

std::string without_device(std::string_view benchmark) {
  constexpr std::string_view kKey = "device=";
  const std::size_t suffix = benchmark.rfind(" [");
  if (suffix == std::string_view::npos || !benchmark.ends_with(']')) return std::string(benchmark);
  const std::size_t at = benchmark.find(kKey, suffix);
  if (at == std::string_view::npos || (benchmark[at - 1] != '[' && benchmark[at - 1] != ',')) {
    return std::string(benchmark);
  }
  // Behind a device stands the dtype or nothing (BenchmarkId::canonical).
  const std::size_t dtype = benchmark.find(",dtype=", at);
  const std::size_t end = dtype == std::string_view::npos ? benchmark.size() - 1 : dtype;
  const bool is_first = benchmark[at - 1] == '[';
  if (is_first && dtype == std::string_view::npos) return std::string(benchmark.substr(0, suffix));
  const std::size_t begin = is_first ? at : at - 1;
  return std::string(benchmark.substr(0, begin)) + std::string(benchmark.substr(is_first ? end + 1 : end));
}

ShownNames::ShownNames(const std::vector<std::string>& benchmarks, const TerminalStyle& style, std::size_t columns) {
  const std::set<std::string> different(benchmarks.begin(), benchmarks.end());
  const std::vector<std::string> canonical(different.begin(), different.end());
  const auto written = [&](bool with_device) {
    std::vector<std::string> names;
    for (const std::string& benchmark : canonical) {
      names.push_back(printable(name_as_given(with_device ? benchmark : without_device(benchmark)), style.unicode));
    }
    return names;
  };
  std::vector<std::string> names = written(false);
  // Where the device is what tells two benchmarks apart it stays.
  if (std::set<std::string>(names.begin(), names.end()).size() < names.size()) names = written(true);
  const std::size_t most = style.cuts_names ? std::max(columns, kMinNameColumns) : kWholeNameColumns;
  names = shortened_apart(names, most, style.unicode);
  for (std::size_t i = 0; i < names.size(); ++i) {
    columns_ = std::max(columns_, columns_of(names[i]));
    shown_.emplace(canonical[i], std::move(names[i]));
  }
}

const std::string& ShownNames::of(const std::string& benchmark) const { return shown_.at(benchmark); }

}  // namespace steelyard::ci
