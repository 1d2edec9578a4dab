// steelyard bisect: the commit that changed a benchmark.
#include <cstdint>
#include <memory>
#include <optional>

#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"
#include "bench/runner/benchmark_listing.hpp"
#include "ci/app/app.hpp"
#include "ci/app/settings.hpp"
#include "ci/git/repository.hpp"
#include "ci/grammar/verb.hpp"
#include "ci/judging/bisect.hpp"
#include "ci/judging/bisect_world.hpp"
#include "ci/judging/judge_programs.hpp"
#include "ci/measuring/commit_builds.hpp"
#include "ci/report/bisect.hpp"
#include "ci/report/markup.hpp"
#include "storage/place/store_address.hpp"

namespace steelyard::ci {
namespace {

constexpr Nanoseconds kProbeBudget = seconds(60);  // of the first attempt at one commit

struct BisectOptions {
  std::string good;
  std::string bad;
  std::string benchmark;
  std::string metric = "real_time";
  std::string bench;  // the program in place of those configured
  bool restart = false;
  bool order = false;
  std::optional<std::uint64_t> seed;
};

constexpr int kOrderProbes = 2;

Result<Metric> metric_of(const BisectOptions& options) {
  const std::optional<Metric> metric = well_known_metric(options.metric);
  if (metric) return *metric;
  return input_error("--metric", '"' + options.metric + '"',
                     "a metric that is timed or counted: real_time, cpu_time, instructions, allocations");
}

BisectQuestion question_of(const BisectOptions& options, const Configuration& configuration, const Metric& metric,
                           const std::vector<ConfiguredProgram>& programs) {
  BisectQuestion question;
  question.benchmark = options.benchmark;
  question.metric = metric;
  question.build_command = configuration.build_command;
  question.programs = joined_commands(programs);
  question.renames = to_toml(configuration.renames);
  const ComparisonPolicy policy = comparison_policy(configuration.policy);
  question.rate = policy.false_alarm_rate;
  question.minimum_effect = policy.minimum_effect;
  question.counts = configuration.run.counts != bench::CountChoice::never;
  question.budget = configuration.run.budget.value_or(kProbeBudget);
  question.order_probes = options.order ? kOrderProbes : 0;
  return question;
}

// "steelyard ab 0f1e2d3c4 1a2b3c4d5 --filter '^BM_sort/1024$'".
std::string again_text(const BisectReport& report, const BisectOptions& options, const App& app) {
  if (!report.culprit || !report.before) return "";
  std::string text = "steelyard ab " + shown_sha(report.before->sha) + ' ' + shown_sha(report.culprit->sha) +
                     " --filter " + in_shell_quotes(bench::exact_filter({name_in_program(report.benchmark)}));
  if (!options.bench.empty()) text += " --bench " + in_shell_quotes(options.bench);
  for (const Override& change : app.common.overrides) {
    if (change.key->option == "--build") text += " --build " + in_shell_quotes(change.text);
  }
  return text;
}

ExitCode outcome_of_bisect(const BisectReport& report) {
  switch (report.end) {
    case regress::BisectionEnd::ends_alike:
      return ExitCode::success;
    case regress::BisectionEnd::found:
    case regress::BisectionEnd::range:
      return became_worse(report) ? ExitCode::regression : ExitCode::success;
    case regress::BisectionEnd::not_confirmed:
    case regress::BisectionEnd::ends_cannot_tell:
    case regress::BisectionEnd::ends_skipped:
      break;
  }
  return ExitCode::not_judged;
}

Result<ExitCode> search(const BisectOptions& options, const Cancellation& cancellation, const App& app) {
  STEELYARD_TRY(Configuration configuration, measuring_configuration(app, kProbeBudget, options.seed));
  STEELYARD_TRY(const Metric metric, metric_of(options));
  if (metric.kind == MetricKind::counted) configuration.run.counts = bench::CountChoice::always;
  STEELYARD_TRY(const std::vector<ConfiguredProgram> programs, programs_to_judge(configuration, options.bench));
  STEELYARD_TRY(const GitRepository repository, GitRepository::find(std::filesystem::current_path()));
  BisectQuestion question = question_of(options, configuration, metric, programs);
  question.repository = repository.root().string();
  STEELYARD_TRY(question.good, resolve_deepening(repository, options.good));
  STEELYARD_TRY(question.bad, resolve_deepening(repository, options.bad));
  const LineOf line_of = [&repository](const std::string& from, const std::string& to) {
    return repository.line_between(from, to);
  };
  STEELYARD_TRY(const std::vector<std::string> line, bisected_line(question, line_of));
  app.note(plural_text(static_cast<std::int64_t>(line.size()) - 1, "commit") + " from " + shown_sha(question.good) +
           " to " + shown_sha(question.bad));
  STEELYARD_TRY(CommitBuilds builds,
                CommitBuilds::create(repository, {configuration, programs}, app, cancellation.flag()));
  app.notes(builds.warnings());
  const BisectPlan plan{repository, configuration, programs, cancellation.flag()};
  STEELYARD_TRY(const Commit good, repository.describe(question.good));
  STEELYARD_TRY(const Commit bad, repository.describe(question.bad));
  STEELYARD_TRY(question.benchmark, find_benchmark(options.benchmark, good, bad, builds, plan));
  STEELYARD_TRY(KeptBisect kept, read_kept_bisect(bisect_folder(storage::state_folder()), question));
  if (options.restart) kept.probes.clear();
  if (!kept.probes.empty()) {
    app.note("going on from " + plural_text(kept.probes.size(), "comparison") +
             " made before (--restart forgets them)");
  }
  BisectWorld world = repository_world(question.benchmark, metric, builds, plan, app);
  world.told = [&app, &metric](const BisectProbe& probe, std::size_t left) {
    app.note(progress_text(probe, metric, left));
  };
  STEELYARD_TRY(BisectReport report, bisect(question, world, kept));
  report.again = again_text(report, options, app);
  app.print(app.common.json ? json_bisect(report) : terminal_bisect(report, app.style()));
  return outcome_of_bisect(report);
}

Result<ExitCode> run_bisect(const BisectOptions& options, const App& app) {
  const Cancellation cancellation;
  const Result<ExitCode> code = search(options, cancellation, app);
  if (code || !cancellation.requested()) return code;
  app.report(code.error());
  return ExitCode::not_judged;
}

}  // namespace

Verb bisect_verb() {
  const auto options = std::make_shared<BisectOptions>();
  Verb verb = make_verb(
      options, run_bisect, "bisect",
      "Finds the commit between GOOD and BAD that changed a benchmark: builds and measures the middle one against the "
      "good end until one is left, and that against its parent. By counts of instructions where these changed as well, "
      "else by time. Interrupted, the same command goes on. Status 1: a commit made it worse; 2: none could be told.",
      "  steelyard bisect v1.2 main BM_sort/1024\n"
      "  steelyard bisect v1.2 main BM_sort/1024 --metric instructions");
  verb.names = {"GOOD", "BAD", "BENCHMARK"};
  verb.min_names = 3;
  verb.take = [options](Words words) -> Result<void> {
    options->good = std::move(words.names[0]);
    options->bad = std::move(words.names[1]);
    options->benchmark = std::move(words.names[2]);
    return {};
  };
  verb.add(text_option("--metric", "NAME", options->metric, "what changed (default: real_time)", kJudgingGroup));
  verb.add(text_option("--bench", "\"PATH ARGS\"", options->bench, "the program, in place of those configured",
                       kBuildingGroup));
  verb.add(
      flag_option("--order", options->order, "measure two commits more, to see whether it changed there and back"));
  verb.add(flag_option("--restart", options->restart, "forget the answers of an earlier search of this kind"));
  add_key_options(verb, {{"build", "run"}, {"--filter", "--relink", "--relinks", "--counters", "--no-solo-check"}});
  add_key_options(verb, {.sections = {"policy"}, .only = {"--false-alarm-rate", "--strict", "--minimum-effect"}});
  verb.add(seed_option(options->seed));
  add_common_options(verb);
  return verb;
}

}  // namespace steelyard::ci
