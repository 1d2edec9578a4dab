#include "ci/judging/judge_programs.hpp"

#include <algorithm>
#include <future>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "bench/model/text.hpp"
#include "bench/runner/benchmark_listing.hpp"
#include "ci/app/app.hpp"
#include "ci/app/keeping.hpp"
#include "ci/app/settings.hpp"
#include "ci/attribution/own_source.hpp"
#include "ci/git/repository.hpp"
#include "ci/judging/baseline_policy.hpp"
#include "ci/judging/creep.hpp"
#include "ci/judging/judge.hpp"
#include "ci/measuring/build.hpp"
#include "ci/measuring/count_programs.hpp"
#include "ci/measuring/kept_builds.hpp"
#include "ci/measuring/run_parts.hpp"
#include "ci/measuring/strangers.hpp"
#include "ci/measuring/time_programs.hpp"
#include "ci/report/ended_gate.hpp"
#include "ci/report/judgement_text.hpp"
#include "ci/report/warning_text.hpp"
#include "storage/archive/archive.hpp"

namespace steelyard::ci {
namespace {

using note::BuiltTree;

bool is_cancelled(const std::atomic<bool>* cancelled) { return cancelled != nullptr && cancelled->load(); }

struct MeasuredSides {
  MeasuredPrograms all;
  std::optional<TakenShard> shard;  // that they are; absent: the whole
};

// Of --explain: a name that no benchmark has is refused before minutes of measuring. Of a program that did not answer,
// or whose rows say on which device they were measured, the names are not known yet.
Result<void> check_explained_of(const std::vector<ListedPair>& listed, const SidesToJudge& sides,
                                const std::string& part) {
  if (DevicePrograms(sides.programs).any()) return {};
  std::vector<std::string> names;
  for (const ListedPair& pair : listed) {
    if (pair.any_trouble()) return {};
    for (const bench::ListedProgram* side : {&pair.baseline, &pair.candidate}) {
      for (const bench::ListedBenchmark& benchmark : side->benchmarks()) names.push_back(benchmark.id.canonical());
    }
  }
  return check_explained(part, names);
}

Result<MeasuredSides> measure(const SidesToJudge& sides, const JudgeRequest& request, KnownCalibration& calibrations,
                              const App& app) {
  // What stands in the way of one is told once, at the end.
  const auto calibration_of = [&calibrations](const Run& baseline, const Run& candidate) {
    std::vector<std::string> unreported;
    return calibrations.find(baseline, candidate, unreported);
  };
  ProgressLine progress = app.live_view();
  const Configuration& configuration = request.configuration;
  const std::string& explained = request.outputs.explain;
  if (request.shard == nullptr && (explained.empty() || explained == kExplainAll)) {
    STEELYARD_TRY(MeasuredPrograms all,
                  measure_programs(sides.programs, configuration, calibration_of, progress, request.cancelled));
    return MeasuredSides{std::move(all), {}};
  }
  std::vector<ListedPair> listed;
  for (const ProgramPair& pair : sides.programs) {
    STEELYARD_TRY(ListedPair list, list_pair(pair, configuration.run, request.cancelled, configuration.renames));
    listed.push_back(std::move(list));
  }
  STEELYARD_CHECK(check_explained_of(listed, sides, explained));
  std::optional<TakenShard> taken;
  if (request.shard != nullptr) {
    STEELYARD_TRY(taken, take_shard(*request.shard, listed));
  }
  STEELYARD_TRY(MeasuredPrograms all,
                measure_listed(std::move(listed), configuration, calibration_of, progress, request.cancelled));
  if (taken) {
    keep_shard(*taken, all.pair.baseline.header.settings);
    keep_shard(*taken, all.pair.candidate.header.settings);
  }
  return MeasuredSides{std::move(all), std::move(taken)};
}

void complete_header(Run& run, const SideDescription& side, const Configuration& configuration) {
  run.header.project = project_name(configuration);
  run.header.program = side.program;
  run.header.commit = side.commit;
  run.header.seed = configuration.run.seed;
  keep_request(run.header);
  if (!side.sources.empty()) run.header.settings[kSourcesSetting] = side.sources.string();
  keep_left_processes({side.left_by_build, {}}, run.header.settings);
  storage::seal(run);
}

Result<std::vector<ProgramPair>> programs_in_trees(const WorkTreePair& trees,
                                                   const std::vector<ConfiguredProgram>& programs,
                                                   const std::vector<std::string>& arguments,
                                                   const bench::SharedConfinement& confinement) {
  // With one program the names stay what the program itself says.
  const bool with_suite = programs.size() > 1;
  std::vector<ProgramPair> pairs;
  for (const ConfiguredProgram& configured : programs) {
    STEELYARD_TRY(bench::Program baseline, program_in_tree(configured, trees.base(), arguments, with_suite));
    STEELYARD_TRY(bench::Program candidate, program_in_tree(configured, trees.head(), arguments, with_suite));
    baseline.confinement = candidate.confinement = confinement;
    pairs.push_back({std::move(baseline), std::move(candidate)});
  }
  return pairs;
}

constexpr const char* kBaseline = "the baseline";
constexpr const char* kCandidate = "the candidate";

std::string name_of_program(const ConfiguredProgram& configured) {
  return configured.name.empty() ? "the program" : "[[program]] \"" + configured.name + '"';
}

bool is_there(const std::filesystem::path& file) {
  std::error_code ignored;
  return std::filesystem::exists(file, ignored);
}

// Whether it stands in the tree, links followed: a path of a candidate's file could name the other side's program.
bool is_of_tree(const std::filesystem::path& file, const std::filesystem::path& tree) {
  std::error_code code;
  const std::filesystem::path whole = std::filesystem::canonical(file, code);
  if (code) return false;
  const std::filesystem::path root = std::filesystem::canonical(tree, code);
  if (code) return false;
  const std::filesystem::path below = whole.lexically_relative(root);
  return !below.empty() && *below.begin() != "..";
}

// Where the baseline's path is not in a tree and the candidate's file names another for the program, that one: a path
// is mended in the commit after the one that broke it, and a target's new name is in the candidate alone. Arguments
// stay the baseline's, as a filter among them would measure less. What is told of it.
std::vector<std::string> find_moved_programs(const std::vector<ConfiguredProgram>& programs,
                                             const std::vector<ConfiguredProgram>& candidates,
                                             const WorkTreePair& trees, std::vector<ProgramPair>& pairs) {
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const auto own = std::find_if(candidates.begin(), candidates.end(),
                                  [&](const ConfiguredProgram& one) { return one.name == programs[i].name; });
    // What a shell runs, or a program of the system, is there whatever was built.
    if (own == candidates.end() || own->how != programs[i].how || !own->how.format.empty()) continue;
    const Result<bench::Program> in_base = program_in_tree(*own, trees.base(), {}, false);
    const Result<bench::Program> in_head = program_in_tree(*own, trees.head(), {}, false);
    if (!in_base || !in_head) continue;  // what the candidate's file has there is no path of a tree
    const std::string name = name_of_program(programs[i]);
    const auto move = [&](bench::Program& program, const bench::Program& moved, const std::filesystem::path& tree,
                          const char* side) {
      if (is_there(program.executable) || !is_of_tree(moved.executable, tree)) return;
      notes.push_back(warning::program_moved({name, side, program.executable.lexically_relative(tree).string(),
                                              moved.executable.lexically_relative(tree).string()}));
      program.executable = moved.executable;
    };
    move(pairs[i].baseline, *in_base, trees.base(), kBaseline);
    move(pairs[i].candidate, *in_head, trees.head(), kCandidate);
    if (is_there(pairs[i].candidate.executable) && !is_there(in_head->executable)) {
      notes.push_back(warning::program_not_made(name, in_head->executable.lexically_relative(trees.head()).string()));
    }
  }
  return notes;
}

// The build may say where it puts a program only by doing it, so this is looked at afterwards.
Result<void> check_built(const std::vector<ConfiguredProgram>& programs, const std::vector<ProgramPair>& pairs,
                         const WorkTreePair& trees, const CommitPair& commits, const JudgeRequest& request) {
  const bool was_built = !request.configuration.build_command.empty();
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (is_there(pairs[i].candidate.executable)) continue;
    const std::string path = pairs[i].candidate.executable.lexically_relative(trees.head()).string();
    const std::string where = programs[i].name.empty() ? path : name_of_program(programs[i]) + ", " + path;
    const std::string base = shown_sha(commits.baseline);
    const std::string head = shown_sha(commits.candidate);
    if (is_there(pairs[i].baseline.executable)) {
      return program_error(
          where, "no such file after the candidate's build (" + head + "), as the baseline has (" + base + ')',
          "the benchmark program",
          programs[i].name.empty() ? "" : "a file of another name keeps the name of its [[program]]");
    }
    const bool is_of_work_tree = std::ranges::find(request.other.programs_of_work_tree, programs[i].name) !=
                                 request.other.programs_of_work_tree.end();
    return input_error((is_of_work_tree ? "steelyard.toml of the work tree, " : "") + where,
                       "no such file, neither in " + base + " nor in " + head +
                           (was_built ? ", after the build" : ", and no build command"),
                       "the benchmark program in each commit's tree",
                       !was_built        ? "name one: --build \"CMD\""
                       : is_of_work_tree ? "check out " + head +
                                               ", whose own steelyard.toml is another one, or check the path against "
                                               "what the build writes"
                                         : "check the path against what the build writes; a commit that corrects it in "
                                           "steelyard.toml is measured by its own path");
  }
  return {};
}

// How trees are built.
struct TreeBuilding {
  const Configuration& configuration;
  const bench::SharedConfinement& confinement;
  const std::atomic<bool>* cancelled = nullptr;
  const App& app;
  std::filesystem::path one_path;  // under which every tree shall stand in what is built
};

void note_building(BuiltTree which, const Commit& commit, const TreeBuilding& how) {
  if (!how.configuration.build_command.empty()) how.app.note(note::building(which, commit));
}

// Nothing where no command is configured. `at_once`: builds, with this one.
Result<LeftProcesses::Count> build_tree(const std::filesystem::path& tree, const Commit& commit, BuiltTree which,
                                        const TreeBuilding& how, int at_once = 1) {
  const Configuration& configuration = how.configuration;
  if (configuration.build_command.empty()) return LeftProcesses::Count{};
  // For compilers of the user's choice: a flag that one of them does not know would end the build.
  const std::map<std::string, std::string> variables{
      {"STEELYARD_PREFIX_MAP", "-ffile-prefix-map=" + tree.string() + '=' + how.one_path.string()}};
  BuildRequest request{tree, configuration.build_command, configuration.build_timeout, note::tree_name(which, commit)};
  request.variables = variables;
  request.confinement = how.confinement;
  request.builds_at_once = at_once;
  return build(request, how.cancelled);
}

// As an earlier gate has built it, or now, and kept. Only before any of the candidate's code runs, which could change
// what is kept for others.
Result<LeftProcesses::Count> build_or_take_baseline(const SideDescription& side, const TreeBuilding& how) {
  const Configuration& configuration = how.configuration;
  const KeptBuilds kept(KeptBuilds::folder());
  const std::string name = name_of(
      {side.commit.sha, configuration.build_command, side.sources, !configuration.no_submodules}, how.cancelled);
  const Result<bool> was_kept = kept.put_into(side.sources, name);
  if (was_kept && *was_kept) {
    how.app.note(note::baseline_built_before(side.commit));
    return LeftProcesses::Count{};
  }
  if (!was_kept) how.app.note(note::kept_build_damaged(was_kept.error()));
  note_building(BuiltTree::baseline, side.commit, how);
  STEELYARD_TRY(const LeftProcesses::Count left, build_tree(side.sources, side.commit, BuiltTree::baseline, how));
  if (const Result<void> done = kept.keep(side.sources, name, how.confinement); !done) {
    how.app.note(note::baseline_not_kept(done.error()));
  }
  return left;
}

struct BuiltSides {
  Result<LeftProcesses::Count> baseline;
  std::optional<Result<LeftProcesses::Count>> candidate = {};  // absent: the baseline failed before
};

BuiltSides build_side_by_side(const SideDescription& baseline, const SideDescription& candidate,
                              const TreeBuilding& how) {
  note_building(BuiltTree::baseline, baseline.commit, how);
  note_building(BuiltTree::candidate, candidate.commit, how);
  const auto built = [&how](const SideDescription& side, BuiltTree which, int at_once) {
    return build_tree(side.sources, side.commit, which, how, at_once);
  };
  std::future<Result<LeftProcesses::Count>> beside;
  try {
    beside = std::async(std::launch::async, [&] { return built(candidate, BuiltTree::candidate, 2); });
  } catch (const std::system_error&) {
    // No thread is to be had: it is built when it is waited for.
    beside = std::async(std::launch::deferred, [&] { return built(candidate, BuiltTree::candidate, 2); });
  }
  BuiltSides sides{built(baseline, BuiltTree::baseline, 2)};
  sides.candidate = beside.get();
  // What failed may have lacked what the other took: memory, a port, a lock.
  const auto again = [&](Result<LeftProcesses::Count>& done, const SideDescription& side, BuiltTree which) {
    if (done || is_cancelled(how.cancelled)) return;
    how.app.note(note::built_again_alone(which, side.commit));
    done = built(side, which, 1);
  };
  again(sides.baseline, baseline, BuiltTree::baseline);
  if (sides.baseline) again(*sides.candidate, candidate, BuiltTree::candidate);
  return sides;
}

BuiltSides build_one_after_the_other(const SideDescription& baseline, const SideDescription& candidate,
                                     const TreeBuilding& how) {
  const bool keeps = !KeptBuilds::folder().empty() && !how.configuration.build_command.empty();
  if (!keeps) note_building(BuiltTree::baseline, baseline.commit, how);
  BuiltSides sides{keeps ? build_or_take_baseline(baseline, how)
                         : build_tree(baseline.sources, baseline.commit, BuiltTree::baseline, how)};
  if (!sides.baseline) return sides;
  note_building(BuiltTree::candidate, candidate.commit, how);
  sides.candidate = build_tree(candidate.sources, candidate.commit, BuiltTree::candidate, how);
  return sides;
}

// Where the commits differ in documentation that building the baseline does not read. Else as ever.
BuiltSides build_once(const SideDescription& baseline, const SideDescription& candidate, const UnreadChange& change,
                      const TreeBuilding& how, bool& is_one_build) {
  note_building(BuiltTree::baseline, baseline.commit, how);
  BuiltSides sides{build_tree(baseline.sources, baseline.commit, BuiltTree::baseline, how)};
  if (!sides.baseline) return sides;
  const bool is_unread = !change.was_read();
  const Result<void> copied =
      is_unread ? copy_build(baseline.sources, candidate.sources, how.confinement) : Result<void>();
  is_one_build = is_unread && copied && change.watch_again();
  if (is_one_build) {
    sides.candidate = LeftProcesses::Count{};  // nothing ran to build it
    return sides;
  }
  note_building(BuiltTree::candidate, candidate.commit, how);
  sides.candidate = build_tree(candidate.sources, candidate.commit, BuiltTree::candidate, how);
  return sides;
}

// A target that has another name since, or a build that was moved: the candidate's command knows the new one alone.
// What is told of it; empty: the baseline stays unbuilt.
std::string build_baseline_by_own_command(const SideDescription& baseline, const SideDescription& candidate,
                                          const JudgeRequest& request, const TreeBuilding& how, BuiltSides& sides) {
  const std::string& command = request.other.baselines_build;
  const Error error = sides.baseline.error();
  if (command.empty() || error.kind != ErrorKind::program || is_cancelled(how.cancelled)) return "";
  std::string note = warning::built_by_own_command(error);
  how.app.note(note);
  Configuration own = how.configuration;
  own.build_command = command;
  const TreeBuilding by_own{own, how.confinement, how.cancelled, how.app, how.one_path};
  sides.baseline = build_tree(baseline.sources, baseline.commit, BuiltTree::baseline, by_own);
  if (!sides.baseline) return "";
  if (!sides.candidate || !*sides.candidate) {
    note_building(BuiltTree::candidate, candidate.commit, how);
    sides.candidate = build_tree(candidate.sources, candidate.commit, BuiltTree::candidate, how);
  }
  return note;
}

// Why the baseline is not built. Where both builds ended for the same reason, as an interruption ends what runs beside
// each other, both are named.
Error baseline_error(const BuiltSides& sides) {
  Error error = sides.baseline.error();
  if (!sides.candidate || *sides.candidate || sides.candidate->error().found != error.found) return error;
  error.where += " and " + sides.candidate->error().where;
  return error;
}

struct BothBuilt {
  ExitCode code = ExitCode::success;
  bool is_one_build = false;            // the candidate's is a copy
  std::vector<std::string> notes = {};  // for the report
};

// A baseline that cannot be built leaves nothing to judge against: 2, not the candidate's 4.
// `change`: of documentation alone; null: of more.
BothBuilt build_both(SideDescription& baseline, SideDescription& candidate, const UnreadChange* change,
                     const JudgeRequest& request, const TreeBuilding& how) {
  const bool keeps = !KeptBuilds::folder().empty();
  const bool builds = !how.configuration.build_command.empty();
  const bool is_side_by_side = builds && !keeps && has_room_for_two_builds();
  BothBuilt both;
  BuiltSides sides = change != nullptr && builds && !keeps
                         ? build_once(baseline, candidate, *change, how, both.is_one_build)
                     : is_side_by_side ? build_side_by_side(baseline, candidate, how)
                                       : build_one_after_the_other(baseline, candidate, how);
  const auto fails = [&](Error error, EndedGate::Stage stage, const Commit& commit, ExitCode code) {
    how.app.report(error);
    both.code = is_cancelled(how.cancelled) ? ExitCode::not_judged : code;
    const int status = static_cast<int>(both.code);
    if (!is_cancelled(how.cancelled)) leave_end(request.outputs, {stage, commit.sha, error.text(), status}, how.app);
    return both;
  };
  if (!sides.baseline) {
    Error error = is_cancelled(how.cancelled) ? baseline_error(sides) : sides.baseline.error();
    if (std::string note = build_baseline_by_own_command(baseline, candidate, request, how, sides); !note.empty()) {
      both.notes.push_back(std::move(note));
    } else {
      const bool is_own = !request.other.baselines_build.empty();
      if (is_own) error = sides.baseline.error();
      if (!error.wanted.empty()) {
        error.wanted = is_own ? "a build that succeeds, by the candidate's command or by its own"
                              : "a build that succeeds by the candidate's command, which builds both commits (\"How a "
                                "gate builds\" in docs/reference/configuration.md)";
      }
      return fails(std::move(error), EndedGate::Stage::build_of_baseline, baseline.commit, ExitCode::not_judged);
    }
  }
  if (!*sides.candidate) {
    const Error& error = sides.candidate->error();
    return fails(error, EndedGate::Stage::build_of_candidate, candidate.commit, exit_code_of(error));
  }
  baseline.left_by_build = *sides.baseline;
  candidate.left_by_build = **sides.candidate;
  return both;
}

WorkTreePair::Submodules submodules_of(const Configuration& configuration) {
  return configuration.no_submodules ? WorkTreePair::Submodules::none : WorkTreePair::Submodules::checked_out;
}

// Programs in which the filter finds no benchmark; where it finds none in any, the first of them is to say so.
void exclude_without_match(const std::vector<ConfiguredProgram>& programs, const std::string& filter,
                           std::vector<bench::ListedProgram>& listed, std::vector<std::string>& warnings) {
  const auto has_none = [](const bench::ListedProgram& one) { return !one.trouble && one.benchmarks().empty(); };
  if (filter.empty() || std::ranges::all_of(listed, has_none)) return;
  for (std::size_t i = 0; i < listed.size(); ++i) {
    if (has_none(listed[i])) warnings.push_back(warning::no_match(name_of_program(programs[i]), filter));
  }
  std::erase_if(listed, has_none);
}

Result<Run> measure_commit(const GateRequest& request, const Configuration& configuration,
                           const std::atomic<bool>* cancelled, std::vector<std::string>& warnings, const App& app) {
  STEELYARD_TRY(const std::vector<ConfiguredProgram> programs, programs_to_judge(configuration, request.bench));
  STEELYARD_TRY(const GitRepository repository, GitRepository::find(std::filesystem::current_path()));
  STEELYARD_TRY(const std::string sha, resolve_deepening(repository, request.head.empty() ? "HEAD" : request.head));
  STEELYARD_TRY(const Commit commit, repository.describe(sha));
  note_uncommitted(repository, request.head, app);
  // The second tree costs a checkout of the same files.
  STEELYARD_TRY(const WorkTreePair trees,
                WorkTreePair::create(repository, commit.sha, commit.sha, submodules_of(configuration)));
  const StrangersView view = confine_strangers({configuration, !request.outputs.no_store, request.outputs.archive_dir},
                                               {trees.head(), repository.root()});
  app.notes(view.warnings);
  warnings.insert(warnings.end(), view.warnings.begin(), view.warnings.end());
  SideDescription side{joined_commands(programs), commit, trees.head()};
  const TreeBuilding how{configuration, view.confinement, cancelled, app, trees.head()};
  note_building(BuiltTree::alone, commit, how);
  STEELYARD_TRY(side.left_by_build, build_tree(trees.head(), commit, BuiltTree::alone, how));
  std::vector<bench::ListedProgram> listed;
  for (const ConfiguredProgram& configured : programs) {
    STEELYARD_TRY(bench::Program program, program_in_tree(configured, trees.head(), {}, programs.size() > 1));
    program.confinement = view.confinement;
    STEELYARD_TRY(bench::ListedProgram one, bench::list_benchmarks(program, configuration.run, cancelled));
    listed.push_back(std::move(one));
  }
  exclude_without_match(programs, configuration.run.filter, listed, warnings);
  for (const bench::ListedProgram& one : listed) {
    const std::vector<std::string> of_build = warnings_of_build(nullptr, one.program);
    warnings.insert(warnings.end(), of_build.begin(), of_build.end());
  }
  Configuration each = configuration;
  if (each.run.budget) each.run.budget = *each.run.budget * (1.0 / static_cast<double>(listed.size()));
  ProgressLine progress = app.live_view();
  Run whole;
  for (std::size_t i = 0; i < listed.size(); ++i) {
    STEELYARD_TRY(Run run, measure_alone(std::move(listed[i]), each, progress, warnings, cancelled));
    if (i == 0) {
      whole = std::move(run);
    } else {
      join_run(whole, std::move(run));
    }
  }
  complete_header(whole, side, configuration);
  return whole;
}

}  // namespace

std::string joined_commands(const std::vector<ConfiguredProgram>& programs) {
  return joined_text(programs, "; ", [](const ConfiguredProgram& program) { return program.command; });
}

Result<ExitCode> judge_programs(const SidesToJudge& sides, const JudgeRequest& request, const App& app) {
  STEELYARD_TRY(KnownCalibration calibrations, KnownCalibration::of(request.configuration));
  return judge_programs(sides, request, std::move(calibrations), app);
}

Result<ExitCode> judge_programs(const SidesToJudge& sides, const JudgeRequest& request, KnownCalibration calibrations,
                                const App& app) {
  std::vector<std::string> of_builds;
  for (const ProgramPair& pair : sides.programs) {
    const std::vector<std::string> warnings = warnings_of_build(&pair.baseline, pair.candidate);
    of_builds.insert(of_builds.end(), warnings.begin(), warnings.end());
  }
  app.notes(of_builds);
  STEELYARD_TRY(MeasuredSides of_sides, measure(sides, request, calibrations, app));
  if (request.one_build != nullptr && request.one_build->was_read()) {
    app.warn(warning::one_build_was_read());
    return ExitCode::not_judged;
  }
  MeasuredPrograms& measured = of_sides.all;
  measured.warnings.insert(measured.warnings.begin(), of_builds.begin(), of_builds.end());
  bench::MeasuredPair& pair = measured.pair;
  complete_header(pair.baseline, sides.baseline, request.configuration);
  complete_header(pair.candidate, sides.candidate, request.configuration);
  const Configuration configuration = with_earlier_names(request.configuration, measured.earlier_names);
  const std::vector<const Run*> runs = {&pair.baseline, &pair.candidate};
  if (!request.outputs.no_store) keep_in_spool(request.configuration, runs, app);
  const auto compare = [&] {
    Comparison comparison =
        compare_sides(pair.baseline, pair.candidate, {configuration, calibrations, configuration.run.seed, &measured},
                      measured.warnings);
    if (request.adds_up_creep && !request.outputs.no_store) {
      add_creep(configuration, nullptr, pair.baseline, pair.candidate, comparison);
    }
    if (of_sides.shard) {  // the whole's comparison warns of all else
      comparison.warnings = measured.warnings;
      calibrations.find(pair.baseline, pair.candidate, comparison.warnings);
    }
    comparison.warnings.insert(comparison.warnings.begin(), request.notes.begin(), request.notes.end());
    if (is_cancelled(request.cancelled)) comparison.warnings.push_back(warning::interrupted());
    return comparison;
  };
  JudgingPlan plan{configuration, request.outputs, pair.baseline, pair.candidate, compare};
  plan.expects_every_target = request.expect_every_target && configuration.run.filter.empty();
  plan.proposes_renames = true;
  plan.programs = &measured.programs;
  plan.shard = of_sides.shard ? &*of_sides.shard : nullptr;
  plan.cancelled = request.cancelled;
  plan.delivered = runs;
  return judge_runs(plan, app);
}

Result<std::vector<ConfiguredProgram>> programs_to_judge(const Configuration& configuration, const std::string& bench) {
  if (!bench.empty()) return std::vector<ConfiguredProgram>{{"", bench}};
  if (!configuration.programs.empty()) return configuration.programs;
  return input_error(configuration.file.empty() ? "no steelyard.toml" : configuration.file.string(),
                     "no benchmark program", "a [[program]] with its command, or --bench \"PATH ARGS\"",
                     configuration.file.empty() ? "steelyard config init writes a first one" : "");
}

Result<ExitCode> judge_commits(const GitRepository& repository, const CommitPair& commits,
                               const std::vector<ConfiguredProgram>& programs,
                               const std::vector<std::string>& arguments, const JudgeRequest& request, const App& app) {
  STEELYARD_TRY(KnownCalibration calibrations, KnownCalibration::of(request.configuration));
  STEELYARD_TRY(const Commit base, repository.describe_baseline(commits.baseline));
  STEELYARD_TRY(const Commit head, repository.describe(commits.candidate));
  STEELYARD_TRY(const WorkTreePair trees, WorkTreePair::create(repository, commits.baseline, commits.candidate,
                                                               submodules_of(request.configuration)));
  const StrangersView view =
      confine_strangers({request.configuration, !request.outputs.no_store, request.outputs.archive_dir},
                        {trees.base(), trees.head(), repository.root()});
  app.notes(view.warnings);
  STEELYARD_TRY(std::vector<ProgramPair> pairs, programs_in_trees(trees, programs, arguments, view.confinement));
  const std::string command = joined_commands(programs);
  SideDescription baseline{command, base, trees.base()};
  SideDescription candidate{command, head, trees.head()};
  const std::optional<UnreadChange> change =
      UnreadChange::between(repository, commits.baseline, commits.candidate, trees.base());
  const BothBuilt built = build_both(baseline, candidate, change ? &*change : nullptr, request,
                                     {request.configuration, view.confinement, request.cancelled, app, trees.base()});
  if (built.code != ExitCode::success) return built.code;
  const std::vector<std::string> moved = find_moved_programs(programs, request.other.candidates_programs, trees, pairs);
  app.notes(moved);
  STEELYARD_CHECK(check_built(programs, pairs, trees, commits, request));
  JudgeRequest of_commits = request;
  for (const std::vector<std::string>* notes : {&view.warnings, &built.notes, &moved}) {
    of_commits.notes.insert(of_commits.notes.end(), notes->begin(), notes->end());
  }
  for (ProgramPair& pair : pairs) pair.origin = built.is_one_build ? BuildOrigin::one_build : BuildOrigin::two_commits;
  if (built.is_one_build) {
    of_commits.one_build = &*change;
    of_commits.notes.push_back(one_build_text(change->files()));
    app.note(of_commits.notes.back());
  }
  return judge_programs({std::move(pairs), std::move(baseline), std::move(candidate)}, of_commits,
                        std::move(calibrations), app);
}

HeadMeasurement measure_head(const GateRequest& request, const Configuration& configuration, const App& app) {
  const Cancellation cancellation;
  std::vector<std::string> warnings;
  HeadMeasurement head{measure_commit(request, configuration, cancellation.flag(), warnings, app),
                       cancellation.requested(), std::move(warnings)};
  if (head.run && head.is_interrupted) head.warnings.push_back(warning::interrupted());
  return head;
}

void note_uncommitted(const GitRepository& repository, const std::string& head, const App& app) {
  const Result<bool> dirty = repository.is_dirty();
  if (head.empty() && dirty && *dirty) {
    app.note(note::changes_not_committed());
  }
}

}  // namespace steelyard::ci
