#include "storage/postgres/upkeep/table_contents.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "bench/model/sha256.hpp"
#include "storage/postgres/session/sql_values.hpp"

namespace steelyard::storage {
namespace {

struct Column {
  std::string name;
  std::string type;
  bool is_identity = false;
};
using Tables = std::map<std::string, std::vector<Column>>;  // by name, columns in their order

// A generated key, the table it is of, and the columns that say which row it means.
struct Key {
  std::string table;
  std::vector<std::string> label;
};
using Keys = std::map<std::string, Key>;  // by the name of the key's column

// Arrays of keys whose names do not say so.
const std::map<std::string, std::string> kKeyArrays{{"source_origins", "origin_key"}};

constexpr const char* kColumns =
    "select c.relname, a.attname, format_type(a.atttypid, null), a.attidentity <> '' "
    "from pg_class c join pg_attribute a on a.attrelid = c.oid "
    "where c.relnamespace = 'steelyard'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition "
    "and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by c.relname, a.attnum";

// The columns of each table's unique constraints other than the primary key; a table's first one serves.
constexpr const char* kLabels =
    "select c.relname, array_agg(a.attname::text order by array_position(k.conkey, a.attnum)) "
    "from pg_constraint k join pg_class c on c.oid = k.conrelid "
    "join pg_attribute a on a.attrelid = c.oid and a.attnum = any(k.conkey) "
    "where c.relnamespace = 'steelyard'::regnamespace and not c.relispartition and k.contype = 'u' "
    "group by c.relname, k.conname order by c.relname, k.conname";

Result<Tables> read_tables(Transaction& transaction) {
  STEELYARD_TRY(const Rows rows, transaction.run(kColumns));
  Tables tables;
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    tables[rows.text(row, 0)].push_back({rows.text(row, 1), rows.text(row, 2), rows.boolean(row, 3)});
  }
  return tables;
}

Result<Keys> read_keys(Transaction& transaction, const Tables& tables) {
  STEELYARD_TRY(const Rows rows, transaction.run(kLabels));
  std::map<std::string, std::vector<std::string>> labels;
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    labels.emplace(rows.text(row, 0), texts_of_array(rows.raw(row, 1)));
  }
  Keys keys;
  for (const auto& [table, columns] : tables) {
    for (const Column& column : columns) {
      if (column.is_identity && labels.count(table) != 0) keys[column.name] = {table, labels.at(table)};
    }
  }
  return keys;
}

// What says which row of a key's table is meant, in a statement where that row is `alias`: "k.identity", or of several
// columns their row's text. A column that is a key itself is followed.
std::string label_text(const Keys& keys, const Key& key, const std::string& alias) {
  std::string cells;
  for (const std::string& column : key.label) {
    cells += cells.empty() ? "" : ", ";
    const auto further = keys.find(column);
    if (further == keys.end() || further->second.table == key.table) {
      cells += alias + '.' + quoted_name(column);
      continue;
    }
    const std::string inner = alias + "_";
    cells += "(select " + label_text(keys, further->second, inner) + " from steelyard." +
             quoted_name(further->second.table) + ' ' + inner + " where " + inner + '.' + quoted_name(column) + " = " +
             alias + '.' + quoted_name(column) + ')';
  }
  return key.label.size() == 1 ? cells : "row(" + cells + ")::text";
}

// Which key an array column is of: function_keys of function_key.
std::optional<std::string> key_of_array(const Column& column) {
  const auto named = kKeyArrays.find(column.name);
  if (named != kKeyArrays.end()) return named->second;
  if (!column.name.ends_with("_keys") || !column.type.ends_with("[]")) return std::nullopt;
  return column.name.substr(0, column.name.size() - 1);
}

// The statement that yields the number of rows and the four sums.
class ContentQuery {
 public:
  ContentQuery(const std::string& table, const Keys& keys) : table_(table), keys_(keys) {}

  std::string text(const std::vector<Column>& columns, bool arrival_times) {
    for (const Column& column : columns) {
      if (column.is_identity) continue;
      if (!arrival_times && column.type == "timestamp with time zone") continue;
      add(column);
    }
    std::string sums;
    for (int part = 0; part < 4; ++part) {
      sums += ", coalesce(sum(('x' || substr(h.hex, " + std::to_string(1 + 16 * part) + ", 16))::bit(64)::bigint), 0)";
    }
    return "select count(*)" + sums + " from (select encode(sha256(convert_to(row(" + cells_ +
           ")::text, 'UTF8')), 'hex') as hex from steelyard." + quoted_name(table_) + " t" + joins_ + ") h";
  }

 private:
  void add(const Column& column) {
    cells_ += cells_.empty() ? "" : ", ";
    const auto key = keys_.find(column.name);
    if (key != keys_.end()) {
      const std::string alias = "k" + std::to_string(++aliases_);
      joins_ += " left join steelyard." + quoted_name(key->second.table) + ' ' + alias + " on " + alias + '.' +
                quoted_name(column.name) + " = t." + quoted_name(column.name);
      cells_ += label_text(keys_, key->second, alias);
      return;
    }
    const auto of_array = key_of_array(column);
    if (of_array && keys_.count(*of_array) != 0) {
      const Key& referred = keys_.at(*of_array);
      cells_ += "(select array_agg(" + label_text(keys_, referred, "d") + " order by u.number) from unnest(t." +
                quoted_name(column.name) + ") with ordinality as u(key, number) left join steelyard." +
                quoted_name(referred.table) + " d on d." + quoted_name(*of_array) + " = u.key)";
      return;
    }
    cells_ += "t." + quoted_name(column.name);
  }

  const std::string& table_;
  const Keys& keys_;
  std::string cells_;
  std::string joins_;
  int aliases_ = 0;
};

// Texts of values that do not hang on the server's settings.
constexpr const char* kSettings =
    "set local timezone = 'UTC'; set local datestyle = 'ISO'; set local intervalstyle = 'iso_8601'; "
    "set local bytea_output = 'hex'";

}  // namespace

Result<std::vector<TableContent>> table_contents(Transaction& transaction, const ContentOptions& options) {
  STEELYARD_CHECK(transaction.run_script(kSettings));
  STEELYARD_TRY(const Tables tables, read_tables(transaction));
  STEELYARD_TRY(const Keys keys, read_keys(transaction, tables));
  const std::set<std::string> wanted(options.tables.begin(), options.tables.end());
  std::vector<TableContent> contents;
  std::size_t done = 0;
  for (const auto& [table, columns] : tables) {
    ++done;
    if (!wanted.empty() && wanted.count(table) == 0) continue;
    const std::string query = ContentQuery(table, keys).text(columns, options.arrival_times);
    STEELYARD_TRY(const Rows rows, transaction.run(query, {}, kOneRow));
    std::string sums;
    for (int column = 0; column <= 4; ++column) sums += rows.text(0, column) + ':';
    contents.push_back({table, rows.integer(0, 0), sha256_hex(sums)});
    if (options.progress) options.progress(static_cast<double>(done) / static_cast<double>(tables.size()));
  }
  return contents;
}

std::vector<std::string> differences(const std::vector<TableContent>& here, const std::vector<TableContent>& there) {
  std::map<std::string, std::pair<const TableContent*, const TableContent*>> pairs;
  for (const TableContent& one : here) pairs[one.table].first = &one;
  for (const TableContent& one : there) pairs[one.table].second = &one;
  std::vector<std::string> found;
  for (const auto& [table, pair] : pairs) {
    const auto [first, second] = pair;
    if (first == nullptr || second == nullptr) {
      found.push_back(table + ": " + (first == nullptr ? "not here" : "not there"));
    } else if (first->rows != second->rows) {
      found.push_back(table + ": " + std::to_string(first->rows) + " rows here, " + std::to_string(second->rows) +
                      " there");
    } else if (first->hash != second->hash) {
      found.push_back(table + ": other contents");
    }
  }
  return found;
}

}  // namespace steelyard::storage
