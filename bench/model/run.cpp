#include "bench/model/run.hpp"

#include <array>
#include <utility>

namespace steelyard {
namespace {
constexpr std::array<std::string_view, 4> kLayoutTexts{"interleaved", "duet", "sequential", "separate"};

constexpr const char* kStoppedSetting = "stopped";
constexpr std::array<std::pair<Stop, std::string_view>, 2> kStopTexts{
    {{Stop::budget_spent, "budget spent"}, {Stop::interrupted, "interrupted"}}};

constexpr std::array<std::pair<FailureKind, std::string_view>, 3> kOpenings{
    {{FailureKind::not_reached, "not reached: "},
     {FailureKind::bad_record, "bad record "},
     {FailureKind::skipped, "the benchmark was skipped"}}};
}  // namespace

std::string_view to_text(Layout layout) { return kLayoutTexts.at(static_cast<std::size_t>(layout)); }

std::span<const std::string_view> words_of(Layout) { return kLayoutTexts; }

std::optional<Layout> parse_layout(std::string_view text) { return parse_word<Layout>(text); }

void keep_stop(Stop stop, int rounds, std::map<std::string, std::string>& settings) {
  for (const auto& [known, text] : kStopTexts) {
    if (known == stop) settings[kStoppedSetting] = std::string(text) + " after " + std::to_string(rounds) + " rounds";
  }
}

Stop stop_of(const RunHeader& header) {
  const auto setting = header.settings.find(kStoppedSetting);
  if (setting == header.settings.end()) return Stop::none;
  return setting->second.starts_with(kStopTexts[1].second) ? Stop::interrupted : Stop::budget_spent;
}

std::string opening_of(FailureKind kind) {
  for (const auto& [known, opening] : kOpenings) {
    if (known == kind) return std::string(opening);
  }
  return "";
}

FailureKind read_failure_kind(std::string_view reason) {
  for (const auto& [kind, opening] : kOpenings) {
    if (reason.starts_with(opening)) return kind;
  }
  return FailureKind::failed;
}

}  // namespace steelyard
