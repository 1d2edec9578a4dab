// What a judgement found, as facts: why each row has its verdict, why it does not gate, what is to be said of the
// whole. Figures that the row has are not repeated here. A fact that is told has an alternative here and its words in
// ci/report/judgement_text, which makes a comparison with sentences of all this:
//
//     const Comparison comparison = ci::worded(regress::compare_runs(baseline, candidate, policy));
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/environment.hpp"
#include "bench/model/left_processes.hpp"
#include "bench/model/run.hpp"
#include "regress/ab/drift.hpp"
#include "regress/ab/rounds.hpp"

namespace steelyard::regress {

enum class WhichSide { baseline, candidate, both };

// The decisive facts that the policy does not ignore and in which the two environments differ; at least one.
struct MachineDifference {
  bool is_sure = true;  // false: of each fact a side says nothing, so that it may be one machine after all
  std::vector<FactDifference> facts;
};

// Why a row has its verdict: what was found out about it and the row itself does not say.
namespace why {

// No values were held against each other.

struct OnDifferentMachines {};  // Judged::machines has the facts

// A metric that the policy names declares no better direction, in so many benchmarks.
struct WithoutDirection {
  std::size_t benchmarks = 0;
  bool operator==(const WithoutDirection&) const = default;
};
// A metric that the policy names was measured by nobody.
struct MeasuredByNobody {
  std::string table = {};  // of the policy, that gates by it: none of its benchmarks did; empty: the policy as a whole
  bool operator==(const MeasuredByNobody&) const = default;
};
using Unjudged = std::variant<WithoutDirection, MeasuredByNobody>;

struct Failed {
  WhichSide side = WhichSide::candidate;
  Failure failure = {};  // of both sides the candidate's
};
// How a benchmark left itself out on one side.
struct OwnSkip {
  bool by_error = false;  // it reported one
  bool in_part = false;   // there are values of it all the same
  std::string words = {};
  bool operator==(const OwnSkip&) const = default;
};
// The benchmark left itself out on a side, or on both.
struct Skipped {
  std::optional<OwnSkip> baseline = {};
  std::optional<OwnSkip> candidate = {};
  bool some_conditions_only = false;  // what is left of its values may be of such
  // Of the other side, where one alone left it out.
  bool other_lacks_it = false;
  std::optional<Failure> other_failure = {};
};
struct NotReached {  // by the budget
  Failure failure = {};
};
struct OnOneSideOnly {
  WhichSide has_it = WhichSide::baseline;
};

// Values that must not be held against each other.

enum class MetricAspect { unit, direction, kind, within_baseline };  // the last: the baseline's own pieces differ
struct MetricsDiffer {
  MetricAspect aspect = MetricAspect::unit;
  std::string baseline = {};  // the unit, direction or kind; of within_baseline neither
  std::string candidate = {};
};
struct InputsDiffer {  // hashes of the measured items
  std::string baseline = {};
  std::string candidate = {};
};
struct CountKeysDiffer {  // the parts of each key that the other lacks
  std::vector<std::string> baseline = {};
  std::vector<std::string> candidate = {};
};
struct ScopesDiffer {
  CountScope baseline = CountScope::timed_region;
  CountScope candidate = CountScope::timed_region;
};
struct WithDefect {
  WhichSide side = WhichSide::candidate;
  Defect defect = {};
};
struct WithoutCount {
  WhichSide side = WhichSide::candidate;
  std::optional<double> found = {};  // what is no count; absent: no value at all
};
struct NoPlannedRound {  // has both sides
  int planned = 0;
};

// Counts.

enum class CountAnswer { changed, unchanged, not_deterministic };
struct Counted {
  CountAnswer answer = CountAnswer::unchanged;
};

// Noisy metrics of sides that were held against each other.

struct Changed {};
struct ShownUnchanged {};
// Process-to-process variation is not in the data. What a calibration knows of it:
struct SingleNoise {
  double most = 0;   // how far apart two processes of one build lie, relative
  double ratio = 1;  // that was seen
  bool is_within = false;
};
struct OneInvocation {
  int rounds_needed = 0;
  std::optional<SingleNoise> noise = {};
};
struct TooFewUnits {
  int rounds_needed = 0;
};
// What leaves a row open that was measured often enough.
struct AdjustedAway {  // p alone reaches the level
  std::int64_t comparisons = 1;
};
struct WithoutInterval {};
struct NotBeyondMinimum {};  // the interval does not exclude a change below the minimum effect
using Open = std::variant<WithoutInterval, AdjustedAway, NotBeyondMinimum>;
// Sides that were not measured together.
struct Apart {
  Open open = {};
  std::optional<RowNote> cause = {};  // what of the widened error could explain the change by itself; absent: nothing
  bool occasions_unknown = false;     // the cause is that no calibration tells of two occasions
  ErrorParts errors = {};
};
// Sides that were not measured together, by Rules::rounds_2, which told all that could explain a change as drift.
struct ApartByRounds2 {
  double deviation = 0;  // of the drift of single benchmarks
};
// Equal builds lie farther apart here than anything that may be called unchanged.
struct FloorBeyond {
  double floor = 0;
};
struct RoundsGiveNoInterval {
  int rounds_needed = 0;
};
struct SignificantBelowMinimum {};
struct AboveLevel {
  double level = 0.05;
};
struct TooNoisy {};

// A value that is held against the levels of its series.

enum class BaselineLack { direction, this_machine, this_unit, values };
struct NoBaseline {
  BaselineLack lack = BaselineLack::values;
  std::string branch = {};  // that was asked of; empty: all
};
enum class PredictionObstacle { no_finite_value, no_level, not_positive, too_few_occasions, no_ratio, one_process };
struct NotPredicted {
  PredictionObstacle obstacle = PredictionObstacle::no_level;
};
enum class HistoryAnswer { same_value, never_differed, changed, within_margin, tells_nothing, floor_beyond };
struct ByHistory {
  HistoryAnswer answer = HistoryAnswer::tells_nothing;
  std::string since = {};  // the commit with which the level begins; empty: not known
  double spread = 0;       // of one occasion, relative
  double floor = 0;        // of floor_beyond
};

}  // namespace why

using Reason = std::variant<std::monostate, why::OnDifferentMachines, why::WithoutDirection, why::MeasuredByNobody,
                            why::Failed, why::Skipped, why::NotReached, why::OnOneSideOnly, why::MetricsDiffer,
                            why::InputsDiffer, why::CountKeysDiffer, why::ScopesDiffer, why::WithDefect,
                            why::WithoutCount, why::NoPlannedRound, why::Counted, why::Changed, why::ShownUnchanged,
                            why::OneInvocation, why::TooFewUnits, why::AdjustedAway, why::Apart, why::ApartByRounds2,
                            why::FloorBeyond, why::RoundsGiveNoInterval, why::SignificantBelowMinimum, why::AboveLevel,
                            why::TooNoisy, why::NoBaseline, why::NotPredicted, why::ByHistory>;

// What is told besides the reason, in the order in which it is told.

// Of a count that was not taken: what proves it.
struct CountProof {
  WhichSide side = WhichSide::candidate;
  std::string proof = {};
};
// What the common movement of all benchmarks made of the change that was seen.
struct CommonMovement {
  double seen = 1;    // ratio before it was taken off
  double common = 1;  // ratio that the benchmarks share
  std::int64_t benchmarks = 0;
  bool by_rounds_2 = false;  // found by Rules::rounds_2
};
// Why a measurement that looks at its data ended without a decision.
enum class LookEnd { plan_done, futile, interrupted, budget_spent };
struct EndOfLooks {
  LookEnd end = LookEnd::budget_spent;
  int rounds = 0;   // that were measured
  int planned = 0;  // at most
};
// What the same change is with nothing beside it (regress/ab/confirmation.hpp).
enum class AloneAnswer {
  told,  // by its interval: agreement() says which way
  told_by_rounds_2,
  not_measured,   // nothing of it
  too_seldom,     // to be compared
  not_reached,    // one of these two, before Rules::rounds_4
  opposite,       // contradicted: a change in the other direction
  below_minimum,  // contradicted: it leaves less than the minimum effect
  excludes_all,   // contradicted: it excludes all of the duet's interval
};
struct AloneFact {
  AloneAnswer answer = AloneAnswer::told;
  bool before_rounds_4 = false;  // found by older rules, which did not tell apart what agrees
};
// What the cycles of a device say of a change of time.
struct DeviceClock {
  double cycles_ratio = 1;
  bool stood_still = false;  // the cycles; so the clock changed and not the code
  std::optional<double> baseline_hz = {};
  std::optional<double> candidate_hz = {};
};
// Neither the candidate nor the newest run of the history has it.
struct LostSeries {
  std::string last_occasion = {};  // commit or run; empty: not known
};

struct SideInvocations {
  std::size_t baseline = 0;
  std::size_t candidate = 0;
  bool operator==(const SideInvocations&) const = default;
};

struct RowFacts {
  Reason reason = {};
  // Of a noisy row: how many invocations each side has, where they are no pairs; and how many rounds only one side had.
  std::optional<SideInvocations> unpaired = {};
  int dropped_rounds = 0;
  std::optional<CommonMovement> movement = {};
  std::optional<CountProof> proof = {};
  std::optional<EndOfLooks> ended = {};
  bool first_look_only = false;
  bool slots_confounded = false;    // no round is known to have the other order
  bool calibration_failed = false;  // the verdict was taken back; what stands above is what was seen
  std::optional<LostSeries> lost = {};
  std::optional<AloneFact> alone = {};
  std::optional<DeviceClock> device = {};
};

// Why a row does not gate.
namespace ungated {

struct MetricNotAsked {
  std::string table = {};  // of the policy, that names others for this benchmark; empty: the policy as a whole
};
// A table that somebody made to accept changes of the benchmark (PatternPolicy::accepted_by).
struct ChangeAccepted {
  std::string by = {};      // the person
  std::string commit = {};  // whose message says so; empty: something else does
  std::string until = {};   // the last day; empty: it has none
  std::string reason = {};
};
struct BelowCountedMinimum {
  double minimum = 0.01;
};
struct LevelAccepted {
  std::string commit = {};
};
struct OtherSignalDecides {
  Witness witness = Witness::time;  // that alone does: time or instructions
};
struct TimeDecides {
  Verdict time = Verdict::unchanged;
};
struct NotConfirmed {     // by the other signal, where the policy wants both
  bool by_count = false;  // else by time
  Verdict other = Verdict::unchanged;
};
// A count that failed on both sides, which no policy names and no option demands. decide_gates() knows of no options:
// whoever does excuses such a row (is_unnamed_count).
struct CountsNotAsked {};
struct StepsNotConfirmed {};  // of a creep, by time, which cannot tell of single steps

}  // namespace ungated

// std::monostate: it gates.
using GateNote =
    std::variant<std::monostate, ungated::MetricNotAsked, ungated::ChangeAccepted, ungated::BelowCountedMinimum,
                 ungated::LevelAccepted, ungated::OtherSignalDecides, ungated::TimeDecides, ungated::NotConfirmed,
                 ungated::CountsNotAsked, ungated::StepsNotConfirmed>;

// What is to be said of a comparison as a whole.
namespace caution {

struct PolicyOutOfRange {
  std::string table = {};  // of the policy; empty: what holds for all
  std::string key = {};
  double found = 0;
  double low = 0;
  double high = 0;
  double used = 0;
};
struct CalibrationOfTooFewGates {
  ObservedRate gates = {};
};
struct MachineNotNamed {
  WhichSide side = WhichSide::both;
};
struct FactIgnored {
  FactDifference fact = {};
};
struct Disturbances {
  DisturbanceSummary summary = {};
};
// Others worked on the cores throughout: disturbed by that is no process more than the others.
struct BusyMachine {
  double share = 0;  // other_work_share() of both sides
};
struct ProcessesLeft {
  WhichSide side = WhichSide::candidate;
  LeftProcesses left = {};
};
struct WithoutLookPlan {};
// The budget ended a measurement before the number of rounds that was fixed. What rows have:
struct RoundsCutShort {
  int least = 0;
  int most = 0;
  int planned = 0;
  bool operator==(const RoundsCutShort&) const = default;
};
struct MetricWithoutDirection {
  std::string metric = {};
};
struct TablesWithoutBenchmark {
  std::vector<std::string> tables = {};
};
// All benchmarks moved together, in a layout that is not concurrent.
struct MovedTogether {
  std::string metric = {};
  std::int64_t benchmarks = 0;
  double ratio = 1;
  double error = 0;      // standard error of its logarithm
  bool removed = false;  // taken off every row; false: it is more than a machine drifts
};
// Half of the benchmarks moved by this ratio or more against their histories.
struct MovedAgainstHistory {
  std::string metric = {};
  std::int64_t benchmarks = 0;
  double ratio = 1;
};
struct JudgedByHistory {};

}  // namespace caution

using Caution = std::variant<caution::PolicyOutOfRange, caution::CalibrationOfTooFewGates, caution::MachineNotNamed,
                             caution::FactIgnored, caution::Disturbances, caution::BusyMachine, caution::ProcessesLeft,
                             caution::WithoutLookPlan, caution::RoundsCutShort, caution::MetricWithoutDirection,
                             caution::TablesWithoutBenchmark, caution::MovedTogether, caution::MovedAgainstHistory,
                             caution::JudgedByHistory>;

// A comparison whose rows have no reason and no gate_note yet, and that has no warnings yet, with what they will say.
struct Judged {
  Comparison comparison = {};
  std::vector<RowFacts> facts = {};       // one for each row of the comparison, in its order
  std::vector<GateNote> gate_notes = {};  // the same
  std::vector<Caution> cautions = {};
  std::optional<MachineDifference> machines = {};  // absent: nothing stands in the way of comparing
};

}  // namespace steelyard::regress
