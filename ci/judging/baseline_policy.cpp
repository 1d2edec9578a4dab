#include "ci/judging/baseline_policy.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "bench/model/sha256.hpp"
#include "bench/model/text.hpp"
#include "ci/app/settings.hpp"
#include "ci/config/configuration_key.hpp"
#include "ci/config/written_value.hpp"
#include "ci/report/warning_text.hpp"
#include "regress/policy/pattern_policy.hpp"
#include "storage/place/files.hpp"
#include "storage/place/store_address.hpp"

namespace steelyard::ci {
namespace {

constexpr std::size_t kDigitsInName = 16;                               // of a hash
constexpr std::int64_t kMaxCalibrationBytes = std::int64_t{16} << 20U;  // as their reader has it
constexpr std::array<std::string_view, 5> kJudgingSections{"policy", "run", "gate", "store", "project"};

// Where a steelyard.toml of this folder would be, in the repository, nearest first. Not by where the candidate has one:
// it could put one nearer than the baseline's, or take that away.
std::vector<std::string> places_of_file(const GitRepository& repository) {
  std::error_code code;
  const std::filesystem::path root = std::filesystem::canonical(repository.root(), code);
  const std::filesystem::path here = std::filesystem::canonical(std::filesystem::current_path(code), code);
  std::filesystem::path folder = code ? std::filesystem::path() : here.lexically_relative(root);
  if (folder == "." || folder.generic_string().starts_with("..")) folder.clear();
  std::vector<std::string> places;
  for (; !folder.empty(); folder = folder.parent_path()) {
    places.push_back((folder / kConfigurationFile).generic_string());
  }
  places.emplace_back(kConfigurationFile);
  return places;
}

// The nearest of the places at which the commit has something; empty: it has nothing at any.
Result<std::string> place_in_commit(const GitRepository& repository, const std::string& commit) {
  const std::vector<std::string> places = places_of_file(repository);
  std::vector<std::string> arguments{"ls-tree", "-z", "--name-only", commit, "--"};
  arguments.insert(arguments.end(), places.begin(), places.end());
  STEELYARD_TRY(const GitAnswer listed, run_git(repository.root(), arguments, GitReach::remote));
  if (!listed.succeeded) return input_error(repository.root().string(), listed.trouble, "the files of the baseline");
  for (const std::string& place : places) {
    const std::string entry = place + std::string(1, '\0');
    if (('\0' + listed.output).find('\0' + entry) != std::string::npos) return place;
  }
  return std::string();
}

std::string or_unset(const std::string& printed) { return printed.empty() ? "not set" : printed; }

template <class Table>
bool same_tables(const std::vector<Table>& a, const std::vector<Table>& b) {
  const auto same = [](const Table& x, const Table& y) { return to_toml(x) == to_toml(y); };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

// Null where no program has the name.
const ConfiguredProgram* program_named(const Configuration& configuration, const std::string& name) {
  const auto found = std::find_if(configuration.programs.begin(), configuration.programs.end(),
                                  [&](const ConfiguredProgram& program) { return program.name == name; });
  return found == configuration.programs.end() ? nullptr : &*found;
}

// How what is built is built where that is not as the baseline says, which may make it slower than it is; empty: it is.
std::string note_of_build(const std::string& baseline, const std::string& candidate) {
  const auto quoted = [](const std::string& command) { return command.empty() ? command : quoted_for_toml(command); };
  if (baseline == candidate) return "";
  return warning::built_by_candidates_command(
      {"[build] command,", or_unset(quoted(baseline)), or_unset(quoted(candidate))});
}

std::vector<warning::SettingDifference> differences_of(const Configuration& baseline, const Configuration& candidate) {
  std::vector<warning::SettingDifference> found;
  for (const ConfigurationKey& key : configuration_keys()) {
    if (std::find(kJudgingSections.begin(), kJudgingSections.end(), key.section) == kJudgingSections.end()) continue;
    const std::string there = key.print(baseline);
    const std::string here = key.print(candidate);
    if (there == here) continue;
    found.push_back(
        {'[' + std::string(key.section) + "] " + std::string(key.name) + ',', or_unset(there), or_unset(here)});
  }
  if (!same_tables(baseline.policy.comparison.patterns, candidate.policy.comparison.patterns))
    found.push_back({"tables of [[policy]]"});
  const bool has_all_targets =
      std::all_of(baseline.targets.begin(), baseline.targets.end(), [&](const regress::DeclaredTarget& target) {
        return std::any_of(candidate.targets.begin(), candidate.targets.end(),
                           [&](const auto& other) { return to_toml(other) == to_toml(target); });
      });
  if (!has_all_targets) found.push_back({"tables of [[target]]"});
  for (const ConfiguredProgram& program : baseline.programs) {
    const ConfiguredProgram* const other = program_named(candidate, program.name);
    if (other != nullptr && *other == program) continue;
    const std::string table = "[[program]]" + (program.name.empty() ? "" : " \"" + program.name + '"');
    if (other != nullptr && other->command == program.command) {
      found.push_back({"how " + table + " is measured"});
      continue;
    }
    found.push_back({table + (program.name.empty() ? " command" : ", command"), '"' + program.command + '"',
                     other == nullptr ? std::nullopt : std::optional('"' + other->command + '"')});
  }
  return found;
}

// What only the candidate can know: how it is built, and what the baseline does not have.
void take_what_is_new(const Configuration& candidate, Configuration& configuration) {
  configuration.file = candidate.file;
  configuration.root = candidate.root;
  configuration.build_command = candidate.build_command;
  configuration.build_timeout = candidate.build_timeout;
  configuration.no_submodules = candidate.no_submodules;
  for (const ConfiguredProgram& program : candidate.programs) {
    if (program_named(configuration, program.name) == nullptr) configuration.programs.push_back(program);
  }
  std::vector<regress::DeclaredTarget> added;
  for (const regress::DeclaredTarget& target : candidate.targets) {
    const bool is_known =
        std::any_of(configuration.targets.begin(), configuration.targets.end(),
                    [&](const regress::DeclaredTarget& other) { return other.benchmark == target.benchmark; });
    if (!is_known) added.push_back(target);
  }
  configuration.targets.insert(configuration.targets.end(), added.begin(), added.end());
}

// Whether the checkout's commit decides what lies there: it has that file, or a link or another repository on the way.
bool is_tracked(const GitRepository& repository, const std::filesystem::path& file) {
  std::vector<std::string> arguments{"ls-files", "-z", "--"};
  std::vector<std::string> on_the_way;
  std::filesystem::path reached;
  for (const std::filesystem::path& part : file) {
    reached /= part;
    on_the_way.push_back(reached.generic_string());
    arguments.push_back(":(literal)" + on_the_way.back());
  }
  const Result<GitAnswer> listed = run_git(repository.root(), arguments);
  if (!listed || !listed->succeeded) return true;
  return std::any_of(on_the_way.begin(), on_the_way.end(), [&](const std::string& place) {
    return ('\0' + listed->output).find('\0' + place + '\0') != std::string::npos;
  });
}

// A file that only this process has, for as long as it runs.
Result<std::string> file_in_memory(const std::string& text) {
  const int file = memfd_create("calibration", MFD_CLOEXEC);
  const std::string place = "/proc/self/fd/" + std::to_string(file);
  if (file >= 0 && write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size())) return place;
  return input_error(place, std::strerror(errno), "a file in memory");
}

constexpr std::string_view kOfCommit = "of-commit-";

// Files of commits that no gate has asked for since: one that does writes it again.
void remove_old(const std::filesystem::path& folder) {
  constexpr std::chrono::hours kWeek{7 * 24};
  const auto before = std::filesystem::file_time_type::clock::now() - kWeek;
  std::error_code ignored;
  std::vector<std::filesystem::path> old;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const bool is_of_commit = entry.path().filename().string().starts_with(kOfCommit);
    const auto written = entry.last_write_time(ignored);
    if (is_of_commit && !ignored && written < before) old.push_back(entry.path());
  }
  for (const std::filesystem::path& file : old) std::filesystem::remove(file, ignored);
}

// A file with that text which the candidate's code does not see: in the state folder, or where none can be written
// there, in memory.
Result<std::string> out_of_reach(const std::string& text) {
  const std::filesystem::path folder = storage::state_folder() / "calibrations";
  const std::filesystem::path kept =
      folder / (std::string(kOfCommit) + sha256_hex(text).substr(0, kDigitsInName) + ".json");
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  if (!storage::write_file(kept, text)) return file_in_memory(text);
  remove_old(folder);
  return kept.string();
}

// The calibration that the baseline's file names is the baseline's as well where it is a file of the repository: the
// candidate could have brought another. `place`: of steelyard.toml in the repository. What is told of it; empty:
// nothing.
Result<std::string> take_calibration(const GitRepository& repository, const std::string& baseline,
                                     const std::string& place, Configuration& configuration) {
  PolicySettings& policy = configuration.policy;
  if (policy.calibration.empty() || policy.calibration_where.starts_with("--")) return std::string();
  const std::filesystem::path& root = repository.root();
  // Not below the candidate's own steelyard.toml, which may lie elsewhere.
  policy.calibration =
      (root / std::filesystem::path(place).parent_path() / policy.calibration).lexically_normal().string();
  const std::filesystem::path file = std::filesystem::path(policy.calibration).lexically_relative(root);
  if (file.empty() || *file.begin() == "..") return std::string();
  const std::string name = file.generic_string();
  STEELYARD_TRY(const GitAnswer shown, run_git(root, {"show", baseline + ":" + name}, GitReach::remote));
  if (!shown.succeeded) {
    // The baseline has none there. What only lies there is the runner's own; what is checked in is the candidate's.
    if (!is_tracked(repository, file)) return std::string();
    policy.calibration.clear();
    return warning::calibration_not_in_baseline(name);
  }
  const Result<std::string> here = storage::read_file(root / file, kMaxCalibrationBytes);
  const bool is_same = here && trimmed(*here) == trimmed(shown.output);
  STEELYARD_TRY(policy.calibration, out_of_reach(shown.output));
  return is_same ? std::string() : warning::baseline_calibration_holds(name);
}

// A rename is known from the commit on that makes it. The lines that the baseline does not have, as written.
std::vector<std::string> take_new_renames(const Configuration& candidate, Configuration& configuration) {
  std::vector<std::string> lines;
  for (const BenchmarkRename& rename : candidate.renames) {
    const bool is_known = std::any_of(configuration.renames.begin(), configuration.renames.end(),
                                      [&](const BenchmarkRename& other) { return other.from == rename.from; });
    if (is_known) continue;
    configuration.renames.push_back(rename);
    configuration.renames.back().is_of_candidate = true;
    lines.push_back(quoted_for_toml(rename.from) + " = " + quoted_for_toml(rename.to));
  }
  return lines;
}

}  // namespace

Result<GateConfiguration> with_baseline_policy(const Configuration& candidate, const GitRepository& repository,
                                               const CommitPair& commits, Nanoseconds usual, const App& app) {
  const std::string& baseline = commits.baseline;
  STEELYARD_TRY(const std::string path, place_in_commit(repository, baseline));
  if (path.empty()) {
    if (candidate.file.empty()) return GateConfiguration{candidate, {}};
    const Result<std::string> own = place_in_commit(repository, commits.candidate);
    const bool has_none = own && own->empty();
    const std::string file(kConfigurationFile);
    return GateConfiguration{
        candidate, {has_none ? warning::policy_only_in_work_tree(file) : warning::policy_only_in_candidate(file)}};
  }
  STEELYARD_TRY(const GitAnswer shown, run_git(repository.root(), {"show", baseline + ":" + path}, GitReach::remote));
  if (!shown.succeeded) return input_error(path + " of " + shown_sha(baseline), shown.trouble, "the baseline's file");
  const Result<Configuration> read = parse_configuration(shown.output, path + " of " + shown_sha(baseline));
  if (!read) {
    return GateConfiguration{candidate, {warning::baseline_policy_not_read({path, read.error()})}};
  }
  STEELYARD_TRY(Configuration configuration, with_overrides(*read, app));
  if (!configuration.run.budget) configuration.run.budget = usual;
  configuration.run.seed = candidate.run.seed;
  const std::vector<warning::SettingDifference> differences = differences_of(configuration, candidate);
  const std::string build = note_of_build(configuration.build_command, candidate.build_command);
  const bool is_of_work_tree = !commits.candidate.empty() && repository.differs_from(commits.candidate, candidate.file);
  OtherSide other{build.empty() ? "" : configuration.build_command, candidate.programs};
  for (const ConfiguredProgram& program : candidate.programs) {
    if (is_of_work_tree && program_named(configuration, program.name) == nullptr)
      other.programs_of_work_tree.push_back(program.name);
  }
  take_what_is_new(candidate, configuration);
  STEELYARD_TRY(const std::string calibration, take_calibration(repository, baseline, path, configuration));
  GateConfiguration obeyed{std::move(configuration), {}, std::move(other)};
  if (!calibration.empty()) obeyed.notes.push_back(calibration);
  if (const auto renames = take_new_renames(candidate, obeyed.configuration); !renames.empty()) {
    obeyed.notes.push_back(warning::renames_of_candidate(renames));
  }
  if (!build.empty()) obeyed.notes.push_back(build);
  if (!differences.empty()) obeyed.notes.push_back(warning::baseline_policy_holds(differences, is_of_work_tree));
  return obeyed;
}

Configuration with_earlier_names(Configuration configuration, const EarlierNames& earlier) {
  std::erase_if(configuration.renames, [](const BenchmarkRename& rename) { return rename.is_of_candidate; });
  judge_by_earlier_names(earlier, configuration.policy.comparison.patterns);
  std::vector<regress::DeclaredTarget> targets;  // the first that matches holds
  for (const auto& [today, before] : earlier) {
    configuration.renames.push_back({as_pattern(before), as_pattern(today), true});
    for (const regress::DeclaredTarget& target : configuration.targets) {
      if (!regress::matches_pattern(target.benchmark, before)) continue;
      targets.push_back(target);
      targets.back().benchmark = as_table_pattern(today);
    }
    std::erase_if(configuration.targets, [name = before](const auto& target) { return target.benchmark == name; });
  }
  targets.insert(targets.end(), configuration.targets.begin(), configuration.targets.end());
  configuration.targets = std::move(targets);
  return configuration;
}

}  // namespace steelyard::ci
