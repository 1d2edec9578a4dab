// The outcome of holding a candidate against a baseline: one row per (benchmark, metric), each with its effect, its
// interval, its evidence and one of the verdicts. docs/reference/verdicts.md says what each field means.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/calibration.hpp"
#include "bench/model/environment.hpp"
#include "bench/model/fields.hpp"
#include "bench/model/interval.hpp"
#include "bench/model/run.hpp"
#include "bench/model/series.hpp"

namespace steelyard {

enum class Verdict {
  regression,
  improvement,
  unchanged,     // shown to lie within the margin
  inconclusive,  // the data cannot tell
  missing,       // the candidate lacks it
  fresh,         // the baseline lacks it; its text is "new"
  failed,        // it was tried and yielded nothing
  incomparable,  // measured under different conditions
  skipped,       // it left itself out wherever it is: there was nothing to judge
};
inline constexpr std::size_t kVerdictCount = 9;
std::string_view to_text(Verdict verdict);
std::span<const std::string_view> words_of(Verdict);
// That the two sides differ was shown.
constexpr bool is_change(Verdict verdict) { return verdict == Verdict::regression || verdict == Verdict::improvement; }

// How the two signals of one benchmark, its time and its instructions, decide together whether a regression of either
// fails the gate. Other metrics are not concerned.
enum class Witness {
  decided,       // time fails it, and so do instructions unless time is shown unchanged or better
  either,        // each fails it alone
  time,          // instructions are reported and do not gate
  instructions,  // time is reported and does not gate
  both,          // one that the other does not confirm is reported and does not gate; one that stands alone decides
};
inline constexpr std::size_t kWitnessCount = 5;
std::string_view to_text(Witness witness);  // "decided", "either", "time", "instructions", "both"
std::span<const std::string_view> words_of(Witness);

// A function whose cost changed. Costs per iteration of the benchmark; candidate minus baseline.
struct FunctionChange {
  std::string name;
  std::string file;
  std::int32_t line = 0;  // 0: unknown
  double self_change = 0;
  double inclusive_change = 0;
  double calls_change = 0;
  double share = 0;  // of the benchmark's whole change
  bool own_source = false;
  // The change of inclusive cost split in two: calls_change at the baseline's cost a call, and the candidate's calls at
  // what each costs more. They add up to inclusive_change. Absent where a side never called it.
  std::optional<double> from_calls = {};
  std::optional<double> from_cost_per_call = {};
  std::string renamed_from = {};  // its name in the baseline, where the two were matched by shape; empty: the same
  // The function it ran in, where the candidate has it inlined; empty: itself. calls_change is 0 then, unless the
  // baseline called it.
  std::string inlined_into = {};
  std::string once_inlined_into = {};  // the function it ran in in the baseline; the candidate calls it
  bool operator==(const FunctionChange&) const = default;

  static void fields(auto& visit, auto& self) {
    visit("name", self.name);
    visit("file", self.file, {.null = Null::written});
    visit("line", self.line, {.null = Null::written});
    visit("self_change", self.self_change, {.null = Null::accepted});
    visit("inclusive_change", self.inclusive_change, {.null = Null::accepted});
    visit("calls_change", self.calls_change, {.null = Null::accepted});
    visit("share", self.share, {.null = Null::accepted});
    visit("own_source", self.own_source);
    visit("from_calls", self.from_calls);
    visit("from_cost_per_call", self.from_cost_per_call);
    visit("renamed_from", self.renamed_from, {.null = Null::written});
    visit("inlined_into", self.inlined_into, {.null = Null::written});
    visit("once_inlined_into", self.once_inlined_into, {.null = Null::written});
  }
};

// One look at the data of a design that may stop early.
struct Look {
  std::int32_t rounds = 0;  // that had been measured
  double p = 1;             // of these rounds, as if this look were the only one
  double share = 1;         // of the level that this look may spend; those of all looks add up to at most 1
  bool operator==(const Look&) const = default;

  static void fields(auto& visit, auto& self) {
    visit("rounds", self.rounds, kRoundCount);
    visit("p", self.p, {.null = Null::accepted});
    visit("share", self.share, {.null = Null::accepted});
  }
};

// Where the noise of a row comes from, as relative standard deviations (of logarithms). Absent where the data cannot
// tell, which is not 0.
struct NoiseParts {
  std::optional<double> within;   // samples of one invocation
  std::optional<double> between;  // invocations of one side: addresses, layout, scheduling; without what `within` adds
  std::optional<double> rounds;   // what both sides of a round share: the machine's drift, which the design removes
  // Of the change: between layouts of the code, without what rounds add (regress/ab/code_layout.hpp). Absent where the
  // builds were measured in one layout each.
  std::optional<double> code_layout = {};
  std::optional<std::int32_t> code_layouts = {};   // that it was told from
  std::optional<Interval> over_code_layouts = {};  // of the ratio, were the layouts drawn anew; at row's confidence
  bool operator==(const NoiseParts&) const = default;

  static void fields(auto& visit, auto& self) {
    visit("within", self.within);
    visit("between", self.between);
    visit("rounds", self.rounds);
    visit("code_layout", self.code_layout, {.omitted = true});
    visit("code_layouts", self.code_layouts, {.high = kRoundCount.high, .omitted = true});
    visit("over_code_layouts", self.over_code_layouts, {.omitted = true});
  }
};

// A change that was found in a duet, measured again with nothing beside it.
struct SoloCheck {
  double ratio = 1;                  // candidate over baseline
  std::optional<Interval> interval;  // of the ratio, at the row's confidence
  std::int32_t rounds = 0;           // that entered
  // It is there alone too; false: what is left alone contradicts it (regress/ab/confirmation.hpp). Absent: the interval
  // is too wide to tell.
  std::optional<bool> agrees;
  bool operator==(const SoloCheck&) const = default;

  static void fields(auto& visit, auto& self) {
    visit("ratio", self.ratio, {.null = Null::accepted});
    visit("interval", self.interval);
    visit("rounds", self.rounds, kRoundCount);
    visit("agrees", self.agrees);
  }
};

// Whether the time of a regression that counts do not explain was recorded on both sides, to see where it went.
enum class TimeProfileOutcome {
  recorded,
  without_spans,  // the program took the option for spans and left none, or does not know it
  failed,         // it could not be run, or what it left could not be read
  out_of_time,    // more regressions than there was time for
};
std::span<const std::string_view> words_of(TimeProfileOutcome);  // "recorded", "without_spans", ...
struct TimeProfile {
  TimeProfileOutcome outcome = TimeProfileOutcome::recorded;
  std::string picture = {};  // files with the difference; of what was recorded
  std::string table = {};
  std::string span = {};             // the one with a verdict of its own whose own time changed most; empty: none has
  std::optional<double> ratio = {};  // of that span's time, candidate over baseline
  std::string failure = {};          // of what failed, in the words of who noticed
  bool operator==(const TimeProfile&) const = default;
};

// What is known of a row besides its figures, and what others decide by.
enum class RowNote {
  equal_program,        // the candidate's count is the baseline's: programs and what they read are equal
  equal_code,           // of a count: the programs differ, the code that was counted does not
  other_dispatch,       // of a count: a library picks other code under the counter than natively
  not_timed,            // left untimed, because counting found the builds to be equal: the reason says whose wish it is
  not_confirmed_alone,  // a change found in a duet that no measurement alone tells of
  skipped_by_baseline,  // the benchmark left itself out there
  contradicted_alone,   // a change found in a duet that is not there alone: inconclusive
  // Why a row is inconclusive, where many rows have one cause and a report says it once.
  drift_explains,    // sides not measured together: the drift between them could explain the change
  scatter_explains,  // the same sides: how far the invocations of one side lie apart could
  both_explain,      // neither alone could, both together could
  too_noisy,         // sides measured together: the interval holds no change and reaches beyond the margin
  equal_counts,      // with equal_code: each function costs the same on both sides, whatever sets the benchmark up
  first_look_only,   // of a time: proven equal before it was timed, and so measured no further than the first look
  not_asked_for,     // of a count: it failed on both sides and nobody demands it, and so it does not gate
};
inline constexpr std::size_t kRowNoteCount = 14;
std::span<const std::string_view> words_of(RowNote);  // "equal program", "other dispatch", "drift explains it", ...
using RowNotes = WordSet<RowNote>;

// What a row's p and interval come from.
enum class TestKind {
  none,
  rounds,         // the sides of each round against each other
  invocations,    // those of one side against those of the other
  levels,         // t on the logarithms of the levels: too few for a permutation
  drift_widened,  // t of sides that were measured apart, with what that adds to its error
  exact,          // counts
  history,        // against the levels of the series
  medians,        // t on the logarithms of the medians: of older programs, in place of `levels`
};
std::string_view to_text(TestKind test);  // "none", "rounds", ..., "t on log levels", "drift-widened t", ...
std::span<const std::string_view> words_of(TestKind);

// What a p is valid for.
enum class PKind {
  fixed,       // a number of rounds that was fixed beforehand
  sequential,  // however early or late it was stopped: adjusted for the looks
};
std::span<const std::string_view> words_of(PKind);  // "fixed", "sequential"

inline constexpr double kDefaultMargin = 0.02;  // of equivalence

// Stands for all benchmarks where the policy names a metric that cannot be judged of them.
inline constexpr const char* kAllBenchmarks = "(all)";

struct ComparisonRow {
  std::string benchmark;  // canonical text, or kAllBenchmarks
  Metric metric;
  std::optional<double> baseline;  // estimate of the level, in the metric's unit
  std::optional<double> candidate;
  std::optional<double> ratio;       // candidate over baseline
  std::optional<Interval> interval;  // of the ratio
  double confidence = 0.95;
  TestKind test = TestKind::none;
  Layout layout = Layout::separate;
  std::optional<double> p;  // two-sided, unadjusted, null: ratio = 1
  PKind p_kind = PKind::fixed;
  std::vector<Look> looks = {};  // of a sequential design, in order; empty: the number of rounds was fixed beforehand
  std::optional<double> q;       // p adjusted over all noisy comparisons of the gate: what fails it
  std::optional<double> discovery_q;  // adjusted for the false discovery rate: what ranks a list, and does not gate
  double minimum_effect = 0.01;
  double margin = kDefaultMargin;  // of equivalence
  std::optional<double> minimum_detectable_effect;
  std::optional<Interval> equivalence_interval = {};  // 90 %, of the ratio: unchanged where it lies inside the margin
  std::optional<std::int32_t> rounds_wanted = {};     // that would decide an inconclusive row with 80 % power
  NoiseParts noise = {};
  std::optional<double> slot_effect;  // ratio second slot over first, a nuisance, reported
  std::int32_t rounds = 0;            // rounds that entered, or the smaller side's invocations where unpaired
  std::optional<double> jitter;       // counted metrics: the tolerance, relative
  CountScope count_scope = CountScope::timed_region;  // counted metrics: what was counted over
  std::optional<SoloCheck> solo = {};                 // a change that it contradicts is inconclusive
  // Of a time whose cycles were measured too: their ratio, candidate over baseline. As far from 1 as the time's: more
  // was done; 1: the clock changed. Decides nothing.
  std::optional<double> cycles_ratio = {};
  Verdict verdict = Verdict::inconclusive;
  std::string reason;  // one sentence a person can read; nothing decides by it
  RowNotes notes = {};
  // Culprit first (the deepest function of the project's own sources that covers at least 90 % of the change), then by
  // size of the change of self cost. Empty where the count did not change or there is no profile.
  std::vector<FunctionChange> functions;
  // The shortest chain of calls below the benchmark whose last function explains most of the change; names, caller
  // first. Empty where there are no functions.
  std::vector<std::string> call_path = {};
  bool gates = true;      // false: a regression of it is reported and does not gate
  std::string gate_note;  // why it does not gate, as a sentence's end; empty where it gates
  // Sentences: which kernels of a device the candidate launches that the baseline did not, and the other way round.
  // Empty: none, or the sides do not name theirs; never stored, as the reason begins with them.
  std::vector<std::string> kernel_changes = {};
  std::string flame_graph = {};  // the file with the picture of its change; empty: none was drawn; never stored
  std::optional<TimeProfile> time_profile = {};  // absent: nobody asked for it; never stored
  // The patterns of the tables that it was judged by in place of the whole comparison's policy, in its order.
  std::vector<std::string> policies = {};
  std::string owner = {};  // of the benchmark, as such a table says; empty: nobody is named
  // Of a count that got worse by less than what gates: what such changes came to. Absent: no history was asked, or it
  // has none.
  std::optional<Creep> creep = {};
  bool only_baseline_failed = false;  // of a failed row: the candidate did not; never stored
  bool operator==(const ComparisonRow&) const = default;

  static void fields(auto& visit, auto& self) {
    visit("benchmark", self.benchmark);
    Metric::fields(visit, self.metric, "metric");
    visit("baseline", self.baseline);
    visit("candidate", self.candidate);
    visit("ratio", self.ratio);
    visit("interval", self.interval);
    visit("confidence", self.confidence);
    visit("test", self.test);
    visit("layout", self.layout);
    visit("rounds", self.rounds, kRoundCount);
    visit("p", self.p);
    visit("p_kind", self.p_kind);
    visit("looks", self.looks, {.column = "look"});
    visit("q", self.q);
    visit("discovery_q", self.discovery_q);
    visit("minimum_effect", self.minimum_effect);
    visit("margin", self.margin);
    visit("minimum_detectable_effect", self.minimum_detectable_effect);
    visit("equivalence_interval", self.equivalence_interval, {.column = "equivalence"});
    visit("rounds_wanted", self.rounds_wanted);
    visit("noise", self.noise);
    visit("slot_effect", self.slot_effect);
    visit("jitter", self.jitter);
    const bool is_counted = self.metric.kind == MetricKind::counted;
    visit("count_scope", self.count_scope, {.null = Null::accepted, .applies = is_counted});
    visit("solo", self.solo, OwnTable{});
    visit("verdict", self.verdict);
    visit("reason", self.reason);
    visit("notes", self.notes);
    visit("gates", self.gates);
    visit("gate_note", self.gate_note, {.null = Null::written});
    visit("functions", self.functions, OwnTable{});
    visit("call_path", self.call_path);
    visit("cycles_ratio", self.cycles_ratio, {.omitted = true});
    visit("policies", self.policies, {.omitted = true});
    visit("owner", self.owner, {.omitted = true});
    visit("creep", self.creep, OwnTable{{.omitted = true}});
  }
};

// What all benchmarks of the comparison moved by together: the machine's doing, or a change that slows everything.
struct SharedDrift {
  std::string metric;
  double ratio = 1;             // median over the benchmarks, candidate over baseline
  double deviation = 0;         // of single benchmarks around it, relative
  std::int64_t benchmarks = 0;  // that it was told from
  bool removed = false;         // where the sides were not measured together; else it is only shown
  bool operator==(const SharedDrift&) const = default;

  static void fields(auto& visit, auto& self) {
    visit("metric", self.metric);
    visit("ratio", self.ratio, {.null = Null::accepted});
    visit("deviation", self.deviation, {.null = Null::accepted});
    visit("benchmarks", self.benchmarks);
    visit("removed", self.removed);
  }
};

// What holds for the benchmarks of a pattern in place of what holds for all: a [[policy]] table with `match`. What is
// absent says nothing.
struct PatternPolicy {
  std::string match;  // '*' any characters, '?' one, as of targets
  std::optional<double> minimum_effect = {};
  std::optional<double> margin = {};
  std::optional<double> counted_minimum_effect = {};
  std::optional<std::vector<std::string>> gates = {};  // metrics; an empty list: nothing of these benchmarks gates
  std::optional<std::int64_t> budget_ns = {};          // of timing all of these benchmarks together
  std::string owner = {};
  std::string where = {};  // of the table: "steelyard.toml:12"
  std::string until = {};  // the last day on which the table holds, in UTC: "2026-12-31"; empty: it has none
  std::string reason = {};
  // Of a change that somebody said is meant; empty: the table accepts none.
  std::string accepted_by = {};      // the person
  std::string accepted_commit = {};  // whose message says so; empty: something else does
  std::string machine = {};          // pattern of the machines that the table is for; empty: any
  bool operator==(const PatternPolicy&) const = default;

  static void fields(auto& visit, auto& self) {
    visit("match", self.match);
    visit("minimum_effect", self.minimum_effect);
    visit("margin", self.margin);
    visit("counted_minimum_effect", self.counted_minimum_effect);
    visit("gates", self.gates);
    visit("budget_ns", self.budget_ns);
    visit("owner", self.owner, {.null = Null::written});
    visit("where", self.where, {.null = Null::written, .column = "place"});
    visit("until", self.until, {.omitted = true, .column = "until_day"});
    visit("reason", self.reason, {.omitted = true});
    visit("accepted_by", self.accepted_by, {.omitted = true});
    visit("accepted_commit", self.accepted_commit, {.omitted = true});
    visit("machine", self.machine, {.omitted = true});
  }
};

// What was asked of the comparison; kept with it so that it can be replayed.
struct ComparisonPolicy {
  double false_alarm_rate = 0.05;  // the whole gate's
  double confidence = 0.95;
  double minimum_effect = 0.01;
  double margin = kDefaultMargin;
  std::uint64_t seed = 1;
  std::vector<std::string> metrics;  // judged; empty: real_time and every counted metric
  // Metrics that fail the gate; empty: those that `metrics` names, else gates_by_default() of those judged. What is
  // named here is judged too.
  std::vector<std::string> gates = {};
  double counted_minimum_effect = 0.01;  // a change of a count below it is reported and does not gate; relative
  Witness witness = Witness::decided;
  std::vector<std::string> ignored_facts;  // decisive facts the user named as irrelevant
  // In the order in which they hold: of each key the first that matches and says it. A file's tables stand here from
  // the last to the first (regress/policy/pattern_policy.hpp).
  std::vector<PatternPolicy> patterns = {};
  bool operator==(const ComparisonPolicy&) const = default;

  static void fields(auto& visit, auto& self) {
    visit("false_alarm_rate", self.false_alarm_rate);
    visit("confidence", self.confidence);
    visit("minimum_effect", self.minimum_effect);
    visit("margin", self.margin);
    visit("seed", self.seed);
    visit("metrics", self.metrics);
    visit("gates", self.gates);
    visit("counted_minimum_effect", self.counted_minimum_effect);
    visit("witness", self.witness);
    visit("ignored_facts", self.ignored_facts);
    visit("patterns", self.patterns, OwnTable{{.most = 1000, .omitted = true}});
  }
};

// A benchmark that is gone and a new one that may be the same (ci/judging/rename_proposals.hpp).
struct RenameProposal {
  std::string from;  // canonical
  std::string to;
  double names = 0;                         // likeness of the two, 0 to 1
  std::optional<double> functions = {};     // share of the functions of both that each executes
  std::optional<double> counts_ratio = {};  // of instructions, candidate over baseline
  std::optional<double> time_ratio = {};
  bool operator==(const RenameProposal&) const = default;
};

struct Comparison {
  RunHeader baseline;
  RunHeader candidate;
  std::string baseline_fingerprint;
  std::string candidate_fingerprint;
  std::vector<FactDifference> environment_differences;
  ComparisonPolicy policy;
  std::string rule_version;                               // of the engine that judged
  std::vector<std::string> warnings;                      // about the whole, e.g. "assumed to be one machine"
  std::vector<SharedDrift> drifts = {};                   // one for each metric in which a drift was estimated
  std::optional<Calibration> calibration = std::nullopt;  // what the engine was told of this machine; absent: nothing
  std::optional<JudgedHistory> history = {};              // what it was held against; absent: the baseline alone
  // What benchmarks of the rows were called before -> what they are called here, as the user says ([rename]).
  std::map<std::string, std::string> earlier_names = {};
  std::vector<RenameProposal> rename_proposals = {};  // the likest first; never stored
  std::vector<ComparisonRow> rows;                    // by benchmark, then metric
  std::array<std::int64_t, kVerdictCount> count_by_verdict() const;
  bool operator==(const Comparison&) const = default;

  // All but the two sides: each is one value with its fingerprint in JSON, and rows of its own in the store.
  static void fields(auto& visit, auto& self) {
    visit("policy", self.policy, {.column = ""});
    visit("rule_version", self.rule_version);
    visit("environment_differences", self.environment_differences, {.column = "difference"});
    visit("warnings", self.warnings);
    visit("drifts", self.drifts, OwnTable{});
    visit("calibration", self.calibration, OwnTable{});
    visit("comparisons", self.rows, OwnTable{{.most = 1'000'000}});
    visit("history", self.history, OwnTable{{.omitted = true}});
    visit("earlier_names", self.earlier_names, {.omitted = true, .column = "earlier"});
  }
};

}  // namespace steelyard
