#include "ci/verbs/judging_options.hpp"

#include <utility>

#include "ci/app/sides.hpp"

namespace steelyard::ci {

void add_picture_options(Verb& verb, JudgementOutputs& outputs) {
  verb.add(output_option("--html", "FILE", outputs.html,
                         "write the report there as one HTML page, with pictures and every row explained"));
  verb.add(
      flag_option("--details", outputs.details, "report every row, and what is behind it, however many there are"));
  verb.add(output_option("--flame-dir", "FOLDER", outputs.flame_dir, "draw a flame graph of every changed count there",
                         Writes::folder));
  verb.add(text_option("--explain", "BENCHMARK", outputs.explain,
                       "explain the rows whose benchmark contains it, from samples to answer; all: every row"));
  verb.add(output_option("--svg-dir", "FOLDER", outputs.svg_dir, "draw the samples of every row that changed there",
                         Writes::folder));
  verb.add(flag_option("--pictures", outputs.pictures, "draw samples and intervals below the report, too"));
}

void add_judging_options(Verb& verb, JudgementOutputs& outputs, std::optional<std::uint64_t>& seed) {
  add_key_options(verb, {{"build", "run", "policy", "store", "project"}});
  verb.add(output_option("--markdown", "FILE", outputs.markdown, "write the report as Markdown there as well"));
  verb.add(output_option("--archive-dir", "FOLDER", outputs.archive_dir,
                         "copy both sides' archives and the comparison there", Writes::folder));
  add_picture_options(verb, outputs);
  verb.add(output_option("--profile-on-regression", "FOLDER", outputs.time_dir,
                         "record spans of both builds where time regressed and counts do not say why, and write what "
                         "changed there",
                         Writes::folder));
  verb.add(flag_option("--no-store", outputs.no_store, "keep nothing but --archive-dir"));
  verb.add(seed_option(seed));
  add_common_options(verb);
}

VerbOption accepted_option(std::filesystem::path& file) {
  VerbOption option = path_option("--accepted", "FILE", file,
                                  "changes that were accepted on the pull or merge request fail nothing, as steelyard "
                                  "accepted --output FILE has read them");
  option.group = kJudgingGroup;
  return option;
}

std::string report_option(const JudgementOutputs& outputs) {
  if (!outputs.markdown.empty()) return "--markdown";
  if (!outputs.html.empty()) return "--html";
  if (!outputs.flame_dir.empty()) return "--flame-dir";
  if (!outputs.time_dir.empty()) return "--profile-on-regression";
  if (!outputs.svg_dir.empty()) return "--svg-dir";
  if (outputs.pictures) return "--pictures";
  if (outputs.details) return "--details";
  return outputs.explain.empty() ? "" : "--explain";
}

void add_shard_options(Verb& verb, ShardOptions& options) {
  verb.add(text_option("--shard", "I/N", options.shard,
                       "measure the Ith of N parts of the benchmarks, both sides of each, for steelyard merge; the "
                       "parts follow from the benchmarks' names, and are the same on every machine",
                       "Measuring"));
  verb.add(text_option("--shard-by", "RUN", options.durations,
                       "parts that take as long as each other by the times of this run, as one side of compare; the "
                       "same run on every machine (default: as many benchmarks each)",
                       "Measuring"));
}

Result<std::optional<ShardChoice>> shard_choice(const ShardOptions& options, const Configuration& configuration,
                                                const App& app) {
  if (options.shard.empty()) {
    if (options.durations.empty()) return std::optional<ShardChoice>();
    return input_error("--shard-by", "no --shard", "both");
  }
  const std::optional<Shard> shard = parse_shard(options.shard);
  if (!shard) {
    return input_error("--shard", '"' + options.shard + '"',
                       "the number of a part and of how many, from 2 to " + std::to_string(kMaxShards),
                       "write for example --shard 2/4");
  }
  ShardChoice choice{*shard};
  if (!options.durations.empty()) {
    STEELYARD_TRY(const Run run, load_side(options.durations, configuration, app));
    choice.durations = durations_of(run);
    if (choice.durations.empty()) {
      return input_error("--shard-by", options.durations + ", which has no times", "a run with times of benchmarks");
    }
  }
  return std::optional(std::move(choice));
}

Result<void> check_outputs_of_shard(const JudgementOutputs& outputs) {
  if (const std::string option = report_option(outputs); !option.empty()) {
    return input_error(option, "--shard", "a report of all shards", "give it to steelyard merge");
  }
  if (!outputs.archive_dir.empty()) return {};
  return input_error("--shard", "no --archive-dir", "a folder for what steelyard merge judges");
}

}  // namespace steelyard::ci
