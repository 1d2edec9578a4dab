#include <ostream>

#include "ci/app/messages.hpp"
#include "ci/app/settings.hpp"
#include "ci/app/sides.hpp"
#include "ci/verbs/verbs.hpp"
#include "storage/archive/archive.hpp"

namespace steelyard {

ExitCode do_export(const ExportOptions& options, Streams& streams) {
  const Result<Configuration> configuration = effective_configuration(options.common);
  if (!configuration) return report_error(configuration.error(), streams);
  std::vector<std::string> warnings;
  Result<Run> run = load_side(options.run, *configuration, options.common, streams, warnings);
  if (!run) return report_error(run.error(), streams);
  for (const std::string& warning : warnings) note(warning, options.common, streams);
  if (run->header.id.empty()) seal(*run);
  if (options.output.empty()) {
    streams.out << json_run(*run) << std::flush;
    return ExitCode::success;
  }
  const bool as_archive = options.output.extension() == ".syrun" && !options.common.json;
  const Result<void> written =
      as_archive ? write_archive(options.output, *run) : write_text_file(options.output, json_run(*run));
  return written ? ExitCode::success : report_error(written.error(), streams);
}

}  // namespace steelyard
