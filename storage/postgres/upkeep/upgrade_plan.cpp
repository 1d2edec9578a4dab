#include "storage/postgres/upkeep/upgrade_plan.hpp"

#include <algorithm>
#include <cctype>

#include "bench/model/sha256.hpp"
#include "storage/postgres/access/login.hpp"
#include "storage/postgres/sql/migrations.hpp"

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

// The end of what begins at `at`, a comment or a quoted text; `at` where nothing of that kind begins there.
std::size_t end_of_hidden(std::string_view script, std::size_t at) {
  const auto after = [script](std::size_t found, std::size_t size) {
    return found == std::string_view::npos ? script.size() : found + size;
  };
  if (script.substr(at).starts_with("--")) return after(script.find('\n', at), 0);
  if (script[at] == '\'') return after(script.find('\'', at + 1), 1);
  if (script[at] != '$') return at;
  const std::size_t mark = script.find('$', at + 1);
  if (mark == std::string_view::npos) return at;
  const std::string_view tag = script.substr(at, mark + 1 - at);
  const bool is_tag =
      std::all_of(tag.begin() + 1, tag.end() - 1, [](unsigned char c) { return std::isalpha(c) != 0 || c == '_'; });
  return is_tag ? after(script.find(tag, mark + 1), tag.size()) : at;
}

// Statements as lists of words in lower case; a comma or a bracket ends a word.
std::vector<std::vector<std::string>> statements_of(std::string_view script) {
  std::vector<std::vector<std::string>> statements(1);
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) statements.back().push_back(std::move(word));
    word.clear();
  };
  for (std::size_t i = 0; i < script.size(); ++i) {
    if (const std::size_t end = end_of_hidden(script, i); end > i) {
      end_word();
      i = end - 1;
      continue;
    }
    const auto c = static_cast<unsigned char>(script[i]);
    if (std::isalnum(c) != 0 || c == '_' || c == '.' || c == '"') {
      word += static_cast<char>(std::tolower(c));
      continue;
    }
    end_word();
    if (c == ';') statements.emplace_back();
  }
  end_word();
  return statements;
}

std::string without_schema(const std::string& name) { return name.substr(name.rfind('.') + 1); }

void add(std::vector<std::string>& list, const std::string& name) {
  if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
}

// The name after `words`, past "if [not] exists" and "only"; empty: the statement does not begin with them.
std::string named_after(const std::vector<std::string>& statement, const std::vector<std::string>& words) {
  if (statement.size() <= words.size() || !std::equal(words.begin(), words.end(), statement.begin())) return "";
  std::size_t at = words.size();
  while (at < statement.size() &&
         (statement[at] == "if" || statement[at] == "not" || statement[at] == "exists" || statement[at] == "only")) {
    ++at;
  }
  return at == statement.size() ? "" : without_schema(statement[at]);
}

// alter column NAME [set data] type ...
bool changes_a_type(const std::vector<std::string>& statement) {
  for (std::size_t i = 0; i + 3 < statement.size(); ++i) {
    if (statement[i] != "alter" || statement[i + 1] != "column") continue;
    const bool plain = statement[i + 3] == "type";
    const bool long_form = i + 5 < statement.size() && statement[i + 3] == "set" && statement[i + 4] == "data";
    if (plain || long_form) return true;
  }
  return false;
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

ScriptEffects effects_of_script(std::string_view script) {
  ScriptEffects effects;
  for (const std::vector<std::string>& statement : statements_of(script)) {
    if (const auto made = named_after(statement, {"create", "table"}); !made.empty()) add(effects.creates, made);
    if (const auto gone = named_after(statement, {"drop", "table"}); !gone.empty()) add(effects.drops, gone);
    if (const auto filled = named_after(statement, {"insert", "into"}); !filled.empty()) add(effects.fills, filled);
    if (const auto changed = named_after(statement, {"update"}); !changed.empty()) add(effects.rewrites, changed);
    const auto altered = named_after(statement, {"alter", "table"});
    if (!altered.empty() && changes_a_type(statement)) add(effects.rewrites, altered);
  }
  return effects;
}

}  // namespace steelyard
