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

const char* const kExitCodeTable =
    "Exit status:\n"
    "   0  nothing regressed\n"
    "   1  a regression, or a missed target\n"
    "   2  something that should have been judged was not, or the measuring was interrupted\n"
    "   3  the input or the configuration is wrong\n"
    "   4  the measured program failed, or its build\n"
    "   5  the store could not be reached: the run is kept in the spool\n"
    "  70  a mistake of steelyard's own\n"
    "Where several apply: 3, 4, 1, 2, 5.\n";

ExitCode worse(ExitCode a, ExitCode b) { return rank(a) < rank(b) ? a : b; }

ExitCode exit_code_of(const Error& error) {
  switch (error.kind) {
    case ErrorKind::input:
      return ExitCode::bad_input;
    case ErrorKind::program:
    case ErrorKind::budget:
      return ExitCode::program_failed;
    case ErrorKind::store:
      return ExitCode::store_away;
    case ErrorKind::bug:
      break;
  }
  return ExitCode::bug;
}

}  // namespace steelyard
