// What a project says about itself in steelyard.toml, at its repository's root: programs, how to build them, how to
// measure and what counts as a change. Projects need none to start: a default-made Configuration is what holds then.
// Options of the command line are laid over it by configuration_key.hpp. Not the place for results or machine facts.
//
//     STEELYARD_TRY(Configuration configuration, find_configuration(std::filesystem::current_path()));
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/quantity.hpp"
#include "bench/model/result.hpp"
#include "bench/runner/settings.hpp"
#include "ci/config/renames.hpp"
#include "regress/targets/declared_target.hpp"

namespace steelyard::ci {

// Whether a benchmark is timed though its two builds cannot run different instructions.
enum class SkipTime {
  never,         // it is: layout, memory and the machine have a say too
  equal_binary,  // not where all that a process would load is equal
  equal_code,    // nor where the code that it executes is equal, though data may differ
};

// How a command is measured that is no Google Benchmark program (bench/runner/command_program.hpp).
inline constexpr std::string_view kProcessFormat = "process";
inline constexpr std::int64_t kMaxWarmups = 1000;
std::vector<std::string> command_formats();  // "process", then those of one run
struct CommandChoice {
  std::string format;  // "process": from outside; else what it writes; empty: it is a Google Benchmark program
  std::string prepare;
  int warmup = 1;
  bool shell = false;  // the whole line is /bin/sh's
  bool ignore_failure = false;
  bool operator==(const CommandChoice&) const = default;
};

struct ConfiguredProgram {
  std::string name;     // becomes the suite where there are several programs
  std::string command;  // path and arguments; the path is relative to the root of the work tree
  CommandChoice how = {};
  bool operator==(const ConfiguredProgram&) const = default;
};

struct PolicySettings {
  ComparisonPolicy comparison;   // as it is written: tables in the order of the file, also those that are over; no seed
  bool strict = false;           // a false alarm rate of at most 1 %
  bool demand_decision = false;  // an inconclusive row fails the gate
  bool forbid_skips = false;     // so does a skipped one
  std::optional<SkipTime> skip_time;  // absent: nobody says; never where nothing else does (equal_builds.hpp)
  std::string calibration;            // a file; empty: the one that is kept for the machine
  std::string calibration_where;      // what said so, as store_where
  bool operator==(const PolicySettings&) const = default;
};

struct GateSettings {
  bool against_history = false;     // the head alone is measured, and held against the recent level of its series
  std::string history_branch;       // empty: the branch to merge into, else the candidate's own
  bool no_accept_trailers = false;  // a commit's message accepts no change
  bool operator==(const GateSettings&) const = default;
};

// How long the store keeps what; absent: for ever. Only `steelyard db prune` looks at it.
struct RetentionSettings {
  std::optional<int> samples_days;
  std::optional<int> profiles_days;
  std::optional<int> runs_days;
  bool operator==(const RetentionSettings&) const = default;
};

struct Configuration {
  std::filesystem::path file;  // where it was read; empty: none, all defaults
  std::filesystem::path root;  // folder of that file; empty: none
  std::string project;
  std::string store = "embedded";
  std::string store_where;  // what said so, for messages: "--store", "STEELYARD_STORE", "steelyard.toml:3"
  std::string build_command;
  Nanoseconds build_timeout = seconds(1800);
  bool no_submodules = false;  // of the commits that are built
  std::vector<ConfiguredProgram> programs;
  std::vector<regress::DeclaredTarget> targets;  // in the order of the file
  bench::MeasuringSettings run;
  PolicySettings policy;
  GateSettings gate;
  RetentionSettings retention;
  std::vector<BenchmarkRename> renames;  // in the order of the file
  bool operator==(const Configuration&) const = default;
};

inline constexpr std::string_view kConfigurationFile = "steelyard.toml";

// The policy that a comparison is asked for; the seed is the caller's to fill in. Without the tables whose last day is
// over.
ComparisonPolicy comparison_policy(const PolicySettings& settings);

// The day in UTC, as PatternPolicy::until has it.
std::string today();
// Whether the table holds no more.
bool is_over(const PatternPolicy& table, const std::string& day);

// `name` is for messages. Errors (input): not TOML, an unknown key, a value of the wrong type or out of range; each
// with the line. Above 1 MiB: refused.
Result<Configuration> parse_configuration(std::string_view text, const std::string& name);
Result<Configuration> read_configuration(const std::filesystem::path& file);

// Looks in `start` and its parents, up to the root of the git work tree (or the file system) and no further. Defaults
// where there is no file.
Result<Configuration> find_configuration(const std::filesystem::path& start);

}  // namespace steelyard::ci
