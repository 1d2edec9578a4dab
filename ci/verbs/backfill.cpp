// steelyard backfill: commits of the past, measured afterwards against each other.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "bench/environment/read_environment.hpp"
#include "bench/model/elapsed.hpp"
#include "bench/model/text.hpp"
#include "ci/app/app.hpp"
#include "ci/app/keeping.hpp"
#include "ci/app/settings.hpp"
#include "ci/config/written_value.hpp"
#include "ci/git/repository.hpp"
#include "ci/grammar/verb.hpp"
#include "ci/judging/backfill.hpp"
#include "ci/judging/judge_programs.hpp"
#include "ci/measuring/commit_builds.hpp"
#include "ci/report/backfill.hpp"
#include "storage/history_store.hpp"

namespace steelyard::ci {
namespace {

constexpr Nanoseconds kCommitBudget = seconds(120);  // of measuring one commit; as much as ab has
constexpr Nanoseconds kWithin = seconds(3600);       // of everything

struct BackfillOptions {
  std::string range;  // FROM..TO
  std::string bench;
  std::string within;  // a duration; empty: kWithin
  std::optional<std::uint64_t> seed;
};

Result<Nanoseconds> within_of(const BackfillOptions& options) {
  if (options.within.empty()) return kWithin;
  return read_duration(WrittenValue{options.within, true}, "--within");
}

struct RangeEnds {
  std::string from;
  std::string to;
};
Result<RangeEnds> ends_of(const BackfillOptions& options) {
  const std::size_t dots = options.range.find("..");
  const bool is_range = dots != std::string::npos && dots > 0 && dots + 2 < options.range.size();
  if (is_range && options.range[dots + 2] != '.') {
    return RangeEnds{options.range.substr(0, dots), options.range.substr(dots + 2)};
  }
  return input_error("steelyard backfill", '"' + options.range + '"', "FROM..TO, two commits",
                     "steelyard backfill HEAD~100..HEAD");
}

// Measures pairs of commits by the path that ab takes, and keeps what comes of it.
class PairMeasurer {
 public:
  PairMeasurer(const GitRepository& repository, const Configuration& configuration,
               const std::vector<ConfiguredProgram>& programs, KnownCalibration calibrations, CommitBuilds& builds,
               const std::atomic<bool>* cancelled, const App& app)
      : repository_(repository),
        configuration_(configuration),
        command_(joined_commands(programs)),
        calibrations_(std::move(calibrations)),
        builds_(builds),
        cancelled_(cancelled),
        app_(app) {
    outputs_.output = "/dev/null";  // one report a commit would bury the one at the end
  }

  Result<void> measure(const std::string& before, const std::string& after) {
    STEELYARD_TRY(const Commit baseline, repository_.describe_baseline(before));
    STEELYARD_TRY(const Commit candidate, repository_.describe(after));
    const Result<SidesToJudge> sides = sides_of(baseline, candidate);
    // The report has no step of what was interrupted: here is which build was stopped.
    if (!sides && cancelled_->load()) app_.warn(sides.error().text());
    if (!sides) return sides.error();
    Configuration configuration = configuration_;
    configuration.run.seed += ++measured_;
    const JudgeRequest request{.configuration = configuration, .outputs = outputs_, .cancelled = cancelled_};
    STEELYARD_TRY(const ExitCode code, judge_programs(*sides, request, calibrations_, app_));
    if (code == ExitCode::store_away)
      return store_error("the store", "it could not be reached", "", "what was measured waits in the spool");
    return {};
  }

 private:
  Result<SidesToJudge> sides_of(const Commit& baseline, const Commit& candidate) {
    SidesToJudge sides;
    STEELYARD_TRY(sides.programs, builds_.pairs_of(baseline, candidate));
    STEELYARD_TRY(const std::filesystem::path before, builds_.tree_of(baseline));
    STEELYARD_TRY(const std::filesystem::path after, builds_.tree_of(candidate));
    sides.baseline = {command_, baseline, before};
    sides.candidate = {command_, candidate, after};
    return sides;
  }

  const GitRepository& repository_;
  const Configuration& configuration_;
  std::string command_;
  KnownCalibration calibrations_;
  CommitBuilds& builds_;
  const std::atomic<bool>* cancelled_;
  const App& app_;
  JudgementOutputs outputs_;
  std::uint64_t measured_ = 0;
};

// What the store has of the line on this machine, asked anew each time: what was just measured is there by then.
Result<std::vector<storage::MeasuredStep>> steps_along(const std::vector<std::string>& line,
                                                       const Configuration& configuration, const App& app) {
  STEELYARD_TRY(storage::Store store, open_store(configuration, app));
  storage::StepQuery query{project_name(configuration)};
  query.fingerprint = bench::read_environment().fingerprint();
  query.commits = line;
  STEELYARD_TRY(std::vector<storage::MeasuredStep> steps, storage::HistoryStore(store).steps(query));
  for (storage::MeasuredStep& step : steps) step.benchmark = current_name(configuration.renames, step.benchmark);
  return steps;
}

Result<ExitCode> fill(const BackfillOptions& options, const Cancellation& cancellation, const App& app) {
  const auto begun = std::chrono::steady_clock::now();
  STEELYARD_TRY(const RangeEnds ends, ends_of(options));
  STEELYARD_TRY(const Nanoseconds within, within_of(options));
  STEELYARD_TRY(const Configuration configuration, measuring_configuration(app, kCommitBudget, options.seed));
  STEELYARD_TRY(const std::vector<ConfiguredProgram> programs, programs_to_judge(configuration, options.bench));
  STEELYARD_TRY(const GitRepository repository, GitRepository::find(std::filesystem::current_path()));
  STEELYARD_TRY(const std::string from, resolve_deepening(repository, ends.from));
  STEELYARD_TRY(const std::string to, resolve_deepening(repository, ends.to));
  STEELYARD_TRY(const std::vector<std::string> line, repository.line_between(from, to));
  if (line.size() < 2 || line.front() != from) {
    return input_error("steelyard backfill", ends.to + " does not come after " + ends.from + " along first parents",
                       "FROM..TO, the older one first");
  }
  STEELYARD_CHECK(store_address(configuration));
  STEELYARD_TRY(KnownCalibration calibrations, KnownCalibration::of(configuration));
  STEELYARD_TRY(CommitBuilds builds,
                CommitBuilds::create(repository, {configuration, programs, true}, app, cancellation.flag()));
  app.notes(builds.warnings());
  STEELYARD_TRY(const Commit oldest, repository.describe(from));
  STEELYARD_CHECK(builds.tree_of(oldest));
  PairMeasurer measurer(repository, configuration, programs, std::move(calibrations), builds, cancellation.flag(), app);
  BackfillWorld world;
  world.steps = [&] { return steps_along(line, configuration, app); };
  world.measure = [&](const std::string& before, const std::string& after) { return measurer.measure(before, after); };
  world.elapsed = [begun] { return since(begun); };
  world.cancelled = [&cancellation] { return cancellation.requested(); };
  world.told = [&](const BackfillStep& step, std::size_t linked) {
    app.note(backfill_step_text(step) + "; " + std::to_string(linked) + " of " + std::to_string(line.size()) +
             " commits have a level");
  };
  {
    STEELYARD_TRY(storage::Store store, open_store(configuration, app));
    STEELYARD_TRY(world.change_points,
                  storage::HistoryStore(store).change_points(project_name(configuration), storage::kAnyBranch));
  }
  const double least = comparison_policy(configuration.policy).minimum_effect;
  STEELYARD_TRY(const BackfillReport report, backfill(line, world, {within, least}));
  app.print(app.common.json ? json_backfill(report) : terminal_backfill(report, app.style()));
  const bool any_failed = std::any_of(report.steps.begin(), report.steps.end(),
                                      [](const BackfillStep& step) { return !step.trouble.empty(); });
  return report.interrupted || any_failed ? ExitCode::not_judged : ExitCode::success;
}

Result<ExitCode> run_backfill(const BackfillOptions& options, const App& app) {
  const Cancellation cancellation;
  const Result<ExitCode> code = fill(options, cancellation, app);
  if (code || !cancellation.requested()) return code;
  app.report(code.error());
  return ExitCode::not_judged;
}

}  // namespace

Verb backfill_verb() {
  const auto options = std::make_shared<BackfillOptions>();
  Verb verb = make_verb(
      options, run_backfill, "backfill",
      "Measures commits of the past that are not linked to others by ratios yet: the newest against the oldest, then "
      "where levels differ, then the longest stretches. Each in rounds against the nearest older one that was "
      "measured, and in the end against its parent. Interrupted, or when its time is spent, the same command goes on. "
      "Status 2: a commit could not be measured.",
      "  steelyard backfill v1.0..main --within 8h\n"
      "  steelyard history BM_sort --chained");
  verb.names = {"FROM..TO"};
  verb.min_names = 1;
  verb.take = [options](Words words) -> Result<void> {
    options->range = std::move(words.names[0]);
    return {};
  };
  verb.add(text_option("--within", "DURATION", options->within,
                       "of everything, builds too; no commit is begun that would not fit (default: 1h)"));
  verb.add(text_option("--bench", "\"PATH ARGS\"", options->bench, "the program, in place of those configured",
                       kBuildingGroup));
  add_key_options(verb, {{"build", "run", "policy", "store", "project"}});
  verb.add(seed_option(options->seed));
  add_common_options(verb);
  return verb;
}

}  // namespace steelyard::ci
