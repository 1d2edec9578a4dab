// What each table of the schema holds, as one hash: equal in two databases where their rows are, whatever order they
// stand in and whatever keys the databases gave them. Backups are held to it, and so is what was rebuilt.
//
// A row's text is that of its columns in their order, with every key replaced by what it refers to and the table's own
// left out; a table's hash is over the number of its rows and the sums of their SHA-256 in four parts,
// so that no row has to be sorted or held. For tests against damage, not against forgery.
//
//     STEELYARD_TRY(const auto contents, table_contents(transaction, {}));
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard::storage {

struct TableContent {
  std::string table;  // without its schema
  std::int64_t rows = 0;
  std::string hash;  // SHA-256, 64 characters
  bool operator==(const TableContent&) const = default;
};

struct ContentOptions {
  bool arrival_times = true;               // columns of type timestamptz: when this store got a row
  std::vector<std::string> tables{};       // empty: all of them
  std::function<void(double)> progress{};  // told the part that is done, from 0 to 1
};

// By table. Reads every row of them: linear in their bytes. Consistent where the transaction is (repeatable read).
Result<std::vector<TableContent>> table_contents(Transaction& transaction, const ContentOptions& options);

// What differs, in words: "measurements: 10 rows here, 12 there", "runs: other contents". Empty: nothing.
std::vector<std::string> differences(const std::vector<TableContent>& here, const std::vector<TableContent>& there);

}  // namespace steelyard::storage
