#include "storage/postgres/upkeep/upgrade.hpp"

#include <algorithm>

#include "bench/model/sha256.hpp"
#include "storage/postgres/access/login.hpp"
#include "storage/postgres/sql/migrations.hpp"
#include "storage/postgres/upkeep/script_effects.hpp"

namespace steelyard {
namespace {

// Partitions count for their table.
constexpr const char* kSizes =
    "select c.relname::text, (select coalesce(sum(pg_total_relation_size(t.relid)), 0)::bigint "
    "from pg_partition_tree(c.oid) t) from pg_class c join pg_namespace n on n.oid = c.relnamespace "
    "where n.nspname = 'steelyard' and c.relkind in ('r', 'p') and not c.relispartition order by 1";

std::vector<AffectedTable> with_sizes(const std::vector<std::string>& names, const std::vector<AffectedTable>& known) {
  std::vector<AffectedTable> tables;
  for (const std::string& name : names) {
    const auto at = std::find_if(known.begin(), known.end(), [&](const auto& one) { return one.name == name; });
    tables.push_back(at == known.end() ? AffectedTable{name, 0} : *at);
  }
  return tables;
}

Result<std::vector<AffectedTable>> sizes_of(Transaction& transaction) {
  STEELYARD_TRY(const Rows rows, transaction.run(kSizes));
  std::vector<AffectedTable> tables;
  for (std::int64_t row = 0; row < rows.size(); ++row) tables.push_back({rows.text(row, 0), rows.integer(row, 1)});
  return tables;
}

}  // namespace

Result<UpgradePlan> plan_upgrade(Session& session) {
  STEELYARD_TRY(const Login login, look_at_login(session));
  STEELYARD_TRY(const MigrationPlan missing, plan_migrations(session, known_migrations()));
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const std::vector<AffectedTable> sizes, sizes_of(transaction));
  STEELYARD_TRY(const Rows whole, transaction.run("select pg_database_size(current_database())", {}, kOneRow));
  UpgradePlan plan{session.name(),      missing.version,   known_migrations().back().version,
                   whole.integer(0, 0), login.may_migrate, {}};
  for (const Migration& migration : missing.missing) {
    const ScriptEffects effects = effects_of_script(migration.script);
    plan.steps.push_back({migration.version, std::string(migration.name), sha256_hex(migration.script), effects.creates,
                          with_sizes(effects.rewrites, sizes), with_sizes(effects.fills, sizes), effects.drops});
  }
  return plan;
}

}  // namespace steelyard
