#include "storage/comparison/history_document.hpp"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <tuple>
#include <vector>

#include "storage/archive/compression.hpp"
#include "storage/comparison/comparison_document.hpp"

namespace steelyard {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSchema = "steelyard.judged_history/1";
constexpr std::size_t kMostOccasions = 1'000'000;
constexpr std::size_t kMostSeries = 1'000'000;
constexpr std::size_t kMostPoints = 1'000'000;   // of one series
constexpr std::size_t kMostValues = 10'000'000;  // likewise
constexpr std::int64_t kMostPlace = INT64_C(1) << 31;
// Of the texts of all points. A document names an occasion once and each point has its own copy, so that a small one
// could ask for any amount of memory.
constexpr std::size_t kMostPointBytes = std::size_t{1} << 30;

Json number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}
Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

using Occasion = std::tuple<std::string, std::string, std::string>;  // commit, machine, run
Occasion occasion_of(const SeriesPoint& point) { return {point.commit, point.machine, point.run}; }

// Occasions in the order in which the series first have them.
class Occasions {
 public:
  std::size_t place_of(const SeriesPoint& point) {
    const auto [entry, is_new] = places_.try_emplace(occasion_of(point), places_.size());
    if (is_new) {
      json_.push_back({{"commit", text_or_null(point.commit)},
                       {"machine", text_or_null(point.machine)},
                       {"run", text_or_null(point.run)}});
    }
    return entry->second;
  }
  const Json& json() const { return json_; }

 private:
  std::map<Occasion, std::size_t> places_;
  Json json_ = Json::array();
};

Json change_json(const ChangePoint& change) {
  return {{"index", change.index},
          {"commit", text_or_null(change.commit)},
          {"last_good", text_or_null(change.last_good)},
          {"before", number(change.before)},
          {"after", number(change.after)},
          {"ratio", number(change.ratio)},
          {"p", number(change.p)},
          {"status", change.status == ChangeStatus::confirmed ? "confirmed" : "suspected"},
          {"verdict", change.regression ? "regression" : "improvement"},
          {"id", text_or_null(change.id)},
          {"first", change.first},
          {"last", change.last},
          {"shared", number(change.shared)}};
}

Json series_json(const SeriesHistory& history, Occasions& occasions) {
  const Series& series = history.series;
  std::vector<std::size_t> places;
  std::vector<std::size_t> counts;
  Json values = Json::array();
  bool has_one_each = true;
  for (const SeriesPoint& point : series.points) {
    places.push_back(occasions.place_of(point));
    // Values that are not finite are absent to every judge.
    std::size_t finite = 0;
    for (const double value : point.values) {
      if (!std::isfinite(value)) continue;
      values.push_back(value);
      ++finite;
    }
    counts.push_back(finite);
    has_one_each = has_one_each && finite == 1;
  }
  Json json;
  json["benchmark"] = series.name;
  json["metric"] = series.metric;
  json["unit"] = series.unit;
  json["better"] = to_text(series.better);
  json["usual_invocations"] = number(history.usual_invocations);
  json["occasions"] = places;
  json["counts"] = has_one_each ? Json(nullptr) : Json(counts);
  json["values"] = std::move(values);
  if (history.accepted) {
    json["accepted"] = {{"level", number(history.accepted->level)}, {"commit", text_or_null(history.accepted->commit)}};
  }
  json["changes"] = Json::array();
  for (const ChangePoint& change : history.changes) json["changes"].push_back(change_json(change));
  return json;
}

ChangePoint read_change(const JsonValue& value) {
  ChangePoint change;
  change.index = static_cast<std::size_t>(value.at("index").integer(0, kMostPlace));
  change.commit = value.at("commit").text();
  change.last_good = value.at("last_good").text();
  change.before = value.at("before").number_or_absent().value_or(0);
  change.after = value.at("after").number_or_absent().value_or(0);
  change.ratio = value.at("ratio").number_or_absent();
  change.p = value.at("p").number_or_absent().value_or(1);
  const std::string status = value.at("status").text();
  if (status != "confirmed" && status != "suspected") value.at("status").refuse("confirmed or suspected");
  change.status = status == "confirmed" ? ChangeStatus::confirmed : ChangeStatus::suspected;
  const std::string verdict = value.at("verdict").text();
  if (verdict != "regression" && verdict != "improvement") value.at("verdict").refuse("regression or improvement");
  change.regression = verdict == "regression";
  change.id = value.at("id").text();
  change.first = static_cast<std::size_t>(value.at("first").integer(0, kMostPlace));
  change.last = static_cast<std::size_t>(value.at("last").integer(0, kMostPlace));
  change.shared = value.at("shared").number_or_absent().value_or(0);
  return change;
}

class HistoryReader {
 public:
  explicit HistoryReader(const JsonValue& occasions) {
    for (const JsonValue& one : occasions.items(kMostOccasions)) {
      occasions_.push_back({{}, one.at("commit").text(), one.at("machine").text(), one.at("run").text()});
    }
  }

  SeriesHistory read_series(const JsonValue& value) {
    SeriesHistory history;
    history.series.name = value.at("benchmark").text();
    history.series.metric = value.at("metric").text();
    history.series.unit = value.at("unit").text();
    const auto better = parse_better(value.at("better").text());
    if (!better) value.at("better").refuse("lower, higher or undeclared");
    history.series.better = better.value_or(Better::lower);
    history.series.points = read_points(value);
    history.usual_invocations = value.at("usual_invocations").number_or_absent().value_or(1);
    const JsonValue accepted = value.at("accepted");
    if (!accepted.is_null()) {
      history.accepted = AcceptedLevel{accepted.at("level").number(), accepted.at("commit").text()};
    }
    for (const JsonValue& change : value.at("changes").items(kMostPoints)) {
      history.changes.push_back(read_change(change));
    }
    return history;
  }

 private:
  std::vector<SeriesPoint> read_points(const JsonValue& value) {
    const auto highest = static_cast<std::int64_t>(occasions_.size()) - 1;
    const std::vector<std::int64_t> places = value.at("occasions").integers(kMostPoints, 0, highest);
    const std::vector<double> values = value.at("values").numbers(kMostValues);
    std::vector<std::int64_t> counts(places.size(), 1);
    if (!value.at("counts").is_null()) {
      counts = value.at("counts").integers(kMostPoints, 0, static_cast<std::int64_t>(kMostValues));
    }
    const auto total = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    const bool is_whole = counts.size() == places.size() && total == static_cast<std::int64_t>(values.size());
    if (!is_whole) value.at("values").refuse("as many values as the series' points have");
    if (!is_whole || occasions_.empty() || !has_room_for(places, value)) return {};
    std::vector<SeriesPoint> points;
    auto next = values.begin();
    for (std::size_t i = 0; i < places.size(); ++i) {
      points.push_back(occasions_[static_cast<std::size_t>(places[i])]);
      points.back().values.assign(next, next + counts[i]);
      next += counts[i];
    }
    return points;
  }

  bool has_room_for(const std::vector<std::int64_t>& places, const JsonValue& value) {
    for (const std::int64_t place : places) {
      const SeriesPoint& occasion = occasions_[static_cast<std::size_t>(place)];
      bytes_ += sizeof(SeriesPoint) + occasion.commit.size() + occasion.machine.size() + occasion.run.size();
    }
    if (bytes_ > kMostPointBytes) value.at("occasions").refuse("points of less than 1 GiB");
    return bytes_ <= kMostPointBytes;
  }

  std::vector<SeriesPoint> occasions_;  // without values
  std::size_t bytes_ = 0;               // of all points until now
};

}  // namespace

Json history_json(const JudgedHistory& history) {
  Occasions occasions;
  Json all = Json::array();
  for (const SeriesHistory& series : history.series) all.push_back(series_json(series, occasions));
  Json json;
  json["branch"] = text_or_null(history.branch);
  json["occasions"] = occasions.json();
  json["series"] = std::move(all);
  return json;
}

JudgedHistory read_history_value(const JsonValue& value) {
  JudgedHistory history;
  history.branch = value.at("branch").text();
  HistoryReader reader(value.at("occasions"));
  for (const JsonValue& series : value.at("series").items(kMostSeries)) {
    history.series.push_back(reader.read_series(series));
  }
  return history;
}

std::string history_document(const JudgedHistory& history) {
  Json json;
  json["schema"] = kSchema;
  json.update(history_json(history));
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<PackedHistory> pack_history(const JudgedHistory& history) {
  const std::string text = history_document(history);
  const auto bytes = static_cast<std::int64_t>(text.size());
  if (bytes > kMostComparisonBytes) {
    return input_error("the history that the comparison was held against", std::to_string(bytes) + " bytes",
                       "at most " + std::to_string(kMostComparisonBytes),
                       "judge fewer metrics, or the programs apart from each other");
  }
  return PackedHistory{compress(text), bytes};
}

Result<JudgedHistory> unpack_history(const PackedHistory& packed, const std::string& name) {
  const bool is_bounded = packed.document_bytes >= 0 && packed.document_bytes <= kMostComparisonBytes;
  const auto text =
      is_bounded ? decompress(packed.bytes, static_cast<std::size_t>(packed.document_bytes)) : std::nullopt;
  if (!text) return input_error(name, "damaged bytes", "a packed " + std::string(kSchema));
  STEELYARD_TRY(const JsonDocument document, JsonDocument::parse(*text, name, kSchema));
  JudgedHistory history = read_history_value(document.root());
  STEELYARD_CHECK(document.check());
  return history;
}

}  // namespace steelyard
