// steelyard config: the configuration in force, or whether a steelyard.toml is good.
#include <memory>
#include <utility>

#include "ci/app/keeping.hpp"
#include "ci/app/settings.hpp"
#include "ci/grammar/verb.hpp"
#include "storage/document/json.hpp"

namespace steelyard::ci {
namespace {

struct ConfigOptions {
  enum class Action { show, check };
  Action action = Action::show;
  std::filesystem::path file;  // empty: the one that is found from here
};

// A basic string of TOML, a number, true, false and a list of strings are written the same in JSON, so that the values
// as the configuration prints them serve here too.
std::string quoted_or_null(const std::string& text) { return text.empty() ? "null" : quoted_for_toml(text); }

// The store's address may carry a password.
std::string safe_value(const ConfigurationKey& key, const Configuration& configuration) {
  if (key.section != "store") return key.print(configuration);
  const Result<storage::StoreAddress> address =
      storage::parse_store_address(configuration.store, configuration.store_where);
  return quoted_for_toml(address ? address->safe_text() : "not an address");
}

std::string json_target(const regress::DeclaredTarget& target) {
  std::string text =
      "{\"benchmark\": " + quoted_for_toml(target.benchmark) + ", \"target\": " + quoted_for_toml(target.target.text);
  for (const auto& [key, word] : {std::pair("level", &Target::level), std::pair("access", &Target::access),
                                  std::pair("dtype", &Target::dtype), std::pair("where", &Target::where)}) {
    text += std::string(", \"") + key + "\": " + quoted_or_null(target.target.*word);
  }
  const std::optional<int> threads = target.target.threads;
  return text + ", \"threads\": " + (threads ? std::to_string(*threads) : "null") + '}';
}

// Schema steelyard.configuration/1.
std::string json_configuration(const Configuration& configuration) {
  std::string text = "{\n  \"schema\": \"steelyard.configuration/1\",\n  \"file\": " +
                     (configuration.file.empty() ? std::string("null") : quoted_for_toml(configuration.file.string()));
  std::string_view section;
  for (const ConfigurationKey& key : configuration_keys()) {
    if (key.section != section) {
      text += (section.empty() ? ",\n  \"" : "\n  },\n  \"") + std::string(key.section) + "\": {";
    } else {
      text += ',';
    }
    section = key.section;
    const std::string value = safe_value(key, configuration);
    text += "\n    \"" + std::string(key.name) + "\": " + (value.empty() ? "null" : value);
  }
  text += "\n  },\n  \"program\": [";
  for (const ConfiguredProgram& program : configuration.programs) {
    text += (&program == configuration.programs.data() ? "\n    {\"name\": " : ",\n    {\"name\": ") +
            quoted_for_toml(program.name) + ", \"command\": " + quoted_for_toml(program.command) + '}';
  }
  text += "],\n  \"target\": [";
  for (const regress::DeclaredTarget& target : configuration.targets) {
    text += (&target == configuration.targets.data() ? "\n    " : ",\n    ") + json_target(target);
  }
  text += "],\n  \"policies\": [";
  for (const PatternPolicy& policy : configuration.policy.patterns) {
    storage::JsonWriter object;
    PatternPolicy::fields(object, policy);
    text += (&policy == configuration.policy.patterns.data() ? "\n    " : ",\n    ") + object.one_line();
  }
  return text + "]\n}\n";
}

Result<Configuration> configuration_asked_for(const ConfigOptions& options, const App& app) {
  if (options.file.empty()) return effective_configuration(app);
  STEELYARD_TRY(Configuration configuration, read_configuration(options.file));
  return with_overrides(std::move(configuration), app);
}

Result<ExitCode> run_config(const ConfigOptions& options, const App& app) {
  STEELYARD_TRY(Configuration configuration, configuration_asked_for(options, app));
  STEELYARD_TRY(const storage::StoreAddress address, store_address(configuration));
  const std::string file = configuration.file.string();
  if (app.common.json) {
    app.print(json_configuration(configuration));
  } else if (options.action == ConfigOptions::Action::check) {
    app.print((file.empty() ? "no steelyard.toml from here upwards: the defaults hold" : file + ": good") + '\n');
  } else {
    configuration.store = address.safe_text();
    app.print("# " + (file.empty() ? "no steelyard.toml from here upwards: these are the defaults" : file) + '\n' +
              to_toml(configuration));
  }
  return ExitCode::success;
}

}  // namespace

Verb config_verb() {
  const auto options = std::make_shared<ConfigOptions>();
  Verb verb = make_verb(options, run_config, "config",
                        "Shows the configuration in force, or checks a steelyard.toml. ACTION: show, check. FILE: in "
                        "place of the one that is found from here.",
                        "  steelyard config check");
  verb.names = {"[ACTION]", "[FILE]"};
  verb.take = [options](Words words) -> Result<void> {
    if (words.names.size() > 1) options->file = words.names[1];
    if (words.names.empty()) return {};
    STEELYARD_TRY(const std::size_t index,
                  read_word(WrittenValue{words.names[0], true}, "steelyard config", {"show", "check"}));
    options->action = static_cast<ConfigOptions::Action>(index);
    return {};
  };
  add_key_options(verb, {{"store", "project"}});
  add_common_options(verb);
  return verb;
}

}  // namespace steelyard::ci
