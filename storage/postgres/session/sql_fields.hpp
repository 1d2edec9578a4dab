// A described value (bench/model/fields.hpp) as the columns of a row, by their names, and back. What has a table of its
// own (OwnTable) is passed over. A list of described values is one array a field; an interval two columns, NAME_low and
// NAME_high; a map of texts two arrays, NAME_names and NAME_texts.
//
//     transaction.copy({"steelyard.comparison_drifts", columns_of<SharedDrift>()}, drifts.size(),
//                      [&](std::size_t i) { return append_fields({}, drifts[i]); });
//
//     transaction.run("select " + selected<SharedDrift>("d") + " from steelyard.comparison_drifts d");
//     read_fields(rows, row, 0, drift);
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/model/fields.hpp"
#include "bench/model/interval.hpp"
#include "bench/model/metric.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard::storage {

// Names and values of columns, as many of either. A column of a dictionary ("metrics.unit") has a name alone.
class SqlWriter {
 public:
  explicit SqlWriter(std::string begin = "") : begin_(std::move(begin)) {}
  const std::vector<std::string>& names() const { return names_; }
  const SqlValues& values() const { return values_; }

  void operator()(const char*, const auto&, const OwnTable&) {}
  void operator()(const char* name, const std::string& text, const FieldRule& rule = {});
  void operator()(const char* name, bool value, const FieldRule& rule = {}) { at(name, rule).boolean(value); }
  void operator()(const char* name, double number, const FieldRule& rule = {}) { at(name, rule).number(number); }
  void operator()(const char* name, std::uint64_t number, const FieldRule& rule = {});
  void operator()(const char* name, const std::optional<Interval>& interval, const FieldRule& rule = {});
  void operator()(const char* name, const std::vector<std::string>& texts, const FieldRule& rule = {});
  void operator()(const char* name, const std::map<std::string, std::string>& texts, const FieldRule& rule = {});
  template <std::signed_integral I>
  void operator()(const char* name, I number, const FieldRule& rule = {}) {
    at(name, rule).integer(number);
  }
  template <Word E>
  void operator()(const char* name, E value, const FieldRule& rule = {}) {
    add_word(name, word_of(value), rule);
  }
  template <Word E>
  void operator()(const char* name, const WordSet<E>& words, const FieldRule& rule = {}) {
    (*this)(name, words.texts(), rule);
  }
  template <class T>
  void operator()(const char* name, const std::optional<T>& value, const FieldRule& rule = {}) {
    value ? (*this)(name, *value, rule) : void(at(name, rule).null());
  }
  template <Described T>
  void operator()(const char* name, const T& value, const FieldRule& rule = {}) {
    SqlWriter part(begin_of(name, rule));
    T::fields(part, value);
    append(part.names_, part.values_);
  }
  template <Described T>
  void operator()(const char* name, const std::vector<T>& list, const FieldRule& rule = {}) {
    SqlWriter usual(begin_of(name, rule));
    visit_default<T>(usual);
    std::vector<SqlValues> rows;
    for (const T& one : list) {
      SqlWriter row;
      T::fields(row, one);
      rows.push_back(std::move(row.values_));
    }
    append(usual.names_, SqlValues().arrays(rows, usual.names_.size()));
  }

 private:
  std::string begin_of(const char* name, const FieldRule& rule) const;
  SqlValues& at(const char* name, const FieldRule& rule, const char* end = "");
  void add_word(const char* name, std::string_view word, const FieldRule& rule);
  void append(const std::vector<std::string>& names, const SqlValues& values);

  std::string begin_;  // of every name
  std::vector<std::string> names_;
  SqlValues values_;
};

// Takes the values out of a row in which the columns stand in this order, from `column` on.
class SqlReader {
 public:
  SqlReader(const Rows& rows, std::int64_t row, int column) : rows_(rows), row_(row), column_(column) {}

  void operator()(const char*, auto&, const OwnTable&) {}
  void operator()(const char*, std::string& text, const FieldRule& = {}) { text = rows_.text(row_, column_++); }
  void operator()(const char*, bool& value, const FieldRule& = {}) { value = rows_.boolean(row_, column_++); }
  void operator()(const char*, double& number, const FieldRule& = {}) { number = rows_.number(row_, column_++); }
  void operator()(const char*, std::uint64_t& number, const FieldRule& = {});
  void operator()(const char*, std::optional<Interval>& interval, const FieldRule& = {});
  void operator()(const char*, std::vector<std::string>& texts, const FieldRule& = {});
  void operator()(const char*, std::vector<std::int64_t>& integers, const FieldRule& = {});
  void operator()(const char*, std::map<std::string, std::string>& texts, const FieldRule& = {});
  template <std::signed_integral I>
  void operator()(const char*, I& number, const FieldRule& = {}) {
    number = static_cast<I>(rows_.integer(row_, column_++));
  }
  // A null, and a word that a newer program wrote, leave it as it is.
  template <Word E>
  void operator()(const char*, E& value, const FieldRule& = {}) {
    value = parse_word<E>(rows_.raw(row_, column_++)).value_or(value);
  }
  // A null: none.
  template <Word E>
  void operator()(const char*, WordSet<E>& words, const FieldRule& = {}) {
    const int column = column_++;
    if (!rows_.is_null(row_, column)) words = WordSet<E>::of(texts_of_array(rows_.raw(row_, column)));
  }
  template <class T>
  void operator()(const char* name, std::optional<T>& value, const FieldRule& rule = {}) {
    rows_.is_null(row_, column_) ? void(++column_) : (*this)(name, value.emplace(), rule);
  }
  void operator()(const char*, Metric& metric, const FieldRule& = {}) { Metric::fields(*this, metric, ""); }
  template <Described T>
  void operator()(const char*, T& value, const FieldRule& = {}) {
    T::fields(*this, value);
  }
  template <Described T>
  void operator()(const char*, std::vector<T>& list, const FieldRule& = {});

 private:
  using Arrays = std::vector<std::vector<std::string>>;
  Arrays next_arrays(std::size_t count);  // as long as the shortest

  const Rows& rows_;
  std::int64_t row_;
  int column_;
};

// Takes the values out of the same place of several arrays.
class SqlArrayReader {
 public:
  SqlArrayReader(const std::vector<std::vector<std::string>>& arrays, std::size_t place)
      : arrays_(arrays), place_(place) {}

  void operator()(const char*, std::string& text, const FieldRule& = {}) { text = next(); }
  void operator()(const char*, bool& value, const FieldRule& = {}) { value = next() == "t"; }
  void operator()(const char*, double& number, const FieldRule& = {}) { number = number_of_text(next()); }
  template <std::signed_integral I>
  void operator()(const char*, I& number, const FieldRule& = {}) {
    number = static_cast<I>(integer_of_text(next()));
  }

 private:
  const std::string& next() { return arrays_[array_++][place_]; }

  const std::vector<std::vector<std::string>>& arrays_;
  std::size_t array_ = 0;
  std::size_t place_;
};

template <Described T>
void SqlReader::operator()(const char*, std::vector<T>& list, const FieldRule&) {
  SqlWriter usual;
  visit_default<T>(usual);
  const Arrays arrays = next_arrays(usual.names().size());
  for (std::size_t i = 0; i < arrays.front().size(); ++i) {
    SqlArrayReader reader(arrays, i);
    T::fields(reader, list.emplace_back());
  }
}

// The columns that append_fields() gives the values of, after those of `keys`.
template <Described T>
std::vector<std::string> columns_of(std::vector<std::string> keys = {}) {
  SqlWriter usual;
  visit_default<T>(usual);
  for (const std::string& name : usual.names()) {
    if (name.find('.') == name.npos) keys.push_back(name);
  }
  return keys;
}
template <Described T>
SqlValues append_fields(SqlValues values, const T& value) {
  SqlWriter writer;
  T::fields(writer, value);
  return values.append(writer.values());
}

// The columns that read_fields() takes, for a statement that calls the table `table` and a dictionary by its name.
std::string select_list(const std::string& table, const std::vector<std::string>& columns);
template <Described T>
std::string selected(const std::string& table) {
  SqlWriter usual;
  visit_default<T>(usual);
  return select_list(table, usual.names());
}
template <Described T>
void read_fields(const Rows& rows, std::int64_t row, int first_column, T& value) {
  SqlReader reader(rows, row, first_column);
  T::fields(reader, value);
}

// The values of a row from `first_column` on, in the order of the statement's columns; for statements whose columns are
// no fields.
void read_in_order(const Rows& rows, std::int64_t row, int first_column, auto&... values) {
  SqlReader next(rows, row, first_column);
  (next("", values), ...);
}

// "a, b" and "$1, $2", of a statement that inserts one row.
std::string name_list(const std::vector<std::string>& columns);
std::string place_list(std::size_t count);

}  // namespace steelyard::storage
