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

}  // namespace steelyard
