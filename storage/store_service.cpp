#include "storage/store_service.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "storage/alert_store.hpp"
#include "storage/archive/archive.hpp"
#include "storage/comparison/comparison_document.hpp"
#include "storage/comparison_store.hpp"
#include "storage/document/json.hpp"
#include "storage/history_store.hpp"
#include "storage/run_store.hpp"

namespace steelyard::storage {
namespace {

constexpr const char* kAnswerSchema = "steelyard.answer/1";
constexpr std::size_t kMaxTargetsOfRun = 100'000;

// What a question needs beyond the queries of the classes, and a list as the whole of an answer.
struct Words {
  std::string first;
  std::string second{};
  static void fields(auto& visit, auto& self) {
    visit("first", self.first);
    visit("second", self.second);
  }
};
struct Names {
  std::vector<std::string> items;
  static void fields(auto& visit, auto& self) { visit("items", self.items); }
};
template <class T>
struct Listed {
  std::vector<T> items;
  static void fields(auto& visit, auto& self) { visit("items", self.items, kAnySeries); }
};
template <class T>
struct Found {
  std::optional<T> item;
  static void fields(auto& visit, auto& self) { visit("item", self.item); }
};

// One question: its name, what it is asked with and what it is answered with, for both ends alike.
template <class Asked, class Answered>
struct Question {
  const char* name;
};
constexpr Question<Words, Names> kAskProjects{"projects"};
constexpr Question<HistoryQuery, Page<HistorySeries>> kAskHistory{"history"};
constexpr Question<BaselineQuery, Found<FoundBaseline>> kAskBaseline{"baseline"};
constexpr Question<RangeQuery, RangeQuery> kAskRange{"range"};
constexpr Question<RangeQuery, Page<ChangedSeries>> kAskChanged{"changed"};
constexpr Question<RangeQuery, Page<Mover>> kAskMovers{"movers"};
constexpr Question<StepQuery, Page<MeasuredStep>> kAskSteps{"steps"};
constexpr Question<Words, Listed<KeptChangePoint>> kAskChangePoints{"change-points"};
constexpr Question<AlertQuery, Listed<Alert>> kAskAlerts{"alerts"};
constexpr Question<AcceptedQuery, Listed<AcceptedAlert>> kAskAccepted{"accepted"};
constexpr Question<Words, Listed<RunHeader>> kAskRunsOfCommit{"runs-of-commit"};
constexpr const char* kAskComparison = "comparison";  // answered with its own document

template <Described T>
std::string document_of(const T& value, const char* schema = nullptr) {
  JsonWriter writer;
  if (schema != nullptr) writer("schema", std::string_view(schema));
  T::fields(writer, value);
  return writer.one_line();
}

template <Described T>
Result<T> value_of(const JsonDocument& document) {
  T value;
  JsonReader reader(document.root());
  T::fields(reader, value);
  STEELYARD_CHECK(document.check());
  return value;
}

// Error (store): an answer that this program cannot read is the service's fault, and what waits for it keeps waiting.
template <class Answered>
Result<Answered> of_service(Result<Answered> answered) {
  if (answered) return answered;
  Error error = std::move(answered).error();
  error.kind = ErrorKind::store;
  return error;
}

template <class Asked, class Answered>
Result<Answered> ask(StoreService& service, Question<Asked, Answered> question, const Asked& asked) {
  STEELYARD_TRY(const std::string text, service.ask(question.name, document_of(asked)));
  const auto read = [&]() -> Result<Answered> {
    STEELYARD_TRY(const JsonDocument document, JsonDocument::parse(text, service.name(), kAnswerSchema));
    return value_of<Answered>(document);
  };
  return of_service(read());
}

// At the service.

Error beyond(const std::string& what, std::int64_t found, std::int64_t most) {
  return input_error(what, std::to_string(found), "at most " + std::to_string(most) + " over a service",
                     "ask for less at once");
}

Result<void> check_query(const HistoryQuery& query) {
  if (query.series_limit < 1 || query.series_limit > kMaxSeriesOverService) {
    return beyond("series of one answer", query.series_limit, kMaxSeriesOverService);
  }
  const std::int64_t points = std::int64_t{query.limit} * query.series_limit;
  const int most = query.series_limit == 1 ? kMaxPointsOfOneOverService : kMaxPointsOverService;
  return points <= most ? Result<void>() : beyond("points of one answer", points, most);
}
Result<void> check_query(const RangeQuery& query) {
  return query.limit <= kMaxSeriesOverService ? Result<void>() : beyond("--limit", query.limit, kMaxSeriesOverService);
}
Result<void> check_query(const AlertQuery& query) {
  return query.limit <= kMaxAlertsOverService ? Result<void>() : beyond("--limit", query.limit, kMaxAlertsOverService);
}
Result<void> check_query(const StepQuery& query) {
  return query.limit <= kMaxStepsOverService ? Result<void>() : beyond("--limit", query.limit, kMaxStepsOverService);
}
template <class Query>
Result<void> check_query(const Query&) {
  return {};
}

// Of lists that come as a whole.
template <class T>
Result<void> check_answer(const std::vector<T>& items) {
  const auto size = static_cast<std::int64_t>(items.size());
  return size <= kMaxItemsOverService ? Result<void>() : beyond("items of one answer", size, kMaxItemsOverService);
}
Result<void> check_answer(const auto&) { return {}; }

using Answer = std::function<Result<std::string>(Store&, const JsonDocument&)>;

template <class Asked, class Answered, class Act>
std::pair<std::string, Answer> answering(Question<Asked, Answered> question, Act act) {
  return {question.name, [act](Store& store, const JsonDocument& document) -> Result<std::string> {
            STEELYARD_TRY(const Asked asked, value_of<Asked>(document));
            STEELYARD_CHECK(check_query(asked));
            STEELYARD_TRY(auto answered, act(store, asked));
            STEELYARD_CHECK(check_answer(answered));
            return document_of(Answered{std::move(answered)}, kAnswerSchema) + '\n';
          }};
}

Result<std::string> answer_comparison(Store& store, const JsonDocument& document) {
  STEELYARD_TRY(const Words asked, value_of<Words>(document));
  STEELYARD_TRY(const Comparison found, ComparisonStore(store).get(asked.first));
  return comparison_document(found);
}

const std::map<std::string, Answer, std::less<>>& answers() {
  static const std::map<std::string, Answer, std::less<>> all{
      answering(kAskProjects,
                [](Store& store, const Words& asked) { return HistoryStore(store).projects(asked.first); }),
      answering(kAskHistory, [](Store& store, const HistoryQuery& query) { return HistoryStore(store).page(query); }),
      answering(kAskBaseline,
                [](Store& store, const BaselineQuery& query) { return HistoryStore(store).latest_baseline(query); }),
      answering(kAskRange,
                [](Store& store, const RangeQuery& query) { return HistoryStore(store).complete_range(query); }),
      answering(kAskChanged,
                [](Store& store, const RangeQuery& query) { return HistoryStore(store).changed_in(query); }),
      answering(kAskMovers,
                [](Store& store, const RangeQuery& query) { return HistoryStore(store).top_movers(query); }),
      answering(kAskSteps, [](Store& store, const StepQuery& query) { return HistoryStore(store).step_page(query); }),
      answering(kAskChangePoints,
                [](Store& store, const Words& asked) {
                  return HistoryStore(store).change_points(asked.first, asked.second);
                }),
      answering(kAskAlerts, [](Store& store, const AlertQuery& query) { return AlertStore(store).list(query); }),
      answering(kAskAccepted,
                [](Store& store, const AcceptedQuery& query) { return AlertStore(store).accepted(query); }),
      answering(kAskRunsOfCommit,
                [](Store& store, const Words& asked) { return RunStore(store).of_commit(asked.first); }),
      {kAskComparison, answer_comparison}};
  return all;
}

}  // namespace

const std::vector<std::string>& question_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& [name, answer] : answers()) all.push_back(name);
    return all;
  }();
  return names;
}

Result<std::string> answer_question(Store& store, std::string_view question, std::string_view text) {
  const auto found = answers().find(question);
  if (found == answers().end())
    return input_error("question", '"' + std::string(question.substr(0, 100)) + '"', "one of the API's");
  STEELYARD_TRY(const JsonDocument document, JsonDocument::parse(text, "question"));
  return found->second(store, document);
}

// At the one who asks.

Result<std::vector<std::string>> ask_projects(StoreService& service, const std::string& first) {
  STEELYARD_TRY(Names names, ask(service, kAskProjects, {first}));
  return std::move(names.items);
}

namespace {

Error without_end(const StoreService& service) {
  return store_error(service.name(), "more than " + std::to_string(kMaxAnswersOverService) + " answers to one question",
                     "an end of them", "ask for less at once");
}

}  // namespace

Result<Page<HistorySeries>> ask_history(StoreService& service, const HistoryQuery& query) {
  Page<HistorySeries> all;
  HistoryQuery part = query;
  for (int answers = 0; answers < kMaxAnswersOverService; ++answers) {
    const int fitting = query.limit == 0 ? kMaxSeriesOverService : kMaxPointsOverService / query.limit;
    part.series_limit = std::clamp(fitting, 1, kMaxSeriesOverService);
    const int wanted = query.series_limit - static_cast<int>(all.items.size());
    if (query.series_limit > 0) part.series_limit = std::min(part.series_limit, wanted);
    STEELYARD_TRY(Page<HistorySeries> page, ask(service, kAskHistory, part));
    std::move(page.items.begin(), page.items.end(), std::back_inserter(all.items));
    for (std::string& note : page.notes) {
      if (std::find(all.notes.begin(), all.notes.end(), note) == all.notes.end()) all.notes.push_back(std::move(note));
    }
    all.next = std::move(page.next);
    const bool is_enough = query.series_limit > 0 && static_cast<int>(all.items.size()) >= query.series_limit;
    if (all.next.empty() || is_enough || all.next == part.after) return all;
    part.after = all.next;
  }
  return without_end(service);
}

Result<std::optional<FoundBaseline>> ask_baseline(StoreService& service, const BaselineQuery& query) {
  STEELYARD_TRY(Found<FoundBaseline> found, ask(service, kAskBaseline, query));
  return std::move(found.item);
}

Result<RangeQuery> ask_complete_range(StoreService& service, const RangeQuery& query) {
  return ask(service, kAskRange, query);
}

Result<Page<ChangedSeries>> ask_changed(StoreService& service, const RangeQuery& query) {
  return ask(service, kAskChanged, query);
}

Result<Page<Mover>> ask_movers(StoreService& service, const RangeQuery& query) {
  return ask(service, kAskMovers, query);
}

Result<std::vector<MeasuredStep>> ask_steps(StoreService& service, const StepQuery& query) {
  std::vector<MeasuredStep> steps;
  StepQuery part = query;
  for (int answers = 0; answers < kMaxAnswersOverService; ++answers) {
    part.limit = std::min(query.limit - static_cast<int>(steps.size()), kMaxStepsOverService);
    STEELYARD_TRY(Page<MeasuredStep> page, ask(service, kAskSteps, part));
    std::move(page.items.begin(), page.items.end(), std::back_inserter(steps));
    const bool is_enough = static_cast<int>(steps.size()) >= query.limit;
    if (page.next.empty() || is_enough || page.next == part.after) return steps;
    part.after = page.next;
  }
  return without_end(service);
}

Result<std::vector<KeptChangePoint>> ask_change_points(StoreService& service, const std::string& project,
                                                       const std::string& branch) {
  STEELYARD_TRY(Listed<KeptChangePoint> points, ask(service, kAskChangePoints, {project, branch}));
  return std::move(points.items);
}

Result<std::vector<Alert>> ask_alerts(StoreService& service, const AlertQuery& query) {
  STEELYARD_TRY(Listed<Alert> alerts, ask(service, kAskAlerts, query));
  return std::move(alerts.items);
}

Result<std::vector<AcceptedAlert>> ask_accepted(StoreService& service, const AcceptedQuery& query) {
  STEELYARD_TRY(Listed<AcceptedAlert> alerts, ask(service, kAskAccepted, query));
  return std::move(alerts.items);
}

Result<std::vector<RunHeader>> ask_runs_of_commit(StoreService& service, const std::string& sha) {
  STEELYARD_TRY(Listed<RunHeader> headers, ask(service, kAskRunsOfCommit, {sha}));
  return std::move(headers.items);
}

Result<Comparison> ask_comparison(StoreService& service, const std::string& id) {
  STEELYARD_TRY(const std::string text, service.ask(kAskComparison, document_of(Words{id})));
  return of_service(parse_comparison(text, service.name()));
}

Result<Run> ask_run(StoreService& service, const std::string& id) {
  STEELYARD_TRY(const std::string bytes, service.archive_of(id));
  return of_service(decode_run(bytes, service.name() + ", run:" + id));
}

Result<Alert> act_over(StoreService& service, const AlertAct& act) {
  AlertQuery query;
  query.id = act.alert;
  query.resolved_too = true;
  query.limit = 2;
  STEELYARD_TRY(const std::vector<Alert> found, ask_alerts(service, query));
  if (found.size() != 1) {
    return input_error("alert:" + act.alert, found.empty() ? "no such alert" : "several alerts", "one alert",
                       found.empty() ? "`steelyard alerts --all` shows what there is" : "write more of its id");
  }
  AlertAct whole = act;
  query.id = whole.alert = found.front().id;
  STEELYARD_CHECK(service.act(whole));
  STEELYARD_TRY(std::vector<Alert> after, ask_alerts(service, query));
  if (after.size() == 1) return std::move(after.front());
  return store_error(service.name(), "no alert:" + whole.alert + " after it was changed", "it as it stands now");
}

std::string graph_document(const CommitGraph& graph) { return document_of(graph); }

Result<CommitGraph> read_graph(std::string_view text) {
  STEELYARD_TRY(const JsonDocument document, JsonDocument::parse(text, "commits"));
  return value_of<CommitGraph>(document);
}

namespace {

struct TargetLine {
  TargetRow row;
  std::optional<double> ceiling{};

  static void fields(auto& visit, auto& self) {
    auto& row = self.row;
    auto& target = row.target;
    visit("benchmark", row.benchmark);
    visit("target", target.text);
    visit("of_what", target.of);
    visit("least", target.least);
    visit("target_metric", target.metric);
    visit("level", target.level);
    visit("access", target.access);
    visit("dtype", target.dtype);
    visit("threads", target.threads);
    visit("declared_by", target.where);
    visit("metric", row.metric);
    visit("achieved", row.achieved);
    visit("achieved_interval", row.achieved_interval);
    visit("ceiling", self.ceiling);
    visit("utilization", row.utilization);
    visit("utilization_interval", row.utilization_interval);
    visit("intensity", row.intensity);
    visit("bound", row.bound);
    visit("invocations", row.invocations);
    visit("verdict", row.verdict);
    visit("reason", row.reason);
  }
};
struct TargetLines {
  std::string run;
  std::vector<TargetLine> rows;
  static void fields(auto& visit, auto& self) {
    visit("run", self.run);
    visit("rows", self.rows, FieldRule{.most = kMaxTargetsOfRun});
  }
};

}  // namespace

std::string targets_document(const RunTargets& targets) {
  TargetLines lines{targets.run, {}};
  for (const TargetRow& row : targets.rows) {
    lines.rows.push_back({row, row.ceiling ? std::optional(row.ceiling->value) : std::nullopt});
  }
  return document_of(lines);
}

Result<RunTargets> read_targets(std::string_view text) {
  STEELYARD_TRY(const JsonDocument document, JsonDocument::parse(text, "targets"));
  STEELYARD_TRY(TargetLines lines, value_of<TargetLines>(document));
  RunTargets targets{std::move(lines.run), {}};
  for (TargetLine& line : lines.rows) {
    if (line.ceiling) line.row.ceiling.emplace().value = *line.ceiling;
    targets.rows.push_back(std::move(line.row));
  }
  return targets;
}

}  // namespace steelyard::storage
