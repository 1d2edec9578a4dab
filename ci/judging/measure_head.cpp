#include "ci/judging/measure_head.hpp"

#include "ci/app/cancellation.hpp"
#include "ci/app/messages.hpp"
#include "ci/app/settings.hpp"
#include "ci/attribution/own_folders.hpp"
#include "ci/git/work_tree_pair.hpp"
#include "ci/judging/judge_commits.hpp"
#include "ci/measuring/build.hpp"
#include "ci/measuring/join_runs.hpp"
#include "ci/measuring/measure_programs.hpp"
#include "ci/measuring/program_in_tree.hpp"
#include "storage/archive/archive.hpp"

namespace steelyard {
namespace {

constexpr Nanoseconds kBudget = seconds(600);  // of measuring, as for a gate of two sides

struct Head {
  GitRepository repository;
  std::string sha;
  Commit commit;
};

Result<Head> find_head(const GateOptions& options) {
  STEELYARD_TRY(GitRepository repository, GitRepository::find(std::filesystem::current_path()));
  STEELYARD_TRY(std::string sha, resolve_deepening(repository, options.head.empty() ? "HEAD" : options.head));
  STEELYARD_TRY(Commit commit, repository.describe(sha));
  return Head{std::move(repository), std::move(sha), std::move(commit)};
}

class HeadMeasuring {
 public:
  HeadMeasuring(const GateOptions& options, const Configuration& configuration, Streams& streams)
      : options_(options), configuration_(configuration), streams_(streams) {}

  Result<Run> measure(std::vector<std::string>& warnings) {
    STEELYARD_TRY(const std::vector<ConfiguredProgram> programs, programs_to_judge(configuration_, options_.bench));
    STEELYARD_TRY(const Head head, find_head(options_));
    const Result<bool> dirty = head.repository.is_dirty();
    if (options_.head.empty() && dirty && *dirty) {
      note("the work tree has changes that are not committed: they are not measured", options_.common, streams_);
    }
    // The second tree costs a checkout of the same files.
    STEELYARD_TRY(const WorkTreePair trees, WorkTreePair::create(head.repository, head.sha, head.sha));
    if (!configuration_.build_command.empty()) {
      note("building " + head.sha.substr(0, 7) + "  " + head.commit.subject, options_.common, streams_);
      STEELYARD_CHECK(build({trees.head(), configuration_.build_command, configuration_.build_timeout,
                             "the candidate (" + head.sha.substr(0, 7) + ')'},
                            cancellation_.flag()));
    }
    Run whole;
    for (std::size_t i = 0; i < programs.size(); ++i) {
      STEELYARD_TRY(const Program program, program_in_tree(programs[i], trees.head(), {}, programs.size() > 1));
      STEELYARD_TRY(Run run, measure_one_of(program, programs.size(), warnings));
      whole.header.program += (i == 0 ? "" : "; ") + programs[i].command;
      if (i == 0) {
        run.header.program = whole.header.program;
        whole = std::move(run);
      } else {
        join_run(whole, std::move(run));
      }
    }
    whole.header.project = project_name(configuration_);
    whole.header.commit = head.commit;
    whole.header.seed = seed_;
    whole.header.settings[kSourcesSetting] = trees.head().string();
    seal(whole);
    return whole;
  }

  bool cancelled() const { return cancellation_.requested(); }

 private:
  Result<Run> measure_one_of(const Program& program, std::size_t programs, std::vector<std::string>& warnings) {
    MeasuringPlan plan;
    plan.settings = configuration_.run;
    plan.policy = configuration_.policy;
    const Nanoseconds budget = configuration_.run.budget.value_or(kBudget);
    plan.budget = nanoseconds(budget.count() / static_cast<double>(programs));
    plan.settings.budget = plan.budget;
    plan.seed = seed_;
    ProgressLine progress(streams_.err, streams_.err_is_terminal && !options_.common.quiet, progress_width());
    return measure_alone(program, plan, progress, warnings, cancellation_.flag());
  }

  const GateOptions& options_;
  const Configuration& configuration_;
  Streams& streams_;
  Cancellation cancellation_;
  std::uint64_t seed_ = seed_or_draw(options_.seed);
};

}  // namespace

HeadMeasurement measure_head(const GateOptions& options, const Configuration& configuration, Streams& streams) {
  HeadMeasurement head;
  HeadMeasuring measuring(options, configuration, streams);
  Result<Run> run = measuring.measure(head.warnings);
  if (run) {
    head.run = std::move(run).value();
    head.interrupted = measuring.cancelled();
    if (head.interrupted) head.warnings.push_back("interrupted: this is what was measured until then");
  } else {
    head.code = report_error(run.error(), streams);
    if (measuring.cancelled()) head.code = ExitCode::not_judged;
  }
  return head;
}

}  // namespace steelyard
