// How long the embedded server may stay unused, and the file by which its keeper learns that it is used. The keeper
// sees connected clients by itself; a command that is done between two of its looks it sees by this file.
//
//     STEELYARD_TRY(const auto allowed, allowed_idle_time());
//     note_use(layout, allowed);  // before every connection
#pragma once

#include <chrono>

#include "bench/model/result.hpp"
#include "storage/embedded/cluster_layout.hpp"
#include "storage/place/files.hpp"

namespace steelyard {

inline constexpr const char* kIdleVariable = "STEELYARD_EMBEDDED_IDLE";
inline constexpr std::chrono::milliseconds kUsualIdleTime = std::chrono::minutes(10);

// $STEELYARD_EMBEDDED_IDLE, a duration with its unit or 0 for "never ends by itself"; else kUsualIdleTime. What is more
// than 0 and less than a millisecond is one. Error (store): the variable holds something else.
Result<std::chrono::milliseconds> allowed_idle_time();

// From now on the server may stay unused for that long. What cannot be written changes nothing: the server then ends
// earlier than it should, and the command that finds it gone starts it again.
void note_use(const ClusterLayout& layout, std::chrono::milliseconds allowed);

// The keeper's program, beside the running one in ../lib/steelyard; empty where there is none. An open file and no
// path: the server's account may be unable to reach the folder that we were installed in.
FileDescriptor open_keeper_program();

}  // namespace steelyard
