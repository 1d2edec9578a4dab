#include <ostream>

#include "ci/app/keeping.hpp"
#include "ci/app/messages.hpp"
#include "ci/app/settings.hpp"
#include "ci/verbs/json_output.hpp"
#include "ci/verbs/verbs.hpp"

namespace steelyard {
namespace {

Result<Configuration> configuration_asked_for(const ConfigOptions& options) {
  if (options.file.empty()) return effective_configuration(options.common);
  STEELYARD_TRY(Configuration configuration, read_configuration(options.file));
  return with_overrides(std::move(configuration), options.common);
}

}  // namespace

ExitCode do_config(const ConfigOptions& options, Streams& streams) {
  Result<Configuration> configuration = configuration_asked_for(options);
  if (!configuration) return report_error(configuration.error(), streams);
  const Result<StoreAddress> address = store_address(*configuration);
  if (!address) return report_error(address.error(), streams);
  const std::string file = configuration->file.string();
  if (options.common.json) {
    streams.out << json_configuration(*configuration) << std::flush;
  } else if (options.action == ConfigOptions::Action::check) {
    streams.out << (file.empty() ? "no steelyard.toml from here upwards: the defaults hold" : file + ": good") << '\n';
  } else {
    configuration->store = address->safe_text();
    streams.out << "# " << (file.empty() ? "no steelyard.toml from here upwards: these are the defaults" : file) << '\n'
                << to_toml(*configuration) << std::flush;
  }
  return ExitCode::success;
}

}  // namespace steelyard
