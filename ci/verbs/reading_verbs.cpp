#include <string>
#include <utility>
#include <vector>

#include "ci/grammar/verb_options.hpp"
#include "ci/verbs/profile_view.hpp"
#include "ci/verbs/table_options.hpp"
#include "ci/verbs/verb_rows.hpp"

namespace steelyard {
namespace {

using Words = std::vector<std::string>;

Result<void> take_profile_names(ProfileOptions& profile, Words given) {
  const std::string extension = profile.flame.extension().string();
  if (!profile.flame.empty() && extension != ".html" && extension != ".svg") {
    return input_error("--flame", '"' + profile.flame.string() + '"', "a name that ends in .html or .svg");
  }
  const bool has_files = !profile.flame.empty() || !profile.folded.empty() || !profile.speedscope.empty();
  if (has_files && !profile.common.json && (profile.inclusive || profile.lines || !profile.filter.empty())) {
    const char* option = profile.inclusive ? "--inclusive" : profile.lines ? "--lines" : "--filter";
    return input_error(option, "a flame graph or stacks to write", "a table",
                       "leave it out: pictures and stacks hold every function");
  }
  if (profile.format.empty()) {
    if (given.size() != 1) {
      return input_error("steelyard profile", std::to_string(given.size()) + " names", "one run",
                         "callgrind files are read by steelyard profile --read callgrind FILE...");
    }
    if (profile.part != 0) return input_error("--part", "a run", "callgrind files", "name the --benchmark");
    if (!profile.repeats.empty()) return input_error("--repeats", "a run", "callgrind files, with --read callgrind");
    profile.side = std::move(given.front());
    return {};
  }
  if (profile.format != "callgrind") {
    return input_error("--read", '"' + profile.format + '"', "callgrind", "steelyard profile --read callgrind FILE...");
  }
  if (!profile.repeats.empty() && profile.against.empty()) {
    return input_error("--repeats", "no --against", "the baseline whose repeats these are");
  }
  profile.files = std::move(given);
  return {};
}

}  // namespace

std::unique_ptr<Verb> make_compare() {
  auto verb = make_verb<CompareOptions>(
      "compare",
      "Judges a candidate against a baseline, both measured before. Each is a .syrun archive, a Google Benchmark JSON "
      "file, a folder of one such file per process, run:ID or commit:SHA from the store; BASELINE also ancestor: or "
      "ancestor:BRANCH, the nearest ancestor of the candidate's commit that was measured on its machine. With --table, "
      "up to 20 "
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
  verb->options.push_back(
      path_option("--flame-dir", "FOLDER", compare.flame_dir, "draw a flame graph of every changed count there"));
  verb->options.push_back(explain_option(compare.explain));
  add_picture_options(*verb, compare.pictures);
  verb->options.push_back(seed_option(compare.seed));
  add_common_options(*verb, compare.common);
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
  auto verb = make_verb<ProfileOptions>(
      "profile",
      "Shows where counted instructions went, as a table, a flame graph or stacks, of one profile or of the difference "
      "between two. SIDE: a run as compare takes it, with counted profiles; with --read, callgrind files.",
      "  steelyard profile --read callgrind callgrind.out.4711 --json\n"
      "  steelyard profile new.syrun --benchmark BM_sort --against old.syrun --flame sort.html");
  auto& profile = options_of<ProfileOptions>(verb);
  verb->names = {"SIDE|FILE..."};
  verb->least_names = 1;
  verb->finish = [&profile](Words given, Words) { return take_profile_names(profile, std::move(given)); };
  verb->options.push_back(text_option("--read", "callgrind", profile.format, "what the files are"));
  verb->options.push_back(
      text_option("--benchmark", "NAME", profile.benchmark, "of the run: its name, or a part that only one has"));
  verb->options.push_back(
      text_option("--against", "SIDE|FILE", profile.against, "the baseline: show what changed from it"));
  verb->options.push_back(path_option("--flame", "FILE", profile.flame, "write a flame graph: .html or .svg"));
  verb->options.push_back(
      path_option("--folded", "FILE", profile.folded, "write one line a stack, as flamegraph.pl reads them"));
  verb->options.push_back(path_option("--speedscope", "FILE", profile.speedscope, "write stacks for speedscope.app"));
  verb->options.push_back(
      text_option("--event", "NAME", profile.event, "that tables, flame graphs and stacks show (default: Ir)"));
  verb->options.push_back(number_option("--part", profile.part, "of the callgrind files, from 1 (default: all)"));
  verb->options.push_back(number_option("--rows", profile.rows, "functions shown of each part"));
  add_view_options(*verb, profile);
  add_key_options(*verb, profile.common, {{"store"}, {}});
  add_common_options(*verb, profile.common);
  return verb;
}

}  // namespace steelyard
