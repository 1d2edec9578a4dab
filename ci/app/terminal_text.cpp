#include "ci/app/terminal_text.hpp"

#include <array>

namespace steelyard {
namespace {

// Select Graphic Rendition codes (ECMA-48, 8.3.117), in the order of Tone.
constexpr std::array<std::string_view, 6> kToneCodes{"", "\x1b[32m", "\x1b[31m", "\x1b[33m", "\x1b[2m", "\x1b[1m"};

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

}  // namespace steelyard
