#include "bench/model/measurement.hpp"

#include <array>

namespace steelyard {
namespace {
constexpr std::array<std::string_view, 3> kScopeTexts{"timed region", "whole functions", "whole program"};
constexpr std::array<std::string_view, 3> kOriginWords{"counted", "reused", "equal program"};
}  // namespace

std::string_view to_text(CountScope scope) { return kScopeTexts.at(static_cast<std::size_t>(scope)); }
std::span<const std::string_view> words_of(CountScope) { return kScopeTexts; }

std::span<const std::string_view> words_of(CountOrigin) { return kOriginWords; }

}  // namespace steelyard
