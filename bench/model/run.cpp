#include "bench/model/run.hpp"

#include <array>

namespace steelyard {
namespace {
constexpr std::array<std::string_view, 4> kLayoutTexts{"interleaved", "duet", "sequential", "separate"};
}  // namespace

std::string_view to_text(Layout layout) { return kLayoutTexts.at(static_cast<std::size_t>(layout)); }

std::optional<Layout> parse_layout(std::string_view text) {
  for (std::size_t i = 0; i < kLayoutTexts.size(); ++i) {
    if (kLayoutTexts[i] == text) return static_cast<Layout>(i);
  }
  return std::nullopt;
}

}  // namespace steelyard
