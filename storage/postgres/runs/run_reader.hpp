// Reads runs back, equal in every field to what was put.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "bench/model/run.hpp"
#include "storage/model/access.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard::storage {

// By id or an unambiguous prefix of at least 6 characters; anything else is an input error.
Result<Run> read_run(Session& session, const std::string& id);

// The key of the run with this id or unambiguous prefix; anything else is an input error.
Result<std::int64_t> find_run(Session& session, Transaction& transaction, const std::string& id);

// By its whole id; absent: no such run.
Result<std::optional<RunOrigin>> read_run_origin(Session& session, const std::string& id);

// Newest first; empty where no run has such a commit. A prefix of at least 4 characters that fits several commits is an
// input error.
Result<std::vector<RunHeader>> read_headers_of_commit(Session& session, const std::string& sha);

}  // namespace steelyard::storage
