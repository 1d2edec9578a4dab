// What a store holds, for who looks through it: projects, runs, machines, comparisons and targets as rows of lists, and
// what a search finds. What is behind a row is asked for by its id. Times are ISO 8601 in UTC.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/model/fields.hpp"

namespace steelyard::storage {

struct BranchEntry {
  std::string name;
  std::int64_t commits = 0;  // that have a place on it
  std::string newest_at;     // when its tip was measured first

  static void fields(auto& visit, auto& self) {
    visit("name", self.name);
    visit("commits", self.commits);
    visit("newest_at", self.newest_at, {.null = Null::written});
  }
};
inline constexpr int kMaxBranchesListed = 50;
struct ProjectEntry {
  std::string name;  // empty: of runs that name none
  std::string newest_run;
  std::string newest_at;
  std::int64_t open_alerts = 0;       // or reopened ones
  std::vector<BranchEntry> branches;  // newest first, at most kMaxBranchesListed

  static void fields(auto& visit, auto& self) {
    visit("name", self.name);
    visit("newest_run", self.newest_run, {.null = Null::written});
    visit("newest_at", self.newest_at, {.null = Null::written});
    visit("open_alerts", self.open_alerts);
    visit("branches", self.branches, {.column = "branch"});
  }
};

struct RunEntry {
  std::string id;
  std::string project;
  std::string program;
  std::string tool;
  std::string commit;
  std::string parent;
  std::string branch;
  std::string subject;
  std::string committed_at;
  bool dirty = false;
  std::string at;
  std::string fingerprint;
  std::string session;
  std::string layout;
  std::int64_t measurements = 0;
  std::int64_t samples = 0;

  static void fields(auto& visit, auto& self) {
    visit("id", self.id);
    visit("project", self.project);
    visit("program", self.program);
    visit("tool", self.tool);
    visit("commit", self.commit, {.null = Null::written});
    visit("parent", self.parent, {.null = Null::written});
    visit("branch", self.branch, {.null = Null::written});
    visit("subject", self.subject, {.null = Null::written});
    visit("committed_at", self.committed_at, {.null = Null::written});
    visit("dirty", self.dirty);
    visit("at", self.at, {.null = Null::written});
    visit("fingerprint", self.fingerprint, {.null = Null::written});
    visit("session", self.session, {.null = Null::written});
    visit("layout", self.layout);
    visit("measurements", self.measurements);
    visit("samples", self.samples);
  }
};

// Rows of a comparison by their verdict.
struct VerdictCounts {
  std::int64_t regression = 0, improvement = 0, unchanged = 0, inconclusive = 0, missing = 0, fresh = 0, failed = 0,
               incomparable = 0, skipped = 0;

  static void fields(auto& visit, auto& self) {
    visit("regression", self.regression);
    visit("improvement", self.improvement);
    visit("unchanged", self.unchanged);
    visit("inconclusive", self.inconclusive);
    visit("missing", self.missing);
    visit("new", self.fresh);
    visit("failed", self.failed);
    visit("incomparable", self.incomparable);
    visit("skipped", self.skipped);
  }
};
struct ComparisonEntry {
  std::string id;
  std::string project;
  std::string branch;
  std::string baseline_run;
  std::string candidate_run;
  std::string baseline_commit;
  std::string candidate_commit;
  std::string at;
  std::string fingerprint;  // of the candidate's machine
  VerdictCounts summary;
  std::int64_t gates = 0;     // regressions that fail the gate
  std::int64_t unjudged = 0;  // rows that gate and are missing, failed or incomparable
  // As the headline of a comparison counts them (ci/report/headline.hpp): benchmarks with a row that gates and is
  // neither new nor skipped, or of all where none gates; and those none of whose rows is decided. A row of
  // kAllBenchmarks may be the only one that gates: then there are none.
  std::int64_t benchmarks = 0;
  std::int64_t undecided = 0;

  static void fields(auto& visit, auto& self) {
    visit("id", self.id);
    visit("project", self.project);
    visit("branch", self.branch, {.null = Null::written});
    visit("baseline_run", self.baseline_run);
    visit("candidate_run", self.candidate_run);
    visit("baseline_commit", self.baseline_commit, {.null = Null::written});
    visit("candidate_commit", self.candidate_commit, {.null = Null::written});
    visit("at", self.at);
    visit("fingerprint", self.fingerprint, {.null = Null::written});
    visit("summary", self.summary);
    visit("gates", self.gates);
    visit("unjudged", self.unjudged);
    visit("benchmarks", self.benchmarks);
    visit("undecided", self.undecided);
  }
};

struct TargetEntry {
  std::string run;
  std::string commit;
  std::string at;
  std::string project;
  std::string branch;
  std::string fingerprint;
  std::string benchmark;
  std::string metric;
  std::string target;   // as it was declared
  std::string of_what;  // "bandwidth", "flops", "roofline", "rate"
  double least = 0;
  std::optional<double> achieved, achieved_low, achieved_high, ceiling, utilization, intensity;
  std::string bound;
  std::string verdict;
  std::string reason;

  static void fields(auto& visit, auto& self) {
    visit("run", self.run);
    visit("commit", self.commit, {.null = Null::written});
    visit("at", self.at, {.null = Null::written});
    visit("project", self.project);
    visit("branch", self.branch, {.null = Null::written});
    visit("fingerprint", self.fingerprint, {.null = Null::written});
    visit("benchmark", self.benchmark);
    visit("metric", self.metric);
    visit("target", self.target);
    visit("of_what", self.of_what);
    visit("least", self.least);
    visit("achieved", self.achieved);
    visit("achieved_low", self.achieved_low);
    visit("achieved_high", self.achieved_high);
    visit("ceiling", self.ceiling);
    visit("utilization", self.utilization);
    visit("intensity", self.intensity);
    visit("bound", self.bound, {.null = Null::written});
    visit("verdict", self.verdict);
    visit("reason", self.reason, {.null = Null::written});
  }
};

struct FactEntry {
  std::string name;
  std::string value;
  bool decisive = false;  // it is a part of the fingerprint

  static void fields(auto& visit, auto& self) {
    visit("name", self.name);
    visit("value", self.value);
    visit("decisive", self.decisive);
  }
};
struct CalibrationEntry {
  std::string id;
  std::string layout;
  std::string at;
  std::string program;
  std::int64_t rounds = 0;
  std::int64_t gates = 0;
  std::int64_t false_gates = 0;
  std::int64_t comparisons = 0;
  std::int64_t false_alarms = 0;
  std::optional<double> drift_sequential;
  bool failed = false;
  std::string reason;

  static void fields(auto& visit, auto& self) {
    visit("id", self.id);
    visit("layout", self.layout);
    visit("at", self.at);
    visit("program", self.program);
    visit("rounds", self.rounds);
    visit("gates", self.gates);
    visit("false_gates", self.false_gates);
    visit("comparisons", self.comparisons);
    visit("false_alarms", self.false_alarms);
    visit("drift_sequential", self.drift_sequential);
    visit("failed", self.failed);
    visit("reason", self.reason, {.null = Null::written});
  }
};
// All machines of one fingerprint, whose runs may be compared.
inline constexpr int kMaxCalibrationsListed = 20;
struct MachineEntry {
  std::string fingerprint;
  std::int64_t runs = 0;
  std::string first_at;
  std::string newest_at;
  std::optional<double> noise;                 // between rounds, relative; median over the newest comparison there
  std::vector<FactEntry> facts;                // as the newest run found them
  std::vector<CalibrationEntry> calibrations;  // newest first, at most kMaxCalibrationsListed

  static void fields(auto& visit, auto& self) {
    visit("fingerprint", self.fingerprint);
    visit("runs", self.runs);
    visit("first_at", self.first_at, {.null = Null::written});
    visit("newest_at", self.newest_at, {.null = Null::written});
    visit("noise", self.noise);
    visit("facts", self.facts, {.column = "fact"});
    visit("calibrations", self.calibrations, OwnTable{});
  }
};

struct FoundEntry {
  std::string kind;  // "benchmark", "commit", "run", "branch", "machine", "project"
  std::string text;  // what to show
  std::string detail;
  std::string project;
  std::string id;  // of the commit, run, machine; the benchmark's canonical text; the branch

  static void fields(auto& visit, auto& self) {
    visit("kind", self.kind);
    visit("text", self.text);
    visit("detail", self.detail, {.null = Null::written});
    visit("project", self.project, {.null = Null::written});
    visit("id", self.id);
  }
};

// Which rows of a list; what is empty does not matter. `after`: Page::next.
struct ListQuery {
  std::string project;
  std::string branch;
  std::string commit;     // or its beginning
  std::string benchmark;  // canonical text or a part of it
  std::string machine;    // a fingerprint or its beginning
  std::string run;        // targets: of this one
  int limit = 50;         // 1 to kMaxListed
  std::string after{};
};
inline constexpr int kMaxListed = 1000;

// Which change points. `list.branch` is that which was looked at; its benchmark and run do not matter.
struct ChangePointQuery {
  ListQuery list;
  std::string metric;  // empty: any
  bool gone_too = false;
};

// Something of a kind ("run", "comparison", "alert", "change") came in or changed.
struct NewsEntry {
  std::string kind;
  std::string project;
};
// What of it is known: keys of the newest rows; an assignment is told as a change of its alert.
struct NewsMarks {
  std::int64_t run = 0, comparison = 0, alert = 0, change = 0, assignment = 0;
};

// How the samples of a point lie around its value.
struct PointSpread {
  double least = 0, low = 0, high = 0, most = 0;  // least and greatest sample, first and third quartile
};
// Of one series in some runs.
struct SpreadQuery {
  std::string project;
  std::vector<std::string> benchmarks;  // canonical texts: what the one is kept under
  std::string metric;
  std::vector<std::string> runs;  // whole ids; at most kMaxSpreadRuns
};
inline constexpr std::size_t kMaxSpreadRuns = 20'000;

}  // namespace steelyard::storage
