#include "regress/ab/rules.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "regress/ab/steady_digits.hpp"

namespace steelyard::regress {
namespace {

// By Rules.
constexpr std::array<std::string_view, static_cast<std::size_t>(kNewestRules) + 1> kRuleVersions{
    "rounds-2", "rounds-3", "rounds-4", "rounds-5", "rounds-6", "rounds-7"};

}  // namespace

std::string_view to_text(Rules rules) { return kRuleVersions.at(static_cast<std::size_t>(rules)); }

Rules rules_of(std::string_view rule_version) {
  const std::size_t number = rule_version.rfind('-');
  if (number == std::string_view::npos) return kNewestRules;
  for (std::size_t i = 0; i < kRuleVersions.size(); ++i) {
    const std::string_view known = kRuleVersions.at(i);
    if (known.substr(known.rfind('-')) == rule_version.substr(number)) return static_cast<Rules>(i);
  }
  return kNewestRules;
}

Interval minimum_effect_band(double effect, Rules rules) {
  if (rules < Rules::rounds_7) return {1 - effect, 1 + effect};
  return {steady(1 - effect), steady(1 + effect)};
}

bool is_relevant(double ratio, double effect, Rules rules) {
  if (rules < Rules::rounds_7) return std::fabs(ratio - 1) >= effect;
  return is_beyond({ratio, ratio}, effect, rules);
}

bool is_beyond(const Interval& interval, double effect, Rules rules) {
  const Interval band = minimum_effect_band(effect, rules);
  return steady(interval.low) >= band.high || steady(interval.high) <= band.low;
}

}  // namespace steelyard::regress
