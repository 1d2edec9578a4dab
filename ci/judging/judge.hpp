// The judgement, once for every verb that makes one: two runs are compared, what changed is attributed, the candidate's
// targets are judged; all of it is reported, drawn and kept, and amounts to an exit status. judge_runs() is that
// pipeline, and a JudgingPlan says what of it a verb asks for.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/model/calibration.hpp"
#include "bench/model/comparison.hpp"
#include "bench/model/result.hpp"
#include "bench/model/run.hpp"
#include "bench/model/target.hpp"
#include "ci/app/app.hpp"
#include "ci/config/configuration.hpp"
#include "ci/measuring/measure_programs.hpp"
#include "ci/measuring/shard.hpp"
#include "ci/report/ended_gate.hpp"
#include "ci/report/explain.hpp"
#include "ci/report/next_steps.hpp"
#include "ci/report/promise.hpp"
#include "regress/history/judge_history.hpp"

namespace steelyard::ci {

// The calibration that the comparisons of one command are told of: the file that the policy names, else the one kept
// for the machine. However often a measurement is looked at, each file is read once.
//
//     STEELYARD_TRY(KnownCalibration known, KnownCalibration::of(configuration));   // before anything is measured
//     compare_runs(baseline, candidate, policy, known.find(baseline, candidate, warnings));
class KnownCalibration {
 public:
  // Error (input): the named file is absent, damaged or of a newer version.
  static Result<KnownCalibration> of(const Configuration& configuration);

  // Null: none is known of the candidate's machine and the two runs' layout. A named file of another machine is not
  // used, and one in the state folder that cannot be read neither: `warnings` says so. It says, too, where a named file
  // is of another concurrent layout; that one is used. Valid as long as this object.
  const Calibration* find(const Run& baseline, const Run& candidate, std::vector<std::string>& warnings);

 private:
  std::filesystem::path file_;                                                         // that the policy names
  std::optional<Calibration> named_;                                                   // what it holds
  std::map<std::pair<std::string, Layout>, Result<std::optional<Calibration>>> kept_;  // by fingerprint
};

// What --archive-dir is left with.
inline constexpr const char* kBaselineFile = "baseline.syrun";
inline constexpr const char* kCandidateFile = "candidate.syrun";
inline constexpr const char* kComparisonFile = "comparison.json";
inline constexpr std::array<const char*, 3> kJudgedFiles{kBaselineFile, kCandidateFile, kComparisonFile};

// What is shown of a judgement, and where it is kept. Empty paths: not there.
struct JudgementOutputs {
  std::filesystem::path output;       // of the report, in place of the output stream
  bool is_markdown = false;           // the report
  bool details = false;               // every row in it, and what is behind it
  std::filesystem::path markdown;     // the report as Markdown as well
  std::filesystem::path html;         // the report as one HTML page as well
  std::filesystem::path archive_dir;  // kJudgedFiles
  std::filesystem::path flame_dir;    // a flame graph of each changed count
  std::filesystem::path time_dir;     // the difference of recorded spans of each regression that counts do not explain
  std::filesystem::path svg_dir;      // a picture of each row that changed
  bool pictures = false;              // the same below the report
  std::string explain;                // a part of the names of rows to explain, or all; empty: none
  bool no_store = false;
};

// The end of a gate that compared nothing, in the places where its judgement would be: the folder of the archives and
// the report in Markdown. What cannot be written there is warned of.
void leave_end(const JudgementOutputs& outputs, const EndedGate& ended, const App& app);
// What one left in that folder; absent where there is none that can be read.
std::optional<EndedGate> read_end(const std::filesystem::path& folder);

// Before anything is built: what an earlier gate left in the folder of the archives is no answer of this one, however
// it ends. Removed are a comparison with those archives beside it that it was made of, and the end of a gate. Others'
// files stay under those names, and so does `judged`, the archive that is to be judged. Error (input): one of them
// cannot be removed.
Result<void> remove_earlier_judgement(const JudgementOutputs& outputs, const std::filesystem::path& judged = {});

struct ComparisonRequest {
  const Configuration& configuration;
  KnownCalibration& calibrations;
  // Without one, that of the session which both runs are of, else the policy's: the same runs give the same bytes.
  std::optional<std::uint64_t> seed = {};
  const MeasuredPrograms* measured = nullptr;         // what counting found out about the two builds; null: nothing
  const regress::HistoryBaseline* history = nullptr;  // what the candidate is held against; null: the baseline
};
// Compared, with the machine's calibration, and attributed; `warnings` and those of the calibration are the
// comparison's.
Comparison compare_sides(const Run& baseline, const Run& candidate, const ComparisonRequest& request,
                         std::vector<std::string> warnings);

// A comparison with what is told beside it.
struct Judgement {
  const Run& baseline;
  const Run& candidate;
  Comparison comparison;
  TargetReport targets = {};
  std::vector<Explanation> explanations = {};
  SidesFrom from = SidesFrom::this_command;
};

// `part`: of the benchmarks' names, or "all"; empty: nothing was asked for. Error (input): `benchmarks`, canonical
// names, has some and none that holds it; with the nearest.
Result<void> check_explained(const std::string& part, const std::vector<std::string>& benchmarks);

// Error (input): that of check_explained() over the rows.
Result<std::vector<Explanation>> explanations_of(const std::string& part, const Judgement& judgement);

// The page of a judgement (ci/report/comparison.hpp), every row explained. Error (input): it cannot be written.
Result<void> write_page(const std::filesystem::path& file, const Judgement& judgement);

// What one verb's judgement has and another's has not.
struct JudgingPlan {
  const Configuration& configuration;
  const JudgementOutputs& outputs;
  const Run& baseline;
  const Run& candidate;
  std::function<Comparison()> compare;                        // called once, when the archives are copied
  std::array<const Run*, 2> archived{&baseline, &candidate};  // these, or as they were before they were renamed
  SidesFrom from = SidesFrom::this_command;
  bool judges_targets = true;         // what the candidate promises
  bool explain_must_match = false;    // that no row is what --explain names ends it, as nothing would be lost
  bool expects_every_target = false;  // a configured target that no benchmark has is undecided
  bool proposes_renames = false;
  const std::vector<ProgramPair>* programs = nullptr;  // as MeasuredPrograms has them, for JudgementOutputs::time_dir
  const TakenShard* shard = nullptr;                   // that the runs are: their comparison is judged with the others'
  const std::atomic<bool>* cancelled = nullptr;
  std::optional<std::vector<const Run*>> delivered = {};  // to the store, with the comparison; absent: nothing is
};

// Copies the archives, compares, judges what the candidate promises (the baseline kept or broke its promises when it
// was the candidate), explains, reports, draws and keeps. Returns the exit status that all of it amounts to. The store
// comes last: no store hides a verdict.
ExitCode judge_runs(const JudgingPlan& plan, const App& app);

// The exit status that a comparison amounts to.
struct OutcomeRules {
  bool demand_decision = false;  // an inconclusive row was to be judged and was not
  bool demand_counts = false;    // instructions were asked for, whatever the policy names
  bool forbid_skips = false;     // a skipped row was to be judged and was not
};
OutcomeRules outcome_rules(const Configuration& configuration);

// What the rules make of rows that fail nothing by themselves, with the benchmarks' canonical names: so that an exit
// status of 2 never stands without a word.
BrokenRules broken_rules(const Comparison& comparison, const OutcomeRules& rules);

// Counts that failed on both sides and that nobody asked for do not gate, and say so, whatever else keeps them from it:
// no reader takes them for what fails the gate. Where nothing else was judged they stay as they are.
void excuse_counts(const Run& baseline, const Run& candidate, const OutcomeRules& rules, Comparison& comparison);

// regression -> 1; missing, incomparable, failed -> 2; a failure of the candidate's own processes -> 4; the worst
// holds. No row that was judged (none at all, or only such as are missing, incomparable, failed or skipped) -> 2. A bad
// record of an imported file, on either side and of whatever metric -> 2, never 4: it is the file's failure. skipped ->
// 0 unless the rules forbid it: 2.
//
// A row that does not gate does not gate, whatever its verdict, but for a failure of the candidate's own processes; and
// instructions that were demanded are 2 where they were not judged.
//
// A count that failed is no failure of the program. It is 2 where instructions were asked for (the policy names them,
// or demand_counts) and where one side alone has them. Where nobody asked and neither side could be counted, nothing
// that was to be judged is lost: the row stands in the report, and time decides.
ExitCode outcome_of(const Comparison& comparison, const Run& baseline, const Run& candidate, const OutcomeRules& rules);

// missed -> 1; undecided -> 2; no target: 0.
ExitCode outcome_of(const TargetReport& targets);

}  // namespace steelyard::ci
