#include "storage/comparison/history_document.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "storage/archive/container.hpp"
#include "storage/comparison/comparison_document.hpp"

namespace steelyard::storage {
namespace {

constexpr std::string_view kSchema = "steelyard.judged_history/1";
constexpr std::size_t kMaxOccasions = 1'000'000;
constexpr std::size_t kMaxSeries = 1'000'000;
constexpr std::size_t kMaxPoints = 1'000'000;   // of one series
constexpr std::size_t kMaxValues = 10'000'000;  // of one series
// Of the texts of all points. A document names an occasion once and each point has its own copy, so that a small one
// could ask for any amount of memory.
constexpr std::size_t kMaxPointBytes = std::size_t{256} << 20;

// Of a point all but its values, which are each series' own.
template <class Visitor, class Point>
void occasion_fields(Visitor& visit, Point& point) {
  visit("commit", point.commit, {.null = Null::written});
  visit("machine", point.machine, {.null = Null::written});
  visit("run", point.run, {.null = Null::written});
}

// Occasions in the order in which the series first have them.
class Occasions {
 public:
  std::size_t place_of(const SeriesPoint& point) {
    const auto [entry, is_new] =
        places_.try_emplace(std::tuple(point.commit, point.machine, point.run), places_.size());
    if (is_new) occasion_fields(objects_.emplace_back(), point);
    return entry->second;
  }
  std::vector<JsonWriter> take() { return std::move(objects_); }

 private:
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> places_;
  std::vector<JsonWriter> objects_;
};

class SeriesWriter : public JsonWriter {
 public:
  explicit SeriesWriter(Occasions& occasions) : occasions_(occasions) {}
  using JsonWriter::operator();
  void operator()(const char*, const std::vector<SeriesPoint>& points) {
    std::vector<std::size_t> places;
    std::vector<std::size_t> counts;
    std::vector<double> values;
    bool has_one_each = true;
    for (const SeriesPoint& point : points) {
      places.push_back(occasions_.place_of(point));
      // Values that are not finite are absent to every judge.
      const std::size_t before = values.size();
      std::copy_if(point.values.begin(), point.values.end(), std::back_inserter(values),
                   [](double value) { return std::isfinite(value); });
      counts.push_back(values.size() - before);
      has_one_each = has_one_each && counts.back() == 1;
    }
    add("occasions", places);
    has_one_each ? add_null("counts") : add("counts", counts);
    add("values", values);
  }

 private:
  Occasions& occasions_;
};

class SeriesReader : public JsonReader {
 public:
  // bytes: of all points until now.
  SeriesReader(const JsonValue& series, const std::vector<SeriesPoint>& occasions, std::size_t& bytes)
      : JsonReader(series), occasions_(occasions), bytes_(bytes) {}
  using JsonReader::operator();
  void operator()(const char*, std::vector<SeriesPoint>& points) { points = read_points(object()); }

 private:
  std::vector<SeriesPoint> read_points(const JsonValue& value) {
    const auto highest = static_cast<std::int64_t>(occasions_.size()) - 1;
    const std::vector<std::int64_t> places = value.at("occasions").integers(kMaxPoints, 0, highest);
    const std::vector<double> values = value.at("values").numbers(kMaxValues);
    std::vector<std::int64_t> counts(places.size(), 1);
    if (!value.at("counts").is_null()) {
      counts = value.at("counts").integers(kMaxPoints, 0, static_cast<std::int64_t>(kMaxValues));
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
    if (bytes_ > kMaxPointBytes) value.at("occasions").refuse("points of less than 256 MiB");
    return bytes_ <= kMaxPointBytes;
  }

  const std::vector<SeriesPoint>& occasions_;  // without values
  std::size_t& bytes_;
};

void write_history(const JudgedHistory& history, JsonWriter& object) {
  Occasions occasions;
  std::vector<JsonWriter> all;
  for (const SeriesHistory& series : history.series) {
    SeriesWriter one(occasions);
    SeriesHistory::fields(one, series);
    all.push_back(std::move(one));
  }
  object("branch", history.branch, {.null = Null::written});
  object.add("occasions", occasions.take());
  object.add("series", std::move(all));
}

}  // namespace

JsonWriter history_object(const JudgedHistory& history) {
  JsonWriter object;
  write_history(history, object);
  return object;
}

JudgedHistory read_history_value(const JsonValue& value) {
  JudgedHistory history;
  history.branch = value.at("branch").text();
  std::vector<SeriesPoint> occasions;
  for (const JsonValue& one : value.at("occasions").items(kMaxOccasions)) {
    JsonReader reader(one);
    occasion_fields(reader, occasions.emplace_back());
  }
  std::size_t bytes = 0;
  for (const JsonValue& series : value.at("series").items(kMaxSeries)) {
    SeriesReader reader(series, occasions, bytes);
    SeriesHistory::fields(reader, history.series.emplace_back());
  }
  return history;
}

std::string history_document(const JudgedHistory& history) {
  JsonWriter object;
  object("schema", kSchema);
  write_history(history, object);
  return object.one_line();
}

Result<PackedHistory> pack_history(const JudgedHistory& history) {
  const std::string text = history_document(history);
  const auto bytes = static_cast<std::int64_t>(text.size());
  if (bytes > kMaxComparisonBytes) {
    return input_error("the history that the comparison was held against", std::to_string(bytes) + " bytes",
                       "at most " + std::to_string(kMaxComparisonBytes),
                       "judge fewer metrics, or the programs apart from each other");
  }
  return PackedHistory{compress(text), bytes};
}

Result<JudgedHistory> unpack_history(const PackedHistory& packed, const std::string& name) {
  const bool is_bounded = packed.document_bytes >= 0 && packed.document_bytes <= kMaxComparisonBytes;
  const auto text =
      is_bounded ? decompress(packed.bytes, static_cast<std::size_t>(packed.document_bytes)) : std::nullopt;
  if (!text) return input_error(name, "damaged bytes", "a packed " + std::string(kSchema));
  STEELYARD_TRY(const JsonDocument document, JsonDocument::parse(*text, name, kSchema));
  JudgedHistory history = read_history_value(document.root());
  STEELYARD_CHECK(document.check());
  return history;
}

}  // namespace steelyard::storage
