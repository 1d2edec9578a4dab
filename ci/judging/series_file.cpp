#include "ci/judging/series_file.hpp"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <istream>
#include <nlohmann/json.hpp>
#include <optional>

#include "bench/formats/non_finite_tokens.hpp"

namespace steelyard::ci {
namespace {

using nlohmann::json;

constexpr std::size_t kShownName = 40;
constexpr int kDeepest = 64;  // of what stands inside of each other

// Why a file is refused; thrown out of the parser's callback and caught below, in this file.
struct Refusal {
  Error error;
};

std::string excerpt(std::string_view text) {
  std::string shown;
  for (const char c : text.substr(0, kShownName)) shown += c >= ' ' && c <= '~' ? c : '?';
  return text.size() > kShownName ? shown + "..." : shown;
}

// What stands there, for people.
std::string described(const json& value) {
  switch (value.type()) {
    case json::value_t::null:
      return "null";
    case json::value_t::string:
      return '"' + excerpt(value.get_ref<const std::string&>()) + '"';
    case json::value_t::array:
      return "a list of " + std::to_string(value.size());
    case json::value_t::object:
      return "an object";
    default:
      return excerpt(value.dump());
  }
}

class SeriesReader {
 public:
  SeriesReader(const json& object, std::string place) : object_(object), place_(std::move(place)) {}

  Result<Series> read() {
    Series series;
    STEELYARD_TRY(series.name, text("name"));
    if (!series.name.empty()) place_ += " (" + excerpt(series.name) + ")";
    STEELYARD_TRY(series.metric, text("metric"));
    STEELYARD_TRY(series.unit, text("unit"));
    STEELYARD_TRY(series.better, better());
    const auto values = object_.find("values");
    if (values == object_.end()) return input_error(place_, "no \"values\"", "a list of numbers, lists and nulls");
    if (!values->is_array()) return input_error(place_ + ": values", described(*values), "a list");
    series.points.resize(values->size());
    for (std::size_t i = 0; i < values->size(); ++i) {
      STEELYARD_CHECK(read_point((*values)[i], "values[" + std::to_string(i) + "]", series.points[i]));
    }
    STEELYARD_CHECK(read_names("commits", series, &SeriesPoint::commit));
    STEELYARD_CHECK(read_names("machines", series, &SeriesPoint::machine));
    return series;
  }

 private:
  Result<std::string> text(const char* key) const {
    const auto found = object_.find(key);
    if (found == object_.end() || found->is_null()) return std::string();
    if (!found->is_string()) return input_error(place_ + ": " + key, described(*found), "a text");
    return found->get<std::string>();
  }

  Result<Better> better() const {
    STEELYARD_TRY(const std::string word, text("better"));
    if (word.empty()) return Better::lower;
    const auto parsed = parse_better(word);
    if (parsed && *parsed != Better::undeclared) return *parsed;
    return input_error(place_ + ": better", '"' + excerpt(word) + '"', "\"lower\" or \"higher\"");
  }

  // A value; absent: a gap.
  Result<std::optional<double>> number(const json& value, const std::string& where) const {
    if (value.is_null()) return std::optional<double>();
    if (value.is_number()) return std::optional(value.get<double>());
    if (value.is_string() && !bench::unmask_non_finite(value.get_ref<const std::string&>()).empty()) {
      return std::optional<double>();
    }
    return input_error(place_ + ": " + where, described(value), "a number, a list of numbers, or null");
  }

  Result<void> read_point(const json& value, const std::string& where, SeriesPoint& point) const {
    if (!value.is_array()) {
      STEELYARD_TRY(const std::optional<double> read, number(value, where));
      if (read && std::isfinite(*read)) point.values.push_back(*read);
      return {};
    }
    for (std::size_t i = 0; i < value.size(); ++i) {
      STEELYARD_TRY(const std::optional<double> read, number(value[i], where + "[" + std::to_string(i) + "]"));
      if (read && std::isfinite(*read)) point.values.push_back(*read);
    }
    return {};
  }

  Result<void> read_names(const char* key, Series& series, std::string SeriesPoint::*field) const {
    const auto found = object_.find(key);
    if (found == object_.end() || found->is_null()) return {};
    const std::string where = place_ + ": " + key;
    if (!found->is_array()) return input_error(where, described(*found), "a list of texts");
    if (found->size() != series.points.size()) {
      return input_error(where, std::to_string(found->size()) + " entries",
                         std::to_string(series.points.size()) + ", one for each of the values");
    }
    for (std::size_t i = 0; i < found->size(); ++i) {
      const json& name = (*found)[i];
      if (name.is_null()) continue;
      if (!name.is_string() && !name.is_number()) {
        return input_error(where + "[" + std::to_string(i) + "]", described(name), "a text");
      }
      series.points[i].*field = name.is_string() ? name.get<std::string>() : name.dump();
    }
    return {};
  }

  const json& object_;
  std::string place_;
};

// Turns each object into a series as soon as it is read, so that a file is never held twice.
class SeriesListener {
 public:
  SeriesListener(std::vector<Series>& all, const std::string& name) : all_(all), name_(name) {}

  bool on_event(int depth, json::parse_event_t event, json& parsed) {
    if (depth == 0 && event == json::parse_event_t::array_start) is_list_ = true;
    if (depth == 0 && event == json::parse_event_t::value) refuse(parsed);
    const int series_depth = is_list_ ? 1 : 0;
    if (depth > kDeepest)
      throw Refusal{input_error(place(), "more than " + std::to_string(kDeepest) + " levels", "fewer")};
    if (depth != series_depth) return true;
    if (event == json::parse_event_t::value || event == json::parse_event_t::array_end) refuse(parsed);
    if (event != json::parse_event_t::object_end) return true;
    if (all_.size() == kMaxSeries) {
      throw Refusal{input_error(name_, "more series", "at most " + std::to_string(kMaxSeries), "split the file")};
    }
    Result<Series> series = SeriesReader(parsed, place()).read();
    if (!series) throw Refusal{series.error()};
    all_.push_back(std::move(*series));
    return false;
  }

  std::string place() const { return is_list_ ? name_ + ": series " + std::to_string(all_.size() + 1) : name_; }

 private:
  void refuse(const json& parsed) const {
    throw Refusal{input_error(place(), described(parsed), "a series: an object with \"values\"")};
  }

  std::vector<Series>& all_;
  const std::string& name_;
  bool is_list_ = false;
};

Error syntax_error(std::string_view text, const std::string& name, std::size_t offset, const std::string& place) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  if (last == std::string_view::npos) return input_error(name, "an empty file", "a series as JSON");
  const std::string where = place + ": byte " + std::to_string(offset);
  if (offset > last || bench::ends_in_cut_non_finite_token(text)) {
    return input_error(where, "the end of the file in the middle of it", "complete JSON");
  }
  return input_error(where, '"' + excerpt(text.substr(offset)) + '"', "JSON");
}

}  // namespace

Result<std::vector<Series>> parse_series(std::string_view text, const std::string& name) {
  if (text.size() > kMaxSeriesFileBytes) {
    return input_error(name, std::to_string(text.size()) + " bytes", "at most " + std::to_string(kMaxSeriesFileBytes),
                       "split it");
  }
  std::vector<Series> all;
  SeriesListener listener(all, name);
  try {
    // The result itself is empty: each series was taken out of it while it was read.
    [[maybe_unused]] const json rest = json::parse(
        bench::mask_non_finite_tokens(std::string(text)),
        [&](int depth, json::parse_event_t event, json& parsed) { return listener.on_event(depth, event, parsed); });
  } catch (const json::parse_error& error) {
    // The parser counts bytes from 1 and points behind the one it refused.
    return syntax_error(text, name, error.byte == 0 ? 0 : error.byte - 1, listener.place());
  } catch (const Refusal& refusal) {
    return refusal.error;
  } catch (const json::exception& error) {
    return input_error(listener.place(), error.what(), "a series as JSON");
  }
  return all;
}

Result<std::vector<Series>> read_series_file(const std::filesystem::path& file, std::istream& in) {
  const bool is_stream = file == "-";
  std::ifstream opened;
  errno = 0;
  if (!is_stream) opened.open(file, std::ios::binary);
  std::istream& source = is_stream ? in : opened;
  const auto refused = [&] {
    const int trouble = errno;
    return input_error(file.string(), trouble == 0 ? "a file that cannot be read" : std::strerror(trouble),
                       "a JSON file of series");
  };
  if (!source) return refused();
  std::string text;
  std::vector<char> block(std::size_t{1} << 16);
  while (source && text.size() <= kMaxSeriesFileBytes) {
    source.read(block.data(), static_cast<std::streamsize>(block.size()));
    text.append(block.data(), static_cast<std::size_t>(source.gcount()));
  }
  if (source.bad()) return refused();
  return parse_series(text, is_stream ? "standard input" : file.string());
}

}  // namespace steelyard::ci
