// steelyard compare: a candidate against a baseline, both measured before; with --table, many sides next to each other.
#include <memory>
#include <utility>

#include "ci/app/settings.hpp"
#include "ci/app/sides.hpp"
#include "ci/judging/accepted.hpp"
#include "ci/judging/judge.hpp"
#include "ci/verbs/compare_table.hpp"
#include "storage/archive/archive.hpp"

namespace steelyard::ci {
namespace {

struct CompareOptions {
  std::string baseline;  // .syrun, Google Benchmark JSON, a folder of it, run:ID, commit:SHA
  std::string candidate;
  JudgementOutputs outputs;
  std::filesystem::path accepted;  // of --accepted; empty: none
  std::optional<std::uint64_t> seed;
  TableOptions table;
};

// Where the report itself is Markdown, which holds none of these.
Result<void> check_markdown(const JudgementOutputs& outputs, const App& app) {
  if (!outputs.is_markdown) return {};
  const auto contradiction = [](const std::string& option, const std::string& hint = "") {
    return input_error("steelyard compare", option + " and --markdown", "one of them", hint);
  };
  if (app.common.json) return contradiction("--json");
  if (!outputs.explain.empty()) return contradiction("--explain");
  if (outputs.pictures) return contradiction("--pictures", "--svg-dir FOLDER draws files");
  return {};
}

Result<ExitCode> run_compare(const CompareOptions& options, const App& app) {
  if (options.table.wanted && !options.accepted.empty()) return input_error("--accepted", "--table", "one of them");
  if (options.table.wanted) return run_compare_table(options.table, options.outputs, app);
  STEELYARD_CHECK(check_markdown(options.outputs, app));
  STEELYARD_TRY(Configuration configuration, effective_configuration(app));
  STEELYARD_TRY(Sides sides, load_sides(options.baseline, options.candidate, configuration, app));
  if (!options.accepted.empty()) {
    STEELYARD_TRY(const AcceptedChanges accepted, accepted_in_file(options.accepted));
    accept(accepted, configuration.policy, sides.warnings);
  }
  // By its id a run is found again when the comparison is verified.
  for (Run* run : {&sides.baseline, &sides.candidate}) {
    if (run->header.id.empty()) storage::seal(*run);
  }
  STEELYARD_TRY(KnownCalibration calibrations, KnownCalibration::of(configuration));
  Comparison comparison =
      compare_sides(sides.baseline, sides.candidate, {configuration, calibrations, options.seed}, sides.warnings);
  Judgement judgement{sides.baseline, sides.candidate, std::move(comparison)};
  STEELYARD_TRY(judgement.explanations, explanations_of(options.outputs.explain, judgement));
  return tell(judgement, options.outputs, configuration, app);
}

// The option of ab and gate; without FILE the report itself is Markdown.
VerbOption markdown_option(CompareOptions& options) {
  const auto set = [&outputs = options.outputs](const std::string& file) -> Result<void> {
    outputs.is_markdown = file.empty();
    outputs.markdown = file;
    return {};
  };
  VerbOption option{"--markdown", "[FILE]", "", kGeneralGroup, false, set};
  option.help =
      "write the report as Markdown there as well; without FILE: print it as Markdown. Before a side: "
      "--markdown=FILE";
  // "--markdown before.syrun after.syrun" has two sides and no file; a table has as many sides as there are.
  option.takes = [&table = options.table](const std::string& word, std::size_t names) {
    return word.ends_with(".md") || (!table.wanted && names >= 2);
  };
  return option;
}

Result<void> take_sides(CompareOptions& options, std::vector<std::string> given) {
  if (options.table.wanted) return take_table_sides(options.table, std::move(given));
  const std::string option = option_of_tables(options.table);
  if (!option.empty()) return input_error("steelyard compare", option + " without --table", "both");
  if (given.size() != 2) {
    std::string found;
    for (const std::string& name : given) found += (found.empty() ? "" : " ") + name;
    return input_error("steelyard compare", found.empty() ? "nothing" : '"' + found + '"', "BASELINE CANDIDATE",
                       "see steelyard compare --help");
  }
  options.baseline = std::move(given[0]);
  options.candidate = std::move(given[1]);
  return {};
}

}  // namespace

Verb compare_verb() {
  const auto options = std::make_shared<CompareOptions>();
  Verb verb = make_verb(
      options, run_compare, "compare",
      "Judges a candidate against a baseline, both measured before. Each is a .syrun archive, a Google Benchmark JSON "
      "file, a folder of one such file per process, run:ID or commit:SHA from the store (or what git calls it here: "
      "commit:HEAD~3, commit:v1.2); BASELINE also ancestor: or "
      "ancestor:BRANCH, the nearest ancestor of the candidate's commit that was measured on its machine. With --table, "
      "up to 20 sides next to each other, files of the harness's Timer among them.",
      "  steelyard compare before.syrun after.syrun --minimum-effect 2%\n"
      "  steelyard compare --table gcc.syrun clang.syrun msvc.syrun --against gcc");
  verb.names = {"BASELINE", "CANDIDATE", "[SIDE...]"};
  verb.take = [options](Words words) { return take_sides(*options, std::move(words.names)); };
  add_key_options(verb, {{"policy", "store", "project"}});
  add_table_options(verb, options->table);
  verb.add(markdown_option(*options));
  verb.add(path_option("--output", "FILE", options->outputs.output, "write the report there"));
  verb.add(accepted_option(options->accepted));
  add_picture_options(verb, options->outputs);
  verb.add(seed_option(options->seed));
  add_common_options(verb);
  return verb;
}

}  // namespace steelyard::ci
