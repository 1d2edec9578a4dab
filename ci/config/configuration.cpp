#include "ci/config/configuration.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <map>
#include <sstream>
#include <system_error>
#include <type_traits>

#include "bench/formats/import_formats.hpp"
#include "bench/model/elapsed.hpp"
#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"
#include "ci/config/configuration_key.hpp"
#include "ci/config/toml_document.hpp"
#include "ci/config/written_value.hpp"

namespace steelyard::ci {
namespace {

constexpr std::size_t kMaxConfigurationBytes = std::size_t{1} << 20;  // of steelyard.toml; real ones have a few hundred
constexpr std::size_t kMaxPrograms = 1000;
constexpr std::size_t kMaxRenames = 1000;
constexpr std::string_view kProgramSection = "program";
const std::vector<std::string> kProgramKeys{"name",   "command", "format",        "prepare",
                                            "warmup", "shell",   "ignore_failure"};

std::string place(const std::string& file, const TomlEntry& entry) { return file + ':' + std::to_string(entry.line); }

std::vector<std::string> known_sections() {
  std::vector<std::string> sections;
  for (const ConfigurationKey& key : configuration_keys()) {
    if (sections.empty() || sections.back() != key.section) sections.emplace_back(key.section);
  }
  sections.emplace_back(kProgramSection);
  sections.emplace_back(kTargetSection);
  sections.emplace_back(kRenameSection);
  return sections;
}

std::vector<std::string> known_names(std::string_view section) {
  if (section == kProgramSection) return kProgramKeys;
  if (section == kTargetSection) return target_keys();
  std::vector<std::string> names;
  for (const ConfigurationKey& key : configuration_keys()) {
    if (key.section == section) names.emplace_back(key.name);
  }
  return names;
}

Error unknown_name(const std::string& where, const TomlEntry& entry) {
  return unknown_key(where, entry.name, known_names(entry.section));
}

// A section's header as in the file: some tables may stand several times.
std::string header_of(const std::string& section) {
  const bool is_list = section == kProgramSection || section == kTargetSection;
  return is_list ? "[[" + section + "]]" : '[' + section + ']';
}

Error unknown_section(const std::string& where, const std::string& section) {
  const std::vector<std::string> known = known_sections();
  const auto nearest = nearest_name(section, known);
  return input_error(where, "unknown table [" + section + ']', "one of " + joined_text(known, ", "),
                     nearest ? "write " + header_of(*nearest) : "");
}

// One key of a [[program]].
Result<void> apply_program_key(const TomlEntry& entry, const std::string& where, ConfiguredProgram& program) {
  const WrittenValue& value = *entry.value;
  const auto take = [](auto read, auto& target) -> Result<void> {
    if (!read) return read.error();
    target = static_cast<std::decay_t<decltype(target)>>(std::move(read).value());
    return {};
  };
  if (entry.name == "warmup") return take(read_count(value, where, {1, kMaxWarmups}), program.how.warmup);
  if (entry.name == "shell") return take(read_flag(value, where), program.how.shell);
  if (entry.name == "ignore_failure") return take(read_flag(value, where), program.how.ignore_failure);
  if (entry.name == "format") {
    const std::vector<std::string> formats = command_formats();
    STEELYARD_TRY(const std::size_t index, read_word(value, where, formats));
    program.how.format = formats[index];
    return {};
  }
  STEELYARD_TRY(std::string text, read_text(value, where));
  if (text.empty()) return input_error(where, "\"\"", "text");
  (entry.name == "name"      ? program.name
   : entry.name == "prepare" ? program.how.prepare
                             : program.command) = std::move(text);
  return {};
}

Result<void> apply_program_entry(const TomlEntry& entry, const std::string& where, Configuration& configuration) {
  if (entry.index < 0) return input_error(where, "[program]", "[[program]]: there may be several");
  const auto index = static_cast<std::size_t>(entry.index);
  if (index >= kMaxPrograms) return input_error(where, "more than 1000 programs", "at most 1000");
  if (configuration.programs.size() <= index) configuration.programs.resize(index + 1);
  if (entry.name.empty()) return {};
  const std::string key_where = where + ": [[program]] " + entry.name;
  if (std::find(kProgramKeys.begin(), kProgramKeys.end(), entry.name) == kProgramKeys.end()) {
    return unknown_name(where + ": [[program]]", entry);
  }
  if (!entry.value) return input_error(key_where, "something else", "text in quotes");
  return apply_program_key(entry, key_where, configuration.programs[index]);
}

Result<void> apply_target_entry(const TomlEntry& entry, const std::string& where, TargetTables& tables) {
  const std::vector<std::string> keys = target_keys();
  const bool is_known = entry.name.empty() || std::find(keys.begin(), keys.end(), entry.name) != keys.end();
  return is_known ? tables.take(entry, where) : unknown_name(where + ": [[target]]", entry);
}

Result<void> apply_rename(const TomlEntry& entry, const std::string& where, Configuration& configuration) {
  if (configuration.renames.size() == kMaxRenames) return input_error(where, "more than 1000 renames", "at most 1000");
  STEELYARD_TRY(BenchmarkRename rename, read_rename(entry, where));
  configuration.renames.push_back(std::move(rename));
  return {};
}

// What may stand several times, taken entry by entry.
struct ListedTables {
  TargetTables targets;
  PolicyTables policies;
};

Result<void> apply_entry(const TomlEntry& entry, const std::string& file, Configuration& configuration,
                         ListedTables& tables) {
  const std::string where = place(file, entry);
  const std::vector<std::string> sections = known_sections();
  if (entry.section.empty()) {
    // A lone key above the first table, or a table's name used as a key.
    for (const ConfigurationKey& key : configuration_keys()) {
      if (key.name != entry.name) continue;
      return input_error(where, "key \"" + entry.name + "\" outside of any table", "it under its table",
                         "write it under [" + std::string(key.section) + ']');
    }
    const bool is_table = std::find(sections.begin(), sections.end(), entry.name) != sections.end();
    if (!is_table) return unknown_section(where, entry.name);
    return input_error(where, "key \"" + entry.name + '"', "the table " + header_of(entry.name));
  }
  if (std::find(sections.begin(), sections.end(), entry.section) == sections.end()) {
    return unknown_section(where, entry.section);
  }
  if (entry.section == kProgramSection) return apply_program_entry(entry, where, configuration);
  if (entry.section == kTargetSection) return apply_target_entry(entry, where, tables.targets);
  if (entry.section == kPolicySection && entry.index >= 0) return tables.policies.take(entry, where);
  if (entry.index >= 0) {
    return input_error(where, "[[" + entry.section + "]]", "one table [" + entry.section + ']');
  }
  const bool is_header = entry.name.empty() && !entry.value;
  if (entry.section == kRenameSection && !is_header) return apply_rename(entry, where, configuration);
  if (entry.name.empty()) return {};
  const std::string table_where = where + ": [" + entry.section + ']';
  const ConfigurationKey* key = find_configuration_key(entry.section, entry.name);
  if (key == nullptr) return unknown_name(table_where, entry);
  const std::string key_where = table_where + ' ' + entry.name;
  if (!entry.value) {
    return input_error(key_where, "a date, a table or a list of something else", "a plain value or a list of texts");
  }
  return key->assign(configuration, *entry.value, key_where);
}

// TOML takes no table and list of one name, and its reader says so in its own words: what to write instead is ours to
// say. Absent where the text has not both.
std::optional<Error> both_policies(std::string_view text, const std::string& name) {
  bool has_table = false;
  bool has_list = false;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::erase_if(line, [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
    line = line.substr(0, line.find('#'));
    has_table = has_table || line == "[policy]";
    has_list = has_list || line == "[[policy]]";
    if (!has_table || !has_list) continue;
    return input_error(name + ':' + std::to_string(number), "both [policy] and [[policy]], which TOML does not take",
                       "one of them", "write [[policy]], without match, in place of [policy]: it holds for all");
  }
  return std::nullopt;
}

// Of a Google Benchmark program: the filter among its arguments.
Result<void> check_own_filter(const ConfiguredProgram& program, const std::string& where) {
  constexpr std::string_view kFilter = "--benchmark_filter=";
  if (!program.how.format.empty()) return {};
  const Result<std::vector<std::string>> words = command_words(program.command, where);
  if (!words) return {};  // whoever starts it says what is wrong
  for (const std::string& word : *words) {
    if (word.starts_with(kFilter)) STEELYARD_CHECK(check_filter(word.substr(kFilter.size()), where));
  }
  return {};
}

Result<void> check_programs(const Configuration& configuration, const std::string& file) {
  std::map<std::string, int> seen;
  for (const ConfiguredProgram& program : configuration.programs) {
    const std::string where = file + ": [[program]] \"" + program.name + '"';
    if (program.command.empty()) return input_error(where, "no command", "command = \"PATH ARGUMENTS\"");
    if (program.how.format.empty() && program.how != CommandChoice()) {
      return input_error(where, "settings of a command, of a Google Benchmark program",
                         "format = \"process\" beside them",
                         "say how it is measured: one of " + joined_text(command_formats(), ", "));
    }
    STEELYARD_CHECK(check_own_filter(program, where));
    if (program.name.empty() && configuration.programs.size() > 1) {
      return input_error(where, "no name", "a name for each of several programs", "add name = \"...\"");
    }
    if (++seen[program.name] > 1) return input_error(where, "the name twice", "a name of its own for each program");
  }
  return {};
}

}  // namespace

std::string program_in_toml(const ConfiguredProgram& program) {
  std::string text = "\n[[program]]\n";
  if (!program.name.empty()) text += "name = " + quoted_for_toml(program.name) + '\n';
  text += "command = " + quoted_for_toml(program.command) + '\n';
  const CommandChoice& how = program.how;
  if (!how.format.empty()) text += "format = " + quoted_for_toml(how.format) + '\n';
  if (!how.prepare.empty()) text += "prepare = " + quoted_for_toml(how.prepare) + '\n';
  if (how.warmup != CommandChoice().warmup) text += "warmup = " + std::to_string(how.warmup) + '\n';
  if (how.shell) text += "shell = true\n";
  if (how.ignore_failure) text += "ignore_failure = true\n";
  return text;
}

std::vector<std::string> command_formats() {
  std::vector<std::string> names{std::string(kProcessFormat)};
  for (const bench::ImportFormat& format : bench::import_formats()) {
    if (format.load != nullptr) names.emplace_back(format.name);  // a store's history is no result of one command
  }
  return names;
}

ComparisonPolicy comparison_policy(const PolicySettings& settings) {
  // `strict` lowers the rate and never raises one that is lower already.
  constexpr double kStrictRate = 0.01;
  ComparisonPolicy policy = settings.comparison;
  if (settings.strict) policy.false_alarm_rate = std::min(kStrictRate, policy.false_alarm_rate);
  // A kept comparison says which table holds by their order alone, whatever order a file has.
  std::reverse(policy.patterns.begin(), policy.patterns.end());
  std::erase_if(policy.patterns, [day = today()](const PatternPolicy& table) { return is_over(table, day); });
  return policy;
}

std::string today() { return date_text(now_unix_s()); }

bool is_over(const PatternPolicy& table, const std::string& day) { return !table.until.empty() && table.until < day; }

Result<Configuration> parse_configuration(std::string_view text, const std::string& name) {
  if (text.size() > kMaxConfigurationBytes)
    return input_error(name, std::to_string(text.size()) + " bytes", "at most 1 MiB");
  const Result<std::vector<TomlEntry>> entries = read_toml(text, name);
  if (!entries) return both_policies(text, name).value_or(entries.error());
  Configuration configuration;
  ListedTables tables;
  for (const TomlEntry& entry : *entries) STEELYARD_CHECK(apply_entry(entry, name, configuration, tables));
  STEELYARD_CHECK(check_programs(configuration, name));
  STEELYARD_TRY(configuration.targets, tables.targets.finish());
  STEELYARD_CHECK(tables.policies.finish(configuration));
  return configuration;
}

Result<Configuration> read_configuration(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return input_error(file.string(), unopened_text(errno), "a configuration file");
  std::string text(kMaxConfigurationBytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad()) return input_error(file.string(), "an error of reading", "a configuration file");
  text.resize(static_cast<std::size_t>(stream.gcount()));
  STEELYARD_TRY(Configuration configuration, parse_configuration(text, file.filename().string()));
  std::error_code ignored;
  configuration.file = std::filesystem::absolute(file, ignored);
  configuration.root = configuration.file.parent_path();
  return configuration;
}

Result<Configuration> find_configuration(const std::filesystem::path& start) {
  std::error_code code;
  for (std::filesystem::path folder = std::filesystem::absolute(start, code); !code; folder = folder.parent_path()) {
    const std::filesystem::path file = folder / kConfigurationFile;
    if (std::filesystem::exists(file, code)) return read_configuration(file);
    // A linked work tree has a .git file where the main one has a folder.
    const bool is_top = std::filesystem::exists(folder / ".git", code);
    if (is_top || folder == folder.parent_path()) break;
  }
  return Configuration{};
}

}  // namespace steelyard::ci
