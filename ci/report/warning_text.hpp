// What a report warns of beside its rows: what was not measured, not used or not judged, and why. Who finds it out
// hands over the facts and keeps the sentence among the warnings of a run or of a comparison. Not for errors, which are
// worded where they arise. Below, in namespace note, what is told while something is done.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/quantity.hpp"
#include "bench/model/result.hpp"
#include "bench/model/run.hpp"
#include "storage/model/history.hpp"

namespace steelyard::ci::warning {

std::string interrupted();

// Of what is measured. `what`: "program", "command".
std::string sides_are_one(const std::string& what, const std::string& name);

// What doctor finds severe in how a program was built, in its own words.
struct SevereBuild {
  std::string program;
  std::string found;
  std::string cost;
  std::string fix;
  bool in_baseline = false;  // neither: it is measured alone
  bool in_candidate = false;
};
std::string severe_build(const SevereBuild& build);

// Of measuring. `budget`: of the benchmarks of a table.
std::string budget_spent(const PatternPolicy& table, Nanoseconds budget);
std::string everything_is_timed();
// Of a filter: a program without a benchmark that matches, and what a history has beside those that do.
std::string no_match(const std::string& program, const std::string& filter);
std::string outside_filter(std::size_t benchmarks, const std::string& filter);
std::string not_measured_alone(const std::string& benchmark, const std::string& trouble);
std::string instructions_not_counted(const std::string& reason);
struct DeviceUse {
  std::string program;
  std::string how;          // "links libcudart.so.12"
  bool took_turns = false;  // both sides share the device
  bool uncounted = false;   // its instructions
};
std::string device_used(const DeviceUse& use);
// Of commands. `takes`: the whole process; `empty`: one that does nothing.
std::string mostly_starting(const std::string& command, Nanoseconds takes, Nanoseconds empty);
std::string counters_not_read(const std::string& command);
std::string not_countable(const std::string& command);
std::string kept_count_damaged(const Error& error);
std::string counts_not_kept(const Error& error);
// Strangers' code could reach a path, or the store, which could not be hidden.
std::string could_reach(const std::string& path);
std::string could_reach_store(const Error& error);

// Of runs that were merged. `facts`: of the environment, in which they differ.
std::string shards_differ(const std::vector<std::string>& facts);
std::string parts_differ(const std::vector<std::string>& facts);
std::string assumed(const std::string& what);
std::string shard_alone(const std::string& shard);

// Of judging.
std::string calibration_not_read(const Error& error);
struct OfMachine {
  std::string file;
  std::string its;  // fingerprint
  std::string own;  // the run's; empty: not named
};
std::string calibration_of_other_machine(const OfMachine& calibration);
struct OfLayout {
  std::string file;
  Layout its = Layout::separate;
  Layout own = Layout::separate;
};
std::string calibration_of_other_layout(const OfLayout& calibration);
std::string shards_calibrated_apart();
std::string ceilings_of_other_machine(const OfMachine& ceilings);
std::string instance_without_datasheet(const std::string& mig);
std::string creep_not_judged(const Error& error);
std::string counted_against(const storage::FoundBaseline& found, const Commit& candidate);
// The newest run of a history on the candidate's machine; `commit`: empty where it has none.
std::string counted_against_newest(const std::string& commit);
// Both sides were one build, as building reads none of the documentation in which they differ; measuring read it.
std::string one_build_was_read();
std::string accepted(const PatternPolicy& table);
std::string accepted_nothing(const PatternPolicy& table);  // no benchmark matches its pattern
std::string accepted_no_more(const PatternPolicy& table);

// Of which steelyard.toml a gate obeys. A setting as each side has it; both empty: what has no one text.
struct SettingDifference {
  std::string what;  // "[policy] counted_minimum_effect"
  std::optional<std::string> baseline = {};
  std::optional<std::string> candidate = {};
};
// `differences`: at least one. `is_of_work_tree`: the candidate's commit has another than the file that was read.
std::string baseline_policy_holds(const std::vector<SettingDifference>& differences, bool is_of_work_tree);
std::string built_by_candidates_command(const SettingDifference& command);
// Of whose file it is that built_by_candidates_command() and others call the candidate's.
std::string file_of_work_tree(const std::string& commit);
// Of a file that the baseline's steelyard.toml names, in the repository.
std::string baseline_calibration_holds(const std::string& file);
std::string calibration_not_in_baseline(const std::string& file);
std::string policy_only_in_candidate(const std::string& file);
std::string judged_without_baseline(const Error& why);
std::string policy_only_in_work_tree(const std::string& file);
// `error`: of building the baseline by the candidate's command.
std::string built_by_own_command(const Error& error);
// Of a program whose path in the baseline's steelyard.toml a side does not have, and the candidate's file has another.
struct MovedProgram {
  std::string program;  // "[[program]] \"strlib\""
  std::string side;     // "the baseline"
  std::string path;     // that is not there
  std::string own;      // that is, by the candidate's file
};
std::string program_moved(const MovedProgram& moved);
// Of the candidate's path, which its own build does not make.
std::string program_not_made(const std::string& program, const std::string& path);
// `lines` of its [rename], as written; at least one.
std::string renames_of_candidate(const std::vector<std::string>& lines);
// Of a series and that of its earlier name.
std::string series_not_joined(const Error& why);
// Of a benchmark that was asked for by a name that [rename] has on the left; canonical names.
std::string shown_under_todays_name(const std::string& asked, const std::string& today);
struct UnreadPolicy {
  std::string file;
  const Error& error;
};
std::string baseline_policy_not_read(const UnreadPolicy& policy);

// Of a right to a project of which no run is kept. nearest: of those of which some are; empty: none is near.
std::string unmeasured_project(const std::string& project, const std::string& nearest);
// Over a service.
std::string changes_not_kept(const std::string& service);
// Of confirmed points; at least one.
std::string changes_without_commit(std::size_t count);

// Of machines that are several hosts, which what else is known of them does not tell apart; empty: there are none.
std::string several_hosts(const storage::HostsByMachine& hosts);

// Of points that were kept of all branches as one series.
std::string mixed_branches(std::size_t count);
// Of change points that are known: those that moved, went, came back or have another cause. New ones are in the report
// itself.
std::vector<std::string> changed_points(const std::vector<storage::ChangePointEvent>& events);

}  // namespace steelyard::ci::warning

// What is told while a gate is at work (App::note), and in place of a shard's report.
namespace steelyard::ci::note {

// Why a commit is the baseline.
enum class BaselineBy { option, first_parent, left_branch, diff_base, target_branch, before };
struct BaselineReason {
  BaselineBy by = BaselineBy::option;
  std::string left_branch = {};  // of the remote, that the head left at the baseline; of no other reason
  std::string service = {};      // that names this branch as its target
  std::string not_fetched = {};  // why the branch is as it was known before; empty: it is as of now
  std::string before = {};       // what was there before all that the job is about; of no other reason
  std::string not_before = {};   // why that is not the baseline of a job that should have one; empty: none should
};
std::string one_commit();  // is both sides of a gate
std::string baseline(const std::string& commit, const BaselineReason& reason);
std::string baseline_measured_together(const std::string& commit);
std::string baseline_is_history(const std::string& branch);  // empty: of all

// Of building. `alone`: the candidate, without a baseline beside it.
enum class BuiltTree { alone, baseline, candidate };
std::string tree_name(BuiltTree tree, const Commit& commit);  // "the baseline (1a2b3c4d5)"
std::string building(BuiltTree tree, const Commit& commit);
std::string built_again_alone(BuiltTree tree, const Commit& commit);
std::string baseline_built_before(const Commit& commit);
std::string kept_build_damaged(const Error& error);
std::string baseline_not_kept(const Error& error);
std::string changes_not_committed();

// Of what is drawn and recorded of a judgement.
std::string recording_regressions(std::size_t count);
std::string rows_not_drawn(std::size_t drawn, std::size_t excluded);

// In place of the report of a shard.
struct MeasuredShard {
  std::string shard;  // "2/4"
  std::size_t benchmarks = 0;
  std::size_t all = 0;
  std::string folder;
};
std::string shard_measured(const MeasuredShard& shard);

}  // namespace steelyard::ci::note
