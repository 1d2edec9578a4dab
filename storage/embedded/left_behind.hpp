// Clusters of PostgreSQL versions whose programs this machine no longer has: nothing can read them, but the archives
// of their runs lie in the state folder. Their runs are brought into the cluster that now is the store, and they are
// set aside, unchanged.
//
//     STEELYARD_TRY(const auto news, bring_over(session, server, state));  // the schema is up to date
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/embedded/cluster.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard {

// What has been done, a line for each cluster; empty where there was none. Can be ended at any moment: the next call
// goes on. Another process that does it is waited for. Error (store): the store fails, or the other takes too long.
Result<std::vector<std::string>> bring_over(Session& session, const EmbeddedServer& server,
                                            const std::filesystem::path& state);

}  // namespace steelyard
