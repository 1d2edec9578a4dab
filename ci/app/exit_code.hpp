// The exit statuses of every verb: an interface that others script against.
#pragma once

#include "bench/model/result.hpp"

namespace steelyard {

enum class ExitCode : int {
  success = 0,
  regression = 1,  // a regression or a missed target
  not_judged = 2,  // something that should have been judged was not
  bad_input = 3,   // the user's input or configuration is wrong
  program_failed = 4,
  store_away = 5,  // the run is kept in the spool
  bug = 70,
};

// Precedence where several apply: 3, 4, 1, 2, 5 (a bug beats all).
ExitCode worse(ExitCode a, ExitCode b);
ExitCode exit_code_of(const Error& error);

extern const char* const kExitCodeTable;  // what each of them means, for the help

}  // namespace steelyard
