// What the API tells of series: which there are, their points, where they changed and what moved.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>

#include "bench/model/benchmark_id.hpp"
#include "ci/report/history.hpp"
#include "ci/service/call.hpp"
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
  return query;
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

// False: there is no such column.
bool write_column(JsonWriter& writer, const std::string& name, const std::vector<storage::HistoryPoint>& points) {
  const auto numbers = [&](auto number_of) {
    std::vector<double> values;
    values.reserve(points.size());
    for (const storage::HistoryPoint& point : points) values.push_back(static_cast<double>(number_of(point)));
    writer.add(name.c_str(), values);
    return true;
  };
  const auto whole_numbers = [&](auto number_of) {
    std::vector<std::size_t> values;
    values.reserve(points.size());
    for (const storage::HistoryPoint& point : points) {
      values.push_back(static_cast<std::size_t>(std::max<std::int64_t>(number_of(point), 0)));
    }
    writer.add(name.c_str(), values);
    return true;
  };
  const auto texts = [&](auto text_of_point) {
    std::vector<std::string> values;
    values.reserve(points.size());
    for (const storage::HistoryPoint& point : points) values.push_back(text_of_point(point));
    writer(name.c_str(), values);
    return true;
  };
  using Point = storage::HistoryPoint;
  if (name == "value") return numbers([](const Point& point) { return point.value; });
  if (name == "at")
    return whole_numbers([](const Point& point) { return point.at_unix_ns / kNanosecondsPerMillisecond; });
  if (name == "samples") return whole_numbers([](const Point& point) { return point.samples; });
  if (name == "condition") return whole_numbers([](const Point& point) { return std::int64_t{point.condition}; });
  if (name == "off_branch") return whole_numbers([](const Point& point) { return std::int64_t{point.is_off_branch}; });
  if (name == "run") return texts([](const Point& point) { return point.run.substr(0, kShownDigits); });
  if (name == "commit") return texts([](const Point& point) { return point.commit.substr(0, kShownDigits); });
  if (name == "subject") return texts([](const Point& point) { return point.subject; });
  return false;
}

Result<Reply> points(const Call& call) {
  storage::HistoryQuery query = history_query(call);
  query.limit = call.number("points");
  query.with_invocations = false;
  constexpr int kEnoughToTellThemApart = 20;
  query.series_limit = kEnoughToTellThemApart;
  HistoryStore history_store(call.store);
  STEELYARD_TRY(const std::vector<std::string> columns, wanted_columns(call["columns"]));
  // Which series first: of many the points are not asked for.
  if (query.after.empty()) {
    storage::HistoryQuery which = query;
    which.limit = 0;
    STEELYARD_TRY(auto found, history_store.page(which));
    // A text that is a part of several names may be the whole of one.
    STEELYARD_CHECK(one_series(std::move(found.items), call));
  }
  STEELYARD_TRY(auto page, history_store.page(query));
  STEELYARD_TRY(const HistorySeries one, one_series(std::move(page.items), call));
  const auto is_spread = [](const std::string& name) {
    return std::find(kSpreadColumns.begin(), kSpreadColumns.end(), name) != kSpreadColumns.end();
  };
  std::map<std::string, storage::PointSpread> spreads;
  if (std::any_of(columns.begin(), columns.end(), is_spread)) {
    storage::SpreadQuery wanted{one.project, one.benchmark, one.metric.name, {}};
    const std::size_t first = one.points.size() - std::min(one.points.size(), storage::kMaxSpreadRuns);
    for (std::size_t i = first; i < one.points.size(); ++i) wanted.runs.push_back(one.points[i].run);
    STEELYARD_TRY(spreads, storage::CatalogStore(call.store).spreads(wanted));
  }
  JsonWriter writer;
  write_series(writer, one);
  writer("branch", query.branch, {.null = Null::written});
  writer("count", static_cast<std::int64_t>(one.points.size()));
  for (const std::string& name : columns) {
    if (is_spread(name)) {
      STEELYARD_TRY(const std::vector<double> values, spread_column(name, one, spreads));
      writer.add(name.c_str(), values);
    } else if (!write_column(writer, name, one.points)) {
      return input_error("columns", name.substr(0, 100), "columns that openapi.json names, by commas");
    }
  }
  writer("conditions", one.conditions);
  writer("older", one.older, {.null = Null::written});
  return Reply{writer.one_line() + '\n'};
}

Result<Reply> changes(const Call& call) {
  STEELYARD_TRY(auto all, call["branch"].empty()
                              ? storage::CatalogStore(call.store).change_points(call["project"])
                              : HistoryStore(call.store).change_points(call["project"], call["branch"]));
  const auto holds = [](const std::string& text, const std::string& part) { return text.find(part) != text.npos; };
  std::erase_if(all, [&](const storage::KeptChangePoint& one) {
    return (one.gone && call["gone"] != "1") || !holds(one.benchmark, call["benchmark"]) ||
           (!call["metric"].empty() && one.metric != call["metric"]) || !one.fingerprint.starts_with(call["machine"]) ||
           !one.commit.starts_with(call["commit"]);
  });
  std::size_t begin = 0;
  if (const std::string& after = call["after"]; !after.empty()) {
    begin = static_cast<std::size_t>(std::strtoul(after.c_str(), nullptr, 10));
    if (after.find_first_not_of("0123456789") != after.npos || begin > all.size()) {
      return input_error("after", after.substr(0, 100), "what the page before gave as next");
    }
  }
  const std::size_t end = std::min(all.size(), begin + static_cast<std::size_t>(call.number("limit")));
  std::vector<std::string> items;
  for (std::size_t i = begin; i < end; ++i) items.push_back(json_change_point(all[i]));
  return Reply{page_text(items, end < all.size() ? std::to_string(end) : "")};
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
  STEELYARD_TRY(const auto page, HistoryStore(call.store).changed_in(query));
  return Reply{json_changed(query, page)};
}

Result<Reply> movers(const Call& call) {
  STEELYARD_TRY(const storage::RangeQuery query, range_query(call));
  STEELYARD_TRY(const auto page, HistoryStore(call.store).top_movers(query));
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
