#include "ci/app/version.hpp"

namespace steelyard {

// STEELYARD_VERSION is the project's version in CMakeLists.txt.
const char* const kToolName = "steelyard " STEELYARD_VERSION;

const char* const kExitCodeTable =
    "Exit status:\n"
    "   0  nothing regressed\n"
    "   1  a regression, or a missed target\n"
    "   2  something that should have been judged was not, or the measuring was interrupted\n"
    "   3  the input or the configuration is wrong\n"
    "   4  the measured program failed, or its build\n"
    "   5  the store could not be reached: the run is kept in the spool\n"
    "  70  a mistake of steelyard's own\n"
    "Where several apply: 3, 4, 1, 2, 5.\n"
    "\n"
    "Example:\n"
    "  steelyard ab ./build-old/bench ./build-new/bench";

}  // namespace steelyard
