#include "ci/app/terminal_text.hpp"

#include <algorithm>
#include <array>
#include <set>

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
  if (style.cuts_names) names = shortened_apart(names, std::max(columns, kMinNameColumns), style.unicode);
  for (std::size_t i = 0; i < names.size(); ++i) {
    columns_ = std::max(columns_, columns_of(names[i]));
    shown_.emplace(canonical[i], std::move(names[i]));
  }
}

const std::string& ShownNames::of(const std::string& benchmark) const { return shown_.at(benchmark); }

}  // namespace steelyard::ci
