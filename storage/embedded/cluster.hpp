// The embedded store: a private PostgreSQL cluster that steelyard creates, starts when it is needed and leaves running
// for the next command; its keeper (storage/embedded/keeper) ends it when no command comes. It listens on a Unix socket
// that only its owner and root can reach, writes durably, is shared by concurrent processes and comes back after
// kill -9. As root it runs as an unprivileged user.
//
//     STEELYARD_TRY(EmbeddedServer server, ensure_embedded_running(state_folder()));
//     Session::connect(server.daily_url, "embedded");  // try again from the start where that fails: it may have ended
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/embedded/server_process.hpp"
#include "storage/place/files.hpp"
#include "storage/place/store_address.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard::storage {

struct EmbeddedServer {
  std::string url;             // of the database "steelyard", as the superuser; holds no secret
  std::string daily_url;       // the same as kDailyLogin, a writer and nothing more
  std::filesystem::path home;  // of all clusters of this state folder
  std::filesystem::path data;  // the cluster's data folder
  int major = 0;
  std::vector<std::string> notes{};  // for `db status`
  std::vector<std::string> news{};   // what has just been done and someone should know
  // Clusters of other versions whose runs this one has not got: see storage/store.hpp.
  std::vector<int> old_clusters{};
};

// Creates the cluster if there is none, starts the server if it does not run, and waits until it answers. Several
// processes at once get the same server. A cluster whose version the system has a newer one of is upgraded first
// (storage/embedded/upgrade.hpp); where that fails it stays as it is, and a note says why. `programs`: newest first;
// absent: those of this machine. Errors: kind store, with the server's own last words where it has some.
Result<EmbeddedServer> ensure_embedded_running(
    const std::filesystem::path& state, const std::optional<std::vector<ServerPrograms>>& programs = std::nullopt);

// Ends the servers of this state folder in an orderly way; false where none ran.
Result<bool> stop_embedded(const std::filesystem::path& state);

// What of this machine's files leads to the store: the state folder, the embedded cluster with its socket, for a server
// on this machine the folder of its socket, and where libpq looks for passwords. Some may not be there.
std::vector<std::filesystem::path> paths_to_store(const StoreAddress& address, const std::filesystem::path& state);

// What of an embedded cluster lies outside of its state folder: its home, where the server cannot reach that, and the
// folder of its socket, where a path there would be too long. That folder goes with its server, but not while what is
// returned lives, so that what was hidden stays so when another server starts. `makes`: what is not there, so that it
// can be hidden before there is a server; what cannot be made is for the server's start to report.
[[nodiscard]] std::vector<FileDescriptor> hold_folders_outside(const std::filesystem::path& state, bool makes);

// A connection to a store's database, whatever schema it has: the embedded cluster is started when needed. Store::open
// is this and what prepare_session() does (storage/postgres/access/roles.hpp).

enum class StoreWork {
  daily,   // adds runs and comparisons, reads everything
  upkeep,  // changes the schema, deletes facts, gives rights: the embedded store's superuser; elsewhere the same login
};

struct StoreLink {
  Session session;
  std::string url;                         // of that login; may hold a password: never printed
  std::optional<EmbeddedServer> server{};  // absent: a server of someone else's
};

// Error (store): no answer.
Result<StoreLink> link_to_store(const StoreAddress& address, const std::filesystem::path& state, StoreWork work);

}  // namespace steelyard::storage
