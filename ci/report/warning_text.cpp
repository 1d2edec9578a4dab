#include "ci/report/warning_text.hpp"

#include <algorithm>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"
#include "ci/app/sides.hpp"
#include "ci/config/configuration.hpp"
#include "regress/policy/pattern_policy.hpp"

namespace steelyard::ci::warning {
namespace {

constexpr std::size_t kMaxNamedSettings = 8;
constexpr std::size_t kShownFingerprint = 12;

constexpr const char* kCouldReach = "builds and benchmarks could reach ";
constexpr const char* kStrangersAdvice =
    "; judge strangers' code in a job that keeps nothing (docs/operations/security.md)";

std::string accepted_table(const PatternPolicy& table) { return '"' + table.match + "\" (" + table.where + ')'; }

std::string held_against(const std::string& place) {
  return "the baseline run is of " + place + "; counts are held against it";
}

std::string difference_text(const SettingDifference& difference) {
  if (!difference.baseline && !difference.candidate) return difference.what;
  return difference.what + ' ' + difference.baseline.value_or("not there") + " in the baseline and " +
         difference.candidate.value_or("not there") + " in the candidate";
}

}  // namespace

std::string interrupted() { return "interrupted: this is what was measured until then"; }

std::string sides_are_one(const std::string& what, const std::string& name) {
  return "both sides are one " + what + ", " + name + ": what is found between them is the machine's noise";
}

std::string budget_spent(const PatternPolicy& table, Nanoseconds budget) {
  return "the budget of " + regress::to_text(table) + ", " + to_text(budget) +
         ", was spent: its benchmarks have the rounds that it paid for";
}

std::string no_match(const std::string& program, const std::string& filter) {
  return program + " is excluded: no benchmark of it matches \"" + filter + '"';
}

std::string outside_filter(std::size_t benchmarks, const std::string& filter) {
  return plural_text(benchmarks, "benchmark") + " of the history excluded: not measured here, as the filter is \"" +
         filter + '"';
}

std::string everything_is_timed() { return "everything is timed: what may be skipped shows only when it is counted"; }

std::string not_measured_alone(const std::string& benchmark, const std::string& trouble) {
  return benchmark + " could not be measured alone: " + trouble;
}

std::string instructions_not_counted(const std::string& reason) { return "instructions were not counted: " + reason; }

std::string severe_build(const SevereBuild& build) {
  const char* const side = build.in_baseline && build.in_candidate ? "on both sides "
                           : build.in_baseline                     ? "in the baseline "
                           : build.in_candidate                    ? "in the candidate "
                                                                   : "";
  return build.program + ": " + side + build.found + ", and " + build.cost + "; " + build.fix;
}

std::string mostly_starting(const std::string& command, Nanoseconds takes, Nanoseconds empty) {
  return command + " takes " + to_text(takes) + ", of which starting a process that does nothing takes " +
         to_text(empty) + " here: a change of what it does is a smaller part of its time; give it more to do";
}

std::string counters_not_read(const std::string& command) {
  return "heap and hardware counters are not read of " + command + ": they are those of a benchmark's timed loop";
}

std::string not_countable(const std::string& command) {
  return "the instructions of " + command +
         " were not counted: it measures itself, and which of them are a benchmark's is not known";
}

std::string device_used(const DeviceUse& use) {
  const std::string turns = use.took_turns ? "both sides share it, so they took turns instead of running at once" : "";
  const std::string counts = use.uncounted ? "its instructions were not counted" : "";
  return use.program + " uses a device (" + use.how + "): " + turns +
         (turns.empty() || counts.empty() ? "" : ", and ") + counts;
}

std::string kept_count_damaged(const Error& error) {
  return "a kept count was damaged and is counted again: " + error.text();
}

std::string counts_not_kept(const Error& error) { return "counts are not kept for the next time: " + error.text(); }

std::string could_reach(const std::string& path) {
  return kCouldReach + path + ", which holds what they work with" + kStrangersAdvice;
}

std::string could_reach_store(const Error& error) {
  return std::string(kCouldReach) + "the store: " + error.text() + kStrangersAdvice;
}

std::string shards_differ(const std::vector<std::string>& facts) {
  return "the shards were measured on machines that differ in " + joined_text(facts, ", ") +
         "; both sides of a benchmark on one";
}

std::string parts_differ(const std::vector<std::string>& facts) {
  return "the parts differ in " + joined_text(facts, ", ") + ", which the merged run does not say";
}

std::string assumed(const std::string& what) { return "no part says " + what + "; one was assumed"; }

std::string shard_alone(const std::string& shard) {
  return "this is shard " + shard + " alone: what is said of all benchmarks holds of these; steelyard merge judges " +
         "all shards at once";
}

std::string calibration_not_read(const Error& error) {
  return "the machine's calibration was not used: " + error.text();
}

std::string calibration_of_other_machine(const OfMachine& calibration) {
  const std::string& own = calibration.own;
  return "the calibration " + calibration.file + " was not used: it is of machine " +
         calibration.its.substr(0, kShownFingerprint) + ", and this was measured on " +
         (own.empty() ? "one that is not named" : own.substr(0, kShownFingerprint));
}

std::string calibration_of_other_layout(const OfLayout& calibration) {
  const std::string own(to_text(calibration.own));
  return "the calibration " + calibration.file + " is of gates measured " + std::string(to_text(calibration.its)) +
         ", and this was measured " + own +
         ": its noise floors and error rates may be others here; steelyard calibrate --layout " + own +
         " makes one that fits";
}

std::string shards_calibrated_apart() { return "the shards' machines have calibrations of their own: none is used"; }

std::string ceilings_of_other_machine(const OfMachine& ceilings) {
  constexpr std::size_t kShown = 8;
  const std::string& own = ceilings.own;
  return ceilings.file + " has the ceilings of machine " + ceilings.its.substr(0, kShown) + ", the run is of " +
         (own.empty() ? "an unknown one" : own.substr(0, kShown)) + ": the two were taken as one machine";
}

std::string instance_without_datasheet(const std::string& mig) {
  return "the device is an instance (MIG " + mig +
         "), which has a part of its device's peaks: no datasheet holds for it, only ceilings that were measured on it";
}

std::string creep_not_judged(const Error& error) {
  return "what small changes of counts add up to was not judged: " + error.text();
}

std::string counted_against(const storage::FoundBaseline& found, const Commit& candidate) {
  return held_against(place_text(found, candidate));
}

std::string counted_against_newest(const std::string& commit) {
  return held_against(run_of(commit) + ", the newest run of this history on this machine");
}

std::string one_build_was_read() {
  return "measuring read documentation in which the commits differ, of the baseline's tree: one build for both is no "
         "answer to that; build with STEELYARD_BUILD_CACHE set, which builds both";
}

std::string accepted(const PatternPolicy& table) {
  return "accepted, so that it fails nothing: " + accepted_table(table);
}

std::string accepted_nothing(const PatternPolicy& table) {
  return "accepts nothing, as no benchmark here matches: " + accepted_table(table);
}

std::string accepted_no_more(const PatternPolicy& table) {
  return "accepted no more, as the last day is over: " + accepted_table(table);
}

std::string baseline_policy_holds(const std::vector<SettingDifference>& differences, bool is_of_work_tree) {
  return "steelyard.toml is another one in the " + std::string(is_of_work_tree ? "work tree" : "candidate") +
         "; the baseline's holds: " + some_joined(differences, kMaxNamedSettings, "; ", "; and ", difference_text);
}

std::string file_of_work_tree(const std::string& commit) {
  return "the candidate's steelyard.toml is read of the work tree, and " + shown_sha(commit) + " has another";
}

std::string built_by_candidates_command(const SettingDifference& command) {
  return "what is built is built by the candidate's command, which is another one than the baseline's: " +
         difference_text(command);
}

std::string renames_of_candidate(const std::vector<std::string>& lines) {
  return "the candidate's steelyard.toml renames benchmarks, as the baseline's does not (which counts for what its "
         "build has under the new name alone): " +
         some_joined(lines, kMaxNamedSettings, "; ", "; and ");
}

std::string series_not_joined(const Error& why) { return "two series are not joined: " + why.text(); }

std::string shown_under_todays_name(const std::string& asked, const std::string& today) {
  return name_as_given(asked) + " is called " + name_as_given(today) + " today, by [rename] of steelyard.toml";
}

std::string baseline_calibration_holds(const std::string& file) {
  return file + " is another one in the candidate; the baseline's holds";
}

std::string calibration_not_in_baseline(const std::string& file) {
  return "the baseline names " + file + " and has no such file: the candidate's is not taken for a calibration";
}

std::string policy_only_in_candidate(const std::string& file) {
  return "the baseline has no " + file + ": the candidate is judged by its own";
}

std::string judged_without_baseline(const Error& why) {
  return "the candidate is judged by its own " + std::string(kConfigurationFile) +
         ", as there is no baseline: " + why.text();
}

std::string policy_only_in_work_tree(const std::string& file) {
  return "neither commit has a " + file + ": both are judged by that of the work tree";
}

std::string built_by_own_command(const Error& error) {
  return "the candidate's build command does not build the baseline (" + error.found +
         "), which is built by its own: programs may differ by how they were built";
}

std::string program_moved(const MovedProgram& moved) {
  return moved.program + ": " + moved.side + " has no " + moved.path +
         ", which the baseline's steelyard.toml names, so " + moved.own +
         " of the candidate's is measured there, with the baseline's arguments";
}

std::string program_not_made(const std::string& program, const std::string& path) {
  return program + ": the candidate's steelyard.toml names " + path +
         ", which its own build does not make; later gates will not find it";
}

std::string baseline_policy_not_read(const UnreadPolicy& policy) {
  return "the candidate is judged by its own " + policy.file + ": " + policy.error.text();
}

std::string unmeasured_project(const std::string& project, const std::string& nearest) {
  return "no run of project " + project + " is kept yet" + (nearest.empty() ? "" : "; did you mean " + nearest + '?');
}

std::string changes_not_kept(const std::string& service) {
  return "change points are not kept over a service: steelyard changes, where its database is the store, keeps them (" +
         service + ')';
}

std::string changes_without_commit(std::size_t count) {
  return plural_text(count, "change of runs without a commit is not kept and opens",
                     "changes of runs without a commit are not kept and open") +
         " no alert: `steelyard import --commit COMMIT` names what was measured";
}

std::string several_hosts(const storage::HostsByMachine& hosts) {
  constexpr std::size_t kMaxNamed = 3;  // machines, and hosts of each
  std::vector<std::string> machines;
  for (const auto& [machine, names] : hosts) {
    if (machines.size() == kMaxNamed) break;
    machines.push_back("machine " + shown_id(machine) + " is " + plural_text(names.size(), "host") + " (" +
                       some_joined(names, kMaxNamed, ", ", " and ") + ")");
  }
  if (machines.empty()) return "";
  if (hosts.size() > kMaxNamed) {
    machines.push_back(plural_text(hosts.size() - kMaxNamed, "more machine is several", "more machines are several"));
  }
  return joined_text(machines, "; ") +
         "; what else their results say of the machine is the same: whether a change is the code's or the machine's "
         "they do not say";
}

std::string mixed_branches(std::size_t count) {
  return plural_text(count, "kept change point") +
         " of all branches together no longer counted: each branch is looked at by itself";
}

std::vector<std::string> changed_points(const std::vector<storage::ChangePointEvent>& events) {
  std::vector<std::string> lines;
  for (const storage::ChangePointEvent& event : events) {
    const storage::KeptChangePoint& point = event.point;
    const std::string who =
        point.benchmark + " " + point.metric + ": the " + (point.regression ? "regression" : "improvement") + " at ";
    const std::string from = shown_sha(event.from_commit);
    const std::string now = shown_sha(point.commit);
    switch (event.event) {
      case storage::ChangeEvent::confirmed:
        break;  // in the report itself
      case storage::ChangeEvent::moved:
        lines.push_back(who + from + " is now seen at " + now);
        break;
      case storage::ChangeEvent::gone:
        lines.push_back(who + from + " is not seen any more: later values speak against it");
        break;
      case storage::ChangeEvent::back:
        lines.push_back(who + now + " is seen again");
        break;
      case storage::ChangeEvent::explained:
        lines.push_back(who + now +
                        (point.cause == ChangeCause::machine ? " is likely the machine's: most of its benchmarks moved"
                                                             : " is not taken for the machine's any more"));
        break;
      case storage::ChangeEvent::taken_back:
        lines.push_back(who + now + " was taken back by " + shown_sha(point.taken_back_by));
        break;
      case storage::ChangeEvent::stands:
        lines.push_back(who + now + " stands again: later values speak against what took it back");
        break;
    }
  }
  return lines;
}

}  // namespace steelyard::ci::warning

namespace steelyard::ci::note {
namespace {

const char* tree_word(BuiltTree tree) { return tree == BuiltTree::baseline ? "the baseline" : "the candidate"; }

std::string reason_of_baseline(const BaselineReason& reason) {
  switch (reason.by) {
    case BaselineBy::first_parent:
      return "the first parent";
    case BaselineBy::left_branch:
      return "where it left " + reason.left_branch + ", which " + reason.service + " names as its target" +
             (reason.not_fetched.empty()
                  ? ""
                  : ", as it was known before: it could not be fetched (" + reason.not_fetched + ')');
    case BaselineBy::diff_base:
      return "CI_MERGE_REQUEST_DIFF_BASE_SHA";
    case BaselineBy::target_branch:
      return "the target branch of the pull request";
    case BaselineBy::before:
      return reason.before;
    case BaselineBy::option:
      break;
  }
  return "--base";
}

}  // namespace

std::string one_commit() {
  return "the baseline and the candidate are one commit: what differs is the build's luck or the machine's mood";
}

std::string baseline(const std::string& commit, const BaselineReason& reason) {
  return "baseline: " + shown_sha(commit) + ", " + reason_of_baseline(reason) +
         (reason.not_before.empty() ? "" : ", as " + reason.not_before);
}

std::string baseline_measured_together(const std::string& commit) {
  return "baseline: " + shown_sha(commit) + ", measured together with the candidate";
}

std::string baseline_is_history(const std::string& branch) {
  return "baseline: the history" + (branch.empty() ? " of all branches" : " of branch " + branch);
}

std::string tree_name(BuiltTree tree, const Commit& commit) {
  return std::string(tree_word(tree)) + " (" + shown_sha(commit.sha) + ')';
}

std::string building(BuiltTree tree, const Commit& commit) {
  const std::string side = tree == BuiltTree::alone ? "" : std::string(tree_word(tree)) + ' ';
  return "building " + side + shown_sha(commit.sha) + "  " + commit.subject;
}

std::string built_again_alone(BuiltTree tree, const Commit& commit) {
  return "the build of " + tree_name(tree, commit) + " failed beside the other: again, alone";
}

std::string baseline_built_before(const Commit& commit) {
  return "the baseline " + shown_sha(commit.sha) + " is as it was built before (STEELYARD_BUILD_CACHE)";
}

std::string kept_build_damaged(const Error& error) {
  return "a kept build was damaged, and is built again: " + error.text();
}

std::string baseline_not_kept(const Error& error) {
  return "the baseline's build is not kept for the next time: " + error.text();
}

std::string changes_not_committed() {
  return "the work tree has changes that are not committed: they are not measured";
}

std::string recording_regressions(std::size_t count) {
  return "recording where the time of " + plural_text(count, "regression") + " went";
}

std::string rows_not_drawn(std::size_t drawn, std::size_t excluded) {
  return "--svg-dir: the worst " + std::to_string(drawn) + " are drawn, and " + plural_text(excluded, "more row") +
         " that changed are not; compare fewer benchmarks to see them";
}

std::string shard_measured(const MeasuredShard& shard) {
  return "shard " + shard.shard + ": " + std::to_string(shard.benchmarks) + " of " +
         plural_text(shard.all, "benchmark") + " measured; steelyard merge judges " + shard.folder +
         " with those of the other shards";
}

}  // namespace steelyard::ci::note
