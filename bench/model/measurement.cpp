#include "bench/model/measurement.hpp"

namespace steelyard {

std::string_view to_text(CountScope scope) {
  switch (scope) {
    case CountScope::timed_region:
      return "timed region";
    case CountScope::whole_functions:
      return "whole functions";
    case CountScope::whole_program:
      return "whole program";
  }
  return "timed region";
}

std::optional<CountScope> parse_count_scope(std::string_view text) {
  for (const auto scope : {CountScope::timed_region, CountScope::whole_functions, CountScope::whole_program}) {
    if (to_text(scope) == text) return scope;
  }
  return std::nullopt;
}

}  // namespace steelyard
