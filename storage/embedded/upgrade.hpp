// A cluster of an older PostgreSQL version, brought into one of a newer version: dumped by the newer version's pg_dump,
// restored into a new cluster, compared table by table, and only then put in the old one's place. What ends it at any
// moment leaves one good cluster: the old one until the new one is complete.
//
//     const auto news = upgrade_cluster({home, from, to, account});  // under the lock of whoever starts servers
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/embedded/server_process.hpp"

namespace steelyard::storage {

struct Upgrade {
  std::filesystem::path home;
  ServerPrograms from;
  ServerPrograms to;
  ServerAccount account;  // both clusters'
};

// What has been done, in one line. The old cluster is then kept under the name of a replaced one. Error (store): why
// not; the old cluster is as it was. Precondition: both servers are unused, and nobody else starts one meanwhile.
Result<std::string> upgrade_cluster(const Upgrade& upgrade);

// Does what is left of an upgrade that was ended after the new cluster took its place; its line where there was any.
Result<std::optional<std::string>> finish_upgrade(const std::filesystem::path& home, int major);

// Why an upgrade to this version failed within the last day; for that long it is not tried again.
std::optional<std::string> refused_upgrade(const std::filesystem::path& home, int major);
std::vector<int> refused_majors(const std::filesystem::path& home);  // those of which there is such a reason
void note_refused_upgrade(const std::filesystem::path& home, int major, const Error& why);

}  // namespace steelyard::storage
