// A value of a JSON document of ours that is read back, with its place in it. Reads never throw: the first thing that
// is not as wanted becomes one error that names the file and the place, and every read after it gives an empty value.
//
//     STEELYARD_TRY(const JsonDocument document, JsonDocument::parse(text, path, "steelyard.calibration/1"));
//     calibration.rounds = document.root().at("rounds").integer(0, 100'000);
//     STEELYARD_CHECK(document.check());
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/interval.hpp"
#include "bench/model/result.hpp"

namespace steelyard {

class JsonValue {
 public:
  bool is_null() const;
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

}  // namespace steelyard
