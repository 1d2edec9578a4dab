// Starting, asking and ending the server of one cluster that exists.
//
// The server and all its children hold the cluster's lock file through an inherited descriptor. So the lock, and not a
// process id, tells whether anything of an earlier server is left: after kill -9 the id may belong to a zombie that
// nobody reaps, or to another program, and orphans of the dead server may still use its memory.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "bench/model/result.hpp"
#include "storage/embedded/cluster_layout.hpp"
#include "storage/embedded/server_account.hpp"
#include "storage/embedded/server_programs.hpp"

namespace steelyard {

// Whether a connection to the database succeeds now.
bool answers(const ClusterLayout& layout, const std::string& database = "steelyard");

// Starts the server unless it runs, and waits until it answers; after kill -9 first for what is left of the old one.
// Precondition: nobody else starts it at the same time.
Result<void> start_server(const ClusterLayout& layout, const ServerPrograms& programs, const ServerAccount& account);

// Creates the database "steelyard" unless it exists.
Result<void> make_database(const ClusterLayout& layout);

// Orderly; by force after a minute. false: it did not run.
Result<bool> stop_server(const ClusterLayout& layout);

// The end of a program's output, as one line.
std::string last_lines(std::string_view output);
// The same of a log file, however long that is; one that cannot be read said nothing.
std::string last_lines_of(const std::filesystem::path& log);

}  // namespace steelyard
