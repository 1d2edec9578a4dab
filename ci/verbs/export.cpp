// steelyard export: one run as an archive, or in the format of another tool.
#include <algorithm>
#include <memory>

#include "bench/model/text.hpp"
#include "ci/app/settings.hpp"
#include "ci/app/sides.hpp"
#include "ci/grammar/verb.hpp"
#include "ci/report/exports.hpp"
#include "storage/archive/archive.hpp"

namespace steelyard::ci {
namespace {

struct ExportOptions {
  std::string run;               // as one side of compare
  std::string format;            // of export_formats(); empty: as the name of the output says
  std::filesystem::path output;  // empty: to the output stream
};

std::vector<std::string> export_names() {
  std::vector<std::string> names;
  for (const ExportFormat& format : export_formats()) names.emplace_back(format.name);
  return names;
}

constexpr std::string_view kArchiveEnding = ".syrun";

// JSON unless an option or the ending of the output names another; null: an archive. Error (input): an ending that
// promises what is not written.
Result<const ExportFormat*> export_format(const ExportOptions& options, const App& app) {
  const auto formats = export_formats();
  const std::string ending = options.output.extension().string();
  const auto of_ending = std::find_if(formats.begin(), formats.end(), [&](const ExportFormat& format) {
    return !ending.empty() && format.ending == ending;
  });
  std::string named = options.format.empty() && app.common.json ? "json" : options.format;
  if (!named.empty()) {
    STEELYARD_TRY(const std::size_t index, read_word(WrittenValue{named, true}, "--format", export_names()));
    const bool is_anothers = ending == kArchiveEnding || (ending == ".json" && !formats[index].is_json) ||
                             (of_ending != formats.end() && of_ending->name != named);
    if (!is_anothers) return &formats[index];
    const std::string_view its = of_ending != formats.end() ? of_ending->name : "json";
    return input_error("--output", options.output.string() + " for " + named,
                       "a name that does not end as that of another format",
                       ending == kArchiveEnding ? "an archive takes no --format and no --json"
                                                : "--format " + std::string(its) + ", or another name");
  }
  if (ending == kArchiveEnding) return static_cast<const ExportFormat*>(nullptr);
  if (of_ending != formats.end()) return &*of_ending;
  if (ending.empty() || ending == ".json") return &formats.front();
  std::string known = ".json, .syrun";
  for (const ExportFormat& format : formats) {
    if (!format.ending.empty()) known += ", " + std::string(format.ending);
  }
  return input_error("--output", options.output.string() + ", and no --format", "a name in one of " + known,
                     "name it so, or say what to write: --format json");
}

Result<ExitCode> run_export(const ExportOptions& options, const App& app) {
  STEELYARD_TRY(const ExportFormat* const format, export_format(options, app));
  STEELYARD_TRY(const Configuration configuration, effective_configuration(app));
  STEELYARD_TRY(Run run, load_side(options.run, configuration, app));
  if (run.header.id.empty()) storage::seal(run);
  if (format == nullptr) {
    STEELYARD_CHECK(storage::write_named_archive(options.output, run, LinkInPlace::replaced));
  } else if (options.output.empty()) {
    app.print(format->write(run));
  } else {
    STEELYARD_CHECK(write_text_file(options.output, format->write(run)));
  }
  return ExitCode::success;
}

}  // namespace

Verb export_verb() {
  const auto options = std::make_shared<ExportOptions>();
  std::string names = joined_text(export_names(), ", ");
  Verb verb = make_verb(options, run_export, "export",
                        "Prints one run for other tools to read, or writes it as an archive. RUN: as one side of "
                        "compare.",
                        "  steelyard export run:3f2a91c04b7e --output run.syrun\n"
                        "  steelyard export today.syrun --format benchstat --output today.txt");
  verb.names = {"RUN"};
  verb.min_names = 1;
  verb.take = [options](Words words) -> Result<void> {
    options->run = std::move(words.names[0]);
    return {};
  };
  verb.add(text_option("--format", "FORMAT", options->format,
                       "one of " + names + "; else as the name of --output ends, or json"));
  verb.add(output_option("--output", "FILE", options->output,
                         "write there; a name in .syrun: an archive, in .csv, .jsonl or .om that format, in .json or "
                         "without an ending JSON; another ending needs --format"));
  add_key_options(verb, {{"store", "project"}});
  add_common_options(verb);
  return verb;
}

}  // namespace steelyard::ci
