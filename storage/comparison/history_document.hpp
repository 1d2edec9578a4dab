// What a comparison against a history was judged by, as a part of its document and packed by itself for a store. An
// occasion (commit, machine, run) is written once, however many series have a point of it.
#pragma once

#include <cstdint>
#include <string>

#include "bench/model/result.hpp"
#include "bench/model/series.hpp"
#include "storage/document/json.hpp"

namespace steelyard::storage {

JsonWriter history_object(const JudgedHistory& history);
// What is not as wanted is an error of the value's document.
JudgedHistory read_history_value(const JsonValue& value);

// steelyard.judged_history/1, in one line.
std::string history_document(const JudgedHistory& history);

struct PackedHistory {
  std::string bytes;                // compressed
  std::int64_t document_bytes = 0;  // before that
};
// Error (input): above kMaxComparisonBytes before it is compressed.
Result<PackedHistory> pack_history(const JudgedHistory& history);
// `name` is named in errors. Error (input): damaged, a newer version, a field that is not as wanted.
Result<JudgedHistory> unpack_history(const PackedHistory& packed, const std::string& name);

}  // namespace steelyard::storage
