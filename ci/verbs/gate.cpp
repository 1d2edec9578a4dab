// steelyard gate: a commit against its baseline, or against its history; fails where something regressed.
#include <memory>

#include "ci/app/app.hpp"
#include "ci/app/keeping.hpp"
#include "ci/app/settings.hpp"
#include "ci/git/repository.hpp"
#include "ci/grammar/verb.hpp"
#include "ci/judging/against_history.hpp"
#include "ci/judging/baseline_policy.hpp"
#include "ci/judging/gate_plan.hpp"
#include "ci/judging/judge_programs.hpp"
#include "ci/report/warning_text.hpp"
#include "ci/verbs/judging_options.hpp"

namespace steelyard::ci {
namespace {

constexpr Nanoseconds kGateBudget = seconds(600);  // of measuring (docs/reference/configuration.md)

struct GateOptions : GateRequest {
  ShardOptions shard;
};

Result<bool> is_against_history(const GateOptions& options, const Configuration& configuration) {
  const bool wanted = configuration.gate.against_history;
  if (!wanted && !options.run.empty()) {
    return input_error("--run", "no --against-history",
                       "both: a run that was measured alone has no baseline beside it");
  }
  if (wanted && !options.base.empty()) {
    return input_error("--base", "a baseline and --against-history", "one of them");
  }
  if (!options.run.empty() && !(options.head.empty() && options.bench.empty())) {
    return input_error("--run", "a run that was measured, and --head or --bench, which say what to measure",
                       "one of them");
  }
  return wanted;
}

// There is no second build to record.
Result<void> check_no_profiling(const GateOptions& options) {
  if (options.outputs.time_dir.empty()) return {};
  return input_error("--profile-on-regression", "a candidate held against its history", "a baseline beside it",
                     "leave it out, or --against-history");
}

// By the baseline's file, as far as it has one. What is told of the candidate's is of the work tree, where every verb
// reads it.
Result<GateConfiguration> judged_by_baseline(const Configuration& configuration, const GatePlan& plan, const App& app) {
  STEELYARD_TRY(GateConfiguration judged,
                with_baseline_policy(configuration, plan.repository, plan.commits, kGateBudget, app));
  if (!judged.notes.empty() && plan.repository.differs_from(plan.commits.candidate, configuration.file)) {
    judged.notes.push_back(warning::file_of_work_tree(plan.commits.candidate));
  }
  return judged;
}

// By what a candidate is judged that is held against a history: the file of the commit that it would be held against
// otherwise. A run that was measured before comes with the file at hand, which in a pull request is the candidate's.
Result<GateConfiguration> judged_by_history(const GateOptions& options, const Configuration& configuration,
                                            const Result<GatePlan>& plan, const App& app) {
  if (!options.run.empty() && !is_of_pull_request(caller_environment())) return GateConfiguration{configuration, {}};
  if (plan) return judged_by_baseline(configuration, *plan, app);
  if (configuration.file.empty()) return GateConfiguration{configuration, {}};
  return GateConfiguration{configuration, {warning::judged_without_baseline(plan.error())}};
}

Result<ExitCode> plan_and_judge(const GateOptions& options, const App& app) {
  STEELYARD_TRY(const Configuration configuration, measuring_configuration(app, kGateBudget, options.seed));
  STEELYARD_TRY(const bool against_history, is_against_history(options, configuration));
  STEELYARD_TRY(const std::optional<ShardChoice> shard, shard_choice(options.shard, configuration, app));
  if (shard) STEELYARD_CHECK(check_outputs_of_shard(options.outputs));
  if (shard && against_history) return input_error("--shard", "--against-history", "one of them");
  // Before anything is fetched or built: what is wrong here is wrong whatever the baseline says.
  if (!against_history) STEELYARD_CHECK(programs_to_judge(configuration, options.bench));
  STEELYARD_CHECK(remove_earlier_judgement(options.outputs, options.run));
  const Result<GatePlan> planned = plan_gate(options);
  if (against_history) {
    STEELYARD_TRY(GateConfiguration judged, judged_by_history(options, configuration, planned, app));
    STEELYARD_CHECK(take_accepted(options, planned, judged));
    // Whether a history is what it is held against is the baseline's to say as well.
    STEELYARD_TRY(const bool stays, is_against_history(options, judged.configuration));
    if (stays) {
      STEELYARD_CHECK(check_no_profiling(options));
      return gate_against_history(options, judged.configuration, judged.notes, app);
    }
  }
  STEELYARD_TRY(const GatePlan plan, planned);
  STEELYARD_TRY(GateConfiguration judged, judged_by_baseline(configuration, plan, app));
  STEELYARD_CHECK(take_accepted(options, planned, judged));
  if (judged.configuration.gate.against_history && options.base.empty() && !shard) {
    STEELYARD_CHECK(check_no_profiling(options));
    return gate_against_history(options, judged.configuration, judged.notes, app);
  }
  STEELYARD_TRY(const std::vector<ConfiguredProgram> programs, programs_to_judge(judged.configuration, options.bench));
  if (!options.outputs.no_store) STEELYARD_CHECK(store_address(judged.configuration));
  if (options.base.empty()) app.note(note::baseline(plan.commits.baseline, plan.why_baseline));
  if (!plan.aside.empty()) app.note(plan.aside);
  if (plan.commits.baseline == plan.commits.candidate) app.note(note::one_commit());
  note_uncommitted(plan.repository, options.head, app);
  const Cancellation cancellation;
  // One program in place of those configured may have a part of the benchmarks only.
  if (!options.bench.empty()) judged.other.candidates_programs.clear();
  const JudgeRequest request{.configuration = judged.configuration,
                             .outputs = options.outputs,
                             .expect_every_target = options.bench.empty(),
                             .cancelled = cancellation.flag(),
                             .adds_up_creep = true,
                             .notes = judged.notes,
                             .shard = shard ? &*shard : nullptr,
                             .other = judged.other};
  return judge_commits(plan.repository, plan.commits, programs, {}, request, app);
}

Result<ExitCode> run_gate(const GateOptions& options, const App& app) {
  Result<ExitCode> done = plan_and_judge(options, app);
  if (!done) {
    const int status = static_cast<int>(exit_code_of(done.error()));
    leave_end(options.outputs, {EndedGate::Stage::other, "", done.error().text(), status}, app);
  }
  return done;
}

}  // namespace

Verb gate_verb() {
  const auto options = std::make_shared<GateOptions>();
  Verb verb = make_verb(
      options, run_gate, "gate",
      "Builds a commit and its baseline, measures both side by side and fails where something regressed. Programs, "
      "build and policy come from steelyard.toml. The baseline is what the CI system says, else the first parent.",
      "  steelyard gate --base main --markdown summary.md\n"
      "  steelyard gate --against-history --run today.syrun");
  verb.add(text_option("--base", "COMMIT", options->base,
                       "the baseline (default: what the CI system says, else the first parent)", kBuildingGroup));
  verb.add(text_option("--head", "COMMIT", options->head, "the candidate (default: HEAD)", kBuildingGroup));
  verb.add(text_option("--bench", "\"PATH ARGS\"", options->bench, "the program, in place of those configured",
                       kBuildingGroup));
  verb.add(text_option("--run", "RUN", options->run,
                       "with --against-history: judge this run, measured before, in place of the head; as one side of "
                       "compare",
                       kJudgingGroup));
  verb.add(repeated_option("--accept", "\"PATTERN REASON\"", options->accepted,
                           "changes of these benchmarks are meant and fail nothing; as Perf-accept: PATTERN REASON in "
                           "a commit's message"));
  verb.add(accepted_option(options->accepted_file));
  add_shard_options(verb, options->shard);
  add_key_options(verb, {{"gate"}});
  add_judging_options(verb, options->outputs, options->seed);
  return verb;
}

}  // namespace steelyard::ci
