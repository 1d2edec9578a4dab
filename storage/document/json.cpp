#include "storage/document/json.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "bench/model/parse_number.hpp"
#include "bench/model/text.hpp"

namespace steelyard::storage {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxShown = 60;  // bytes of a value that is not as wanted
// Documents of ours have below 10. The library writes a value by recursion, and what is not as wanted is shown.
constexpr int kMaxLevels = 64;

const Json kNull = nullptr;

std::string shown(const Json& value) {
  return cut_at_bytes(value.dump(-1, ' ', false, Json::error_handler_t::replace), kMaxShown, "...");
}

Result<Json> parse_within_levels(std::string_view text, const std::string& name, const std::string& wanted) {
  bool is_too_deep = false;
  const auto is_kept = [&](int depth, Json::parse_event_t, const Json&) {
    is_too_deep = is_too_deep || depth > kMaxLevels;
    return !is_too_deep;
  };
  Json json = Json::parse(text, is_kept, false);
  if (is_too_deep) return input_error(name, "JSON of more than " + std::to_string(kMaxLevels) + " levels", wanted);
  if (json.is_discarded()) return input_error(name, "no JSON, or only a part of it", wanted);
  return json;
}

// "steelyard.comparison/1" into its name with the stroke, and its number; 0: none.
std::pair<std::string_view, int> parts_of_schema(std::string_view schema) {
  const std::size_t stroke = schema.rfind('/');
  if (stroke == std::string_view::npos) return {schema, 0};
  const std::string_view digits = schema.substr(stroke + 1);
  return {schema.substr(0, stroke + 1), parse_as<int>(digits).value_or(0)};
}

}  // namespace

struct JsonValue::Shared {
  Json json;
  std::string name;
  std::optional<Error> error = std::nullopt;
};

JsonValue::JsonValue(const Json& value, std::string place, Shared& shared)
    : value_(&value), place_(std::move(place)), shared_(&shared) {}

void JsonValue::refuse(const std::string& wanted) const {
  if (shared_->error) return;
  const std::string where = shared_->name + (place_.empty() ? "" : ": " + place_);
  shared_->error = input_error(where, shown(*value_), wanted);
}

bool JsonValue::is_null() const { return value_->is_null(); }
bool JsonValue::is_text() const { return value_->is_string(); }

JsonValue JsonValue::at(std::string_view name) const {
  const std::string place = (place_.empty() ? "" : place_ + '.') + std::string(name);
  if (!value_->is_object()) {
    refuse("an object");
    return {kNull, place, *shared_};
  }
  const auto found = value_->find(std::string(name));
  return {found == value_->end() ? kNull : *found, place, *shared_};
}

std::vector<std::string> JsonValue::names() const {
  std::vector<std::string> names;
  if (!value_->is_object()) {
    refuse("an object");
    return names;
  }
  for (auto at = value_->begin(); at != value_->end(); ++at) names.push_back(at.key());
  return names;
}

std::vector<JsonValue> JsonValue::items(std::size_t most) const {
  std::vector<JsonValue> items;
  if (!value_->is_array() || value_->size() > most) {
    refuse("an array of at most " + std::to_string(most));
    return items;
  }
  for (std::size_t i = 0; i < value_->size(); ++i) {
    items.push_back({(*value_)[i], place_ + '[' + std::to_string(i) + ']', *shared_});
  }
  return items;
}

std::vector<std::string> JsonValue::texts(std::size_t most) const {
  std::vector<std::string> texts;
  for (const JsonValue& item : items(most)) texts.push_back(item.text());
  return texts;
}

std::vector<double> JsonValue::numbers(std::size_t most) const {
  std::vector<double> numbers;
  for (const JsonValue& item : items(most)) numbers.push_back(item.number());
  return numbers;
}

std::vector<std::int64_t> JsonValue::integers(std::size_t most, std::int64_t low, std::int64_t high) const {
  std::vector<std::int64_t> integers;
  for (const JsonValue& item : items(most)) integers.push_back(item.integer(low, high));
  return integers;
}

std::string JsonValue::text() const {
  if (value_->is_string()) return value_->get_ref<const std::string&>();
  if (!value_->is_null()) refuse("a text");
  return "";
}

bool JsonValue::boolean() const {
  if (value_->is_boolean()) return value_->get<bool>();
  refuse("true or false");
  return false;
}

double JsonValue::number() const {
  if (value_->is_number() && std::isfinite(value_->get<double>())) return value_->get<double>();
  refuse("a number");
  return 0;
}

std::optional<double> JsonValue::number_or_absent() const {
  return value_->is_null() ? std::nullopt : std::optional(number());
}

std::int64_t JsonValue::integer(std::int64_t low, std::int64_t high) const {
  // A number beyond the signed range is stored as an unsigned one.
  const bool fits = value_->is_number_unsigned() ? value_->get<std::uint64_t>() <= std::uint64_t{INT64_MAX}
                                                 : value_->is_number_integer();
  if (fits && value_->get<std::int64_t>() >= low && value_->get<std::int64_t>() <= high) {
    return value_->get<std::int64_t>();
  }
  refuse("a whole number from " + std::to_string(low) + " to " + std::to_string(high));
  return low;
}

std::uint64_t JsonValue::unsigned_integer() const {
  if (value_->is_number_unsigned()) return value_->get<std::uint64_t>();
  refuse("a whole number from 0 to 18446744073709551615");
  return 0;
}

std::optional<Interval> JsonValue::interval() const {
  if (value_->is_null()) return std::nullopt;
  if (!value_->is_array() || value_->size() != 2 || !(*value_)[0].is_number() || !(*value_)[1].is_number()) {
    refuse("two numbers in brackets, or null");
    return std::nullopt;
  }
  return Interval{(*value_)[0].get<double>(), (*value_)[1].get<double>()};
}

JsonDocument::JsonDocument(std::unique_ptr<JsonValue::Shared> shared) : shared_(std::move(shared)) {}
JsonDocument::JsonDocument(JsonDocument&&) noexcept = default;
JsonDocument& JsonDocument::operator=(JsonDocument&&) noexcept = default;
JsonDocument::~JsonDocument() = default;

Result<JsonDocument> JsonDocument::parse(std::string_view text, const std::string& name, std::string_view schema) {
  const std::string wanted(schema);
  auto shared = std::make_unique<JsonValue::Shared>();
  shared->name = name;
  STEELYARD_TRY(shared->json, parse_within_levels(text, name, wanted));
  const Json& json = shared->json;
  const auto member = json.is_object() ? json.find("schema") : json.end();
  const bool has_schema = json.is_object() && member != json.end() && member->is_string();
  const std::string found = has_schema ? member->get<std::string>() : "";
  if (found == schema) return JsonDocument(std::move(shared));
  if (found.empty()) return input_error(name, "no \"schema\"", wanted);
  const auto [own, version] = parts_of_schema(schema);
  const auto [other, later] = parts_of_schema(found);
  const bool is_newer = own == other && later > version;
  return input_error(name, '"' + found.substr(0, kMaxShown) + '"', wanted,
                     is_newer ? "a newer steelyard wrote it: read it with that one" : "");
}

Result<JsonDocument> JsonDocument::parse(std::string_view text, const std::string& name) {
  auto shared = std::make_unique<JsonValue::Shared>();
  shared->name = name;
  STEELYARD_TRY(shared->json, parse_within_levels(text, name, "JSON"));
  return JsonDocument(std::move(shared));
}

JsonDocument JsonDocument::of(const nlohmann::ordered_json& json, const std::string& name) {
  auto shared = std::make_unique<JsonValue::Shared>();
  shared->json = Json(json);
  shared->name = name;
  return JsonDocument(std::move(shared));
}

JsonValue JsonDocument::root() const { return {shared_->json, "", *shared_}; }

Result<void> JsonDocument::check() const {
  if (shared_->error) return *shared_->error;
  return {};
}

namespace {

using OrderedJson = nlohmann::ordered_json;

std::string dumped(const OrderedJson& json, int indent) {
  return json.dump(indent, ' ', false, OrderedJson::error_handler_t::replace);
}

// What is not ASCII goes through JSON and back, so that a text is the same here as in the document.
std::string valid_text(std::string_view text) {
  const bool is_ascii =
      std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 128; });
  if (is_ascii) return std::string(text);
  return OrderedJson::parse(dumped(OrderedJson(text), -1)).get<std::string>();
}

OrderedJson texts_json(const std::vector<std::string>& texts) {
  OrderedJson json = OrderedJson::array();
  for (const std::string& text : texts) json.push_back(valid_text(text));
  return json;
}

std::string choice_text(std::span<const std::string_view> words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + std::string(words[i]);
  }
  return text;
}

}  // namespace

JsonWriter::JsonWriter() : json_(std::make_unique<OrderedJson>(OrderedJson::object())) {}
JsonWriter::JsonWriter(JsonWriter&&) noexcept = default;
JsonWriter& JsonWriter::operator=(JsonWriter&&) noexcept = default;
JsonWriter::~JsonWriter() = default;

void JsonWriter::operator()(const char* name, std::string_view text, const FieldRule& rule) {
  if (rule.omitted && text.empty()) return;
  (*json_)[name] = rule.null == Null::written && text.empty() ? OrderedJson(nullptr) : OrderedJson(valid_text(text));
}
void JsonWriter::operator()(const char* name, double number, const FieldRule&) {
  (*json_)[name] = std::isfinite(number) ? OrderedJson(number) : OrderedJson(nullptr);
}
void JsonWriter::operator()(const char* name, const Interval& interval, const FieldRule&) {
  const bool is_finite = std::isfinite(interval.low) && std::isfinite(interval.high);
  (*json_)[name] = is_finite ? OrderedJson::array({interval.low, interval.high}) : OrderedJson(nullptr);
}
void JsonWriter::operator()(const char* name, const std::vector<std::string>& texts, const FieldRule& rule) {
  if (rule.omitted && texts.empty()) return;
  (*json_)[name] = texts_json(texts);
}
void JsonWriter::operator()(const char* name, const std::map<std::string, std::string>& texts, const FieldRule& rule) {
  if (rule.omitted && texts.empty()) return;
  OrderedJson json = OrderedJson::object();
  for (const auto& [key, text] : texts) json[valid_text(key)] = valid_text(text);
  (*json_)[name] = std::move(json);
}

void JsonWriter::add(const char* name, JsonWriter object) { (*json_)[name] = std::move(*object.json_); }
void JsonWriter::add(const char* name, std::vector<JsonWriter> objects) {
  OrderedJson json = OrderedJson::array();
  for (JsonWriter& object : objects) json.push_back(std::move(*object.json_));
  (*json_)[name] = std::move(json);
}
void JsonWriter::add(const char* name, const std::vector<double>& numbers) { (*json_)[name] = numbers; }
void JsonWriter::add(const char* name, const std::vector<std::size_t>& numbers) { (*json_)[name] = numbers; }
void JsonWriter::add_null(const char* name) { (*json_)[name] = nullptr; }
void JsonWriter::add_boolean(const char* name, bool value) { (*json_)[name] = value; }
void JsonWriter::add_integer(const char* name, std::int64_t value) { (*json_)[name] = value; }
void JsonWriter::add_unsigned(const char* name, std::uint64_t value) { (*json_)[name] = value; }

std::string JsonWriter::text() const { return dumped(*json_, 1) + "\n"; }
std::string JsonWriter::one_line() const { return dumped(*json_, -1); }

std::vector<std::pair<std::string, std::string>> JsonWriter::member_texts(const std::string& absent) const {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const auto& [name, value] : json_->items()) {
    const std::string text = value.is_string() ? value.get<std::string>() : dumped(value, -1);
    texts.emplace_back(name, value.is_null() ? absent : text);
  }
  return texts;
}

void JsonReader::operator()(const char* name, std::string& text, const FieldRule&) { text = object_.at(name).text(); }
void JsonReader::operator()(const char* name, bool& value, const FieldRule& rule) {
  const JsonValue found = object_.at(name);
  if (rule.null != Null::refused && found.is_null()) return;
  value = rule.words[0].empty() ? found.boolean() : word_at(found, rule.words) == 1;
}
void JsonReader::operator()(const char* name, double& number, const FieldRule& rule) {
  const JsonValue found = object_.at(name);
  if (rule.null != Null::refused && found.is_null()) return;
  number = found.number();
  if (rule.not_negative && number < 0) found.refuse("a number not below 0");
}
void JsonReader::operator()(const char* name, Interval& interval, const FieldRule&) {
  interval = object_.at(name).interval().value_or(interval);
}
void JsonReader::operator()(const char* name, std::uint64_t& number, const FieldRule& rule) {
  const JsonValue found = object_.at(name);
  if (rule.null != Null::refused && found.is_null()) return;
  const bool is_bounded = rule.high != FieldRule{}.high;
  number = is_bounded ? static_cast<std::uint64_t>(found.integer(rule.low, rule.high)) : found.unsigned_integer();
}
void JsonReader::operator()(const char* name, std::vector<std::string>& texts, const FieldRule& rule) {
  const JsonValue found = object_.at(name);
  if ((rule.null != Null::refused || rule.omitted) && found.is_null()) return;
  texts = found.texts(rule.most);
}
void JsonReader::operator()(const char* name, std::map<std::string, std::string>& texts, const FieldRule&) {
  const JsonValue found = object_.at(name);
  if (found.is_null()) return;
  for (const std::string& key : found.names()) texts[key] = found.at(key).text();
}

std::size_t JsonReader::word_at(const JsonValue& found, std::span<const std::string_view> words) {
  const std::string text = found.text();
  const auto place = std::find(words.begin(), words.end(), text);
  if (place != words.end()) return static_cast<std::size_t>(place - words.begin());
  found.refuse(choice_text(words));
  return 0;
}

}  // namespace steelyard::storage
