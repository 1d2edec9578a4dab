// What the API tells of series: which there are, their points, where they changed and what moved.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "bench/model/benchmark_id.hpp"
#include "ci/report/history.hpp"
#include "ci/service/call.hpp"
#include "ci/service/todays_names.hpp"
#include "storage/alert_store.hpp"
#include "storage/catalog_store.hpp"
#include "storage/document/json.hpp"
#include "storage/history_store.hpp"

namespace steelyard::ci {
namespace {

using storage::HistorySeries;
using storage::HistoryStore;
using storage::JsonWriter;

constexpr std::size_t kShownDigits = 12;  // of ids in columns
constexpr std::int64_t kNanosecondsPerMillisecond = 1'000'000;

storage::HistoryQuery history_query(const Call& call) {
  storage::HistoryQuery query;
  query.benchmark = call["benchmark"];
  query.metric = call["metric"];
  query.branch = call["branch"];
  query.project = call["project"];
  query.machine = call["machine"];
  query.after = call["after"];
  query.by_todays_names = true;
  return query;
}

// What is kept of benchmarks that were renamed, under today's names.
template <class Item>
Result<void> use_todays_names(storage::Store& store, const std::string& project, const std::string& branch,
                              std::vector<Item>& items) {
  if (items.empty()) return {};
  storage::RenamedQuery query{project, branch};
  for (const Item& item : items) query.names.insert(item.benchmark);
  STEELYARD_TRY(const TodaysNames names, TodaysNames::read(store, query));
  for (Item& item : items) item.benchmark = names.of(item.project, item.benchmark);
  return {};
}

void write_series(JsonWriter& writer, const HistorySeries& one) {
  writer("project", one.project);
  writer("benchmark", one.benchmark);
  writer("name", name_as_given(one.benchmark));
  writer("metric", one.metric.name);
  writer("unit", one.metric.unit);
  writer("better", to_text(one.metric.better));
  writer("kind", to_text(one.metric.kind));
  writer("fingerprint", one.fingerprint, {.null = Null::written});
  writer("earlier_names", one.earlier_names);
}

Result<Reply> series(const Call& call) {
  storage::HistoryQuery query = history_query(call);
  query.label = call["label"];
  query.limit = 0;
  query.series_limit = call.number("limit");
  STEELYARD_TRY(const auto page, HistoryStore(call.store).page(query));
  std::vector<std::string> items;
  for (const HistorySeries& one : page.items) {
    JsonWriter writer;
    write_series(writer, one);
    items.push_back(writer.one_line());
  }
  return Reply{page_text(items, page.next, page.notes)};
}

Result<Reply> history(const Call& call) {
  storage::HistoryQuery query = history_query(call);
  query.limit = call.number("points");
  query.series_limit = call.number("limit");
  STEELYARD_TRY(const auto page, HistoryStore(call.store).page(query));
  return Reply{json_history(page)};
}

// The one that is meant, where several have the text in their names or were measured on several machines.
Result<HistorySeries> one_series(std::vector<HistorySeries> found, const Call& call) {
  if (found.empty()) {
    return input_error("benchmark", call["benchmark"], "one of a series of this project and branch",
                       "see /api/v1/series");
  }
  if (found.size() == 1) return std::move(found.front());
  std::set<std::string> benchmarks, machines, projects;
  for (const HistorySeries& one : found) {
    benchmarks.insert(one.benchmark);
    machines.insert(one.fingerprint);
    projects.insert(one.project);
  }
  const auto list = [](const std::set<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
      if (text.size() < 400) text += (text.empty() ? "" : ", ") + word;
    }
    return text;
  };
  if (benchmarks.size() > 1) return input_error("benchmark", list(benchmarks), "one benchmark's canonical text");
  if (projects.size() > 1) return input_error("project", list(projects), "one project");
  return input_error("machine", list(machines), "one machine");
}

// Error (input): one is named twice, which would make an answer of any length.
Result<std::vector<std::string>> wanted_columns(const std::string& text) {
  std::vector<std::string> columns;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    std::string one = text.substr(at, end - at);
    if (std::find(columns.begin(), columns.end(), one) != columns.end()) {
      return input_error("columns", one.substr(0, 100) + " twice", "each column once");
    }
    columns.push_back(std::move(one));
    at = end + 1;
  }
  return columns;
}

constexpr std::array<const char*, 4> kSpreadColumns{"least", "low", "high", "most"};

Result<std::vector<double>> spread_column(std::string_view name, const HistorySeries& one,
                                          const std::map<std::string, storage::PointSpread>& spreads) {
  std::vector<double> values;
  values.reserve(one.points.size());
  for (const storage::HistoryPoint& point : one.points) {
    const auto at = spreads.find(point.run);
    if (at == spreads.end()) {
      values.push_back(std::numeric_limits<double>::quiet_NaN());  // null in JSON
      continue;
    }
    const storage::PointSpread& spread = at->second;
    values.push_back(name == "least"  ? spread.least
                     : name == "low"  ? spread.low
                     : name == "high" ? spread.high
                                      : spread.most);
  }
  return values;
}

// A column as JSON. Written as text: of a history of years the values of a document would take most of its time.
using Points = std::vector<storage::HistoryPoint>;

void add_number(std::string& text, double value) {
  if (!std::isfinite(value)) {
    text += "null";
    return;
  }
  std::array<char, 32> digits{};
  text.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
}

std::string number_column(const std::vector<double>& values) {
  std::string text = "[";
  for (const double value : values) {
    if (text.size() > 1) text += ',';
    add_number(text, value);
  }
  return text + ']';
}

template <class NumberOf>
std::string number_column(const Points& points, NumberOf number_of) {
  std::vector<double> values;
  values.reserve(points.size());
  for (const storage::HistoryPoint& point : points) values.push_back(number_of(point));
  return number_column(values);
}

// Not below zero.
template <class NumberOf>
std::string count_column(const Points& points, NumberOf number_of) {
  std::string text = "[";
  for (const storage::HistoryPoint& point : points) {
    if (text.size() > 1) text += ',';
    text += std::to_string(std::max<std::int64_t>(number_of(point), 0));
  }
  return text + ']';
}

template <class TextOf>
std::string text_column(const Points& points, TextOf text_of_point) {
  const auto is_plain = [](std::string_view text) {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); });
  };
  const auto is_plain_there = [&](const storage::HistoryPoint& point) { return is_plain(text_of_point(point)); };
  if (!std::all_of(points.begin(), points.end(), is_plain_there)) {
    std::vector<std::string> texts;
    for (const storage::HistoryPoint& point : points) texts.emplace_back(text_of_point(point));
    constexpr std::string_view kBefore = "{\"column\":";
    JsonWriter writer;
    writer("column", texts);
    std::string text = writer.one_line().substr(kBefore.size());
    text.pop_back();
    return text;
  }
  std::string text = "[";
  for (const storage::HistoryPoint& point : points) {
    text += text.size() > 1 ? ",\"" : "\"";
    text += text_of_point(point);
    text += '"';
  }
  return text + ']';
}

// Nothing where there is no such column.
std::optional<std::string> column_of(const std::string& name, const Points& points) {
  using Point = storage::HistoryPoint;
  const auto beginning = [](const std::string& id) { return std::string_view(id).substr(0, kShownDigits); };
  if (name == "value") return number_column(points, [](const Point& point) { return point.value; });
  if (name == "at")
    return count_column(points, [](const Point& point) { return point.at_unix_ns / kNanosecondsPerMillisecond; });
  if (name == "samples") return count_column(points, [](const Point& point) { return point.samples; });
  if (name == "condition")
    return count_column(points, [](const Point& point) { return std::int64_t{point.condition}; });
  if (name == "off_branch")
    return count_column(points, [](const Point& point) { return std::int64_t{point.is_off_branch}; });
  if (name == "run") return text_column(points, [&](const Point& point) { return beginning(point.run); });
  if (name == "commit") return text_column(points, [&](const Point& point) { return beginning(point.commit); });
  if (name == "subject") return text_column(points, [](const Point& point) { return std::string_view(point.subject); });
  return std::nullopt;
}

Result<Reply> points(const Call& call) {
  storage::HistoryQuery query = history_query(call);
  query.limit = call.number("points");
  query.with_invocations = false;
  constexpr int kEnoughToTellThemApart = 20;
  query.series_limit = kEnoughToTellThemApart;
  STEELYARD_TRY(const std::vector<std::string> columns, wanted_columns(call["columns"]));
  query.only_one = query.after.empty();
  STEELYARD_TRY(auto page, HistoryStore(call.store).page(query));
  STEELYARD_TRY(const HistorySeries one, one_series(std::move(page.items), call));
  const auto is_spread = [](const std::string& name) {
    return std::find(kSpreadColumns.begin(), kSpreadColumns.end(), name) != kSpreadColumns.end();
  };
  std::map<std::string, storage::PointSpread> spreads;
  if (std::any_of(columns.begin(), columns.end(), is_spread)) {
    storage::SpreadQuery wanted{one.project, one.earlier_names, one.metric.name, {}};
    wanted.benchmarks.push_back(one.benchmark);
    const std::size_t first = one.points.size() - std::min(one.points.size(), storage::kMaxSpreadRuns);
    for (std::size_t i = first; i < one.points.size(); ++i) wanted.runs.push_back(one.points[i].run);
    STEELYARD_TRY(spreads, storage::CatalogStore(call.store).spreads(wanted));
  }
  JsonWriter writer;
  write_series(writer, one);
  writer("branch", query.branch, {.null = Null::written});
  writer("count", static_cast<std::int64_t>(one.points.size()));
  std::string text = writer.one_line();
  text.pop_back();
  for (const std::string& name : columns) {
    std::optional<std::string> column = column_of(name, one.points);
    if (is_spread(name)) {
      STEELYARD_TRY(const std::vector<double> values, spread_column(name, one, spreads));
      column = number_column(values);
    }
    if (!column) return input_error("columns", name.substr(0, 100), "columns that openapi.json names, by commas");
    text += ",\"" + name + "\":" + *column;
  }
  JsonWriter rest;
  rest("conditions", one.conditions);
  rest("older", one.older, {.null = Null::written});
  return Reply{text + ',' + rest.one_line().substr(1) + '\n'};
}

Result<Reply> changes(const Call& call) {
  STEELYARD_TRY(auto all, call["branch"].empty()
                              ? storage::CatalogStore(call.store).change_points(call["project"])
                              : HistoryStore(call.store).change_points(call["project"], call["branch"]));
  std::erase_if(all, [&](const storage::KeptChangePoint& one) {
    return (one.gone && call["gone"] != "1") || (!call["metric"].empty() && one.metric != call["metric"]) ||
           !one.fingerprint.starts_with(call["machine"]) || !one.commit.starts_with(call["commit"]);
  });
  std::map<std::string, storage::RenamedQuery> on_branch;  // each is called as on its own
  for (const storage::KeptChangePoint& one : all) {
    storage::RenamedQuery& query = on_branch[one.branch];
    query.project = call["project"];
    query.branch = one.branch.empty() ? call["branch"] : one.branch;
    query.names.insert(one.benchmark);
  }
  for (const auto& [branch, query] : on_branch) {
    STEELYARD_TRY(const TodaysNames names, TodaysNames::read(call.store, query));
    std::erase_if(all, [&, &of = branch](const storage::KeptChangePoint& one) {
      return one.branch == of && !names.have(call["benchmark"], one.project, one.benchmark);
    });
    for (storage::KeptChangePoint& one : all) {
      if (one.branch == branch) one.benchmark = names.of(one.project, one.benchmark);
    }
  }
  std::vector<std::string> ids, items;
  for (const storage::KeptChangePoint& one : all) {
    ids.push_back(one.id);
    items.push_back(json_change_point(one));
  }
  return page_of(ids, std::move(items), call);
}

Result<storage::RangeQuery> range_query(const Call& call) {
  storage::RangeQuery query;
  query.from = call["from"];
  query.to = call["to"];
  query.project = call["project"];
  query.branch = call["branch"];
  query.after = call["after"];
  query.limit = call.number("limit");
  return HistoryStore(call.store).complete_range(query);
}

Result<Reply> changed(const Call& call) {
  STEELYARD_TRY(const storage::RangeQuery query, range_query(call));
  STEELYARD_TRY(auto page, HistoryStore(call.store).changed_in(query));
  STEELYARD_CHECK(use_todays_names(call.store, query.project, query.branch, page.items));
  return Reply{json_changed(query, page)};
}

Result<Reply> movers(const Call& call) {
  STEELYARD_TRY(const storage::RangeQuery query, range_query(call));
  STEELYARD_TRY(auto page, HistoryStore(call.store).top_movers(query));
  STEELYARD_CHECK(use_todays_names(call.store, query.project, query.branch, page.items));
  return Reply{json_movers(query, page)};
}

}  // namespace

void add_series_reading(Operations& operations) {
  operations["series"] = {series};
  operations["history"] = {history};
  operations["points"] = {points};
  operations["changes"] = {changes};
  operations["changed"] = {changed};
  operations["movers"] = {movers};
}

}  // namespace steelyard::ci
