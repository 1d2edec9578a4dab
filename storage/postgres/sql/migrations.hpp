// The numbered scripts that bring a database's schema up to date. Each is applied once, in a transaction of its own,
// under a lock that two programs cannot hold at the same time; steelyard.schema_migrations keeps what was applied and
// the SHA-256 of its text.
//
//     STEELYARD_TRY(int version, migrate(session, known_migrations()));
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "bench/model/result.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard::storage {

struct Migration {
  int version = 0;  // 1, 2, 3, ...
  std::string_view name;
  std::string_view script;
};

// Compiled into the program, ascending.
std::span<const Migration> known_migrations();

// How far a database is behind. Refuses as migrate() does; touches nothing.
struct MigrationPlan {
  int version = 0;  // that the schema has; 0: there is none
  std::span<const Migration> missing;
};
Result<MigrationPlan> plan_migrations(Session& session, std::span<const Migration> migrations);

// The version that the schema has afterwards. Refuses, without touching anything, a database that is newer than the
// program and one where an applied script differs from ours. `migrations`: ascending from 1.
Result<int> migrate(Session& session, std::span<const Migration> migrations);

}  // namespace steelyard::storage
