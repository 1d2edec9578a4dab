// steelyard export: one run as an archive, or in the format of another tool.
#include <algorithm>
#include <memory>

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

// JSON unless an option or the ending of the output names another.
Result<const ExportFormat*> export_format(const ExportOptions& options, const App& app) {
  const auto formats = export_formats();
  if (!options.format.empty()) {
    STEELYARD_TRY(const std::size_t index, read_word(WrittenValue{options.format, true}, "--format", export_names()));
    return &formats[index];
  }
  const std::string ending = app.common.json ? "" : options.output.extension().string();
  const auto at = std::find_if(formats.begin(), formats.end(),
                               [&](const ExportFormat& format) { return !ending.empty() && format.ending == ending; });
  return at != formats.end() ? &*at : &formats.front();
}

Result<ExitCode> run_export(const ExportOptions& options, const App& app) {
  STEELYARD_TRY(const ExportFormat* const format, export_format(options, app));
  STEELYARD_TRY(const Configuration configuration, effective_configuration(app));
  STEELYARD_TRY(Run run, load_side(options.run, configuration, app));
  if (run.header.id.empty()) storage::seal(run);
  const bool is_archive = options.output.extension() == ".syrun" && options.format.empty() && !app.common.json;
  if (options.output.empty()) {
    app.print(format->write(run));
  } else if (is_archive) {
    STEELYARD_CHECK(storage::write_named_archive(options.output, run, LinkInPlace::replaced));
  } else {
    STEELYARD_CHECK(write_text_file(options.output, format->write(run)));
  }
  return ExitCode::success;
}

}  // namespace

Verb export_verb() {
  const auto options = std::make_shared<ExportOptions>();
  std::string names;
  for (const std::string& name : export_names()) names += (names.empty() ? "" : ", ") + name;
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
                         "write there; a name in .syrun: an archive, in .csv, .jsonl or .om that format, else JSON"));
  add_key_options(verb, {{"store", "project"}});
  add_common_options(verb);
  return verb;
}

}  // namespace steelyard::ci
