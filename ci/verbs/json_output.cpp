#include "ci/verbs/json_output.hpp"

#include <utility>

#include "ci/config/configuration_key.hpp"
#include "storage/store.hpp"

namespace steelyard {
namespace {

// A basic string of TOML, a number, true, false and a list of strings are written the same in JSON, so that the values
// as the configuration prints them serve here too.
std::string quoted(const std::string& text) { return quoted_for_toml(text); }

std::string quoted_or_null(const std::string& text) { return text.empty() ? "null" : quoted(text); }

// The store's address may carry a password.
std::string safe_value(const ConfigurationKey& key, const Configuration& configuration) {
  if (key.section != "store") return key.print(configuration);
  const Result<StoreAddress> address = parse_store_address(configuration.store, configuration.store_where);
  return quoted(address ? address->safe_text() : "not an address");
}

}  // namespace

std::string json_configuration(const Configuration& configuration) {
  std::string text = "{\n  \"schema\": \"steelyard.configuration/1\",\n  \"file\": " +
                     (configuration.file.empty() ? std::string("null") : quoted(configuration.file.string()));
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
            quoted(program.name) + ", \"command\": " + quoted(program.command) + '}';
  }
  text += "],\n  \"target\": [";
  for (const DeclaredTarget& target : configuration.targets) {
    text += (&target == configuration.targets.data() ? "\n    {\"benchmark\": " : ",\n    {\"benchmark\": ") +
            quoted(target.benchmark) + ", \"target\": " + quoted(target.target.text);
    for (const auto& [key, word] : {std::pair("level", &Target::level), std::pair("access", &Target::access),
                                    std::pair("dtype", &Target::dtype), std::pair("where", &Target::where)}) {
      text += std::string(", \"") + key + "\": " + quoted_or_null(target.target.*word);
    }
    const std::optional<int> threads = target.target.threads;
    text += ", \"threads\": " + (threads ? std::to_string(*threads) : "null") + '}';
  }
  return text + "]\n}\n";
}

std::string json_imports(const std::vector<ImportedRun>& runs) {
  std::string text = "{\n  \"schema\": \"steelyard.import/1\",\n  \"runs\": [";
  for (const ImportedRun& run : runs) {
    text += (&run == runs.data() ? "\n    {\"path\": " : ",\n    {\"path\": ") + quoted(run.path) +
            ", \"run\": " + quoted(run.run) + ", \"measurements\": " + std::to_string(run.measurements) +
            ", \"failures\": " + std::to_string(run.failures) +
            ", \"warnings\": " + to_text(WrittenValue{run.warnings, false}) + '}';
  }
  return text + "]\n}\n";
}

std::string json_rebuild(const Rebuild& rebuild, const std::filesystem::path& folder) {
  std::vector<std::string> bad;
  for (const Error& error : rebuild.bad) bad.push_back(error.text());
  return "{\n  \"schema\": \"steelyard.rebuild/1\",\n  \"folder\": " + quoted(folder.string()) +
         ",\n  \"runs\": " + std::to_string(rebuild.runs) +
         ",\n  \"already_there\": " + std::to_string(rebuild.already_there) +
         ",\n  \"comparisons\": " + std::to_string(rebuild.comparisons) +
         ",\n  \"comparisons_already_there\": " + std::to_string(rebuild.comparisons_already_there) +
         ",\n  \"bad\": " + to_text(WrittenValue{bad, false}) + "\n}\n";
}

std::string json_pruned(const Pruned& pruned, bool dry_run) {
  const auto part = [](const std::string& name, const Pruned::Part& of) {
    return ",\n  \"" + name + "\": {\"runs\": " + std::to_string(of.runs) + ", \"rows\": " + std::to_string(of.rows) +
           ", \"bytes\": " + std::to_string(of.bytes) + '}';
  };
  return std::string("{\n  \"schema\": \"steelyard.prune/1\",\n  \"dry_run\": ") + (dry_run ? "true" : "false") +
         part("samples", pruned.samples) + part("profiles", pruned.profiles) + part("runs", pruned.whole) +
         part("archives", pruned.archives) +
         ",\n  \"partitions_rewritten\": " + std::to_string(pruned.partitions_rewritten) +
         ",\n  \"partitions_dropped\": " + std::to_string(pruned.partitions_dropped) +
         ",\n  \"partitions_closed\": " + std::to_string(pruned.closed.partitions) + "\n}\n";
}

std::string json_derived(const Derived& derived) {
  return "{\n  \"schema\": \"steelyard.derived/1\",\n  \"alerts\": " + std::to_string(derived.alerts) +
         ",\n  \"branches\": " + std::to_string(derived.branches) +
         ",\n  \"measurements\": " + std::to_string(derived.measurements) +
         ",\n  \"changed_values\": " + std::to_string(derived.changed_values) +
         ",\n  \"changed_points\": " + std::to_string(derived.changed_points) + "\n}\n";
}

std::string json_distribution(const DistributionPlan& plan) {
  std::string text = "{\n  \"schema\": \"steelyard.distribution/1\",\n  \"nodes\": " + std::to_string(plan.nodes) +
                     ",\n  \"missing\": " + to_text(WrittenValue{plan.missing, false}) + ",\n  \"tables\": [";
  for (const TablePlacement& placement : plan.tables) {
    text += (&placement == plan.tables.data() ? "\n    {\"table\": " : ",\n    {\"table\": ") +
            quoted(placement.table) + ", \"place\": " + quoted(to_text(placement.place)) +
            ", \"key\": " + quoted_or_null(placement.key) + ", \"done\": " + (placement.done ? "true" : "false") +
            ", \"bytes\": " + std::to_string(placement.bytes) + ", \"why\": " + quoted(placement.why) + '}';
  }
  return text + "]\n}\n";
}

}  // namespace steelyard
