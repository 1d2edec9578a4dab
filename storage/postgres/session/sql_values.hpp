// The values of one statement or one copied row, in PostgreSQL's text form. Values never become part of a statement's
// text. Doubles are written with the digits that read back to the same double.
//
//     session.run(sql, SqlValues().text(name).number(1.5).texts(labels));
//     transaction.copy_rows(target, count, [&](std::size_t i, CopyRow& row) { row.integer(key).bytes(packed[i]); });
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard::storage {

class SqlValues {
 public:
  SqlValues& text(std::string_view value);  // any bytes: see database_text
  SqlValues& integer(std::int64_t value);
  SqlValues& integer(const std::optional<std::int64_t>& value);  // absent: null
  SqlValues& unsigned_integer(std::uint64_t value);              // for numeric columns
  SqlValues& number(double value);
  SqlValues& number(const std::optional<double>& value);  // absent: null
  SqlValues& boolean(bool value);
  SqlValues& bytes(std::string_view value);  // for bytea columns
  SqlValues& null();
  SqlValues& texts(const std::vector<std::string>& values);
  SqlValues& integers(const std::vector<std::int64_t>& values);
  SqlValues& numbers(const std::vector<double>& values);
  SqlValues& booleans(const std::vector<bool>& values);
  // One array for each of `count` columns, of the values that the rows have in it.
  SqlValues& arrays(const std::vector<SqlValues>& rows, std::size_t count);
  SqlValues& append(const SqlValues& more);

  const std::vector<std::optional<std::string>>& cells() const { return cells_; }

 private:
  std::vector<std::optional<std::string>> cells_;
};

// Text forms of single values.
void append_integer_text(std::string& text, std::int64_t value);
void append_number_text(std::string& text, double value);
void append_bytes_text(std::string& text, std::string_view value);

// The other way: one-dimensional array literals without nulls, as PostgreSQL writes them. Precondition: `literal` is
// the text of a value of that array type.
std::vector<std::string> texts_of_array(std::string_view literal);
std::vector<std::int64_t> integers_of_array(std::string_view literal);
std::vector<double> numbers_of_array(std::string_view literal);
// A bytea in its hexadecimal form: \\x, then two digits a byte.
std::string bytes_of_text(std::string_view text);
std::int64_t integer_of_text(std::string_view text);
double number_of_text(std::string_view text);

// The cells of one copied row, for tables that take many: its memory serves all of them. Integers, numbers and bytes
// only, whose text needs no escape but what the stream adds.
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

// Text as PostgreSQL can keep it. A child's last line of stderr, a symbol name or a path may hold bytes that are not
// UTF-8, or a zero byte; the database refuses both, and a run must not be lost for that. Such bytes are written as code
// points of a private range (U+10F700 + byte) and turned back on reading, so that every string survives unchanged.
//
//     decode_database_text(encode_database_text(bytes)) == bytes, for any bytes
//
// Not an escape for SQL: values travel as parameters.

// Plain UTF-8 comes back as it is.
std::string encode_database_text(std::string_view bytes);
std::string decode_database_text(std::string_view text);

// A name of a table, a column or a login in a statement. None of ours needs it; others may have given theirs.
std::string quoted_name(std::string_view name);

// Zero bytes of a JSON document on its way into a jsonb column, which refuses the escape \u0000 in a string. `text`: as
// SqlValues::text() takes it, or as Rows::text() gave it.
std::string zero_bytes_for_jsonb(std::string_view json);
std::string zero_bytes_from_jsonb(std::string_view text);

}  // namespace steelyard::storage
