// What a search for the commit that changed a benchmark came to: its facts, for a person and a program. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/run.hpp"
#include "ci/app/terminal_text.hpp"
#include "regress/history/bisection.hpp"

namespace steelyard::ci {

// What a commit is judged by.
enum class ProbeWitness {
  values,  // of the metric that was asked about, in rounds
  counts,  // of instructions, exactly, and nothing is timed
};
std::span<const std::string_view> words_of(ProbeWitness);  // "values", "counts"

// An answer as it is kept, with the figures that it stands on.
struct BisectProbe {
  regress::ProbePurpose purpose = regress::ProbePurpose::search;
  ProbeWitness witness = ProbeWitness::values;
  std::string baseline;
  std::string candidate;
  std::int64_t attempt = 0;
  regress::ProbeAnswer answer = regress::ProbeAnswer::skipped;
  std::optional<double> baseline_level = {};
  std::optional<double> candidate_level = {};
  std::optional<double> ratio = {};
  std::optional<Interval> interval = {};
  std::optional<double> p = {};
  std::int32_t rounds = 0;
  std::vector<FunctionChange> functions = {};  // of a check by counts
  std::string trouble = {};                    // why it was skipped
  bool operator==(const BisectProbe&) const = default;

  static void fields(auto& visit, auto& self) {
    visit("purpose", self.purpose);
    visit("by", self.witness);
    visit("baseline", self.baseline);
    visit("candidate", self.candidate);
    visit("attempt", self.attempt);
    visit("answer", self.answer);
    visit("baseline_level", self.baseline_level);
    visit("candidate_level", self.candidate_level);
    visit("ratio", self.ratio);
    visit("interval", self.interval);
    visit("p", self.p);
    visit("rounds", self.rounds, kRoundCount);
    visit("functions", self.functions, {.omitted = true});
    visit("trouble", self.trouble, {.null = Null::written});
  }
};

// Whether what was found is all of what changed between the ends.
enum class OtherChanges {
  none,      // what is left over is shown to be less than half of what was found
  possible,  // the data leave room for one
  shown,     // what is left over is surely a change
};
std::span<const std::string_view> words_of(OtherChanges);  // "none", "possible", "shown"

struct BisectReport {
  std::string benchmark;  // canonical
  Metric metric;
  regress::BisectionEnd end = regress::BisectionEnd::found;
  Commit good;
  Commit bad;
  std::size_t commits = 0;            // behind the good end, along first parents
  std::optional<Commit> culprit;      // or the last of `range`; absent: none can be named
  std::string author = {};            // of the culprit
  std::optional<Commit> before;       // that it was held against
  std::vector<Commit> range = {};     // of a range: what else can be the cause, oldest first; at most 100
  std::size_t range_size = 0;         // of all of these
  std::vector<Commit> merges = {};    // by which the culprit came into the line, outermost first
  bool is_merge_itself = false;       // none of what it merged shows the change
  bool is_inside_unsure = false;      // of a merge: what it merged could not be told
  std::vector<Commit> contrary = {};  // that lie on the wrong side: the line went there and back
  ProbeWitness witness = ProbeWitness::values;
  std::optional<BisectProbe> ends;         // bad against good
  std::optional<BisectProbe> check;        // the culprit against the one before, by the metric
  std::optional<BisectProbe> check_count;  // the same by counts, with functions
  OtherChanges others = OtherChanges::possible;
  std::optional<double> rest;  // ratio of what is left over
  std::optional<Interval> rest_interval;
  double wrong_commit = 0;  // the chance that a commit without a change is named; 0: of a count, which is exact
  std::vector<BisectProbe> probes;
  std::int64_t builds = 0;
  std::string again = {};  // the command that measures what was found once more
};

// A search as it is kept while it goes on and after it ended: how far it is, or what it came to.
struct BisectSearch {
  std::string id;  // of its file
  std::string repository;
  std::string good;  // full shas
  std::string bad;
  std::string benchmark;  // as it was asked for
  std::string metric;
  std::string build;            // the command
  std::int64_t commits = 0;     // behind the good end, along first parents
  std::int64_t left = 0;        // that could be the cause when a commit was measured last
  std::string measuring;        // that commit, now or when it was interrupted; empty: none
  std::string end;              // as BisectReport::end; empty: it has not ended
  std::string culprit;          // full sha; empty: none is named
  std::int64_t builds = 0;      // of all sessions
  std::int64_t at_unix_ns = 0;  // when all this was written, by the file
  std::vector<BisectProbe> probes = {};

  static constexpr std::size_t kMaxProbes = 10'000;
  // Of a file of an earlier version some are missing.
  static void fields(auto& visit, auto& self) {
    constexpr FieldRule kMayBeNone{.null = Null::written};
    visit("id", self.id, kMayBeNone);
    visit("repository", self.repository);
    visit("good", self.good);
    visit("bad", self.bad);
    visit("benchmark", self.benchmark);
    visit("metric", self.metric);
    visit("build", self.build, kMayBeNone);
    visit("commits", self.commits, kMayBeNone);
    visit("left", self.left, kMayBeNone);
    visit("measuring", self.measuring, kMayBeNone);
    visit("end", self.end, kMayBeNone);
    visit("culprit", self.culprit, kMayBeNone);
    visit("builds", self.builds);
    visit("at_unix_ns", self.at_unix_ns, kMayBeNone);
    visit("probes", self.probes, {.most = kMaxProbes});
  }
};

// What finds the commit of a change that is known to lie between two: "steelyard bisect 9f8e7d6c5 a1b2c3d4e 'BM_sort'".
// Empty where nobody can look for that metric.
struct BisectRange {
  std::string good;
  std::string bad;
  std::string benchmark;  // canonical
  std::string metric;
};
std::string bisect_command(const BisectRange& range);
// Whether it is a metric that a bisect can measure.
bool can_be_bisected(const std::string& metric);

// Why a commit could not be measured, in a line: of what a command printed, which stands in lines of its own, the first
// that tells an error, else the last.
std::string trouble_text(const std::string& trouble);

// "time +3.10 % (+2.80 % to +3.40 %), p 0.002, 24 rounds"; "instructions +14.3 %, exactly"; "allocations from 0 to 5,
// exactly".
std::string probe_text(const BisectProbe& probe, const Metric& metric);
// For a line while it is searched: "1a2b3c4d5: time +3.10 % (...): changed; 15 commits can be it".
std::string progress_text(const BisectProbe& probe, const Metric& metric, std::size_t left);

// Whether the bad end is worse than the good one: by their ratio, and by their levels where there is none, as of zero.
bool became_worse(const BisectReport& report);

std::string terminal_bisect(const BisectReport& report, const TerminalStyle& style);
// schema steelyard.bisect/1
std::string json_bisect(const BisectReport& report);

}  // namespace steelyard::ci
