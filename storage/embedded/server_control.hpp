// Starting, asking and ending the server of one cluster that exists.
//
// The server and all its children hold the cluster's lock file through an inherited descriptor. So the lock, and not a
// process id, tells whether anything of an earlier server is left: after kill -9 the id may belong to a zombie that
// nobody reaps, or to another program, and orphans of the dead server may still use its memory.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>

#include "bench/model/result.hpp"
#include "storage/embedded/cluster_layout.hpp"
#include "storage/embedded/server_process.hpp"
#include "storage/place/files.hpp"

namespace steelyard::storage {

// Whether the superuser is connected to the database now.
bool answers(const ClusterLayout& layout, const std::string& database = "steelyard");
// Whether the login for daily work is connected to the store's database now.
bool answers_daily_work(const ClusterLayout& layout);

// Starts the server unless it runs, and waits until it answers; after kill -9 first for what is left of the old one.
// Precondition: nobody else starts it at the same time.
Result<void> start_server(const ClusterLayout& layout, const ServerPrograms& programs, const ServerAccount& account);

// Creates the database "steelyard" unless it exists.
Result<void> make_database(const ClusterLayout& layout);

// Gives the superuser its password where it has none, as clusters of older versions and new ones: from then on nobody
// who only reaches the socket is the superuser. Precondition: nobody else starts the server at the same time.
Result<void> close_superuser(const ClusterLayout& layout, const ServerAccount& account);

// Makes kDailyLogin, a member of the writer's role and of nothing else, with a password of its own, where it cannot log
// in: in new clusters, in those of older versions, and where its password is lost. Precondition: as above.
Result<void> make_daily_login(const ClusterLayout& layout);

// Orderly; by force after a minute. false: it did not run. Another process may start it again at once: the one that ran
// when this was called has ended.
Result<bool> stop_server(const ClusterLayout& layout);

// The end of a program's output, as one line.
std::string last_lines(std::string_view output);
// The end of a log file, however long that is; one that cannot be read said nothing.
std::string last_lines_of(const std::filesystem::path& log);

// How long the embedded server may stay unused, and the file by which its keeper learns that it is used. The keeper
// sees connected clients by itself; a command that is done between two of its looks it sees by this file.
//
//     STEELYARD_TRY(const auto allowed, allowed_idle_time());
//     note_use(layout, allowed);  // before every connection

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

}  // namespace steelyard::storage
