// What a store is asked about the past, and what it answers: the values of series, the baseline of a commit, what moved
// between two commits, change points, and the commits' order. Each describes itself (bench/model/fields.hpp), as it is
// asked and answered over a service too.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/fields.hpp"
#include "bench/model/metric.hpp"
#include "bench/model/series.hpp"

namespace steelyard::storage {

// Of one answer, whatever is asked for.
inline constexpr FieldRule kAnySeries{.most = 1'000'000};

// A label may take 100 bytes and a run have a thousand: some 100 MB are looked through.
inline constexpr std::int64_t kMaxLabelledRuns = 1000;
// In the place of a metric, where those of every one are asked for.
inline constexpr const char* kAnyMetric = "*";

struct HistoryQuery {
  std::string benchmark;  // canonical text or a part of it; empty: all
  std::string metric;     // empty: real_time, instructions and the counted ones; kAnyMetric: each
  std::string branch;     // empty: any, by the commits' dates
  std::string project;    // empty: any
  int limit = 200;        // newest points kept per series; 0: the series alone, of the branch
  std::string machine{};  // the beginning of a fingerprint, or NAME=TEXT: a fact that holds the text; empty: any
  std::vector<std::string> parameters{};  // NAME=VALUE, or VALUE alone where it has no name: each must be there
  // A part of what benchmarks say of themselves in the newest kMaxLabelledRuns runs with labels of the project and
  // branch; empty: any. Where there are more, Page::notes says so.
  std::string label{};
  std::string after{};           // Page::next, or HistorySeries::older; empty: from the beginning
  int series_limit = 0;          // most series of one answer; 0: all
  bool off_branch = true;        // with commits that are off the branch, as after a force-push
  bool with_invocations = true;  // costs a look at every measurement; else they are 0
  bool only_one = false;         // of several series of the branch the names alone; not for another process
  // Series of one benchmark that was renamed, as comparisons of the branch say (Comparison::earlier_names; without a
  // branch: of the one with most commits), are one, under today's name, by which or by an earlier one it is asked for.
  // Where a run has two of its names, they stay apart.
  bool by_todays_names = false;

  static void fields(auto& visit, auto& self) {
    visit("benchmark", self.benchmark);
    visit("metric", self.metric);
    visit("branch", self.branch);
    visit("project", self.project);
    visit("limit", self.limit);
    visit("machine", self.machine);
    visit("parameters", self.parameters);
    visit("label", self.label);
    visit("after", self.after);
    visit("series_limit", self.series_limit);
    visit("off_branch", self.off_branch);
    visit("with_invocations", self.with_invocations);
    visit("by_todays_names", self.by_todays_names, {.null = Null::accepted});
  }
};
struct HistoryPoint {
  std::string run;
  std::string commit;
  std::string subject;
  std::int64_t at_unix_ns = 0;
  double value = 0;  // median of the invocations' medians
  std::int64_t samples = 0;
  std::int64_t invocations = 0;
  bool is_off_branch = false;  // measured on the branch that was asked for, and not on it any more
  int condition = 0;           // of a count: which of HistorySeries::conditions
  std::string branch{};        // that the run says it is of; empty: none

  static void fields(auto& visit, auto& self) {
    visit("run", self.run);
    visit("commit", self.commit);
    visit("subject", self.subject);
    visit("at_unix_ns", self.at_unix_ns, kAnyTime);
    visit("value", self.value, {.null = Null::accepted});
    visit("samples", self.samples);
    visit("invocations", self.invocations);
    visit("is_off_branch", self.is_off_branch);
    visit("condition", self.condition);
    visit("branch", self.branch, {.omitted = true});
  }
};
struct HistorySeries {
  std::string benchmark;
  Metric metric;
  std::string fingerprint;
  std::vector<HistoryPoint> points;  // oldest first
  std::string project{};
  std::string older{};  // its points before these, to be given as `after`; empty: there are none
  // Counts: the conditions that its points were taken under (Measurement::count_key), each once. Points under different
  // ones are not comparable.
  std::vector<std::string> conditions{};
  std::vector<std::string> earlier_names{};  // that some of its points are kept under

  static void fields(auto& visit, auto& self) {
    visit("benchmark", self.benchmark);
    Metric::fields(visit, self.metric, "metric");
    visit("fingerprint", self.fingerprint);
    visit("points", self.points, kAnySeries);
    visit("project", self.project);
    visit("older", self.older);
    visit("conditions", self.conditions, kAnySeries);
    visit("earlier_names", self.earlier_names, {.omitted = true});
  }
};

// A run where it stands among those of its project (newest_runs in storage/postgres/history).
struct OrderedRun {
  std::int64_t key = 0;  // of the store's own
  std::string id;
  std::string commit;  // empty: none
  std::string subject;
  std::string branch;
  std::int64_t at_unix_ns = 0;
  bool is_off_branch = false;
  // Of its commit on the branch that was asked for, whichever machine it was measured on; off the branch: that of the
  // last older one on it, -1: there is none. Absent: without a branch's order.
  std::optional<std::int64_t> place = {};
  bool is_plain = false;  // id and commit are digits and small letters alone, as hashes are
  // One run in 1024, by its id alone: where what is told of many runs can be cut, so that the parts stay what they are
  // when runs are added.
  bool is_mark = false;
};
// A series as its values beside runs that other series have, too: its points would say of each run all of it again.
struct SeriesLine {
  struct Point {
    std::size_t run = 0;  // of `runs`
    double value = 0;
    std::int64_t samples = 0;
    std::int64_t invocations = 0;
    int condition = 0;
  };
  HistorySeries series;       // without its points
  std::vector<Point> points;  // oldest first
  std::shared_ptr<const std::vector<OrderedRun>> runs;
};

// What a benchmark was called before and is called today, as HistoryQuery::by_todays_names has it.
struct RenamedBenchmark {
  std::string project;
  std::string earlier;
  std::string today;
};

struct RenamedQuery {
  std::string project;            // empty: any
  std::string branch;             // empty: the one with most commits
  std::set<std::string> names{};  // only benchmarks with one of these
  std::string part{};             // or with that in one of theirs; neither: all
};

// What one answer holds of a list, and where the next begins.
template <class Item>
struct Page {
  std::vector<Item> items;
  std::string next;                  // to be given as `after`, with all else as it was; empty: that was all
  std::vector<std::string> notes{};  // bounds that the answer reached, in words
  // Of each item the `after` of a page that begins behind it; of lists that their callers look through. Not for another
  // process.
  std::vector<std::string> places{};

  static void fields(auto& visit, auto& self) {
    visit("items", self.items, kAnySeries);
    visit("next", self.next);
    visit("notes", self.notes);
  }
};

// Where a baseline is looked for: on the same class of machine and project, among the ancestors of a commit.
struct BaselineQuery {
  std::string project;
  std::string fingerprint;
  std::string commit;        // full hash; its own runs are none, and no run of a changed tree is one
  std::string branch;        // where nothing is known of its ancestors: the newest run of this branch that is older
  bool only_branch = false;  // of its ancestors, too, runs of this branch alone (empty: of any)

  static void fields(auto& visit, auto& self) {
    visit("project", self.project);
    visit("fingerprint", self.fingerprint);
    visit("commit", self.commit);
    visit("branch", self.branch);
    visit("only_branch", self.only_branch);
  }
};
struct FoundBaseline {
  std::string run;
  std::string commit;
  std::int64_t distance = 0;  // 1: a parent
  bool is_ancestor = true;    // false: only older, as far as is known

  static void fields(auto& visit, auto& self) {
    visit("run", self.run);
    visit("commit", self.commit);
    visit("distance", self.distance);
    visit("is_ancestor", self.is_ancestor);
  }
};

// Two runs beside what came before them on the baseline's branch, on its machine and in its project.
struct BesideHistoryQuery {
  std::string baseline;  // ids of runs, as RunStore::get takes them
  std::string candidate;
  int runs = 100;  // of history: the newest up to the baseline
};
struct SeriesBesideHistory {
  std::string benchmark;
  Metric metric;
  std::optional<double> baseline{};  // absent: not measured, or not defined
  std::optional<double> candidate{};
  std::vector<double> history{};  // oldest first
};

// Most names of one answer about the projects of a store or a folder of archives.
inline constexpr std::int64_t kMaxProjectsNamed = 20;

// Commits after `from` up to `to`: full hashes, or unambiguous beginnings of commits that were measured.
struct RangeQuery {
  std::string from;
  std::string to;
  std::string project;  // empty: any
  std::string branch;   // empty: any
  std::string after;    // Page::next
  int limit = 50;       // most items of one answer

  static void fields(auto& visit, auto& self) {
    visit("from", self.from);
    visit("to", self.to);
    visit("project", self.project);
    visit("branch", self.branch);
    visit("after", self.after);
    visit("limit", self.limit);
  }
};
// A series whose level was found to change at a commit of the range, by `changes` or by a comparison.
struct ChangedSeries {
  std::string project;
  std::string benchmark;
  std::string metric;
  std::string fingerprint;
  std::string branch;
  std::string commit;
  std::optional<double> ratio{};  // after over before
  bool regression = false;        // else an improvement
  bool by_comparison = false;     // else a change point

  static void fields(auto& visit, auto& self) {
    visit("project", self.project);
    visit("benchmark", self.benchmark);
    visit("metric", self.metric);
    visit("fingerprint", self.fingerprint);
    visit("branch", self.branch);
    visit("commit", self.commit);
    visit("ratio", self.ratio);
    visit("regression", self.regression);
    visit("by_comparison", self.by_comparison);
  }
};
// The hosts of machines, each machine by its fingerprint: as results of Google Benchmark name
// them, which beside its caches and cores say nothing that would tell a machine from another. Those of devices do.
using HostsByMachine = std::map<std::string, std::set<std::string>>;
inline constexpr std::string_view kHostFact = "google.host_name";
inline constexpr std::string_view kMachineFact = "gpu.uuid";  // where it is known hosts tell nothing more

// What moved most between two commits, judged or not: medians of the newest runs up to either commit on one machine.
struct Mover {
  std::string project;
  std::string benchmark;
  Metric metric;
  std::string fingerprint;
  double before = 0;
  double after = 0;
  double ratio = 1;
  std::int64_t runs_before = 0;  // that the median is of
  std::int64_t runs_after = 0;

  static void fields(auto& visit, auto& self) {
    visit("project", self.project);
    visit("benchmark", self.benchmark);
    Metric::fields(visit, self.metric, "metric");
    visit("fingerprint", self.fingerprint);
    visit("before", self.before, {.null = Null::accepted});
    visit("after", self.after, {.null = Null::accepted});
    visit("ratio", self.ratio, {.null = Null::accepted});
    visit("runs_before", self.runs_before);
    visit("runs_after", self.runs_after);
  }
};

// One commit held against another by a kept comparison whose sides were measured together, or counted, or not timed as
// they are the same program: that is a step of exactly 1.
struct MeasuredStep {
  std::string benchmark;
  std::string metric;
  std::string fingerprint;
  std::string before;  // commits
  std::string after;
  double ratio = 1;
  std::optional<double> low{};  // of its interval
  std::optional<double> high{};
  double confidence = 0.95;  // of the interval

  static void fields(auto& visit, auto& self) {
    visit("benchmark", self.benchmark);
    visit("metric", self.metric);
    visit("fingerprint", self.fingerprint);
    visit("before", self.before);
    visit("after", self.after);
    visit("ratio", self.ratio);
    visit("low", self.low);
    visit("high", self.high);
    visit("confidence", self.confidence);
  }
};
inline constexpr int kMaxSteps = 200'000;  // in all: the newest
// Runs of changed trees and of requests are no steps, nor are comparisons whose candidate's run is not
// there.
struct StepQuery {
  std::string project;
  std::string benchmark{};             // canonical text or a part of it; empty: all
  std::string metric{};                // empty: any
  std::string fingerprint{};           // of the machine; empty: any
  std::vector<std::string> commits{};  // full shas, of which both sides are; empty: any
  int limit = kMaxSteps;
  std::string after{};  // `next` of the page before

  static void fields(auto& visit, auto& self) {
    visit("project", self.project);
    visit("benchmark", self.benchmark);
    visit("metric", self.metric);
    visit("fingerprint", self.fingerprint);
    visit("commits", self.commits);
    visit("limit", self.limit);
    visit("after", self.after);
  }
};

// In the place of a branch, where those of every one are asked for; git refuses the name.
inline constexpr const char* kAnyBranch = "*";

// A confirmed change point of one series: benchmark, metric, machine and the branch that was looked at.
struct KeptChangePoint {
  std::string id;
  std::string project;
  std::string benchmark;
  std::string metric;
  std::string fingerprint;
  std::string branch;  // empty: of runs that name none; of older versions: all branches together
  std::string commit;
  std::string last_good;
  double before = 0;
  double after = 0;
  std::optional<double> ratio{};
  double p = 1;
  bool regression = false;  // else an improvement
  bool gone = false;        // later values spoke against it
  ChangeCause cause = ChangeCause::commit;
  std::string taken_back_by{};  // of a regression: by which commit; empty: it was not

  static void fields(auto& visit, auto& self) {
    visit("id", self.id);
    visit("project", self.project);
    visit("benchmark", self.benchmark);
    visit("metric", self.metric);
    visit("fingerprint", self.fingerprint);
    visit("branch", self.branch);
    visit("commit", self.commit);
    visit("last_good", self.last_good);
    visit("before", self.before, {.null = Null::accepted});
    visit("after", self.after, {.null = Null::accepted});
    visit("ratio", self.ratio);
    visit("p", self.p);
    visit("regression", self.regression);
    visit("gone", self.gone);
    visit("cause", self.cause);
    visit("taken_back_by", self.taken_back_by, {.omitted = true});
  }
};
// What became of one.
enum class ChangeEvent {
  confirmed,
  moved,
  gone,
  back,
  explained,   // it has another cause
  taken_back,  // by a later change
  stands,      // what took it back does so no more
};
inline constexpr std::array<std::string_view, 7> kChangeEventWords{"confirmed", "moved",      "gone",  "back",
                                                                   "explained", "taken back", "stands"};
inline std::span<const std::string_view> words_of(ChangeEvent) { return kChangeEventWords; }

struct ChangePointEvent {
  ChangeEvent event = ChangeEvent::confirmed;
  KeptChangePoint point;
  std::string from_commit;  // where it stood before; empty: nowhere
};

inline constexpr std::size_t kMaxGraphCommits = 20'000;
inline constexpr std::size_t kMaxParents = 1'000;  // of one commit
// One commit and all its parents, in git's order; none: a root.
struct CommitParents {
  std::string sha;
  std::vector<std::string> parents;

  static void fields(auto& visit, auto& self) {
    visit("sha", self.sha);
    visit("parents", self.parents, {.most = kMaxParents});
  }
  bool operator==(const CommitParents&) const = default;
};
// A part of a project's history: as much as a clone knows. Parts may overlap and come in any order.
struct CommitGraph {
  std::string project;
  std::vector<CommitParents> commits;

  static void fields(auto& visit, auto& self) {
    visit("project", self.project);
    visit("commits", self.commits, {.most = kMaxGraphCommits});
  }
};

}  // namespace steelyard::storage
