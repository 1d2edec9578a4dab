#include "ci/report/judgement_text.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bench/counting/count.hpp"
#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"
#include "ci/report/reason_text.hpp"
#include "ci/report/row_text.hpp"
#include "regress/ab/gates.hpp"
#include "regress/ab/sequential.hpp"

namespace steelyard::ci {
namespace {

namespace caution = regress::caution;
using regress::WhichSide;

struct WarningWords {
  std::string operator()(const caution::PolicyOutOfRange& policy) const {
    const std::string of_table = policy.table.empty() ? "" : "of " + policy.table + ' ';
    return "policy " + of_table + policy.key + ": found " + number_text(policy.found, "") + ", wanted " +
           number_text(policy.low, "") + " to " + number_text(policy.high, "") + "; " + number_text(policy.used, "") +
           " was used";
  }
  std::string operator()(const caution::CalibrationOfTooFewGates& calibration) const {
    return "the machine's calibration was not used: " + too_few_gates_text(calibration.gates) +
           " (steelyard calibrate)";
  }
  std::string operator()(const caution::MachineNotNamed& machine) const {
    const std::string who = machine.side == WhichSide::both       ? "neither side says"
                            : machine.side == WhichSide::baseline ? "the baseline does not say"
                                                                  : "the candidate does not say";
    return who + " what machine it was measured on; one machine was assumed";
  }
  std::string operator()(const caution::FactIgnored& ignored) const {
    return ignored.fact.name + " differs (" + both_sides_text(ignored.fact) + ") and was ignored as the policy says";
  }
  std::string operator()(const caution::Disturbances& disturbances) const { return to_text(disturbances.summary); }
  std::string operator()(const caution::BusyMachine& busy) const { return busy_machine_text(busy.share); }
  std::string operator()(const caution::ProcessesLeft& processes) const {
    const char* const who = processes.side == WhichSide::baseline ? "the baseline" : "the candidate";
    return left_processes_text(processes.left, who);
  }
  std::string operator()(const caution::WithoutLookPlan&) const {
    return "the two sides do not have one plan of looks that can be read (setting \"" + std::string(kLooksSetting) +
           "\"): p was taken as if the number of rounds had been fixed beforehand, and may be too small; measure again";
  }
  std::string operator()(const caution::RoundsCutShort& cut) const {
    return (cut.least < cut.most ? std::to_string(cut.least) + " to " : "") + std::to_string(cut.most) + " of " +
           plural_text(cut.planned, "round") + ": the budget was spent; allow more time (--budget)";
  }
  std::string operator()(const caution::MetricWithoutDirection& without) const {
    return "metric " + without.metric + ": it declares no better direction, so it is recorded and not judged";
  }
  std::string operator()(const caution::TablesWithoutBenchmark& idle) const {
    std::string text = joined_text(idle.tables, ", ");
    return "no benchmark here matches the policy of " + text;
  }
  std::string operator()(const caution::MovedTogether& moved) const {
    const std::string text = "the common movement of " + plural_text(moved.benchmarks, "benchmark") + " in " +
                             moved.metric + " is estimated as " + plain_change_text(moved.ratio) + " (standard error " +
                             share_text(moved.error) + "): ";
    if (!moved.removed) return text + "that is more than a machine drifts, and was not taken off";
    return text +
           "the machine, or a change that touches most of them; it was taken off every row; measure both sides " +
           "together to tell (steelyard ab)";
  }
  std::string operator()(const caution::MovedAgainstHistory& moved) const {
    return "half of " + plural_text(moved.benchmarks, "benchmark") + " moved by " + plain_change_text(moved.ratio) +
           " or more in " + moved.metric +
           ": the machine, or a change that touches many; measure beside the parent to tell";
  }
  std::string operator()(const caution::JudgedByHistory&) const {
    return "judged against what the store knows of this machine, not beside a baseline measured at the same time: "
           "what differs between occasions is part of the noise here";
  }
};

// "4 by its build, 96 by BM_a, 12 by BM_b and 30 by 4 more benchmarks", of the counts that `count` takes.
std::string left_by_text(const LeftProcesses& left, std::int64_t LeftProcesses::Count::*count) {
  constexpr std::size_t kMaxNamed = 3;
  std::vector<std::pair<std::int64_t, std::string>> parts;
  for (const auto& [benchmark, one] : left.benchmarks) {
    if (one.*count > 0)
      parts.emplace_back(one.*count, benchmark.empty() ? "benchmarks that share processes" : benchmark);
  }
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::int64_t rest = 0;
  const std::size_t unnamed = parts.size() > kMaxNamed ? parts.size() - kMaxNamed : 0;
  for (std::size_t i = parts.size() - unnamed; i < parts.size(); ++i) rest += parts[i].first;
  parts.resize(parts.size() - unnamed);
  if (left.build.*count > 0) parts.emplace(parts.begin(), left.build.*count, "its build");
  if (unnamed > 0) parts.emplace_back(rest, std::to_string(unnamed) + " more");
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    text += i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ";
    text += std::to_string(parts[i].first) + " by " + parts[i].second;
  }
  return text;
}

}  // namespace

std::string left_processes_text(const LeftProcesses& left, const std::string& who) {
  const LeftProcesses::Count all = left.all();
  const std::string processes = "processes that " + who + " left behind ";
  std::string text;
  if (all.ended > 0) text = processes + "were ended: " + left_by_text(left, &LeftProcesses::Count::ended);
  if (all.running > 0) {
    text += (text.empty() ? "" : "; ") + processes +
            "could not be ended, being another user's or stuck, and may disturb what is measured: " +
            left_by_text(left, &LeftProcesses::Count::running);
  }
  return text;
}

std::string busy_machine_text(double share) {
  return "other programs had " + share_text(share) +
         " of the cores' time in the middle of what was measured: noise is larger for it, and a small change may stay "
         "undecided; stop what else runs, or name cores that nothing else uses (taskset --cpu-list A,B steelyard ...)";
}

std::string warning_text(const regress::Caution& caution) { return std::visit(WarningWords{}, caution); }

std::string too_few_gates_text(const ObservedRate& gates) {
  return "it is of " + plural_text(gates.tries, "A/A gate") + ", by which up to " + share_text(gates.interval.high) +
         " of all gates may be false; at least " + std::to_string(kMinCalibrationGates) + " are wanted";
}

namespace {

void set_gate_notes(const std::vector<regress::GateNote>& notes, Comparison& comparison) {
  for (std::size_t i = 0; i < notes.size(); ++i) {
    comparison.rows[i].gate_note = gate_note_text(comparison.rows[i], notes[i]);
  }
}

}  // namespace

void decide_gates_in_words(Comparison& comparison) { set_gate_notes(regress::decide_gates(comparison), comparison); }

void excuse_in_words(ComparisonRow& row) {
  row.gates = false;
  row.gate_note = gate_note_text(row, regress::ungated::CountsNotAsked{});
  row.notes.add(RowNote::not_asked_for);
}

namespace {

std::string shifted_lines_text(const NamedWithoutLines& without) {
  const std::string whose = !without.of_candidate  ? "the baseline"
                            : !without.of_baseline ? "the candidate"
                                                   : "both sides";
  return "functions are named without lines and inlined functions: those of " + whose +
         " were read by an earlier steelyard, which may have shifted them; count again to have them";
}

std::string kernel_changes_text(const std::vector<std::string>& changes) {
  constexpr std::size_t kMaxNamed = 3;
  return some_joined(changes, kMaxNamed, "; ", "; and ") + (changes.size() > kMaxNamed ? " changes of kernels" : "");
}

std::string kernel_changes_text(const KernelChanges& changes) {
  constexpr std::size_t kMaxNamed = 5;
  std::string text = "other kernels ran than before in " + plural_text(changes.size(), "benchmark") + ": ";
  std::size_t named = 0;
  for (const auto& [benchmark, change] : changes) {
    if (named == kMaxNamed) return text + "; and others";
    text += (named++ == 0 ? "" : "; ") + benchmark + " (" + kernel_changes_text(change) + ")";
  }
  return text;
}

}  // namespace

void attribute_in_words(Comparison& comparison, const Run& baseline, const Run& candidate,
                        const AttributionOptions& options) {
  const Attribution found = attribute(comparison, baseline, candidate, options);
  const NamedWithoutLines& without = found.without_lines;
  if (without.of_baseline || without.of_candidate) comparison.warnings.push_back(shifted_lines_text(without));
  if (!found.kernel_changes.empty()) comparison.warnings.push_back(kernel_changes_text(found.kernel_changes));
  const Run& counted = bench::counted_other_code(candidate) ? candidate : baseline;
  const std::string* dispatch = counted.environment.find(bench::kDispatchFact);
  for (ComparisonRow& row : comparison.rows) {
    // What was launched comes before how long it took.
    if (!row.kernel_changes.empty()) row.reason = kernel_changes_text(row.kernel_changes) + "; " + row.reason;
    if (dispatch == nullptr || !row.notes.has(RowNote::other_dispatch)) continue;
    row.reason += (row.reason.empty() ? "" : "; ") + note_text(RowNote::other_dispatch) + *dispatch;
  }
  decide_gates_in_words(comparison);  // now that each count is known to be of the code that was timed, or not
}

Comparison worded(regress::Judged judged) {
  std::vector<ComparisonRow>& rows = judged.comparison.rows;
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].reason = reason_text(rows[i], judged.facts[i], judged);
  set_gate_notes(judged.gate_notes, judged.comparison);
  for (const regress::Caution& caution : judged.cautions) {
    judged.comparison.warnings.push_back(warning_text(caution));
  }
  return std::move(judged.comparison);
}

std::string one_build_text(std::size_t files) {
  return "the commits differ in " + plural_text(files, "file") +
         " of documentation alone, of which building read nothing: the candidate's build is the baseline's";
}

}  // namespace steelyard::ci
