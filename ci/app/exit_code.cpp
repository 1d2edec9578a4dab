#include "ci/app/exit_code.hpp"

#include <algorithm>
#include <array>

namespace steelyard {
namespace {

// Worst first: the precedence of the contract. A bug beats all, since it makes every other answer doubtful.
constexpr std::array kWorstFirst{ExitCode::bug,        ExitCode::bad_input,  ExitCode::program_failed,
                                 ExitCode::regression, ExitCode::not_judged, ExitCode::store_away,
                                 ExitCode::success};

auto rank(ExitCode code) { return std::find(kWorstFirst.begin(), kWorstFirst.end(), code); }

}  // namespace

ExitCode worse(ExitCode a, ExitCode b) { return rank(a) < rank(b) ? a : b; }

ExitCode exit_code_of(const Error& error) {
  switch (error.kind) {
    case ErrorKind::input:
      return ExitCode::bad_input;
    case ErrorKind::program:
      return ExitCode::program_failed;
    case ErrorKind::store:
      return ExitCode::store_away;
    case ErrorKind::bug:
      break;
  }
  return ExitCode::bug;
}

}  // namespace steelyard
