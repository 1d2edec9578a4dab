#include "storage/embedded/content_digest.hpp"

#include <cstdint>

namespace steelyard {
namespace {

// Ordinary tables and the parts of partitioned ones, the names ready for a statement.
constexpr const char* kTables =
    "select quote_ident(relname) from pg_class where relnamespace = 'steelyard'::regnamespace and relkind = 'r' "
    "order by 1";

// 60 bits of each row's MD5: no defence against an enemy, and none is meant.
std::string digest_statement(const std::string& table) {
  return "select count(*)::text, coalesce(sum(('x' || substr(md5(t::text), 1, 15))::bit(60)::bigint::numeric), "
         "0)::text "
         "from steelyard." +
         table + " t";
}

std::string rows_text(const TableDigest& table) { return table.rows + (table.rows == "1" ? " row" : " rows"); }

}  // namespace

Result<ContentDigest> content_digest(Session& session) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows tables, transaction.run(kTables));
  ContentDigest digest;
  for (std::int64_t i = 0; i < tables.size(); ++i) {
    STEELYARD_TRY(const Rows rows, transaction.run(digest_statement(tables.text(i, 0)), {}, kOneRow));
    digest[tables.text(i, 0)] = {rows.text(0, 0), rows.text(0, 1)};
  }
  return digest;
}

std::string difference(const ContentDigest& before, const ContentDigest& after) {
  for (const auto& [table, digest] : before) {
    const auto other = after.find(table);
    if (other == after.end()) return "table " + table + " is missing";
    if (other->second == digest) continue;
    if (other->second.rows == digest.rows) return "table " + table + " has other values";
    return "table " + table + " has " + rows_text(other->second) + " and not " + rows_text(digest);
  }
  if (after.size() > before.size()) return "there are tables that were not there before";
  return "";
}

}  // namespace steelyard
