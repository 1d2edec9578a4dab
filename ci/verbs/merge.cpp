// steelyard merge: several runs of one program at one commit as one archive.
#include <algorithm>
#include <memory>
#include <utility>

#include "ci/app/settings.hpp"
#include "ci/app/sides.hpp"
#include "ci/grammar/verb.hpp"
#include "ci/judging/judge_shards.hpp"
#include "ci/measuring/merge_runs.hpp"
#include "ci/verbs/judging_options.hpp"
#include "storage/archive/archive.hpp"
#include "storage/document/json.hpp"

namespace steelyard::ci {
namespace {

struct MergeVerbOptions {
  std::vector<std::string> runs;  // each as one side of compare, or a shard's folder
  std::filesystem::path output;
  JudgementOutputs judgement;      // of shards
  std::filesystem::path accepted;  // of --accepted, for shards; empty: none
};

// Schema steelyard.merge/1.
std::string json_merged(const Run& run, const std::filesystem::path& output, const std::vector<std::string>& parts,
                        const std::vector<std::string>& warnings) {
  storage::JsonWriter object;
  object("schema", "steelyard.merge/1");
  object("run", run.header.id);
  object("output", output.string());
  object("parts", parts);
  object("invocations", run.invocations.size());
  object("measurements", run.measurements.size());
  object("failures", run.failures.size());
  object("warnings", warnings);
  return object.text();
}

// What nobody could read is never written.
Result<void> write_readable(const std::filesystem::path& output, const Run& run) {
  const std::string bytes = storage::encode_run(run);
  const std::int64_t most = storage::ArchiveLimits().file_bytes;
  if (static_cast<std::int64_t>(bytes.size()) > most) {
    return input_error(output.string(), std::to_string(bytes.size()) + " bytes", "at most " + std::to_string(most),
                       "merge fewer runs");
  }
  STEELYARD_TRY(const Run read, storage::decode_run(bytes, output.string()));
  return storage::write_named_archive(output, read, LinkInPlace::replaced);
}

// ", 2 failed, 3 skipped"; empty where all was measured. What skips itself has not failed.
std::string failures_text(const Run& run) {
  const auto skipped = std::count_if(run.failures.begin(), run.failures.end(),
                                     [](const Failure& failure) { return is_skip(failure.kind); });
  const auto failed = static_cast<std::ptrdiff_t>(run.failures.size()) - skipped;
  return (failed > 0 ? ", " + std::to_string(failed) + " failed" : "") +
         (skipped > 0 ? ", " + std::to_string(skipped) + " skipped" : "");
}

// True: all are folders with both sides of a shard.
Result<bool> are_judged(const MergeVerbOptions& options) {
  const auto folders = std::count_if(options.runs.begin(), options.runs.end(),
                                     [](const std::string& name) { return is_judged_folder(name); });
  if (folders == 0) {
    const bool any = !report_option(options.judgement).empty() || !options.judgement.archive_dir.empty() ||
                     !options.accepted.empty();
    if (!any) return false;
    return input_error("steelyard merge", "runs, and a report or --archive-dir", "folders of shards, which are judged",
                       "of runs there is --output FILE.syrun");
  }
  if (static_cast<std::size_t>(folders) == options.runs.size()) return true;
  const auto other = std::find_if(options.runs.begin(), options.runs.end(),
                                  [](const std::string& name) { return !is_judged_folder(name); });
  return input_error(*other, "no folder with baseline.syrun, candidate.syrun and comparison.json", "one, as the others",
                     "a shard's job writes it with --archive-dir");
}

Result<ExitCode> run_merge(const MergeVerbOptions& options, const App& app) {
  STEELYARD_TRY(const bool judged, are_judged(options));
  if (judged && !options.output.empty()) {
    return input_error("--output", "folders of shards", "--archive-dir FOLDER for both sides and the comparison");
  }
  AcceptedChanges accepted;
  if (judged && !options.accepted.empty()) {
    STEELYARD_TRY(accepted, accepted_in_file(options.accepted));
  }
  if (judged) return judge_shards(options.runs, accepted, options.judgement, app);
  if (options.output.extension() != ".syrun") {
    return input_error("--output", '"' + options.output.string() + '"', "an archive's name",
                       "write for example --output whole.syrun");
  }
  STEELYARD_TRY(const Configuration configuration, effective_configuration(app));
  std::vector<NamedRun> parts;
  std::vector<std::string> ids;
  if (options.runs.size() > kMaxMergedRuns) {
    return input_error("steelyard merge", std::to_string(options.runs.size()) + " runs",
                       "at most " + std::to_string(kMaxMergedRuns));
  }
  std::int64_t bytes = 0;
  for (const std::string& name : options.runs) {
    STEELYARD_TRY(Run run, load_side(name, configuration, app));
    if (run.header.id.empty()) storage::seal(run);
    bytes += static_cast<std::int64_t>(storage::encode_run(run).size());
    if (bytes > storage::ArchiveLimits().file_bytes) {
      return input_error(name, "more than " + std::to_string(storage::ArchiveLimits().file_bytes) + " bytes up to here",
                         "runs that fit into one archive", "merge fewer of them");
    }
    ids.push_back(run.header.id);
    parts.push_back({name, std::move(run)});
  }
  std::vector<std::string> warnings;
  STEELYARD_TRY(const Run merged, merge_runs(std::move(parts), warnings));
  STEELYARD_CHECK(write_readable(options.output, merged));
  if (app.common.json) {
    app.print(json_merged(merged, options.output, ids, warnings));
    return ExitCode::success;
  }
  for (const std::string& warning : warnings) app.note("warning: " + warning);
  app.print("run:" + merged.header.id.substr(0, 12) + "  " + options.output.string() + ": " +
            std::to_string(ids.size()) + " runs, " + std::to_string(merged.measurements.size()) + " measurements of " +
            std::to_string(merged.invocations.size()) + " processes" + failures_text(merged) + '\n');
  return ExitCode::success;
}

}  // namespace

Verb merge_verb() {
  const auto options = std::make_shared<MergeVerbOptions>();
  Verb verb = make_verb(options, run_merge, "merge",
                        "Makes one run out of several of one program, commit and kind of machine: shards of a suite, "
                        "or the same benchmarks again. RUN: as one side of compare. Of folders that the shards of ab "
                        "or gate left with --archive-dir, it joins both sides and judges all benchmarks at once.",
                        "  steelyard merge shard-1.syrun shard-2.syrun --output whole.syrun\n"
                        "  steelyard merge shards/* --archive-dir whole --markdown summary.md");
  verb.names = {"RUN..."};
  verb.min_names = 1;
  verb.take = [options](Words words) -> Result<void> {
    options->runs = std::move(words.names);
    return {};
  };
  verb.add(output_option("--output", "FILE", options->output, "the archive to write, a name in .syrun"));
  verb.add(output_option("--archive-dir", "FOLDER", options->judgement.archive_dir,
                         "of shards: write both sides' archives and the comparison there", Writes::folder));
  verb.add(output_option("--markdown", "FILE", options->judgement.markdown,
                         "of shards: write the report as Markdown there as well"));
  verb.add(accepted_option(options->accepted));
  add_picture_options(verb, options->judgement);
  add_key_options(verb, {{"policy", "run", "store", "project"},
                         {},
                         {"--demand-decision", "--forbid-skips", "--counts", "--store", "--project"}});
  add_common_options(verb);
  return verb;
}

}  // namespace steelyard::ci
