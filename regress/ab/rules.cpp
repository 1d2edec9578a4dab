#include "regress/ab/rules.hpp"

#include <algorithm>
#include <cmath>

#include "regress/ab/steady_digits.hpp"

namespace steelyard::regress {

std::string_view to_text(Rules rules) {
  switch (rules) {
    case Rules::rounds_2:
      return "rounds-2";
    case Rules::rounds_3:
      return "rounds-3";
    case Rules::rounds_4:
      return "rounds-4";
    case Rules::rounds_5:
      return "rounds-5";
    case Rules::rounds_6:
      return "rounds-6";
    case Rules::rounds_7:
      break;
  }
  return "rounds-7";
}

Rules rules_of(std::string_view rule_version) {
  const std::string_view number = rule_version.substr(std::min(rule_version.size(), rule_version.rfind('-')));
  if (number == "-2") return Rules::rounds_2;
  if (number == "-3") return Rules::rounds_3;
  if (number == "-4") return Rules::rounds_4;
  if (number == "-5") return Rules::rounds_5;
  return number == "-6" ? Rules::rounds_6 : kNewestRules;
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
