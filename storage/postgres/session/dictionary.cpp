#include "storage/postgres/session/dictionary.hpp"

#include <algorithm>
#include <cstddef>

namespace steelyard {
namespace {

// A statement takes at most 65535 values.
constexpr std::size_t kRowsPerStatement = 1000;

std::string insert_statement(const Dictionary& dictionary, std::size_t rows) {
  std::string names;
  for (const std::string& column : dictionary.columns) names += (names.empty() ? "" : ", ") + column;
  std::string statement = std::string("insert into ") + dictionary.table + " (" + names + ") values ";
  std::size_t number = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    statement += row == 0 ? "(" : ", (";
    for (std::size_t column = 0; column < dictionary.columns.size(); ++column) {
      statement += (column == 0 ? "$" : ", $") + std::to_string(++number);
    }
    statement += ')';
  }
  return statement + " on conflict (" + dictionary.columns.front() + ") do nothing";
}

Result<void> find_keys(Transaction& transaction, const Dictionary& dictionary, const std::vector<std::string>& wanted,
                       KeysByIdentity& keys) {
  STEELYARD_TRY(const Rows rows,
                transaction.run("select " + dictionary.columns.front() + ", " + dictionary.key + " from " +
                                    dictionary.table + " where " + dictionary.columns.front() + " = any($1::text[])",
                                SqlValues().texts(wanted), {0, static_cast<std::int64_t>(wanted.size())}));
  for (std::int64_t row = 0; row < rows.size(); ++row) keys[rows.text(row, 0)] = rows.integer(row, 1);
  return {};
}

std::vector<std::string> identities_without_key(const RowsByIdentity& rows, const KeysByIdentity& keys) {
  std::vector<std::string> missing;
  for (const auto& [identity, values] : rows) {
    if (!keys.contains(identity)) missing.push_back(identity);
  }
  return missing;
}

}  // namespace

Result<KeysByIdentity> keys_of(Transaction& transaction, const Dictionary& dictionary, const RowsByIdentity& rows) {
  KeysByIdentity keys;
  if (rows.empty()) return keys;
  STEELYARD_CHECK(find_keys(transaction, dictionary, identities_without_key(rows, keys), keys));
  const std::vector<std::string> missing = identities_without_key(rows, keys);
  for (std::size_t begin = 0; begin < missing.size(); begin += kRowsPerStatement) {
    const std::size_t end = std::min(missing.size(), begin + kRowsPerStatement);
    SqlValues values;
    for (std::size_t i = begin; i < end; ++i) values.append(rows.at(missing[i]));
    // Fewer rows than sent: another writer was first with them.
    STEELYARD_CHECK(transaction.run(insert_statement(dictionary, end - begin), values,
                                    {0, static_cast<std::int64_t>(end - begin)}));
  }
  if (missing.empty()) return keys;
  STEELYARD_CHECK(find_keys(transaction, dictionary, missing, keys));
  if (!identities_without_key(rows, keys).empty()) {
    return store_error(dictionary.table, "rows that vanished after they were written", "an append-only table",
                       "remove what deletes rows from it");
  }
  return keys;
}

}  // namespace steelyard
