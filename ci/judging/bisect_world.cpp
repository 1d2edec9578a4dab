#include "ci/judging/bisect_world.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <variant>

#include "bench/environment/read_environment.hpp"
#include "bench/model/text.hpp"
#include "bench/runner/measure.hpp"
#include "ci/attribution/own_source.hpp"
#include "ci/config/written_value.hpp"
#include "ci/measuring/count_programs.hpp"
#include "ci/measuring/measure_programs.hpp"
#include "ci/measuring/time_programs.hpp"
#include "ci/report/judgement_text.hpp"
#include "regress/compare_runs.hpp"

namespace steelyard::ci {
namespace {

bool is_cancelled(const BisectPlan& plan) { return plan.cancelled != nullptr && plan.cancelled->load(); }

constexpr const char* kGoesOn = "the same command goes on from the answers so far";

Error interrupted() { return program_error("steelyard bisect", "interrupted", "", kGoesOn); }

// While a commit was built, as far as that is what ended.
Error interrupted_in_build(const Result<std::vector<ProgramPair>>& pairs) {
  if (pairs) return interrupted();
  Error error = pairs.error();
  error.fix += std::string(error.fix.empty() ? "" : "; ") + kGoesOn;
  return error;
}

// What is measured of one commit against another.
class Probing {
 public:
  Probing(std::string benchmark, Metric metric, CommitBuilds& builds, const BisectPlan& plan, const App& app)
      : benchmark_(std::move(benchmark)), metric_(std::move(metric)), builds_(builds), plan_(plan), app_(app) {}

  Result<ProbeData> probe(const ProbeQuestion& question) {
    STEELYARD_TRY(const Commit baseline, plan_.repository.describe(question.baseline));
    STEELYARD_TRY(const Commit candidate, plan_.repository.describe(question.candidate));
    Result<std::vector<ProgramPair>> pairs = builds_.pairs_of(baseline, candidate);
    if (is_cancelled(plan_)) return interrupted_in_build(pairs);
    if (!pairs) {
      if (pairs.error().kind != ErrorKind::program) return pairs.error();
      return ProbeData{{}, pairs.error().text()};
    }
    Result<ProbeData> data = measure(std::move(pairs).value(), question);
    if (is_cancelled(plan_)) return interrupted();
    if (data || data.error().kind != ErrorKind::program) return data;
    return ProbeData{{}, data.error().text()};
  }

 private:
  // The program that has it, with the benchmark's name there. Absent: no side has it.
  struct Found {
    ListedPair listed;
    std::string name;
  };
  Result<std::optional<Found>> find(const std::vector<ProgramPair>& pairs,
                                    const bench::MeasuringSettings& settings) const {
    std::optional<Error> trouble;
    for (const ProgramPair& pair : pairs) {
      STEELYARD_TRY(ListedPair listed, list_pair(pair, settings, plan_.cancelled, plan_.configuration.renames));
      for (bench::ListedProgram* side : {&listed.candidate, &listed.baseline}) {
        if (side->trouble) trouble = side->trouble;
        for (const bench::ListedBenchmark& benchmark : side->benchmarks()) {
          if (benchmark.id.canonical() != benchmark_) continue;
          std::string name = benchmark.name;
          keep_only(listed);
          return std::optional(Found{std::move(listed), std::move(name)});
        }
      }
    }
    if (trouble) return *trouble;
    return std::optional<Found>();
  }
  void keep_only(ListedPair& listed) const {
    for (bench::ListedProgram* side : {&listed.candidate, &listed.baseline}) {
      std::erase_if(side->listing.benchmarks,
                    [this](const bench::ListedBenchmark& other) { return other.id.canonical() != benchmark_; });
    }
  }

  Result<ProbeData> measure(const std::vector<ProgramPair>& pairs, const ProbeQuestion& question);
  Configuration configuration_of(const ProbeQuestion& question) const;
  Result<bench::MeasuredPair> time(ListedPair listed, const Configuration& configuration, ProgressLine& progress) const;
  Result<bench::MeasuredPair> count(const ListedPair& listed, const Configuration& configuration,
                                    ProgressLine& progress) const;

  void warn_of_levels(const regress::Judged& judged);

  std::string benchmark_;
  Metric metric_;
  std::set<std::string> told_;
  CommitBuilds& builds_;
  const BisectPlan& plan_;
  const App& app_;
};

// Judged are the one benchmark and metric, by the question's numbers and no table of the file's.
Configuration Probing::configuration_of(const ProbeQuestion& question) const {
  constexpr std::int64_t kMaxDoublings = 4;
  Configuration configuration = plan_.configuration;
  const bool counts = question.witness == ProbeWitness::counts;
  ComparisonPolicy& policy = configuration.policy.comparison;
  policy.false_alarm_rate = question.false_alarm_rate;
  policy.minimum_effect = question.minimum_effect;
  policy.margin = question.margin;
  policy.patterns.clear();
  policy.metrics = {counts && metric_.kind != MetricKind::counted ? std::string(kInstructions) : metric_.name};
  policy.gates.clear();
  configuration.policy.strict = false;
  configuration.policy.demand_decision = false;
  configuration.policy.skip_time = SkipTime::never;
  bench::MeasuringSettings& run = configuration.run;
  run.no_solo_check = question.purpose != regress::ProbePurpose::check;
  if (counts) {
    run.counters.heap = run.counters.heap || metric_.name == "allocations" || metric_.name == "bytes_allocated";
  } else {
    run.counts = bench::CountChoice::never;
    run.counters = {};
  }
  const double more = std::pow(2.0, static_cast<double>(std::min(question.attempt, kMaxDoublings)));
  run.budget = run.budget.value_or(seconds(60)) * more;
  // Another order for each question, the same one where it is asked again.
  run.seed += static_cast<std::uint64_t>(question.attempt) * 1'000'003U;
  for (const char c : question.candidate.substr(0, 8)) run.seed = run.seed * 31 + static_cast<unsigned char>(c);
  return configuration;
}

Result<bench::MeasuredPair> Probing::time(ListedPair listed, const Configuration& configuration,
                                          ProgressLine& progress) const {
  std::vector<ListedPair> one;
  one.push_back(std::move(listed));
  STEELYARD_TRY(MeasuredPrograms measured,
                measure_listed(std::move(one), configuration, {}, progress, plan_.cancelled));
  return std::move(measured.pair);
}

Result<bench::MeasuredPair> Probing::count(const ListedPair& listed, const Configuration& configuration,
                                           ProgressLine& progress) const {
  bench::MeasuredPair pair;
  pair.baseline.environment = pair.candidate.environment = bench::read_environment();
  pair.baseline.header.settings[kSourcesSetting] = listed.baseline.program.working_directory.string();
  pair.candidate.header.settings[kSourcesSetting] = listed.candidate.program.working_directory.string();
  std::vector<std::string> warnings;
  STEELYARD_TRY(const bool counting, counting_wanted(configuration.run, configuration.policy, warnings));
  app_.notes(warnings);
  if (!counting) return pair;
  count_programs({{{&listed.baseline, &pair.baseline}, {&listed.candidate, &pair.candidate}}}, configuration.run,
                 {configuration.run.budget.value_or(seconds(60)), plan_.cancelled}, progress, warnings);
  return pair;
}

// A probe at another level than the search divides its own over is no part of what the report promises. Once a level:
// other warnings of one probe say nothing of the search.
void Probing::warn_of_levels(const regress::Judged& judged) {
  for (const regress::Caution& caution : judged.cautions) {
    if (!std::holds_alternative<regress::caution::PolicyOutOfRange>(caution)) continue;
    const std::string text = warning_text(caution);
    if (told_.insert(text).second) app_.warn(text);
  }
}

Result<ProbeData> Probing::measure(const std::vector<ProgramPair>& pairs, const ProbeQuestion& question) {
  Configuration configuration = configuration_of(question);
  configuration.run.filter.clear();
  STEELYARD_TRY(std::optional<Found> found, find(pairs, configuration.run));
  if (!found) return ProbeData{{}, "it has no benchmark " + name_as_given(benchmark_)};
  configuration.run.filter = bench::exact_filter({found->name});
  ProgressLine progress = app_.progress();
  const bool counts = question.witness == ProbeWitness::counts;
  STEELYARD_TRY(const bench::MeasuredPair pair, counts ? count(found->listed, configuration, progress)
                                                       : time(std::move(found->listed), configuration, progress));
  ComparisonPolicy policy = comparison_policy(configuration.policy);
  policy.seed = configuration.run.seed;
  // Without the machine's calibration, whose floor could be wider than the change that is sought.
  regress::Judged judged = regress::compare_runs(pair.baseline, pair.candidate, policy);
  warn_of_levels(judged);
  Comparison comparison = worded(std::move(judged));
  if (counts && question.purpose == regress::ProbePurpose::check) {
    attribute_in_words(comparison, pair.baseline, pair.candidate, {own_folders(pair.baseline, pair.candidate)});
  }
  for (ComparisonRow& row : comparison.rows) {
    if (row.benchmark == benchmark_ && row.metric.name == policy.metrics.front()) return ProbeData{std::move(row)};
  }
  return ProbeData{{}, "nothing was measured of " + policy.metrics.front()};
}

}  // namespace

Result<std::string> find_benchmark(const std::string& asked, const Commit& good, const Commit& bad,
                                   CommitBuilds& builds, const BisectPlan& plan) {
  STEELYARD_TRY(const std::vector<ProgramPair> pairs, builds.pairs_of(good, bad));
  bench::MeasuringSettings settings = plan.configuration.run;
  settings.filter.clear();
  const std::string canonical = canonical_as_typed(asked);
  std::set<std::string> all;
  std::set<std::string> holding;
  for (const ProgramPair& pair : pairs) {
    STEELYARD_TRY(const ListedPair listed, list_pair(pair, settings, plan.cancelled, plan.configuration.renames));
    for (const bench::ListedProgram* side : {&listed.baseline, &listed.candidate}) {
      if (side->trouble) return *side->trouble;
      for (const bench::ListedBenchmark& benchmark : side->benchmarks()) {
        const std::string name = benchmark.id.canonical();
        all.insert(name);
        if (name == current_name(plan.configuration.renames, canonical) || benchmark.name == asked) return name;
        if (name.find(canonical) != std::string::npos) holding.insert(name);
      }
    }
  }
  if (holding.size() == 1) return *holding.begin();
  const auto some_of = [](const std::set<std::string>& found) { return some_joined(found, 5, ", ", " and "); };
  if (holding.empty()) {
    const auto nearest = nearest_name(asked, std::vector<std::string>(all.begin(), all.end()));
    return input_error("steelyard bisect", "no benchmark \"" + asked + "\" at either end", "the name of one",
                       nearest       ? "did you mean " + *nearest + "?"
                       : all.empty() ? "the program lists none"
                                     : "there are " + some_of(all));
  }
  return input_error("steelyard bisect",
                     std::to_string(holding.size()) + " benchmarks with \"" + asked + "\": " + some_of(holding), "one",
                     "write its whole name");
}

BisectWorld repository_world(const std::string& benchmark, const Metric& metric, CommitBuilds& builds,
                             const BisectPlan& plan, const App& app) {
  const auto probing = std::make_shared<Probing>(benchmark, metric, builds, plan, app);
  const GitRepository& repository = plan.repository;
  BisectWorld world;
  world.line = [&repository](const std::string& from, const std::string& to) {
    return repository.line_between(from, to);
  };
  world.parents = [&repository](const std::string& sha) { return repository.parents(sha); };
  world.describe = [&repository](const std::string& sha) { return repository.describe(sha); };
  world.author = [&repository](const std::string& sha) {
    const Result<GitAnswer> answer = run_git(repository.root(), {"show", "--no-patch", "--format=%an", sha, "--"});
    return answer && answer->succeeded ? answer->output : std::string();
  };
  world.probe = [probing](const ProbeQuestion& question) { return probing->probe(question); };
  world.builds = [&builds] { return builds.builds(); };
  return world;
}

}  // namespace steelyard::ci
