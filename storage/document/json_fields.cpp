#include "storage/document/json_fields.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

namespace steelyard {
namespace {

using Json = nlohmann::ordered_json;

std::string dumped(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// What is not ASCII goes through JSON and back, so that a text is the same here as in the document.
std::string valid_text(std::string_view text) {
  const bool is_ascii =
      std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 128; });
  if (is_ascii) return std::string(text);
  return Json::parse(dumped(Json(text), -1)).get<std::string>();
}

Json texts_json(const std::vector<std::string>& texts) {
  Json json = Json::array();
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

JsonWriter::JsonWriter() : json_(std::make_unique<Json>(Json::object())) {}
JsonWriter::JsonWriter(JsonWriter&&) noexcept = default;
JsonWriter& JsonWriter::operator=(JsonWriter&&) noexcept = default;
JsonWriter::~JsonWriter() = default;

void JsonWriter::operator()(const char* name, std::string_view text, const FieldRule& rule) {
  (*json_)[name] = rule.null == Null::written && text.empty() ? Json(nullptr) : Json(valid_text(text));
}
void JsonWriter::operator()(const char* name, double number, const FieldRule&) {
  (*json_)[name] = std::isfinite(number) ? Json(number) : Json(nullptr);
}
void JsonWriter::operator()(const char* name, const Interval& interval, const FieldRule&) {
  const bool is_finite = std::isfinite(interval.low) && std::isfinite(interval.high);
  (*json_)[name] = is_finite ? Json::array({interval.low, interval.high}) : Json(nullptr);
}
void JsonWriter::operator()(const char* name, const std::vector<std::string>& texts, const FieldRule&) {
  (*json_)[name] = texts_json(texts);
}
void JsonWriter::operator()(const char* name, const std::map<std::string, std::string>& texts, const FieldRule&) {
  Json json = Json::object();
  for (const auto& [key, text] : texts) json[valid_text(key)] = valid_text(text);
  (*json_)[name] = std::move(json);
}

void JsonWriter::add(const char* name, JsonWriter object) { (*json_)[name] = std::move(*object.json_); }
void JsonWriter::add(const char* name, std::vector<JsonWriter> objects) {
  Json json = Json::array();
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
  if (rule.null != Null::refused && found.is_null()) return;
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

}  // namespace steelyard
