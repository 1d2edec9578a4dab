// What the API tells of runs, comparisons, alerts, machines and everything else but series.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/run.hpp"
#include "ci/judging/bisect.hpp"
#include "ci/judging/judge.hpp"
#include "ci/report/alerts.hpp"
#include "ci/report/bisect.hpp"
#include "ci/report/comparison.hpp"
#include "ci/report/flame/flame_graph.hpp"
#include "ci/report/flame/stack_tree.hpp"
#include "ci/report/history.hpp"
#include "ci/report/markup.hpp"
#include "ci/report/profile.hpp"
#include "ci/report/run_report.hpp"
#include "ci/service/call.hpp"
#include "ci/service/todays_names.hpp"
#include "storage/access_store.hpp"
#include "storage/alert_store.hpp"
#include "storage/archive/archive.hpp"
#include "storage/catalog_store.hpp"
#include "storage/comparison_store.hpp"
#include "storage/document/json.hpp"
#include "storage/run_store.hpp"

namespace steelyard::ci {

int Call::number(const std::string& name) const { return std::atoi(values.at(name).c_str()); }

std::string page_text(const std::vector<std::string>& items, const std::string& next,
                      const std::vector<std::string>& notes) {
  std::string text = "{\"items\":[";
  for (std::size_t i = 0; i < items.size(); ++i) text += (i > 0 ? "," : "") + items[i];
  storage::JsonWriter rest;
  rest("next", next, {.null = Null::written});
  rest("notes", notes);
  return text + "]," + rest.one_line().substr(1) + '\n';
}

namespace {

using storage::CatalogStore;
using storage::JsonWriter;

constexpr std::size_t kShortestSearch = 2;
constexpr int kQuestions = 1;  // version of what the command line asks in place of a store (storage/store_service.hpp)

template <Described T>
std::string entry_json(const T& value) {
  JsonWriter writer;
  T::fields(writer, value);
  return writer.one_line();
}

template <Described T>
Reply reply_of(const storage::Page<T>& page) {
  std::vector<std::string> items;
  for (const T& one : page.items) items.push_back(entry_json(one));
  return {page_text(items, page.next, page.notes)};
}

std::string value_of(const Call& call, const std::string& name) {
  const auto found = call.values.find(name);
  return found == call.values.end() ? "" : found->second;
}

storage::ListQuery list_query(const Call& call) {
  storage::ListQuery query;
  query.project = value_of(call, "project");
  query.branch = value_of(call, "branch");
  query.commit = value_of(call, "commit");
  query.benchmark = value_of(call, "benchmark");
  query.machine = value_of(call, "machine");
  query.run = value_of(call, "run");
  query.after = value_of(call, "after");
  if (const std::string limit = value_of(call, "limit"); !limit.empty()) query.limit = std::atoi(limit.c_str());
  return query;
}

Result<Reply> session(const Call& call) {
  constexpr std::array<const char*, 4> kKinds{"local", "public", "token", "token"};
  JsonWriter writer;
  writer("version", std::string(kToolName));
  writer("questions", kQuestions);
  writer("access", std::string(kKinds[static_cast<std::size_t>(call.caller.kind)]));
  writer("name", call.caller.name, {.null = Null::written});
  writer("project", call.caller.project, {.null = Null::written});
  writer("scopes", std::vector<std::string>(call.caller.scopes.begin(), call.caller.scopes.end()));
  return Reply{writer.one_line() + '\n'};
}

Result<Reply> projects(const Call& call) {
  STEELYARD_TRY(const auto page, CatalogStore(call.store).projects(list_query(call)));
  return reply_of(page);
}

Result<Reply> runs(const Call& call) {
  STEELYARD_TRY(const auto page, CatalogStore(call.store).runs(list_query(call)));
  return reply_of(page);
}

Result<Reply> run(const Call& call) {
  STEELYARD_TRY(const Run found, storage::RunStore(call.store).get(call["id"]));
  return Reply{json_run(found)};
}

Result<Reply> run_archive(const Call& call) {
  STEELYARD_TRY(const Run found, storage::RunStore(call.store).get(call["id"]));
  return Reply{storage::encode_run(found), "application/vnd.steelyard.run"};
}

Result<Reply> run_profile(const Call& call) {
  STEELYARD_TRY(Run found, storage::RunStore(call.store).get(call["id"]));
  if (!call["benchmark"].empty()) {
    std::erase_if(found.profiles,
                  [&](const CountedProfile& one) { return one.benchmark.canonical() != call["benchmark"]; });
  }
  return Reply{json_profile(found.profiles)};
}

Result<Reply> comparisons(const Call& call) {
  STEELYARD_TRY(const auto page, CatalogStore(call.store).comparisons(list_query(call)));
  return reply_of(page);
}

Result<Reply> comparison(const Call& call) {
  STEELYARD_TRY(const Comparison found, storage::ComparisonStore(call.store).get(call["id"]));
  return Reply{json_report(found)};
}

Result<Reply> compare(const Call& call) {
  storage::RunStore store(call.store);
  STEELYARD_TRY(const Run baseline, store.get(call["baseline"]));
  STEELYARD_TRY(const Run candidate, store.get(call["candidate"]));
  Configuration configuration = call.configuration;
  if (!call["minimum_effect"].empty()) {
    configuration.policy.comparison.minimum_effect = std::abs(std::strtod(call["minimum_effect"].c_str(), nullptr));
  }
  STEELYARD_TRY(KnownCalibration calibrations, KnownCalibration::of(configuration));
  Judgement judgement{baseline, candidate, compare_sides(baseline, candidate, {configuration, calibrations}, {})};
  STEELYARD_TRY(judgement.explanations, explanations_of(call["explain"], judgement));
  return Reply{json_report(judgement.comparison, judgement.targets, judgement.explanations)};
}

std::string flame_text(const std::string& benchmark, const JoinedProfile& profile) {
  const StackTree tree = unfold(profile, StackLimits{});
  JsonWriter writer;
  writer("benchmark", benchmark);
  writer("event", profile.event);
  writer("baseline_total", cost_an_iteration(profile, profile.totals[kBaselineSide], kBaselineSide));
  writer("candidate_total", cost_an_iteration(profile, profile.totals[kCandidateSide], kCandidateSide));
  std::vector<JsonWriter> frames;
  for (std::size_t i = 0; i < tree.frames.size(); ++i) {
    const StackFrame& frame = tree.frames[i];
    JsonWriter& one = frames.emplace_back();
    one("name", frame_name(profile, frame));
    one("file", frame.function < profile.functions.size() ? profile.functions[frame.function].file : std::string(),
        {.null = Null::written});
    one("parent", i == 0 ? std::optional<std::int64_t>() : std::optional<std::int64_t>(frame.parent));
    one("baseline", cost_an_iteration(profile, frame.total[kBaselineSide], kBaselineSide));
    one("candidate", cost_an_iteration(profile, frame.total[kCandidateSide], kCandidateSide));
  }
  writer.add("frames", std::move(frames));
  return writer.one_line() + '\n';
}

Result<Reply> flame(const Call& call) {
  storage::RunStore store(call.store);
  STEELYARD_TRY(const Run baseline, store.get(call["baseline"]));
  STEELYARD_TRY(const Run candidate, store.get(call["candidate"]));
  STEELYARD_TRY(const std::optional<JoinedProfile> profile, changed_profile(call["benchmark"], baseline, candidate));
  if (!profile) {
    return input_error("benchmark", call["benchmark"], "one that both runs have a counted profile of",
                       "count with --count instructions");
  }
  return Reply{flame_text(call["benchmark"], *profile)};
}

// The alerts that a caller asks for.
struct AskedAlerts {
  storage::AlertQuery query;
  TodaysNames names;

  static Result<AskedAlerts> of(const Call& call) {
    AskedAlerts asked;
    storage::AlertQuery& query = asked.query;
    query.project = value_of(call, "project");
    query.branch = value_of(call, "branch");
    query.benchmark = value_of(call, "benchmark");
    query.id = value_of(call, "id");
    query.after = value_of(call, "after");
    const std::string state = value_of(call, "state");
    query.resolved_too = !query.id.empty() || state == "all" || state == "resolved";
    query.state = state == "all" ? "" : state;
    if (!query.benchmark.empty()) {
      STEELYARD_TRY(asked.names, TodaysNames::read(call.store, {query.project, query.branch, {}, query.benchmark}));
      query.benchmarks = asked.names.all_with(query.benchmark);
    }
    return asked;
  }

  bool have(const storage::Alert& alert) const {  // not one of another project's benchmark of that name
    const auto has_text = [&](const std::string& name) { return name.find(query.benchmark) != std::string::npos; };
    return names.have(query.benchmark, alert.subject.project, alert.subject.benchmark) ||
           std::any_of(alert.other_names.begin(), alert.other_names.end(), has_text);
  }
};

template <class Keep>
Result<storage::Page<storage::Alert>> alerts_of(const Call& call, const storage::AlertQuery& query, int limit,
                                                const Keep& keep) {
  const auto ask = [&](const std::string& after, int most) {
    storage::AlertQuery page = query;
    page.after = after;
    page.limit = most;
    return storage::AlertStore(call.store).page(page);
  };
  return kept_of<storage::Alert>(limit, query.after, ask, keep);
}

Result<storage::Page<storage::Alert>> asked_alerts(const Call& call, int limit) {
  STEELYARD_TRY(const AskedAlerts asked, AskedAlerts::of(call));
  return alerts_of(call, asked.query, limit, [&](const storage::Alert& alert) { return asked.have(alert); });
}

Result<Reply> alerts(const Call& call) {
  STEELYARD_TRY(const auto page, asked_alerts(call, call.number("limit")));
  std::vector<std::string> items;
  for (const storage::Alert& one : page.items) items.push_back(json_alert(one));
  return Reply{page_text(items, page.next)};
}

Result<Reply> alert(const Call& call) {
  STEELYARD_TRY(const auto found, asked_alerts(call, 2));
  if (found.items.size() == 1) return Reply{json_alert(found.items.front()) + '\n'};
  return input_error("alert:" + call["id"], found.items.empty() ? "no such alert" : "several alerts", "one alert");
}

Result<Reply> targets(const Call& call) {
  STEELYARD_TRY(const auto page, CatalogStore(call.store).targets(list_query(call)));
  return reply_of(page);
}

Result<Reply> machines(const Call& call) {
  STEELYARD_TRY(const auto page, CatalogStore(call.store).machines(list_query(call)));
  return reply_of(page);
}

Result<Reply> machine(const Call& call) {
  storage::ListQuery query;
  query.machine = call["fingerprint"];
  query.limit = 2;
  STEELYARD_TRY(const auto page, CatalogStore(call.store).machines(query));
  if (page.items.size() == 1) return Reply{entry_json(page.items.front()) + '\n'};
  return input_error("machine:" + query.machine, page.items.empty() ? "no such machine" : "several machines",
                     "one machine");
}

// A commit's own change points, comparisons and alerts beside its runs.
Result<Reply> commit(const Call& call) {
  storage::ListQuery query;
  query.project = call["project"];
  query.commit = call["sha"];
  query.limit = storage::kMaxListed;
  CatalogStore catalog(call.store);
  STEELYARD_TRY(const auto found, catalog.runs(query));
  if (found.items.empty()) return input_error("commit:" + call["sha"], "no such commit", "one that was measured");
  const storage::RunEntry& first = found.items.front();
  const auto is_other = [&](const storage::RunEntry& one) { return one.commit != first.commit; };
  if (std::any_of(found.items.begin(), found.items.end(), is_other)) {
    return input_error("commit:" + call["sha"], "several commits", "one commit", "write more of its hash");
  }
  query.commit = first.commit;
  STEELYARD_TRY(const auto judged, catalog.comparisons(query));
  storage::ChangePointQuery of_changes;
  of_changes.list = query;
  of_changes.gone_too = true;
  STEELYARD_TRY(const auto points, catalog.change_points(of_changes));
  storage::AlertQuery of_alerts;
  of_alerts.project = query.project;
  of_alerts.commit = query.commit;
  of_alerts.resolved_too = true;
  of_alerts.limit = query.limit;
  STEELYARD_TRY(const auto opened_here, storage::AlertStore(call.store).page(of_alerts));
  std::vector<std::string> notes;
  const auto note_bound = [&](const std::string& what, const auto& page) {
    if (page.next.empty()) return;
    notes.push_back("there are more than " + std::to_string(storage::kMaxListed) + ' ' + what);
  };
  note_bound("runs", found);
  note_bound("comparisons", judged);
  note_bound("change points", points);
  note_bound("alerts", opened_here);
  const auto list = [](const std::vector<std::string>& items) {
    std::string text = "[";
    for (std::size_t i = 0; i < items.size(); ++i) text += (i > 0 ? "," : "") + items[i];
    return text + ']';
  };
  std::vector<std::string> of_runs, of_comparisons, of_points, opened;
  for (const auto& one : found.items) of_runs.push_back(entry_json(one));
  for (const auto& one : judged.items) of_comparisons.push_back(entry_json(one));
  for (const auto& one : points.items) of_points.push_back(json_change_point(one));
  for (const auto& one : opened_here.items) opened.push_back(json_alert(one));
  JsonWriter writer;
  writer("commit", first.commit);
  writer("parent", first.parent, {.null = Null::written});
  writer("subject", first.subject, {.null = Null::written});
  writer("committed_at", first.committed_at, {.null = Null::written});
  writer("notes", notes);
  std::string text = writer.one_line();
  text.back() = ',';
  return Reply{text + "\"runs\":" + list(of_runs) + ",\"change_points\":" + list(of_points) +
               ",\"comparisons\":" + list(of_comparisons) + ",\"alerts\":" + list(opened) + "}\n"};
}

Result<Reply> search(const Call& call) {
  if (call["q"].size() < kShortestSearch) return input_error("q", "one character", "at least two");
  STEELYARD_TRY(const auto found, CatalogStore(call.store).search(call["q"], list_query(call)));
  std::vector<JsonWriter> items;
  for (const storage::FoundEntry& one : found) {
    JsonWriter& writer = items.emplace_back();
    storage::FoundEntry shown = one;
    if (one.kind == "benchmark") shown.text = name_as_given(one.text);
    storage::FoundEntry::fields(writer, shown);
  }
  JsonWriter writer;
  writer.add("items", std::move(items));
  return Reply{writer.one_line() + '\n'};
}

// Whether anything that the caller may see was judged there: no alert is open either of what is misspelt, and of what
// was only measured. A look by `changes` that found nothing leaves nothing behind.
Result<bool> anything_was_judged(const Call& call) {
  storage::ChangePointQuery query;
  query.list.project = call["project"];
  query.list.branch = call["branch"];
  query.list.limit = 1;
  query.gone_too = true;
  CatalogStore catalog(call.store);
  STEELYARD_TRY(const auto comparisons, catalog.comparisons(query.list));
  if (!comparisons.items.empty()) return true;
  STEELYARD_TRY(const auto changes, catalog.change_points(query));
  return !changes.items.empty();
}

// Widths in the manner of a badge's font, 7 units a character.
Result<Reply> badge(const Call& call) {
  STEELYARD_TRY(AskedAlerts asked, AskedAlerts::of(call));
  std::size_t open = 0;
  bool is_all = true;
  for (const storage::AlertState needs_attention : {storage::AlertState::open, storage::AlertState::reopened}) {
    asked.query.state = storage::to_text(needs_attention);
    const auto count = [&](const storage::Alert& one) {
      if (asked.have(one)) ++open;
      return false;  // counted, and not kept
    };
    STEELYARD_TRY(const auto none, alerts_of(call, asked.query, storage::kMaxListed, count));
    is_all = is_all && none.next.empty();
  }
  bool is_unknown = false;
  if (open == 0) {
    STEELYARD_TRY(const bool judged, anything_was_judged(call));
    is_unknown = !judged || !is_all;
  }
  const char* const fill = is_unknown ? "#6e6e6e" : open == 0 ? "#2d7d46" : "#b3261e";
  const std::string state =
      is_unknown  ? "unknown"
      : open == 0 ? "no regression"
                  : std::to_string(open) + (is_all ? "" : "+") + (open == 1 ? " regression" : " regressions");
  const std::size_t left = 84;
  const std::size_t right = 7 * state.size() + 14;
  const std::string width = std::to_string(left + right);
  const auto place = [](std::size_t x) { return std::to_string(x); };
  return Reply{
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + width +
          "\" height=\"20\" role=\"img\" aria-label=\"performance: " + state + "\"><title>performance: " + state +
          "</title><rect width=\"" + width + "\" height=\"20\" rx=\"3\" fill=\"#555\"/><path d=\"M" + place(left) +
          " 0h" + place(right - 3) + "a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3H" + place(left) + "z\" fill=\"" + fill +
          "\"/><g fill=\"#fff\" font-family=\"Verdana,DejaVu Sans,sans-serif\" font-size=\"11\" text-anchor=\"middle\">"
          "<text x=\"" +
          place(left / 2) + "\" y=\"14\">performance</text><text x=\"" + place(left + right / 2) + "\" y=\"14\">" +
          state + "</text></g></svg>\n",
      "image/svg+xml"};
}

// They are of no project that the store knows, and name folders: for who may see everything.
bool sees_bisects(const Call& call) { return call.caller.project.empty() && call.caller.kind != Caller::Kind::anybody; }

// Of the ids: a file that went meanwhile, or that cannot be read, is left out.
Result<Reply> bisects(const Call& call, const std::filesystem::path& folder) {
  std::vector<std::string> ids;
  if (sees_bisects(call)) ids = kept_bisect_ids(folder);
  auto begin = ids.begin();
  if (const std::string& after = call["after"]; !after.empty()) {
    begin = std::find(ids.begin(), ids.end(), after);
    if (begin == ids.end()) return input_error("after", after.substr(0, 100), "what the page before gave as next");
    ++begin;
  }
  const auto end = begin + std::min<std::ptrdiff_t>(call.number("limit"), ids.end() - begin);
  std::vector<std::string> items;
  for (auto id = begin; id != end; ++id) {
    Result<BisectSearch> one = kept_bisect(folder, *id);
    if (!one) continue;
    one->probes.clear();
    items.push_back(entry_json(*one));
  }
  return Reply{page_text(items, end == ids.end() ? "" : *std::prev(end))};
}

Result<Reply> bisect_of(const Call& call, const std::filesystem::path& folder) {
  std::vector<std::string> ids;
  if (sees_bisects(call)) ids = kept_bisect_ids(folder);
  std::erase_if(ids, [&](const std::string& id) { return !id.starts_with(call["id"]); });
  if (ids.size() > 1) return input_error("bisect:" + call["id"], "the beginning of several", "more of it");
  if (ids.empty()) return input_error("bisect:" + call["id"], "no such search", "one that was kept here");
  STEELYARD_TRY(const BisectSearch one, kept_bisect(folder, ids.front()));
  return Reply{entry_json(one) + '\n'};
}

std::string token_text(const storage::Token& token) {
  JsonWriter writer;
  writer("id", token.id);
  writer("name", token.name);
  writer("project", token.project, {.null = Null::written});
  writer("scopes", token.scopes);
  writer("expires_at", token.expires_at);
  writer("last_used", token.last_used, {.null = Null::written});
  return writer.one_line();
}

Result<Reply> tokens(const Call& call) {
  STEELYARD_TRY(const auto all, storage::AccessStore(call.store).tokens());
  std::vector<std::string> items;
  for (const storage::Token& one : all) {
    if (call.caller.project.empty() || call.caller.project == one.project) items.push_back(token_text(one));
  }
  return Reply{page_text(items, "")};
}

Result<Reply> audit(const Call& call) {
  // What project a line is of stands in none of its columns; in words some name one that is another's.
  if (!call.caller.project.empty()) return Reply{"the audit trail is of every project", "", 403};
  STEELYARD_TRY(const auto page, storage::AccessStore(call.store).audit_page(call.number("limit"), call["after"]));
  std::vector<std::string> items;
  for (const storage::AuditEntry& one : page.items) {
    JsonWriter writer;
    writer("at", one.at);
    writer("who", one.who);
    writer("action", one.action);
    writer("subject", one.subject);
    writer("detail", one.detail);
    writer("login", one.login);
    items.push_back(writer.one_line());
  }
  return Reply{page_text(items, page.next)};
}

}  // namespace

void add_bisects(Operations& operations, const std::filesystem::path& folder) {
  constexpr int kNotThere = 404;
  operations["bisects"] = {[folder](const Call& call) { return bisects(call, folder); }};
  operations["bisect"] = {[folder](const Call& call) { return bisect_of(call, folder); }, kNotThere};
}

void add_reading(Operations& operations) {
  constexpr int kNotFound = 404;
  operations["session"] = {session};
  operations["projects"] = {projects};
  operations["runs"] = {runs};
  operations["run"] = {run, kNotFound};
  operations["runArchive"] = {run_archive, kNotFound};
  operations["runProfile"] = {run_profile, kNotFound};
  operations["comparisons"] = {comparisons};
  operations["comparison"] = {comparison, kNotFound};
  operations["compare"] = {compare, kNotFound};
  operations["flame"] = {flame, kNotFound};
  operations["alerts"] = {alerts};
  operations["alert"] = {alert, kNotFound};
  operations["targets"] = {targets};
  operations["machines"] = {machines};
  operations["machine"] = {machine, kNotFound};
  operations["commit"] = {commit, kNotFound};
  operations["search"] = {search};
  operations["badge"] = {badge};
  operations["tokens"] = {tokens};
  operations["audit"] = {audit};
}

}  // namespace steelyard::ci
