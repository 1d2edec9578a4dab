// steelyard config: the configuration in force, whether a steelyard.toml is good, what holds for one benchmark and
// which line says so, the file's schema for editors, and a first file for a repository that has none.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <utility>

#include "bench/environment/read_environment.hpp"
#include "ci/app/keeping.hpp"
#include "ci/app/settings.hpp"
#include "ci/config/toml_document.hpp"
#include "ci/grammar/verb.hpp"
#include "ci/measuring/build.hpp"
#include "ci/verbs/config_init.hpp"
#include "regress/policy/pattern_policy.hpp"
#include "regress/targets/declared_target.hpp"
#include "storage/document/json.hpp"

namespace steelyard::ci {
namespace {

using storage::JsonWriter;

struct ConfigOptions {
  enum class Action { show, check, explain, schema, init };
  Action action = Action::show;
  std::filesystem::path file;  // empty: the one that is found from here
  std::string benchmark;       // of explain
};

// An absent value is null. A key's value as the configuration prints it is TOML.
void add_value(JsonWriter& object, std::string_view key, const std::string& toml) {
  const std::string name(key);
  const auto entries = read_toml("value = " + toml, name);
  const bool is_said = entries && entries->size() == 1 && entries->front().value;
  if (!is_said) return object.add_null(name.c_str());
  std::visit([&](const auto& value) { object(name.c_str(), value); }, entries->front().value->content);
}

void add_text(JsonWriter& object, const char* name, const std::string& text) {
  text.empty() ? object.add_null(name) : object(name, text);
}

// The store's address may carry a password.
std::string safe_value(const ConfigurationKey& key, const Configuration& configuration) {
  if (key.section != "store") return key.print(configuration);
  const Result<storage::StoreAddress> address =
      storage::parse_store_address(configuration.store, configuration.store_where);
  return quoted_for_toml(address ? address->safe_text() : "not an address");
}

JsonWriter json_target(const regress::DeclaredTarget& target) {
  JsonWriter object;
  object("benchmark", target.benchmark);
  object("target", target.target.text);
  add_text(object, "level", target.target.level);
  add_text(object, "access", target.target.access);
  add_text(object, "dtype", target.target.dtype);
  add_text(object, "where", target.target.where);
  object("threads", target.target.threads);
  return object;
}

// Schema steelyard.configuration/1.
std::string json_configuration(const Configuration& configuration) {
  JsonWriter document;
  document("schema", "steelyard.configuration/1");
  add_text(document, "file", configuration.file.string());
  std::vector<std::pair<std::string, JsonWriter>> sections;
  for (const ConfigurationKey& key : configuration_keys()) {
    if (sections.empty() || sections.back().first != key.section) sections.emplace_back(key.section, JsonWriter());
    add_value(sections.back().second, key.name, safe_value(key, configuration));
  }
  for (auto& [name, section] : sections) document.add(name.c_str(), std::move(section));
  std::vector<JsonWriter> programs(configuration.programs.size());
  for (std::size_t i = 0; i < programs.size(); ++i) {
    programs[i]("name", configuration.programs[i].name);
    programs[i]("command", configuration.programs[i].command);
    const CommandChoice& how = configuration.programs[i].how;
    if (how.format.empty()) continue;
    programs[i]("format", how.format);
    add_text(programs[i], "prepare", how.prepare);
    programs[i]("warmup", how.warmup);
    programs[i]("shell", how.shell);
    programs[i]("ignore_failure", how.ignore_failure);
  }
  document.add("program", std::move(programs));
  std::vector<JsonWriter> targets;
  for (const regress::DeclaredTarget& target : configuration.targets) targets.push_back(json_target(target));
  document.add("target", std::move(targets));
  document("policies", configuration.policy.comparison.patterns);
  JsonWriter renames;
  for (const BenchmarkRename& rename : configuration.renames) renames(rename.from.c_str(), std::string_view(rename.to));
  document.add("rename", std::move(renames));
  return document.text();
}

Result<Configuration> configuration_asked_for(const ConfigOptions& options, const App& app) {
  if (options.file.empty()) return effective_configuration(app);
  STEELYARD_TRY(Configuration configuration, read_configuration(options.file));
  return with_overrides(std::move(configuration), app);
}

// One key of the policy as it holds for one benchmark.
struct ExplainedKey {
  std::string name;
  std::string value;
  std::string from;  // "steelyard.toml:12 ([[policy]] match = \"gemv/*\")", "--margin", "default"
  // Tables that match and say the key as well, but do not hold, as they stand above; in the order in which they would.
  std::vector<std::string> not_from = {};
};

// Which line of a steelyard.toml says what.
class WrittenLines {
 public:
  static Result<WrittenLines> read(const std::filesystem::path& file) {
    WrittenLines lines;
    lines.file_ = file.filename().string();
    if (file.empty()) return lines;
    std::ifstream stream(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    STEELYARD_TRY(lines.entries_, read_toml(text, lines.file_));
    return lines;
  }

  // Of the key in that table; else where the table begins.
  std::string of_pattern(const PatternPolicy& table, std::string_view key) const {
    const std::string from = " ([[policy]] match = " + quoted_for_toml(table.match) + ')';
    for (const TomlEntry& header : entries_) {
      if (header.section != kPolicySection || !header.name.empty() || place(header) != table.where) continue;
      for (const TomlEntry& entry : entries_) {
        if (entry.section == header.section && entry.index == header.index && entry.name == key) {
          return place(entry) + from;
        }
      }
    }
    return table.where + from;
  }

  // What says a key of all benchmarks: an option, a line, or nobody.
  std::string of_all(const ConfigurationKey& key, const App& app) const {
    for (const Override& over : app.common.overrides) {
      if (over.key == &key) return std::string(key.option);
    }
    for (const TomlEntry& entry : entries_) {
      if (entry.section == key.section && entry.name == key.name && !has_match(entry)) return place(entry);
    }
    return "default";
  }

 private:
  std::string place(const TomlEntry& entry) const { return file_ + ':' + std::to_string(entry.line); }
  bool has_match(const TomlEntry& entry) const {
    return entry.index >= 0 && std::any_of(entries_.begin(), entries_.end(), [&](const TomlEntry& other) {
             return other.section == entry.section && other.index == entry.index && other.name == "match";
           });
  }

  std::string file_;
  std::vector<TomlEntry> entries_;
};

// The key as the file would have it in that table; empty: the table does not say it.
std::string written_value(const PatternPolicy& table, std::string_view name) {
  const std::string toml = '\n' + to_toml(table);
  const std::string begin = '\n' + std::string(name) + " = ";
  const std::size_t at = toml.find(begin);
  if (at == std::string::npos) return "";
  return toml.substr(at + begin.size(), toml.find('\n', at + 1) - at - begin.size());
}

// `tables`: those that match the benchmark, in the order in which they hold.
ExplainedKey explained(const char* name, const std::vector<const PatternPolicy*>& tables,
                       const Configuration& configuration, const WrittenLines& lines, const App& app) {
  ExplainedKey key{name, "none", "default"};
  for (const PatternPolicy* table : tables) {
    const std::string value = written_value(*table, name);
    if (value.empty()) continue;
    const std::string from = lines.of_pattern(*table, name);
    if (key.from == "default") {
      key.value = value;
      key.from = from;
    } else {
      key.not_from.push_back(from);
    }
  }
  if (key.from != "default") return key;
  const ConfigurationKey* of_all = find_configuration_key(key.name == "budget" ? "run" : kPolicySection, name);
  if (of_all == nullptr) return key;
  key.from = lines.of_all(*of_all, app);
  if (const std::string value = of_all->print(configuration); !value.empty()) key.value = value;
  if (key.value == "none" && key.name == "gates") key.value = "those that are judged";
  if (key.value == "none" && key.name == "budget") key.value = "as the whole allows";
  return key;
}

std::vector<ExplainedKey> explain(const std::string& benchmark, const Configuration& configuration,
                                  const WrittenLines& lines, const App& app) {
  const std::vector<std::string> machine = regress::machine_names(bench::read_environment());
  const ComparisonPolicy policy = regress::on_machine(comparison_policy(configuration.policy), machine);
  std::vector<const PatternPolicy*> tables;
  for (const PatternPolicy& table : policy.patterns) {
    if (regress::matches_pattern(table.match, benchmark)) tables.push_back(&table);
  }
  std::vector<ExplainedKey> keys;
  for (const char* name : {"minimum_effect", "margin", "counted_minimum_effect", "gates", "budget", "owner"}) {
    keys.push_back(explained(name, tables, configuration, lines, app));
  }
  for (const char* name : {"until", "reason"}) {
    ExplainedKey key = explained(name, tables, configuration, lines, app);
    if (key.value != "none") keys.push_back(std::move(key));
  }
  for (const PatternPolicy& table : configuration.policy.comparison.patterns) {
    if (!is_over(table, today()) || !regress::matches_pattern(table.match, benchmark)) continue;
    keys.push_back({"over", quoted_for_toml(table.until), lines.of_pattern(table, "until") + ", which holds no more"});
  }
  for (const PatternPolicy& table : configuration.policy.comparison.patterns) {
    if (table.machine.empty() || !regress::matches_pattern(table.match, benchmark)) continue;
    const bool is_here = regress::is_for_machine(table, machine);
    keys.push_back({"machine", quoted_for_toml(table.machine),
                    lines.of_pattern(table, "machine") + (is_here ? ", which is this one" : ", which is another one")});
  }
  for (const Target& target : regress::targets_of(benchmark, configuration.targets, {})) {
    keys.push_back({"target", quoted_for_toml(target.text), target.where});
  }
  return keys;
}

// Schema steelyard.explained_policy/1.
std::string json_explanation(const std::string& benchmark, const std::vector<ExplainedKey>& keys) {
  JsonWriter document;
  document("schema", "steelyard.explained_policy/1");
  document("benchmark", benchmark);
  std::vector<JsonWriter> rows(keys.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i]("key", keys[i].name);
    rows[i]("value", keys[i].value);
    rows[i]("from", keys[i].from);
    if (!keys[i].not_from.empty()) rows[i]("not_from", keys[i].not_from);
  }
  document.add("keys", std::move(rows));
  return document.text();
}

std::string text_explanation(const std::string& benchmark, const std::vector<ExplainedKey>& keys) {
  std::size_t names = 0, values = 0;
  for (const ExplainedKey& key : keys) {
    names = std::max(names, key.name.size());
    values = std::max(values, key.value.size());
  }
  std::string text = printable(benchmark, true) + '\n';
  for (const ExplainedKey& key : keys) {
    text += "  " + padded(key.name, names, Align::left) + "  " +
            padded(printable(key.value, true), values, Align::left) + "  " + printable(key.from, true) + '\n';
    for (const std::string& from : key.not_from) {
      text += "    not by " + printable(from, true) + ", which matches too: of those the last in the file holds\n";
    }
  }
  return text;
}

// JSON Schema of steelyard.toml (draft 7, which editors' TOML plug-ins read), from the table of keys.
JsonWriter property(std::string_view help, std::string_view type) {
  JsonWriter object;
  if (!help.empty()) object("description", help);
  if (!type.empty()) object("type", type);
  return object;
}

// Of a number: what it may not be below.
JsonWriter property(std::string_view help, std::string_view type, int minimum) {
  JsonWriter object = property(help, type);
  object("minimum", minimum);
  return object;
}

// Of a text: not empty.
JsonWriter text_property(std::string_view help) {
  JsonWriter object = property(help, "string");
  object("minLength", 1);
  return object;
}

JsonWriter list_of(JsonWriter item, std::string_view help = "") {
  JsonWriter object = property(help, "array");
  object.add("items", std::move(item));
  return object;
}

JsonWriter any_of(JsonWriter one, JsonWriter other, std::string_view help = "") {
  JsonWriter object = property(help, "");
  std::vector<JsonWriter> both;
  both.push_back(std::move(one));
  both.push_back(std::move(other));
  object.add("anyOf", std::move(both));
  return object;
}

// "duet|interleaved": both.
std::vector<std::string> alternatives(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('|', begin), text.size());
    words.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

JsonWriter property_of(const ConfigurationKey& key) {
  if (key.value.empty()) return property(key.help, "boolean");
  if (key.value == "N") return property(key.help, "integer", 0);
  if (key.value == "NAME,...") return list_of(text_property(""), key.help);
  if (key.value == "SHARE") {
    JsonWriter number = property("", "number", 0);
    number("maximum", 1);
    JsonWriter text = property("", "string");
    text("pattern", "^ *[0-9.]+ *%? *$");
    return any_of(std::move(number), std::move(text), key.help);
  }
  const bool is_word = key.value.find('|') != std::string_view::npos;
  JsonWriter object = property(key.help, is_word ? "" : "string");
  if (key.value == "DURATION") object("pattern", "^ *[0-9.]+ *(ns|us|ms|s|m|h) *$");
  if (is_word) object("enum", alternatives(key.value));
  return object;
}

JsonWriter table_object(JsonWriter properties, const std::vector<std::string>& required = {}) {
  JsonWriter object = property("", "object");
  object("additionalProperties", false);
  if (!required.empty()) object("required", required);
  object.add("properties", std::move(properties));
  return object;
}

JsonWriter table_of(std::string_view section) {
  JsonWriter properties;
  for (const ConfigurationKey& key : configuration_keys()) {
    if (key.section == section) properties.add(std::string(key.name).c_str(), property_of(key));
  }
  return table_object(std::move(properties));
}

// One [policy] of all benchmarks, or [[policy]] tables, of which each may say a pattern.
JsonWriter policy_tables() {
  JsonWriter of_pattern;
  for (const std::string& name : pattern_policy_keys()) {
    const ConfigurationKey* key = find_configuration_key(name == "budget" ? "run" : kPolicySection, name);
    const char* const help = name == "match"     ? "pattern of benchmarks: * any characters, ? one"
                             : name == "owner"   ? "whose those benchmarks are"
                             : name == "machine" ? "pattern of machines: processor, device, maker or fingerprint"
                             : name == "until"   ? "the last day on which the table holds: 2026-12-31"
                                                 : "why";
    of_pattern.add(name.c_str(), key != nullptr ? property_of(*key) : text_property(help));
  }
  return any_of(table_of(kPolicySection),
                list_of(any_of(table_object(std::move(of_pattern), {"match"}), table_of(kPolicySection))));
}

std::string configuration_schema() {
  JsonWriter sections;
  std::string name;
  for (const ConfigurationKey& key : configuration_keys()) {
    if (key.section == name) continue;
    name = key.section;
    sections.add(name.c_str(), name == kPolicySection ? policy_tables() : table_of(name));
  }
  JsonWriter of_program;
  of_program.add("name", text_property("the suite of its benchmarks, where there are several programs"));
  of_program.add("command", text_property("path in the work tree, and arguments"));
  of_program.add("format",
                 text_property("of a command that is no Google Benchmark program: process, or what it writes"));
  of_program.add("prepare", text_property("line for /bin/sh before each process of a command, not timed"));
  of_program.add("warmup", property("processes of a command before the first that counts", "integer", 1));
  of_program.add("shell", property("/bin/sh runs the command", "boolean"));
  of_program.add("ignore_failure", property("a command may exit with another status than 0", "boolean"));
  sections.add("program", list_of(table_object(std::move(of_program), {"name", "command"})));
  JsonWriter of_target;
  for (const std::string& key : target_keys()) {
    of_target.add(key.c_str(),
                  key == "threads" ? property("of the ceiling", "integer", 1) : text_property("docs/guide/targets.md"));
  }
  sections.add("target", list_of(table_object(std::move(of_target), {"benchmark", "target"})));
  JsonWriter renames;
  renames("type", std::string_view("object"));
  renames("description", std::string_view("earlier names of benchmarks, and today's: \"OLD/*\" = \"NEW/*\""));
  JsonWriter name_of_today;
  name_of_today("type", std::string_view("string"));
  renames.add("additionalProperties", std::move(name_of_today));
  sections.add("rename", std::move(renames));
  JsonWriter document;
  document("$schema", "http://json-schema.org/draft-07/schema#");
  document("title", "steelyard.toml");
  document("type", "object");
  document("additionalProperties", false);
  document.add("properties", std::move(sections));
  return document.text();
}

// What of the programs cannot work here, as a gate would find out after it has checked out and built.
ExitCode check_programs_of(const Configuration& configuration, const App& app) {
  ExitCode code = ExitCode::success;
  for (const ConfiguredProgram& configured : configuration.programs) {
    const std::string where = configuration.file.filename().string() + ": [[program]] \"" + configured.name + '"';
    const Result<bench::Program> program = program_in_tree(configured, configuration.root, {}, false);
    if (!program) {
      code = worse(code, app.report(program.error()));
      continue;
    }
    std::error_code ignored;
    if (std::filesystem::exists(program->executable, ignored)) continue;
    const std::string path = program->executable.lexically_relative(configuration.root).string();
    if (configuration.build_command.empty()) {
      code = worse(code, app.report(input_error(where, "no file " + path + " here, and no [build] command to make it",
                                                "the benchmark program in the work tree",
                                                "write the path of one, or [build] command = \"...\"")));
    } else {
      app.warn(where + ": no file " + path +
               " here yet; whether [build] command makes it shows only when a commit is built");
    }
  }
  return code;
}

Result<ExitCode> run_config(const ConfigOptions& options, const App& app) {
  if (options.action == ConfigOptions::Action::schema) {
    app.print(configuration_schema());
    return ExitCode::success;
  }
  if (options.action == ConfigOptions::Action::init) return write_first_configuration(app);
  STEELYARD_TRY(Configuration configuration, configuration_asked_for(options, app));
  STEELYARD_TRY(const storage::StoreAddress address, store_address(configuration));
  const std::string file = configuration.file.string();
  if (options.action == ConfigOptions::Action::check) {
    STEELYARD_CHECK(check_project_to_write(configuration));
    const ExitCode code = check_programs_of(configuration, app);
    if (code != ExitCode::success) return code;
  }
  if (options.action == ConfigOptions::Action::explain) {
    STEELYARD_TRY(const WrittenLines lines, WrittenLines::read(configuration.file));
    const std::vector<ExplainedKey> keys = explain(options.benchmark, configuration, lines, app);
    app.print(app.common.json ? json_explanation(options.benchmark, keys) : text_explanation(options.benchmark, keys));
  } else if (app.common.json) {
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
                        "The configuration in force. ACTION: show; check, whether FILE (or the one that is found from "
                        "here) is good; explain BENCHMARK, what holds for it and which line says so; schema, of "
                        "steelyard.toml as JSON Schema, for editors; init, writes a first steelyard.toml for the CMake "
                        "project here, builds by it and lists its benchmarks.",
                        "  steelyard config check\n  steelyard config explain 'BM_sort/4096'\n  steelyard config init");
  verb.names = {"[ACTION]", "[FILE|BENCHMARK]"};
  verb.first_names = {"show", "check", "explain", "schema", "init"};
  verb.take = [options, actions = verb.first_names](Words words) -> Result<void> {
    if (words.names.empty()) return {};
    STEELYARD_TRY(const std::size_t index, read_word(WrittenValue{words.names[0], true}, "steelyard config", actions));
    options->action = static_cast<ConfigOptions::Action>(index);
    const bool is_explained = options->action == ConfigOptions::Action::explain;
    if (is_explained && words.names.size() < 2) {
      return input_error("steelyard config explain", "no benchmark", "its name", "steelyard config explain 'BM_x/8'");
    }
    if (words.names.size() < 2) return {};
    if (is_explained) {
      options->benchmark = words.names[1];
    } else if (options->action == ConfigOptions::Action::show || options->action == ConfigOptions::Action::check) {
      options->file = words.names[1];
    } else {
      return input_error("steelyard config " + words.names[0], words.names[1], "no further word");
    }
    return {};
  };
  add_key_options(verb, {{"store", "project", "policy"}});
  add_common_options(verb);
  return verb;
}

}  // namespace steelyard::ci
