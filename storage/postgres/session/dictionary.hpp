// One table of things that many runs share: rows that are the same exactly if their first column is, which are added
// once and never changed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard {

struct Dictionary {
  const char* table;
  const char* key;
  std::vector<std::string> columns;  // the unique one first
};

// By the text of the unique column; ordered, so that two writers add in the same order and cannot deadlock.
using RowsByIdentity = std::map<std::string, SqlValues>;
using KeysByIdentity = std::unordered_map<std::string, std::int64_t>;

// Of every row, adding those that are missing.
Result<KeysByIdentity> keys_of(Transaction& transaction, const Dictionary& dictionary, const RowsByIdentity& rows);

}  // namespace steelyard
