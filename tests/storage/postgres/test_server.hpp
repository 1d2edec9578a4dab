// One embedded server for a test program, started by the first test that asks and gone with the program, however that
// ends; a fresh database for each test.
//
//     const auto url = fresh_database();
//     STEELYARD_SKIP_WITHOUT("postgresql", url, kNoServer);
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "storage/store.hpp"

namespace steelyard::storage_test {

inline constexpr const char* kNoServer = "PostgreSQL's server programs are not installed";

// A new folder that the server's account can reach; removed, with the servers in it stopped, when the program ends.
std::filesystem::path fresh_state_folder();
// postgresql://... of an empty database; absent where no server programs are installed.
std::optional<std::string> fresh_database();
// An open store on an empty database. Precondition: server programs are installed.
Store fresh_store();
// The state folder of the server behind fresh_database().
std::filesystem::path server_state();

}  // namespace steelyard::storage_test
