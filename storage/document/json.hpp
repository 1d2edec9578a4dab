// A value of a JSON document of ours that is read back, with its place in it. Reads never throw: the first thing that
// is not as wanted becomes one error that names the file and the place, and every read after it gives an empty value.
//
//     STEELYARD_TRY(const JsonDocument document, JsonDocument::parse(text, path, "steelyard.calibration/1"));
//     calibration.rounds = document.root().at("rounds").integer(0, 100'000);
//     STEELYARD_CHECK(document.check());
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "bench/model/fields.hpp"
#include "bench/model/interval.hpp"
#include "bench/model/result.hpp"

namespace steelyard::storage {

class JsonValue {
 public:
  bool is_null() const;
  bool is_text() const;
  JsonValue at(std::string_view name) const;               // of an object; absent: null
  std::vector<std::string> names() const;                  // of an object's members
  std::vector<JsonValue> items(std::size_t most) const;    // of an array
  std::vector<std::string> texts(std::size_t most) const;  // an array of texts
  std::vector<double> numbers(std::size_t most) const;     // an array of finite numbers
  std::vector<std::int64_t> integers(std::size_t most, std::int64_t low, std::int64_t high) const;  // an array
  std::string text() const;                                                                         // null: empty
  bool boolean() const;                                                                             // no null
  double number() const;                                                                            // finite, no null
  std::optional<double> number_or_absent() const;                                                   // null: absent
  std::int64_t integer(std::int64_t low, std::int64_t high) const;
  std::uint64_t unsigned_integer() const;
  std::optional<Interval> interval() const;  // an array of two numbers; null: absent
  // The place is named; what was found is the value itself.
  void refuse(const std::string& wanted) const;

 private:
  friend class JsonDocument;
  struct Shared;
  JsonValue(const nlohmann::json& value, std::string place, Shared& shared);

  const nlohmann::json* value_;
  std::string place_;
  Shared* shared_;
};

class JsonDocument {
 public:
  // `name` is named in errors. `schema` is "steelyard.comparison/1": the text of the member "schema" must be that; a
  // later number is told as a newer version. Error (input): no JSON, another schema.
  static Result<JsonDocument> parse(std::string_view text, const std::string& name, std::string_view schema);
  // Of others' JSON, which has no schema of ours. Error (input): no JSON.
  static Result<JsonDocument> parse(std::string_view text, const std::string& name);
  // Of what would be written, without a text between; every text in it is valid.
  static JsonDocument of(const nlohmann::ordered_json& json, const std::string& name);
  JsonDocument(JsonDocument&&) noexcept;
  JsonDocument& operator=(JsonDocument&&) noexcept;
  ~JsonDocument();

  JsonValue root() const;
  Result<void> check() const;  // the first error of all reads until now

 private:
  explicit JsonDocument(std::unique_ptr<JsonValue::Shared> shared);
  std::unique_ptr<JsonValue::Shared> shared_;
};

// A described value (bench/model/fields.hpp) as a JSON object, and back.
//
//     JsonWriter object;
//     object("schema", kSchema);
//     Calibration::fields(object, calibration);
//     write_file(path, object.text());
//
//     JsonReader reader(document.root());
//     Calibration::fields(reader, calibration);
//     STEELYARD_CHECK(document.check());
//
// Who keeps a part in another form derives from either and overloads the call operator for the type of that part.

// An object that is being written; its members stand in the order in which they were added. What is absent is null, and
// so are numbers and intervals that are not finite. Bytes that are no UTF-8 are replaced.
class JsonWriter {
 public:
  JsonWriter();
  JsonWriter(JsonWriter&&) noexcept;
  JsonWriter& operator=(JsonWriter&&) noexcept;
  ~JsonWriter();

  void operator()(const char* name, std::string_view text, const FieldRule& rule = {});
  void operator()(const char* name, double number, const FieldRule& rule = {});
  void operator()(const char* name, const Interval& interval, const FieldRule& rule = {});
  void operator()(const char* name, const std::vector<std::string>& texts, const FieldRule& rule = {});
  void operator()(const char* name, const std::map<std::string, std::string>& texts, const FieldRule& rule = {});

  template <std::integral I>
  void operator()(const char* name, I value, const FieldRule& rule = {}) {
    if constexpr (std::is_same_v<I, bool>) {
      rule.words[0].empty() ? add_boolean(name, value) : (*this)(name, rule.words[value ? 1 : 0]);
    } else if (rule.null == Null::written && !(value > 0)) {
      add_null(name);
    } else if constexpr (std::is_unsigned_v<I>) {
      add_unsigned(name, value);
    } else {
      add_integer(name, value);
    }
  }
  template <Word E>
  void operator()(const char* name, E value, const FieldRule& rule = {}) {
    rule.applies ? (*this)(name, word_of(value)) : add_null(name);
  }
  template <Word E>
  void operator()(const char* name, const WordSet<E>& words, const FieldRule& rule = {}) {
    (*this)(name, words.texts(), rule);
  }
  template <class T>
  void operator()(const char* name, const std::optional<T>& value, const FieldRule& rule = {}) {
    if (value) {
      (*this)(name, *value, rule);
    } else if (!rule.omitted) {
      add_null(name);
    }
  }
  template <Described T>
  void operator()(const char* name, const T& value, const FieldRule& = {}) {
    JsonWriter object;
    T::fields(object, value);
    add(name, std::move(object));
  }
  template <Described T>
  void operator()(const char* name, const std::vector<T>& list, const FieldRule& rule = {}) {
    if (rule.omitted && list.empty()) return;
    std::vector<JsonWriter> objects(list.size());
    for (std::size_t i = 0; i < list.size(); ++i) T::fields(objects[i], list[i]);
    add(name, std::move(objects));
  }

  void add(const char* name, JsonWriter object);
  void add(const char* name, std::vector<JsonWriter> objects);
  void add(const char* name, const std::vector<double>& numbers);
  void add(const char* name, const std::vector<std::size_t>& numbers);
  void add_null(const char* name);

  std::string text() const;      // indented, with a newline at the end
  std::string one_line() const;  // without one
  // Each member with its value as a text, `absent` for null.
  std::vector<std::pair<std::string, std::string>> member_texts(const std::string& absent) const;
  const nlohmann::ordered_json& json() const { return *json_; }
  nlohmann::ordered_json& json() { return *json_; }

 private:
  void add_boolean(const char* name, bool value);
  void add_integer(const char* name, std::int64_t value);
  void add_unsigned(const char* name, std::uint64_t value);

  std::unique_ptr<nlohmann::ordered_json> json_;
};

// Reads the members of an object into a value. What is not as wanted is an error of the object's document, and leaves
// the member as it was.
class JsonReader {
 public:
  explicit JsonReader(JsonValue object) : object_(std::move(object)) {}

  void operator()(const char* name, std::string& text, const FieldRule& rule = {});
  void operator()(const char* name, bool& value, const FieldRule& rule = {});
  void operator()(const char* name, double& number, const FieldRule& rule = {});
  void operator()(const char* name, Interval& interval, const FieldRule& rule = {});
  void operator()(const char* name, std::uint64_t& number, const FieldRule& rule = {});
  void operator()(const char* name, std::vector<std::string>& texts, const FieldRule& rule = {});
  void operator()(const char* name, std::map<std::string, std::string>& texts, const FieldRule& rule = {});

  template <std::signed_integral I>
  void operator()(const char* name, I& number, const FieldRule& rule = {}) {
    const JsonValue found = object_.at(name);
    if (rule.null != Null::refused && found.is_null()) return;
    number = static_cast<I>(found.integer(std::max<std::int64_t>(rule.low, std::numeric_limits<I>::min()),
                                          std::min<std::int64_t>(rule.high, std::numeric_limits<I>::max())));
  }
  template <Word E>
  void operator()(const char* name, E& value, const FieldRule& rule = {}) {
    const JsonValue found = object_.at(name);
    if (rule.null != Null::refused && found.is_null()) return;
    const std::size_t word = word_at(found, words_of(value));
    if (rule.applies) value = static_cast<E>(word);
  }
  // Null, in a document that is older than the member: none.
  template <Word E>
  void operator()(const char* name, WordSet<E>& words, const FieldRule& rule = {}) {
    const JsonValue found = object_.at(name);
    if (!found.is_null()) words = WordSet<E>::of(found.texts(rule.most));
  }
  template <class T>
  void operator()(const char* name, std::optional<T>& value, const FieldRule& rule = {}) {
    if (object_.at(name).is_null()) return;
    (*this)(name, value.emplace(), rule);
  }
  template <Described T>
  void operator()(const char* name, T& value, const FieldRule& = {}) {
    JsonReader reader(object_.at(name));
    T::fields(reader, value);
  }
  template <Described T>
  void operator()(const char* name, std::vector<T>& list, const FieldRule& rule = {}) {
    const JsonValue found = object_.at(name);
    if (rule.omitted && found.is_null()) return;
    for (JsonValue& item : found.items(rule.most)) {
      JsonReader reader(std::move(item));
      T::fields(reader, list.emplace_back());
    }
  }

 protected:
  const JsonValue& object() const { return object_; }

 private:
  // The place of the text among the words; 0 where it is none of them, which is an error.
  static std::size_t word_at(const JsonValue& found, std::span<const std::string_view> words);

  JsonValue object_;
};

}  // namespace steelyard::storage
