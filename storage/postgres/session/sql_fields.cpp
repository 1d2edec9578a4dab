#include "storage/postgres/session/sql_fields.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "bench/model/text.hpp"

namespace steelyard::storage {
namespace {

std::string column_of(const char* name, const FieldRule& rule) { return rule.column == nullptr ? name : rule.column; }

bool is_of_dictionary(const FieldRule& rule) {
  return rule.column != nullptr && std::string_view(rule.column).find('.') != std::string_view::npos;
}

}  // namespace

std::string SqlWriter::begin_of(const char* name, const FieldRule& rule) const {
  const std::string column = column_of(name, rule);
  return begin_ + column + (column.empty() ? "" : "_");
}
SqlValues& SqlWriter::at(const char* name, const FieldRule& rule, const char* end) {
  names_.push_back(begin_ + column_of(name, rule) + end);
  return values_;
}
void SqlWriter::append(const std::vector<std::string>& names, const SqlValues& values) {
  names_.insert(names_.end(), names.begin(), names.end());
  values_.append(values);
}
void SqlWriter::operator()(const char* name, const std::string& text, const FieldRule& rule) {
  SqlValues& values = at(name, rule);
  if (!is_of_dictionary(rule)) values.text(text);
}
void SqlWriter::add_word(const char* name, std::string_view word, const FieldRule& rule) {
  SqlValues& values = at(name, rule);
  if (!is_of_dictionary(rule)) rule.applies ? values.text(word) : values.null();
}
void SqlWriter::operator()(const char* name, std::uint64_t number, const FieldRule& rule) {
  at(name, rule).unsigned_integer(number);
}
void SqlWriter::operator()(const char* name, const std::optional<Interval>& interval, const FieldRule& rule) {
  at(name, rule, "_low").number(low_of(interval));
  at(name, rule, "_high").number(high_of(interval));
}
void SqlWriter::operator()(const char* name, const std::vector<std::string>& texts, const FieldRule& rule) {
  at(name, rule).texts(texts);
}
void SqlWriter::operator()(const char* name, const std::map<std::string, std::string>& texts, const FieldRule& rule) {
  std::vector<std::string> keys;
  std::vector<std::string> values;
  for (const auto& [key, text] : texts) {
    keys.push_back(key);
    values.push_back(text);
  }
  at(name, rule, "_names").texts(keys);
  at(name, rule, "_texts").texts(values);
}

void SqlReader::operator()(const char*, std::uint64_t& number, const FieldRule&) {
  const std::string_view text = rows_.raw(row_, column_++);
  std::from_chars(text.data(), text.data() + text.size(), number);
}
void SqlReader::operator()(const char*, std::optional<Interval>& interval, const FieldRule&) {
  const int low = column_;
  column_ += 2;
  if (rows_.is_null(row_, low) || rows_.is_null(row_, low + 1)) return;
  interval = Interval{rows_.number(row_, low), rows_.number(row_, low + 1)};
}
void SqlReader::operator()(const char*, std::vector<std::string>& texts, const FieldRule&) {
  texts = texts_of_array(rows_.raw(row_, column_++));
}
void SqlReader::operator()(const char*, std::vector<std::int64_t>& integers, const FieldRule&) {
  integers = integers_of_array(rows_.raw(row_, column_++));
}
void SqlReader::operator()(const char*, std::map<std::string, std::string>& texts, const FieldRule&) {
  const Arrays arrays = next_arrays(2);
  for (std::size_t i = 0; i < arrays[0].size(); ++i) texts[arrays[0][i]] = arrays[1][i];
}
SqlReader::Arrays SqlReader::next_arrays(std::size_t count) {
  Arrays arrays;
  std::size_t shortest = std::numeric_limits<std::size_t>::max();
  for (std::size_t i = 0; i < count; ++i) {
    shortest = std::min(shortest, arrays.emplace_back(texts_of_array(rows_.raw(row_, column_++))).size());
  }
  for (std::vector<std::string>& array : arrays) array.resize(shortest);
  return arrays;
}

std::string select_list(const std::string& table, const std::vector<std::string>& columns) {
  std::string text;
  for (const std::string& column : columns) {
    text += (text.empty() ? "" : ", ") + (column.find('.') == column.npos ? table + '.' + column : column);
  }
  return text;
}

std::string name_list(const std::vector<std::string>& columns) { return joined_text(columns, ", "); }
std::string place_list(std::size_t count) {
  std::string text;
  for (std::size_t i = 1; i <= count; ++i) text += (text.empty() ? "$" : ", $") + std::to_string(i);
  return text;
}

}  // namespace steelyard::storage
