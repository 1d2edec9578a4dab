// What the API tells of series: which there are, their points, where they changed and what moved.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/model/benchmark_id.hpp"
#include "ci/report/history.hpp"
#include "ci/service/call.hpp"
#include "ci/service/todays_names.hpp"
#include "storage/catalog_store.hpp"
#include "storage/document/json.hpp"
#include "storage/history_store.hpp"

namespace steelyard::ci {
namespace {

using storage::HistorySeries;
using storage::HistoryStore;
using storage::JsonWriter;
using storage::OrderedRun;
using storage::SeriesLine;

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
Result<SeriesLine> one_line(std::vector<SeriesLine> found, const Call& call) {
  if (found.empty()) {
    return input_error("benchmark", call["benchmark"], "one of a series of this project and branch",
                       "see /api/v1/series");
  }
  if (found.size() == 1) return std::move(found.front());
  std::set<std::string> benchmarks, machines, projects;
  for (const auto& [one, points, runs] : found) {
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

// Columns as JSON, into memory that is there already: of a history of years the values of a document would take most of
// its time, and so would a string that grows by each of them.
class ColumnWriter {
 public:
  explicit ColumnWriter(const SeriesLine& line) : line_(line) {
    constexpr std::size_t kBytesOfPoint = 80;
    reply_.body.reserve(line.points.size() * kBytesOfPoint);
  }

  Reply& reply() { return reply_; }

  template <class NumberOf>  // of a point and its run
  void add_numbers(std::string_view name, NumberOf number_of) {
    add(name, kMaxDigits, [&](char* to, const SeriesLine::Point& point, const OrderedRun& run) {
      const double value = number_of(point, run);
      return std::isfinite(value) ? std::to_chars(to, to + kMaxDigits, value).ptr : copy("null", to);
    });
  }
  // Not below zero.
  template <class CountOf>
  void add_counts(std::string_view name, CountOf count_of) {
    add(name, kMaxDigits, [&](char* to, const SeriesLine::Point& point, const OrderedRun& run) {
      return std::to_chars(to, to + kMaxDigits, std::max<std::int64_t>(count_of(point, run), 0)).ptr;
    });
  }
  void add_places(std::string_view name) {
    add(name, kMaxDigits, [](char* to, const SeriesLine::Point&, const OrderedRun& run) {
      return run.place ? std::to_chars(to, to + kMaxDigits, *run.place).ptr : copy("null", to);
    });
  }
  // Of each run the beginning of a hash.
  void add_hashes(std::string_view name, std::string OrderedRun::*hash_of, std::size_t most) {
    const auto is_plain = [&](const SeriesLine::Point& point) { return (*line_.runs)[point.run].is_plain; };
    if (!std::all_of(line_.points.begin(), line_.points.end(), is_plain)) return add_texts(name, hash_of, most);
    constexpr std::size_t kQuotes = 2;
    add(name, most + kQuotes, [&](char* to, const SeriesLine::Point&, const OrderedRun& run) {
      const std::string& hash = run.*hash_of;
      *to++ = '"';
      to = std::copy_n(hash.data(), std::min(hash.size(), most), to);
      *to++ = '"';
      return to;
    });
  }
  void add_texts(std::string_view name, std::string OrderedRun::*text_of, std::size_t most) {
    std::vector<std::string> texts;
    for (const SeriesLine::Point& point : line_.points) {
      texts.push_back(((*line_.runs)[point.run].*text_of).substr(0, most));
    }
    constexpr std::string_view kBefore = "{\"texts\":[";
    JsonWriter writer;
    writer("texts", texts);
    const std::string written = writer.one_line();
    begin_column(name);
    reply_.body += std::string_view(written).substr(kBefore.size(), written.size() - kBefore.size() - 2);
    end_column();
  }

 private:
  static constexpr std::size_t kMaxDigits = 24;  // of a double that reads back: 17, a sign, a point, e-308

  static char* copy(std::string_view text, char* to) { return std::copy(text.begin(), text.end(), to); }

  // write(to, point, run): at most `most` bytes, and tells where they end.
  template <class Write>
  void add(std::string_view name, std::size_t most, Write write) {
    begin_column(name);
    std::string& text = reply_.body;
    const std::size_t begin = text.size();
    text.resize(begin + line_.points.size() * (most + 1));
    char* to = text.data() + begin;
    const OrderedRun* const runs = line_.runs->data();
    bool is_first = true;
    for (const SeriesLine::Point& point : line_.points) {
      const OrderedRun& run = runs[point.run];
      if (!is_first) *to++ = ',';
      is_first = false;
      if (run.is_mark) reply_.cuts.push_back(static_cast<std::size_t>(to - text.data()));
      to = write(to, point, run);
    }
    text.resize(static_cast<std::size_t>(to - text.data()));
    end_column();
  }
  void begin_column(std::string_view name) {
    reply_.body += ",\"";
    reply_.body += name;
    reply_.body += "\":[";
    reply_.cuts.push_back(reply_.body.size());
  }
  void end_column() {
    reply_.cuts.push_back(reply_.body.size());
    reply_.body += ']';
  }

  const SeriesLine& line_;
  Reply reply_;
};

constexpr std::array<std::string_view, 4> kSpreadColumns{"least", "low", "high", "most"};

bool is_spread(std::string_view name) {
  return std::find(kSpreadColumns.begin(), kSpreadColumns.end(), name) != kSpreadColumns.end();
}

double of_spread(std::string_view name, const storage::PointSpread& spread) {
  return name == "least" ? spread.least : name == "low" ? spread.low : name == "high" ? spread.high : spread.most;
}

using Spreads = std::map<std::string, storage::PointSpread>;

// False: there is no such column.
bool add_column(ColumnWriter& writer, std::string_view name, const Spreads& spreads) {
  using Point = SeriesLine::Point;
  if (name == "value") {
    writer.add_numbers(name, [](const Point& point, const OrderedRun&) { return point.value; });
  } else if (is_spread(name)) {
    writer.add_numbers(name, [&](const Point&, const OrderedRun& run) {
      const auto at = spreads.find(run.id);
      return at == spreads.end() ? std::numeric_limits<double>::quiet_NaN() : of_spread(name, at->second);
    });
  } else if (name == "at") {
    writer.add_counts(name,
                      [](const Point&, const OrderedRun& run) { return run.at_unix_ns / kNanosecondsPerMillisecond; });
  } else if (name == "samples") {
    writer.add_counts(name, [](const Point& point, const OrderedRun&) { return point.samples; });
  } else if (name == "condition") {
    writer.add_counts(name, [](const Point& point, const OrderedRun&) { return std::int64_t{point.condition}; });
  } else if (name == "place") {
    writer.add_places(name);
  } else if (name == "off_branch") {
    writer.add_counts(name, [](const Point&, const OrderedRun& run) { return std::int64_t{run.is_off_branch}; });
  } else if (name == "run") {
    writer.add_hashes(name, &OrderedRun::id, kShownDigits);
  } else if (name == "commit") {
    writer.add_hashes(name, &OrderedRun::commit, kShownDigits);
  } else if (name == "subject") {
    writer.add_texts(name, &OrderedRun::subject, std::string::npos);
  } else {
    return false;
  }
  return true;
}

Result<Spreads> read_spreads(const Call& call, const SeriesLine& line) {
  storage::SpreadQuery wanted{line.series.project, line.series.earlier_names, line.series.metric.name, {}};
  wanted.benchmarks.push_back(line.series.benchmark);
  const std::size_t first = line.points.size() - std::min(line.points.size(), storage::kMaxSpreadRuns);
  for (std::size_t i = first; i < line.points.size(); ++i) wanted.runs.push_back((*line.runs)[line.points[i].run].id);
  return storage::CatalogStore(call.store).spreads(wanted);
}

Result<Reply> points(const Call& call) {
  storage::HistoryQuery query = history_query(call);
  query.limit = call.number("points");
  query.with_invocations = false;
  constexpr int kEnoughToTellThemApart = 20;
  query.series_limit = kEnoughToTellThemApart;
  STEELYARD_TRY(const std::vector<std::string> columns, wanted_columns(call["columns"]));
  query.only_one = query.after.empty();
  STEELYARD_TRY(auto page, HistoryStore(call.store).lines(query));
  STEELYARD_TRY(const SeriesLine line, one_line(std::move(page.items), call));
  Spreads spreads;
  if (std::any_of(columns.begin(), columns.end(), is_spread)) {
    STEELYARD_TRY(spreads, read_spreads(call, line));
  }
  JsonWriter head;
  write_series(head, line.series);
  head("branch", query.branch, {.null = Null::written});
  head("count", static_cast<std::int64_t>(line.points.size()));
  ColumnWriter writer(line);
  std::string& text = writer.reply().body;
  text += head.one_line();
  text.pop_back();
  for (const std::string& name : columns) {
    if (!add_column(writer, name, spreads)) {
      return input_error("columns", name.substr(0, 100), "columns that openapi.json names, by commas");
    }
  }
  JsonWriter rest;
  rest("conditions", line.series.conditions);
  rest("older", line.series.older, {.null = Null::written});
  text += ',' + rest.one_line().substr(1) + '\n';
  return std::move(writer.reply());
}

// Of the benchmarks of these points, by the points' branch: each is called as on its own.
Result<std::map<std::string, TodaysNames>> names_by_branch(const Call& call,
                                                           const std::vector<storage::KeptChangePoint>& points) {
  std::map<std::string, storage::RenamedQuery> queries;
  for (const storage::KeptChangePoint& one : points) {
    storage::RenamedQuery& query = queries[one.branch];
    query.project = call["project"];
    query.branch = one.branch.empty() ? call["branch"] : one.branch;
    query.names.insert(one.benchmark);
  }
  std::map<std::string, TodaysNames> names;
  for (const auto& [branch, query] : queries) {
    STEELYARD_TRY(names[branch], TodaysNames::read(call.store, query));
  }
  return names;
}

Result<Reply> changes(const Call& call) {
  storage::ChangePointQuery query;
  query.list.project = call["project"];
  query.list.branch = call["branch"];
  query.list.machine = call["machine"];
  query.list.commit = call["commit"];
  query.metric = call["metric"];
  query.gone_too = call["gone"] == "1";
  std::map<std::string, TodaysNames> names;
  const auto ask = [&](const std::string& after, int most) -> Result<storage::Page<storage::KeptChangePoint>> {
    query.list.after = after;
    query.list.limit = most;
    STEELYARD_TRY(auto page, storage::CatalogStore(call.store).change_points(query));
    STEELYARD_TRY(names, names_by_branch(call, page.items));
    return page;
  };
  const auto keep = [&](storage::KeptChangePoint& one) {
    const TodaysNames& on_branch = names.at(one.branch);
    const bool has_name = on_branch.have(call["benchmark"], one.project, one.benchmark);
    one.benchmark = on_branch.of(one.project, one.benchmark);
    return has_name;
  };
  STEELYARD_TRY(const auto page, kept_of<storage::KeptChangePoint>(call.number("limit"), call["after"], ask, keep));
  std::vector<std::string> items;
  for (const storage::KeptChangePoint& one : page.items) items.push_back(json_change_point(one));
  return Reply{page_text(items, page.next)};
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
