// steelyard export: one run as JSON, or as an archive.
#include <memory>

#include "ci/app/settings.hpp"
#include "ci/app/sides.hpp"
#include "ci/grammar/verb.hpp"
#include "ci/report/run.hpp"
#include "storage/archive/archive.hpp"

namespace steelyard::ci {
namespace {

struct ExportOptions {
  std::string run;               // as one side of compare
  std::filesystem::path output;  // .syrun: an archive; anything else: JSON; empty: JSON to the output stream
};

Result<ExitCode> run_export(const ExportOptions& options, const App& app) {
  STEELYARD_TRY(const Configuration configuration, effective_configuration(app));
  STEELYARD_TRY(Run run, load_side(options.run, configuration, app));
  if (run.header.id.empty()) storage::seal(run);
  if (options.output.empty()) {
    app.print(json_run(run));
  } else if (options.output.extension() == ".syrun" && !app.common.json) {
    STEELYARD_CHECK(storage::write_archive(options.output, run));
  } else {
    STEELYARD_CHECK(write_text_file(options.output, json_run(run)));
  }
  return ExitCode::success;
}

}  // namespace

Verb export_verb() {
  const auto options = std::make_shared<ExportOptions>();
  Verb verb = make_verb(options, run_export, "export",
                        "Prints one run as JSON, or writes it as an archive. RUN: as one side of compare.",
                        "  steelyard export run:3f2a91c04b7e --output run.syrun");
  verb.names = {"RUN"};
  verb.min_names = 1;
  verb.take = [options](Words words) -> Result<void> {
    options->run = std::move(words.names[0]);
    return {};
  };
  verb.add(path_option("--output", "FILE", options->output, "write there; a name in .syrun: an archive, else JSON"));
  add_key_options(verb, {{"store", "project"}});
  add_common_options(verb);
  return verb;
}

}  // namespace steelyard::ci
