#include <string>
#include <utility>
#include <vector>

#include "ci/grammar/verb_options.hpp"
#include "ci/verbs/verb_rows.hpp"

namespace steelyard {
namespace {

using Words = std::vector<std::string>;

// What ab and gate have in common: they measure, judge and keep.
template <class Options>
void add_judging_options(Verb& verb, Options& options) {
  add_key_options(verb, options.common, {{"build", "run", "policy", "store", "project"}, {}});
  verb.options.push_back(
      path_option("--markdown", "FILE", options.markdown, "write the report as Markdown there as well"));
  verb.options.push_back(path_option("--archive-dir", "FOLDER", options.archive_dir,
                                     "copy both sides' archives and the comparison there"));
  verb.options.push_back(
      path_option("--flame-dir", "FOLDER", options.flame_dir, "draw a flame graph of every changed count there"));
  verb.options.push_back(explain_option(options.explain));
  add_picture_options(verb, options.pictures);
  verb.options.push_back(flag_option("--no-store", options.no_store, "keep nothing but --archive-dir"));
  verb.options.push_back(seed_option(options.seed));
  add_common_options(verb, options.common);
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

}  // namespace

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
  add_key_options(*verb, run.common, {{"run", "store", "project"}, {"--layout", "--no-solo-check"}});
  verb->options.push_back(path_option("--output", "FILE.syrun", run.output, "write the archive there as well"));
  verb->options.push_back(flag_option("--no-store", run.no_store, "keep nothing but --output"));
  verb->options.push_back(seed_option(run.seed));
  add_common_options(*verb, run.common);
  return verb;
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

std::unique_ptr<Verb> make_gate() {
  auto verb = make_verb<GateOptions>(
      "gate",
      "Builds a commit and its baseline, measures both side by side and fails where something regressed. Programs, "
      "build and policy come from steelyard.toml. The baseline is the first parent, or what the CI system says.",
      "  steelyard gate --base main --markdown summary.md\n"
      "  steelyard gate --against-history --run today.syrun");
  auto& gate = options_of<GateOptions>(verb);
  verb->options.push_back(
      text_option("--base", "COMMIT", gate.base, "the baseline (default: the first parent)", kBuildingGroup));
  verb->options.push_back(text_option("--head", "COMMIT", gate.head, "the candidate (default: HEAD)", kBuildingGroup));
  verb->options.push_back(
      text_option("--bench", "\"PATH ARGS\"", gate.bench, "the program, in place of those configured", kBuildingGroup));
  verb->options.push_back(text_option("--run", "RUN", gate.run,
                                      "with --against-history: judge this run, measured before, in place of the head; "
                                      "as one side of compare",
                                      "Judging"));
  add_key_options(*verb, gate.common, {{"gate"}, {}});
  add_judging_options(*verb, gate);
  return verb;
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
    const bool says_how = targets.quick || targets.normal_pages || !targets.only.empty();
    if (!targets.from.empty() && (!measures || says_how)) {
      return input_error("steelyard targets " + given[0], "--from",
                         "it with steelyard targets ceilings, without options of measuring");
    }
    if (!measures && (says_how || targets.no_store)) {
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
  verb->options.push_back(text_option("--from", "RUN", targets.from,
                                      "with ceilings: keep those that a run measured, of a device too; as one side of "
                                      "compare"));
  verb->options.push_back(flag_option("--no-store", targets.no_store, "with ceilings: keep nothing but --output"));
  add_key_options(*verb, targets.common, {{"store", "project"}, {}});
  add_common_options(*verb, targets.common);
  return verb;
}

}  // namespace steelyard
