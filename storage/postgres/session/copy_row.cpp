#include "storage/postgres/session/copy_row.hpp"

#include "storage/postgres/session/sql_values.hpp"

namespace steelyard {
namespace {

constexpr std::size_t kNull = static_cast<std::size_t>(-1);

}  // namespace

CopyRow& CopyRow::integer(std::int64_t value) {
  append_integer_text(text_, value);
  finish_cell();
  return *this;
}
CopyRow& CopyRow::integer(const std::optional<std::int64_t>& value) { return value ? integer(*value) : null(); }
CopyRow& CopyRow::number(const std::optional<double>& value) {
  if (!value) return null();
  append_number_text(text_, *value);
  finish_cell();
  return *this;
}
CopyRow& CopyRow::bytes(std::string_view value) {
  append_bytes_text(text_, value);
  finish_cell();
  return *this;
}
CopyRow& CopyRow::null() {
  starts_.push_back(kNull);
  return *this;
}

void CopyRow::finish_cell() {
  text_ += '\0';
  starts_.push_back(start_);
  start_ = text_.size();
}

void CopyRow::clear() {
  text_.clear();
  starts_.clear();
  start_ = 0;
}

const std::vector<const char*>& CopyRow::cells() {
  cells_.clear();
  for (const std::size_t start : starts_) cells_.push_back(start == kNull ? nullptr : text_.data() + start);
  return cells_;
}

}  // namespace steelyard
