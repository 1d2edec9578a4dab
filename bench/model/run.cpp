#include "bench/model/run.hpp"

#include <array>

namespace steelyard {
namespace {
constexpr std::array<std::string_view, 4> kLayoutTexts{"interleaved", "duet", "sequential", "separate"};
}  // namespace

std::string_view to_text(Layout layout) { return kLayoutTexts.at(static_cast<std::size_t>(layout)); }

std::span<const std::string_view> words_of(Layout) { return kLayoutTexts; }

std::optional<Layout> parse_layout(std::string_view text) { return parse_word<Layout>(text); }

}  // namespace steelyard
