// What a store's tables hold, in a form that two servers of different versions can be compared by.
#pragma once

#include <map>
#include <string>

#include "bench/model/result.hpp"
#include "storage/postgres/session.hpp"

namespace steelyard {

// For each table of the schema "steelyard": how many rows it has, and a sum over a hash of each row's text. Order of
// rows plays no part. Reads every row: linear in the store's size.
struct TableDigest {
  std::string rows;
  std::string sum;
  bool operator==(const TableDigest&) const = default;
};
using ContentDigest = std::map<std::string, TableDigest>;
Result<ContentDigest> content_digest(Session& session);

// The first table in which they differ, in words; empty where there is none.
std::string difference(const ContentDigest& before, const ContentDigest& after);

}  // namespace steelyard
