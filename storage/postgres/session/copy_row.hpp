// The cells of one copied row in PostgreSQL's text form, for tables that take many: its memory serves all of them.
// Integers, numbers and bytes only, whose text needs no escape but what the stream adds.
//
//     transaction.copy_rows(target, count, [&](std::size_t i, CopyRow& row) { row.integer(key).bytes(packed[i]); });
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard {

class CopyRow {
 public:
  CopyRow& integer(std::int64_t value);
  CopyRow& integer(const std::optional<std::int64_t>& value);  // absent: null
  CopyRow& number(const std::optional<double>& value);         // absent: null
  CopyRow& bytes(std::string_view value);
  CopyRow& null();

  void clear();
  // Of each cell its text, which ends with a zero byte; null pointer: null. Good until the row is changed.
  const std::vector<const char*>& cells();

 private:
  void finish_cell();

  std::string text_;
  std::vector<std::size_t> starts_;
  std::vector<const char*> cells_;
  std::size_t start_ = 0;  // of the cell that is being written
};

}  // namespace steelyard
