// Name and version of this program, and what its exit statuses mean: one place for the help and for every run's header.
#pragma once

namespace steelyard {

extern const char* const kToolName;  // "steelyard 0.1.0"
extern const char* const kExitCodeTable;

}  // namespace steelyard
