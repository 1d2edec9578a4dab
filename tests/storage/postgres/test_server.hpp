// One embedded server for a test program, started by the first test that asks and gone with the program, however that
// ends; a fresh database for each test.
//
//     const auto url = migrated_database();  // or fresh_database()
//     STEELYARD_SKIP_WITHOUT("postgresql", url, kNoServer);
//
// The same tests run on other stores with $STEELYARD_TESTS_STORE: "pooled" puts pgbouncer in front of the server, in
// transaction mode with few connections; "distributed" gives databases whose schema is there already and distributed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "storage/store.hpp"

namespace steelyard::storage_test {

// Why fresh_database() gives none.
extern const std::string kNoServer;

// A new folder that the server's account can reach; removed, with the servers in it stopped, when the program ends.
std::filesystem::path fresh_state_folder();
// postgresql://... of an empty database; absent where what it needs is not installed.
std::optional<std::string> fresh_database();
// The same with the schema of a store in it: a copy of one that this program migrated, which is much quicker.
std::optional<std::string> migrated_database();
struct DatabasePlace {
  std::filesystem::path socket_folder;
  std::string database;
};
// Where the database is of which fresh_database() gave the url.
DatabasePlace place_of(const std::string& url);
// An open store without runs. Precondition: server programs are installed.
storage::Store fresh_store();
// The state folder of the server behind fresh_database().
std::filesystem::path server_state();

}  // namespace steelyard::storage_test
