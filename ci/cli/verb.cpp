#include "ci/cli/verb.hpp"

#include <utility>

#include "ci/cli/table_options.hpp"
#include "ci/cli/verb_options.hpp"

namespace steelyard {
namespace {

using Words = std::vector<std::string>;

template <class Options>
std::unique_ptr<Verb> make_verb(std::string name, std::string description, std::string example) {
  auto verb = std::make_unique<Verb>();
  verb->name = std::move(name);
  verb->description = std::move(description);
  verb->example = std::move(example);
  verb->result.emplace<Options>();
  return verb;
}

template <class Options>
Options& options_of(const std::unique_ptr<Verb>& verb) {
  return std::get<Options>(verb->result);
}

std::unique_ptr<Verb> make_run() {
  auto verb = make_verb<RunOptions>("run", "Measures one Google Benchmark program and keeps the run.",
                                    "  steelyard run --output today.syrun -- ./build/bench --benchmark_filter=Sort");
  auto& run = options_of<RunOptions>(verb);
  verb->names = {"-- PROGRAM ARGUMENTS..."};
  verb->takes_rest = true;
  verb->finish = [&run](Words given, Words rest) -> Result<void> {
    run.command = std::move(given);
    run.command.insert(run.command.end(), rest.begin(), rest.end());
    if (!run.command.empty()) return {};
    return input_error("steelyard run", "no program", "one after --", "steelyard run -- ./build/bench");
  };
  add_key_options(*verb, run.common, {{"run", "store", "project"}, {"--layout"}});
  verb->options.push_back(path_option("--output", "FILE.syrun", run.output, "write the archive there as well"));
  verb->options.push_back(flag_option("--no-store", run.no_store, "keep nothing but --output"));
  verb->options.push_back(seed_option(run.seed));
  add_common_options(*verb, run.common);
  return verb;
}

// What ab and gate have in common: they measure, judge and keep.
template <class Options>
void add_judging_options(Verb& verb, Options& options) {
  add_key_options(verb, options.common, {{"build", "run", "policy", "store", "project"}, {}});
  verb.options.push_back(
      path_option("--markdown", "FILE", options.markdown, "write the report as Markdown there as well"));
  verb.options.push_back(
      path_option("--archive-dir", "FOLDER", options.archive_dir, "copy both sides' archives there"));
  verb.options.push_back(flag_option("--no-store", options.no_store, "keep nothing but --archive-dir"));
  verb.options.push_back(seed_option(options.seed));
  add_common_options(verb, options.common);
}

std::unique_ptr<Verb> make_ab() {
  auto verb = make_verb<AbOptions>(
      "ab",
      "Measures two builds side by side and judges the second against the first: two executables, or two commits that "
      "are built in work trees of their own.",
      "  steelyard ab ./build-old/bench ./build-new/bench -- --benchmark_filter=Sort\n"
      "  steelyard ab main HEAD --build \"cmake -B build && cmake --build build\" --bench build/bench");
  auto& ab = options_of<AbOptions>(verb);
  verb->names = {"OLD", "NEW"};
  verb->least_names = 2;
  verb->takes_rest = true;
  verb->finish = [&ab](Words given, Words rest) -> Result<void> {
    ab.baseline = std::move(given[0]);
    ab.candidate = std::move(given[1]);
    ab.arguments = std::move(rest);
    return {};
  };
  verb->options.push_back(text_option("--bench", "\"PATH ARGS\"", ab.bench,
                                      "with commits: the program, relative to the work tree", kBuildingGroup));
  add_judging_options(*verb, ab);
  return verb;
}

std::unique_ptr<Verb> make_compare() {
  auto verb = make_verb<CompareOptions>(
      "compare",
      "Judges a candidate against a baseline, both measured before. Each is a .syrun archive, a Google Benchmark JSON "
      "file, a folder of one such file per process, run:ID or commit:SHA from the store. With --table, up to 20 "
      "sides next to each other, files of the harness's Timer among them.",
      "  steelyard compare before.syrun after.syrun --minimum-effect 2%\n"
      "  steelyard compare --table gcc.syrun clang.syrun msvc.syrun --against gcc");
  auto& compare = options_of<CompareOptions>(verb);
  verb->names = {"BASELINE", "CANDIDATE", "[SIDE...]"};
  verb->finish = [&compare](Words given, Words) { return take_compare_names(compare, std::move(given)); };
  add_key_options(*verb, compare.common, {{"policy", "store"}, {}});
  add_table_options(*verb, compare.table);
  verb->options.push_back(flag_option("--markdown", compare.markdown, "print the report as Markdown"));
  verb->options.push_back(path_option("--output", "FILE", compare.output, "write the report there"));
  verb->options.push_back(seed_option(compare.seed));
  add_common_options(*verb, compare.common);
  return verb;
}

std::unique_ptr<Verb> make_gate() {
  auto verb = make_verb<GateOptions>(
      "gate",
      "Builds a commit and its baseline, measures both side by side and fails where something regressed. Programs, "
      "build and policy come from steelyard.toml. The baseline is the first parent, or what the CI system says.",
      "  steelyard gate --base main --markdown summary.md");
  auto& gate = options_of<GateOptions>(verb);
  verb->options.push_back(
      text_option("--base", "COMMIT", gate.base, "the baseline (default: the first parent)", kBuildingGroup));
  verb->options.push_back(text_option("--head", "COMMIT", gate.head, "the candidate (default: HEAD)", kBuildingGroup));
  verb->options.push_back(
      text_option("--bench", "\"PATH ARGS\"", gate.bench, "the program, in place of those configured", kBuildingGroup));
  add_judging_options(*verb, gate);
  return verb;
}

std::unique_ptr<Verb> make_import() {
  auto verb = make_verb<ImportOptions>(
      "import",
      "Brings results of other tools into the store. FORMAT: google-benchmark. Importing the same twice is importing "
      "it once.",
      "  steelyard import google-benchmark results.json --commit $(git rev-parse HEAD) --branch main");
  auto& import = options_of<ImportOptions>(verb);
  verb->names = {"FORMAT", "FILE|FOLDER..."};
  verb->least_names = 2;
  verb->finish = [&import](Words given, Words) -> Result<void> {
    import.format = given[0];
    import.paths.assign(given.begin() + 1, given.end());
    return {};
  };
  verb->options.push_back(text_option("--commit", "SHA", import.commit, "that was measured"));
  verb->options.push_back(text_option("--branch", "NAME", import.branch, "that the commit lies on"));
  add_key_options(*verb, import.common, {{"store", "project"}, {}});
  add_common_options(*verb, import.common);
  return verb;
}

std::unique_ptr<Verb> make_export() {
  auto verb = make_verb<ExportOptions>(
      "export", "Prints one run as JSON, or writes it as an archive. RUN: as one side of compare.",
      "  steelyard export run:3f2a91c04b7e --output run.syrun");
  auto& output = options_of<ExportOptions>(verb);
  verb->names = {"RUN"};
  verb->least_names = 1;
  verb->finish = [&output](Words given, Words) -> Result<void> {
    output.run = std::move(given[0]);
    return {};
  };
  verb->options.push_back(
      path_option("--output", "FILE", output.output, "write there; a name in .syrun: an archive, else JSON"));
  add_key_options(*verb, output.common, {{"store"}, {}});
  add_common_options(*verb, output.common);
  return verb;
}

std::unique_ptr<Verb> make_history() {
  auto verb = make_verb<HistoryOptions>(
      "history",
      "Draws how a benchmark went over the commits that the store knows. BENCHMARK: its name or a part of it.",
      "  steelyard history Sort --metric instructions");
  auto& history = options_of<HistoryOptions>(verb);
  verb->names = {"[BENCHMARK]"};
  verb->finish = [&history](Words given, Words) -> Result<void> {
    if (!given.empty()) history.benchmark = std::move(given[0]);
    return {};
  };
  verb->options.push_back(text_option("--metric", "NAME", history.metric, "default: real_time and the counted ones"));
  verb->options.push_back(text_option("--branch", "NAME", history.branch, "only commits of this branch"));
  verb->options.push_back(number_option("--limit", history.limit, "newest points of each series"));
  add_key_options(*verb, history.common, {{"store", "project"}, {}});
  add_common_options(*verb, history.common);
  return verb;
}

std::unique_ptr<Verb> make_sweep() {
  auto verb = make_verb<SweepOptions>(
      "sweep",
      "Fits how a time grows with a size: the exponent over benchmarks that differ in one numeric parameter, with its "
      "interval. RUN: as one side of compare.",
      "  steelyard sweep run.syrun --over batch --expect 1 --tolerance 0.05");
  auto& sweep = options_of<SweepOptions>(verb);
  verb->names = {"RUN"};
  verb->least_names = 1;
  verb->finish = [&sweep](Words given, Words) -> Result<void> {
    sweep.run = std::move(given[0]);
    return {};
  };
  verb->options.push_back(text_option("--over", "PARAMETER", sweep.over,
                                      "only this one; a number: the position among those without a name; threads"));
  verb->options.push_back(text_option("--metric", "NAME", sweep.metric, "default: real_time"));
  verb->options.push_back(text_option("--benchmark", "TEXT", sweep.benchmark, "only names with this in them"));
  verb->options.push_back(text_option("--expect", "EXPONENT", sweep.expect,
                                      "a claim: status 1 where an interval lies outside, 2 where it cannot tell"));
  verb->options.push_back(text_option("--tolerance", "NUMBER", sweep.tolerance,
                                      "with --expect: how far off still counts as kept (default: 0)"));
  add_key_options(*verb, sweep.common, {{"store"}, {}});
  add_common_options(*verb, sweep.common);
  return verb;
}

std::unique_ptr<Verb> make_profile() {
  auto verb = make_verb<ProfileOptions>("profile", "Reads profiles of counted instructions and shows where they went.",
                                        "  steelyard profile --read callgrind callgrind.out.4711 --json");
  auto& profile = options_of<ProfileOptions>(verb);
  verb->names = {"FILE..."};
  verb->least_names = 1;
  verb->finish = [&profile](Words given, Words) -> Result<void> {
    profile.files = std::move(given);
    if (profile.format == "callgrind") return {};
    return input_error("--read", profile.format.empty() ? "nothing" : '"' + profile.format + '"', "callgrind",
                       "steelyard profile --read callgrind FILE...");
  };
  verb->options.push_back(text_option("--read", "callgrind", profile.format, "what the files are"));
  verb->options.push_back(number_option("--rows", profile.rows, "functions shown of each part"));
  add_common_options(*verb, profile.common);
  return verb;
}

std::unique_ptr<Verb> make_config() {
  auto verb = make_verb<ConfigOptions>("config",
                                       "Shows the configuration in force, or checks a steelyard.toml. ACTION: show, "
                                       "check. FILE: in place of the one that "
                                       "is found from here.",
                                       "  steelyard config check");
  auto& config = options_of<ConfigOptions>(verb);
  verb->names = {"[ACTION]", "[FILE]"};
  verb->finish = [&config](Words given, Words) -> Result<void> {
    if (given.size() > 1) config.file = given[1];
    if (given.empty()) return {};
    STEELYARD_TRY(const std::size_t index,
                  read_word(WrittenValue{given[0], true}, "steelyard config", {"show", "check"}));
    config.action = static_cast<ConfigOptions::Action>(index);
    return {};
  };
  add_key_options(*verb, config.common, {{"store", "project"}, {}});
  add_common_options(*verb, config.common);
  return verb;
}

std::unique_ptr<Verb> make_db() {
  auto verb = make_verb<DbOptions>(
      "db",
      "Looks after the store. ACTION: init, migrate, rebuild, status, stop. Rebuild fills a store that was lost or "
      "left behind from the archives of its runs, which stay in the state folder; running it twice changes nothing.",
      "  steelyard db status\n"
      "  steelyard db rebuild --from /backup/steelyard/runs");
  auto& db = options_of<DbOptions>(verb);
  verb->names = {"ACTION"};
  verb->least_names = 1;
  verb->finish = [&db](Words given, Words) -> Result<void> {
    STEELYARD_TRY(const std::size_t index, read_word(WrittenValue{given[0], true}, "steelyard db",
                                                     {"init", "migrate", "rebuild", "status", "stop"}));
    db.action = static_cast<DbOptions::Action>(index);
    if (db.from.empty() || db.action == DbOptions::Action::rebuild) return {};
    return input_error("--from", "steelyard db " + given[0], "steelyard db rebuild");
  };
  verb->options.push_back(
      path_option("--from", "FOLDER", db.from, "with rebuild: of the archives (default: runs in the state folder)"));
  add_key_options(*verb, db.common, {{"store"}, {}});
  add_common_options(*verb, db.common);
  return verb;
}

// What check and roofline alone take, and that they have their run.
Result<void> check_run_options(const TargetsOptions& targets, const std::string& action) {
  const std::string where = "steelyard targets " + action;
  const bool draws = targets.action == TargetsOptions::Action::roofline;
  const bool reads = draws || targets.action == TargetsOptions::Action::check;
  if (!reads && !targets.ceilings.empty()) return input_error(where, "--ceilings", "it with check or roofline only");
  if (!draws && !targets.svg.empty()) return input_error(where, "--svg", "it with steelyard targets roofline only");
  if (reads && !targets.output.empty()) {
    return input_error(where, "--output", "it with ceilings or datasheet only", "send the output to a file: > FILE");
  }
  if (reads && targets.names.empty()) {
    return input_error(where, "no run", "a .syrun archive, Google Benchmark's JSON, run:ID or commit:SHA",
                       where + " today.syrun");
  }
  if (draws && targets.names.size() > 1) return input_error(where, '"' + targets.names[1] + '"', "one run");
  return {};
}

std::unique_ptr<Verb> make_targets() {
  auto verb = make_verb<TargetsOptions>(
      "targets",
      "Measures what this machine can reach, and prints what devices promise. ACTION: ceilings (arithmetic peaks and "
      "memory bandwidths of this machine, kept under its fingerprint), datasheet [DEVICE...] (of GPUs), check RUN... "
      "(were the targets met that steelyard.toml or the benchmarks declare?), roofline RUN (a plot). RUN: as one side "
      "of "
      "compare.",
      "  steelyard targets ceilings\n"
      "  steelyard targets datasheet \"A100 40G\" --json\n"
      "  steelyard targets check today.syrun\n"
      "  steelyard targets roofline today.syrun --svg roofline.svg");
  auto& targets = options_of<TargetsOptions>(verb);
  verb->names = {"ACTION", "[NAME...]"};
  verb->least_names = 1;
  verb->finish = [&targets](Words given, Words) -> Result<void> {
    STEELYARD_TRY(const std::size_t index, read_word(WrittenValue{given[0], true}, "steelyard targets",
                                                     {"ceilings", "datasheet", "check", "roofline"}));
    targets.action = static_cast<TargetsOptions::Action>(index);
    targets.names.assign(given.begin() + 1, given.end());
    const bool measures = targets.action == TargetsOptions::Action::ceilings;
    if (measures && !targets.names.empty()) {
      return input_error("steelyard targets ceilings", '"' + targets.names[0] + '"', "options only");
    }
    if (!measures && (targets.quick || targets.normal_pages || targets.no_store || !targets.only.empty())) {
      return input_error("steelyard targets " + given[0],
                         targets.quick           ? "--quick"
                         : targets.normal_pages  ? "--normal-pages"
                         : !targets.only.empty() ? "--only"
                                                 : "--no-store",
                         "it with steelyard targets ceilings only");
    }
    return check_run_options(targets, given[0]);
  };
  verb->options.push_back(
      path_option("--output", "FILE", targets.output, "write there as well; a name in .syrun: an archive, else JSON"));
  verb->options.push_back(path_option("--svg", "FILE", targets.svg, "with roofline: draw it there as well"));
  verb->options.push_back(path_option("--ceilings", "FILE.syrun", targets.ceilings,
                                      "with check and roofline: ceilings that were written with --output (default: "
                                      "those kept of the run's machine)"));
  verb->options.push_back(
      flag_option("--quick", targets.quick, "with ceilings: a fifth of the time, and wider intervals"));
  verb->options.push_back(text_option("--only", "PART", targets.only,
                                      "with ceilings: only f64, or L2, or DRAM/triad, ...; nothing is kept"));
  verb->options.push_back(flag_option("--normal-pages", targets.normal_pages,
                                      "with ceilings: memory as a program gets it that asks for no huge pages"));
  verb->options.push_back(flag_option("--no-store", targets.no_store, "with ceilings: keep nothing but --output"));
  add_key_options(*verb, targets.common, {{"store", "project"}, {}});
  add_common_options(*verb, targets.common);
  return verb;
}

std::unique_ptr<Verb> make_doctor() {
  auto verb = make_verb<DoctorOptions>(
      "doctor",
      "Says what hurts timings on this machine, worst first, each with its mend, and whether PROGRAM was built to be "
      "timed. With --fix, mends what can be undone while a command runs, and sets it back, also after Ctrl-C and kill.",
      "  steelyard doctor ./build/bench\n"
      "  sudo steelyard doctor --fix -- steelyard ab ./build-old/bench ./build-new/bench");
  auto& doctor = options_of<DoctorOptions>(verb);
  verb->names = {"[PROGRAM]"};
  verb->takes_rest = true;
  verb->finish = [&doctor](Words given, Words rest) -> Result<void> {
    if (!given.empty()) doctor.program = std::move(given[0]);
    doctor.command = std::move(rest);
    return {};
  };
  verb->options.push_back(
      flag_option("--fix", doctor.fix, "mend while the command after -- runs; its exit status is ours"));
  verb->options.push_back(
      flag_option("--fixed-addresses", doctor.fixed_addresses, "with --fix: run it without address randomization"));
  verb->options.push_back(flag_option("--restore", doctor.restore, "set back what a killed --fix left changed"));
  verb->options.push_back(flag_option("--strict", doctor.strict, "exit with 1 where something severe was found"));
  verb->options.push_back(
      flag_option("--no-probe", doctor.no_probe, "do not time a loop for a second; read files only"));
  verb->options.push_back(
      path_option("--root", "FOLDER", doctor.root, "a copied tree of /proc and /sys, in place of this machine's"));
  add_common_options(*verb, doctor.common);
  return verb;
}

}  // namespace

std::vector<std::unique_ptr<Verb>> make_verbs() {
  std::vector<std::unique_ptr<Verb>> verbs;
  for (const auto make : {make_run, make_ab, make_compare, make_gate, make_import, make_export, make_history,
                          make_sweep, make_profile, make_config, make_db, make_targets, make_doctor}) {
    verbs.push_back(make());
  }
  return verbs;
}

}  // namespace steelyard
