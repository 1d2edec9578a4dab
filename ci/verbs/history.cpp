// steelyard history: how benchmarks went over the commits that the store knows, or what happened in a range of them.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"
#include "ci/app/keeping.hpp"
#include "ci/app/settings.hpp"
#include "ci/app/sides.hpp"
#include "ci/config/written_value.hpp"
#include "ci/git/repository.hpp"
#include "ci/grammar/verb.hpp"
#include "ci/judging/backfill.hpp"
#include "ci/judging/creep.hpp"
#include "ci/judging/stored_series.hpp"
#include "ci/report/exports.hpp"
#include "ci/report/history.hpp"
#include "ci/report/store.hpp"
#include "ci/report/warning_text.hpp"
#include "storage/alert_store.hpp"
#include "storage/history_store.hpp"
#include "storage/run_store.hpp"

namespace steelyard::ci {
namespace {

struct HistoryOptions {
  std::string benchmark;  // a part of the name; empty: all
  std::string metric;
  std::string branch;
  std::string machine;                  // HistoryQuery's
  std::vector<std::string> parameters;  // NAME=VALUE
  std::string label;
  std::string after;               // what an answer named as next, or as older
  int limit = 0;                   // newest points of each series, or rows of a range; 0: what is usual
  int max_series = 0;              // of one answer; 0: all
  std::filesystem::path archives;  // a folder of .syrun files; empty: the store
  bool chained = false;            // levels by ratios
  bool is_csv = false;
  // Instead of series: what happened in a range of commits.
  bool changed = false;
  bool movers = false;
  std::string range;  // A..B; empty: the newest commits
};

storage::HistoryQuery query_of(const HistoryOptions& options) {
  storage::HistoryQuery query;
  query.benchmark = canonical_as_typed(options.benchmark);
  query.metric = options.metric;
  query.branch = options.branch;
  query.limit = options.limit == 0 ? query.limit : options.limit;
  query.machine = options.machine;
  query.parameters = options.parameters;
  query.label = options.label;
  query.after = options.after;
  query.series_limit = options.max_series;
  return query;
}

constexpr int kMaxAlerts = 1000;
constexpr int kMaxOthers = 10'000;  // series among whose names the nearest is looked for
constexpr int kAskedSeries = 20;    // by which is told what excluded all
constexpr int kAskedPoints = 200;   // of each of these

std::string nearest_or_none(const std::string& name, const std::vector<std::string>& known) {
  return nearest_name(name, known).value_or("");
}

// `others`: series that fit but for their benchmark. Of one with parameters the name alone may be the nearest.
std::string nearest_benchmark(const std::string& asked, const std::vector<storage::HistorySeries>& others) {
  std::vector<std::string> names;
  for (const storage::HistorySeries& one : others) {
    names.push_back(one.benchmark.substr(0, one.benchmark.find_first_of("/ ")));
    names.push_back(one.benchmark);
  }
  return nearest_or_none(asked, names);
}

// The names alone of the series that fit, whatever their benchmark and branch.
storage::HistoryQuery of_any(storage::HistoryQuery query) {
  query.benchmark.clear();
  query.branch.clear();
  query.after.clear();
  query.limit = 0;
  query.series_limit = kMaxOthers;
  query.with_invocations = false;
  return query;
}

// An option of a question, and the question without it.
struct Narrowing {
  std::string option;
  std::string value;
  void (*drop)(storage::HistoryQuery& query);
};
std::vector<Narrowing> narrowings_of(const storage::HistoryQuery& query) {
  using Query = storage::HistoryQuery;
  std::vector<Narrowing> all;
  if (!query.branch.empty()) all.push_back({"--branch", query.branch, [](Query& wide) { wide.branch.clear(); }});
  if (!query.metric.empty()) all.push_back({"--metric", query.metric, [](Query& wide) { wide.metric.clear(); }});
  if (!query.machine.empty()) all.push_back({"--machine", query.machine, [](Query& wide) { wide.machine.clear(); }});
  if (!query.label.empty()) all.push_back({"--label", query.label, [](Query& wide) { wide.label.clear(); }});
  if (!query.parameters.empty()) {
    const std::string& first = query.parameters.front();
    all.push_back({"--parameter", first, [](Query& wide) { wide.parameters.clear(); }});
  }
  return all;
}

// All that the newest run of the first of the series has, too: a question that names none has the usual ones alone.
std::vector<std::string> metrics_known_of(storage::Store* store, const std::vector<storage::HistorySeries>& all) {
  std::set<std::string> names;
  for (const storage::HistorySeries& series : all) names.insert(series.metric.name);
  if (store != nullptr && !all.front().points.empty()) {
    const Result<Run> run = storage::RunStore(*store).get(all.front().points.back().run);
    for (const Measurement& one : run ? run->measurements : std::vector<Measurement>()) names.insert(one.metric.name);
  }
  return {names.begin(), names.end()};
}

// What is called like an option's value among series that fit without it: at least one.
NoSeries::Choice choice_of(const Narrowing& narrowing, const std::vector<storage::HistorySeries>& fitting,
                           storage::Store* store) {
  const auto beginning_of = [&narrowing](const storage::HistorySeries& series) {
    return series.fingerprint.substr(0, narrowing.value.size());
  };
  std::vector<std::string> known;
  if (narrowing.option == "--branch") known = branches_of(fitting);
  if (narrowing.option == "--metric") known = metrics_known_of(store, fitting);
  const bool is_fingerprint = narrowing.option == "--machine" && narrowing.value.find('=') == std::string::npos;
  for (const storage::HistorySeries& series : fitting) {
    if (is_fingerprint) known.push_back(beginning_of(series));
  }
  std::string nearest = nearest_or_none(narrowing.value, known);
  // Compared was so much as was typed; what is offered is what reports show of it.
  const auto meant = std::ranges::find(fitting, nearest, beginning_of);
  if (is_fingerprint && meant != fitting.end()) nearest = shown_id(meant->fingerprint);
  return {narrowing.option, narrowing.value, std::move(nearest)};
}

// Why no series fits. store: null: archives.
Result<NoSeries> why_none(const HistoryOptions& options, storage::HistoryQuery query, storage::Store* store,
                          const ReadSeries& read) {
  NoSeries none;
  none.archives = options.archives.string();
  none.benchmark = options.benchmark;
  query.after.clear();
  query.limit = kAskedPoints;
  query.series_limit = kAskedSeries;
  query.with_invocations = false;
  const std::vector<Narrowing> narrowings = narrowings_of(query);
  if (query.metric.empty()) {
    if (options.after.empty()) {
      STEELYARD_TRY(none.metrics, metrics_that_fit(query, read, false));
      if (!none.metrics.empty()) return none;
    }
    query.metric = storage::kAnyMetric;
  }
  storage::HistoryQuery without_all = query;
  for (const Narrowing& one : narrowings) {
    storage::HistoryQuery without = query;
    one.drop(without);
    one.drop(without_all);
    STEELYARD_TRY(const std::vector<storage::HistorySeries> fitting, read(without));
    if (fitting.empty()) continue;
    none.excluded_by = {choice_of(one, fitting, store)};
    return none;
  }
  if (narrowings.size() > 1) {
    STEELYARD_TRY(const std::vector<storage::HistorySeries> fitting, read(without_all));
    for (const Narrowing& one : narrowings) {
      if (fitting.empty()) break;
      none.excluded_by.push_back(choice_of(one, fitting, store));
    }
    if (!fitting.empty()) return none;
  }
  if (query.benchmark.empty() || store == nullptr) return none;
  const Result<std::vector<storage::HistorySeries>> others = read(of_any(query));
  if (others) none.nearest = nearest_benchmark(options.benchmark, *others);
  return none;
}

// What is open or accepted of them: it is said at the commits that it came with.
Result<std::vector<storage::Alert>> alerts_of(storage::Store& store, const storage::HistoryQuery& query,
                                              const std::vector<BenchmarkRename>& renames) {
  storage::AlertQuery wanted;
  wanted.project = query.project;
  wanted.branch = query.branch;
  wanted.limit = kMaxAlerts;
  const ReadAlerts read = [&store](const storage::AlertQuery& asked) { return storage::AlertStore(store).list(asked); };
  return alerts_by_current_names(renames, wanted, read);
}

constexpr int kUsualRows = 50;

storage::RangeQuery range_of(const HistoryOptions& options) {
  storage::RangeQuery query;
  if (const std::size_t dots = options.range.find(".."); dots != std::string::npos) {
    query.from = commit_named_here(options.range.substr(0, dots));
    query.to = commit_named_here(options.range.substr(dots + 2));
  }
  query.branch = options.branch;
  query.after = options.after;
  query.limit = options.limit == 0 ? kUsualRows : options.limit;
  return query;
}

template <class Item>
void use_current_names(const std::vector<BenchmarkRename>& renames, std::vector<Item>& items) {
  for (Item& one : items) one.benchmark = current_name(renames, std::move(one.benchmark));
}

constexpr std::size_t kMaxWalked = 200;  // commits behind an end of a range: each asks the store

Result<bool> is_measured_in(storage::Store& store, const std::string& commit, const storage::RangeQuery& range) {
  STEELYARD_TRY(const std::vector<RunHeader> runs, storage::RunStore(store).of_commit(commit));
  return std::any_of(runs.begin(), runs.end(), [&](const RunHeader& run) {
    return run.project == range.project && (range.branch.empty() || run.commit.branch == range.branch);
  });
}

// Which commits are before it the repository at hand says.
Result<RangeEnd> look_at_end(storage::Store& store, const std::string& commit, const storage::RangeQuery& range) {
  RangeEnd end{commit};
  STEELYARD_TRY(end.has_run, is_measured_in(store, commit, range));
  const std::optional<GitRepository> repository = end.has_run ? std::nullopt : repository_here();
  if (!repository) return end;
  const Result<std::vector<std::string>> line = repository->line_to(commit);
  const std::size_t known = line ? line->size() : 0;
  for (std::size_t before = 1; before < std::min(known, kMaxWalked); ++before) {
    const std::string& older = (*line)[known - 1 - before];
    STEELYARD_TRY(const bool is_measured, is_measured_in(store, older, range));
    if (!is_measured) continue;
    end.nearest = older;
    end.before = static_cast<std::int64_t>(before);
    break;
  }
  return end;
}

Result<RangeLook> look_at_range(storage::Store& store, const storage::RangeQuery& range) {
  RangeLook look;
  look.branch = range.branch;
  STEELYARD_TRY(look.from, look_at_end(store, range.from, range));
  STEELYARD_TRY(look.to, look_at_end(store, range.to, range));
  if (range.branch.empty() || !look.from.measured().empty() || !look.to.measured().empty()) return look;
  storage::HistoryQuery query;
  query.project = range.project;
  query.branch = range.branch;
  query.limit = 1;
  query.with_invocations = false;
  STEELYARD_TRY(const std::vector<storage::HistorySeries> of_branch, storage::HistoryStore(store).series(query));
  look.has_branch = !of_branch.empty();
  if (look.has_branch) return look;
  query.branch.clear();
  query.limit = kAskedPoints;
  query.series_limit = kAskedSeries;
  STEELYARD_TRY(const std::vector<storage::HistorySeries> of_any_branch, storage::HistoryStore(store).series(query));
  look.nearest_branch = nearest_or_none(range.branch, branches_of(of_any_branch));
  return look;
}

// An end without a run is looked up by the nearest before it: the change that a commit is blamed for is after the last
// one that was measured. What was pruned has no run, and its changes are there still: so the newer end itself is first.
Result<storage::Page<storage::ChangedSeries>> changed_in_measured(storage::Store& store, storage::RangeQuery range,
                                                                  const RangeLook& look) {
  if (!look.from.measured().empty()) range.from = look.from.measured();
  STEELYARD_TRY(storage::Page<storage::ChangedSeries> page, storage::HistoryStore(store).changed_in(range));
  if (!page.items.empty() || look.to.has_run || !look.compares()) return page;
  range.to = look.to.measured();
  return storage::HistoryStore(store).changed_in(range);
}

Result<std::string> text_of_range(storage::Store& store, const storage::RangeQuery& asked,
                                  const HistoryOptions& options, const std::vector<BenchmarkRename>& renames,
                                  const App& app) {
  STEELYARD_TRY(const storage::RangeQuery range, storage::HistoryStore(store).complete_range(asked));
  STEELYARD_TRY(const RangeLook look, look_at_range(store, range));
  if (options.changed) {
    STEELYARD_TRY(storage::Page<storage::ChangedSeries> page, changed_in_measured(store, range, look));
    use_current_names(renames, page.items);
    return app.common.json ? json_changed(range, page, &look) : terminal_changed(range, page, look, app.style());
  }
  STEELYARD_TRY(storage::Page<storage::Mover> page, storage::HistoryStore(store).top_movers(range));
  use_current_names(renames, page.items);
  return app.common.json ? json_movers(range, page, &look) : terminal_movers(range, page, look, app.style());
}

Result<ExitCode> show_range(const HistoryOptions& options, const Configuration& configuration, const App& app) {
  STEELYARD_TRY(storage::Store store, open_store(configuration, app));
  storage::RangeQuery query = range_of(options);
  STEELYARD_TRY(query.project, project_in_store(store, configuration));
  STEELYARD_TRY(const std::string text, text_of_range(store, query, options, configuration.renames, app));
  app.print(text);
  return ExitCode::success;
}

// Levels by the ratios of kept comparisons, in place of what each run measured on its day. How many series have none.
Result<std::size_t> chain(storage::Store& store, const storage::HistoryQuery& query,
                          const std::vector<BenchmarkRename>& renames, storage::Page<storage::HistorySeries>& page,
                          const App& app) {
  const bool has_other_names =
      !renames.empty() || std::any_of(page.items.begin(), page.items.end(),
                                      [](const storage::HistorySeries& one) { return !one.earlier_names.empty(); });
  const std::string benchmark = has_other_names ? "" : query.benchmark;
  const std::string metric = query.metric == storage::kAnyMetric ? "" : query.metric;
  STEELYARD_TRY(const std::vector<storage::MeasuredStep> steps,
                storage::HistoryStore(store).steps({query.project, benchmark, metric}));
  std::vector<storage::HistorySeries> chained;
  std::size_t excluded = 0;
  for (ChainedSeries& one : chained_page(std::move(page.items), steps, renames)) {
    if (one.series.points.empty()) {
      ++excluded;
      continue;
    }
    app.note(chained_text(one));
    chained.push_back(std::move(one.series));
  }
  page.items = std::move(chained);
  if (excluded > 0) {
    app.note(std::to_string(excluded) +
             " series without commits that were measured against each other: steelyard backfill FROM..TO");
  }
  return excluded;
}

// A page of the store by today's names. Where nothing has the benchmark's name and it had that one before, `query` is
// of what it is called today.
Result<storage::Page<storage::HistorySeries>> page_by_current_names(storage::Store& store, storage::HistoryQuery& query,
                                                                    const std::vector<BenchmarkRename>& renames,
                                                                    const ReadSeries& more, const App& app) {
  storage::Page<storage::HistorySeries> page;
  std::vector<std::string> notes;
  std::vector<std::string> of_pages;
  // A page of series that have no point on the branch is empty, and what fits may be on a later one.
  const auto read = [&]() -> Result<void> {
    storage::HistoryQuery asked = query;
    while (true) {
      STEELYARD_TRY(page, storage::HistoryStore(store).page(asked));
      STEELYARD_TRY(page.items, under_current_names(std::move(page.items), asked, renames, more, notes));
      for (std::string& note : page.notes) {
        if (std::ranges::find(of_pages, note) == of_pages.end()) of_pages.push_back(std::move(note));
      }
      if (!page.items.empty() || page.next.empty() || page.next == asked.after) break;
      asked.after = page.next;
    }
    page.notes = of_pages;
    return {};
  };
  STEELYARD_CHECK(read());
  const std::string today = current_name(renames, query.benchmark);
  if (page.items.empty() && query.after.empty() && today != query.benchmark) {
    const std::string asked = std::exchange(query.benchmark, today);
    STEELYARD_CHECK(read());
    if (!page.items.empty()) notes.push_back(warning::shown_under_todays_name(asked, today));
  }
  app.notes(page.notes);
  app.notes(notes);
  return page;
}

Result<ExitCode> run_history(const HistoryOptions& options, const App& app) {
  STEELYARD_TRY(const Configuration configuration, effective_configuration(app));
  if (options.changed || options.movers) return show_range(options, configuration, app);
  storage::HistoryQuery query = query_of(options);
  std::optional<storage::Store> store;
  if (options.archives.empty()) {
    STEELYARD_TRY(store, open_store(configuration, app));
    STEELYARD_TRY(query.project, project_in_store(*store, configuration));
    query.by_todays_names = true;
  }
  ExitCode code = ExitCode::success;
  storage::Page<storage::HistorySeries> page;
  std::vector<storage::Alert> alerts;
  std::size_t not_chained = 0;
  const ReadSeries more = [&](const storage::HistoryQuery& asked) -> Result<std::vector<storage::HistorySeries>> {
    if (store) return storage::HistoryStore(*store).series(asked);
    STEELYARD_TRY(storage::ArchivedHistory history, history_of_archives(options.archives, asked, configuration, app));
    return std::move(history.series);
  };
  if (store) {
    STEELYARD_TRY(page, page_by_current_names(*store, query, configuration.renames, more, app));
    if (options.chained) {
      STEELYARD_TRY(not_chained, chain(*store, query, configuration.renames, page, app));
    }
    STEELYARD_TRY(alerts, alerts_of(*store, query, configuration.renames));
  } else {
    STEELYARD_TRY(storage::ArchivedHistory history, history_of_archives(options.archives, query, configuration, app));
    if (history.is_by_date) app.note(kArchivesByDate);
    if (history.kept_counts > 0) app.note(plural_text(history.kept_counts, "kept count") + " passed over: no runs");
    page = {std::move(history.series), std::move(history.next)};
    if (!history.bad.empty()) code = ExitCode::bad_input;
  }
  if (app.common.json) {
    app.print(json_history(page, alerts));
  } else if (!page.items.empty()) {
    app.print(options.is_csv ? csv_history(page.items) : terminal_history(page, app.style(), alerts));
    if (options.is_csv) app.notes(more_of_history(page));
  } else {
    NoSeries none{.archives = options.archives.string(), .benchmark = options.benchmark};
    none.is_chained = not_chained > 0;
    if (!none.is_chained && code == ExitCode::success) {
      const ReadSeries by_current_names = [&](const storage::HistoryQuery& asked) {
        Result<std::vector<storage::HistorySeries>> found = more(asked);
        std::vector<std::string> said_before;
        return found && store ? under_current_names(*std::move(found), asked, configuration.renames, more, said_before)
                              : found;
      };
      STEELYARD_TRY(none, why_none(options, query, store ? &*store : nullptr, by_current_names));
    }
    std::string said = terminal_no_series(none);
    if (options.is_csv) {
      app.print(csv_history({}));
      said.pop_back();  // a note ends its line itself
      app.note(said);
    } else {
      app.print(said);
    }
  }
  return code;
}

// A..B, or nothing.
VerbOption range_option(std::string name, bool& wanted, std::string& range, std::string help) {
  const auto set = [&wanted, &range, name](const std::string& text) -> Result<void> {
    wanted = true;
    if (text.empty()) return {};
    const std::size_t dots = text.find("..");
    if (dots == std::string::npos || dots == 0 || dots + 2 == text.size() || text[dots + 2] == '.') {
      return input_error(name, '"' + text + '"', "A..B, two commits", name + " HEAD~10..HEAD");
    }
    range = text;
    return {};
  };
  return {std::move(name), "[A..B]", std::move(help), kGeneralGroup, false, set};
}

Result<void> check_history_options(const HistoryOptions& history, bool is_json) {
  if (history.chained && !history.archives.empty()) {
    return input_error("--chained", "--archives", "a store, which has the comparisons",
                       "fill one: steelyard db rebuild --from FOLDER");
  }
  if (history.is_csv && is_json) return input_error("--table-format csv", "--json as well", "one of the two");
  if (!history.changed && !history.movers) return {};
  const std::string option = history.changed ? "--changed-in" : "--top-movers";
  if (history.changed && history.movers) return input_error(option, "--top-movers as well", "one of the two");
  if (!history.archives.empty()) {
    return input_error(option, "--archives", "a store", "fill one: steelyard db rebuild --from FOLDER");
  }
  if (history.chained) return input_error(option, "--chained", "series", "leave it out");
  if (history.is_csv) return input_error(option, "--table-format csv", "series", "leave it out, or take --json");
  const bool is_narrowed = !history.benchmark.empty() || !history.metric.empty() || !history.machine.empty() ||
                           !history.parameters.empty() || !history.label.empty() || history.max_series != 0;
  if (!is_narrowed) return {};
  return input_error(option, "a benchmark, --metric, --machine, --parameter, --label or --series",
                     "--branch, --limit and --after alone", "it is about all series of a project");
}

}  // namespace

Verb history_verb() {
  const auto options = std::make_shared<HistoryOptions>();
  Verb verb = make_verb(
      options, run_history, "history",
      "Draws how a benchmark went over the commits that the store knows. BENCHMARK: its name or a part of it. With "
      "--changed-in or --top-movers, what happened in a range of commits.",
      "  steelyard history Sort --metric instructions --branch main\n"
      "  steelyard history --parameter size=1024 --machine cpu.model=EPYC --json\n"
      "  steelyard history --changed-in v1.2..HEAD\n"
      "  steelyard history --top-movers HEAD~20..HEAD --limit 10\n"
      "  steelyard history Sort --archives ../performance-history");
  verb.names = {"[BENCHMARK]"};
  verb.take = [options, common = verb.common](Words words) -> Result<void> {
    if (!words.names.empty()) options->benchmark = std::move(words.names[0]);
    return check_history_options(*options, common->json);
  };
  verb.add(text_option("--metric", "NAME", options->metric, "default: real_time, instructions and the counted ones"));
  verb.add(text_option("--branch", "NAME", options->branch, "only commits of this branch"));
  verb.add(text_option("--machine", "TEXT", options->machine,
                       "the beginning of a fingerprint, or FACT=TEXT: what a fact holds, as "
                       "cpu.model=EPYC"));
  verb.add(repeated_option("--parameter", "NAME=VALUE", options->parameters,
                           "of the benchmark, or its threads, device, dtype, suite; may be repeated: "
                           "all must hold; VALUE alone: a parameter without a name"));
  verb.add(text_option("--label", "TEXT", options->label, "a part of what the benchmark says of itself"));
  verb.add(path_option("--archives", "FOLDER", options->archives,
                       "the .syrun files below it, in place of the store; needs no server"));
  verb.add(flag_option("--chained", options->chained,
                       "levels by the ratios of commits that were measured against each other, whatever the "
                       "machine did on each day"));
  verb.add(number_option("--limit", options->limit,
                         "newest points of each series (default: 200); rows of a range (default: 50)"));
  verb.add(number_option("--series", options->max_series, "most series of one answer (default: all)"));
  verb.add(text_option("--after", "CURSOR", options->after,
                       "go on there: where an answer says that there is more, or that a series has "
                       "older points"));
  verb.add(range_option("--changed-in", options->changed, options->range,
                        "the series whose level was found to change after A and up to B"));
  verb.add(range_option("--top-movers", options->movers, options->range,
                        "what moved most between A and B, judged or not, largest first; without a "
                        "range: the last ten measured commits"));
  const auto set_format = [options](const std::string& text) -> Result<void> {
    STEELYARD_TRY(const std::size_t word, read_word(WrittenValue{text, true}, "--table-format", {"text", "csv"}));
    options->is_csv = word == 1;
    return {};
  };
  verb.add({"--table-format", "text|csv", "csv: a row for each point, with no chart (default: text)", kGeneralGroup,
            false, set_format});
  add_key_options(verb, {{"store", "project"}});
  add_common_options(verb);
  return verb;
}

}  // namespace steelyard::ci
