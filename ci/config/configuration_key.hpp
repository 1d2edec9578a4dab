// The table of everything that can be configured: one entry per key of steelyard.toml, with the option of the command
// line that overrides it. Parsing, printing, help texts and the suggestions for a mistyped key all come from it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/result.hpp"
#include "ci/config/configuration.hpp"
#include "ci/config/toml_document.hpp"
#include "ci/config/written_value.hpp"
#include "regress/targets/declared_target.hpp"

namespace steelyard::ci {

struct ConfigurationKey {
  std::string_view section;  // "run"
  std::string_view name;     // "min_time"
  std::string_view option;   // "--min-time"; empty: not on the command line
  std::string_view value;    // how help names it: "DURATION"; empty: a flag
  std::string_view help;
  Result<void> (*assign)(Configuration& configuration, const WrittenValue& value, const std::string& where);
  // The value as TOML would write it; empty: nothing is set.
  std::string (*print)(const Configuration& configuration);
};

std::span<const ConfigurationKey> configuration_keys();

// Null where there is none.
const ConfigurationKey* find_configuration_key(std::string_view section, std::string_view name);

// The effective configuration as a steelyard.toml that would give it.
std::string to_toml(const Configuration& configuration);

// The [[target]] tables of steelyard.toml: which benchmarks promise what.
//
//     [[target]]
//     benchmark = "gemv*"
//     target = "0.6 of bandwidth"     # further: level, access, dtype, threads, ceiling, to choose the ceiling
//     device = "A100 40G"             # for such devices only: a datasheet's or a driver's name, or a pattern
//     over = "columns"                # the weighted mean over that axis instead of each benchmark alone

inline constexpr std::string_view kTargetSection = "target";
std::vector<std::string> target_keys();

// Takes the entries one by one and reads them when all of a table are there.
class TargetTables {
 public:
  // Error (input): not [[target]], a value of another type, more than 1000 tables. Precondition: a known key, or none.
  Result<void> take(const TomlEntry& entry, const std::string& where);
  // Error (input): a table without its benchmark or its target, a target that says nothing, or twice a different thing.
  Result<std::vector<regress::DeclaredTarget>> finish() const;

 private:
  struct Table {
    std::string where;         // of the table
    std::string target_where;  // of the line that promises
    regress::DeclaredTarget declared;
    std::string text;
  };
  std::vector<Table> tables_;
};

// The target as steelyard.toml would have it.
std::string to_toml(const regress::DeclaredTarget& declared);

// The [[policy]] tables of steelyard.toml: what holds for benchmarks of a pattern in place of what holds for all. TOML
// has no [policy] beside [[policy]], so the one of all is then a [[policy]] without `match`, with the keys of [policy].
//
//     [[policy]]
//     minimum_effect = "2%"           # of all
//
//     [[policy]]
//     match = "gemv/*"
//     minimum_effect = "5%"           # further: margin, counted_minimum_effect, gates, budget
//     owner = "kernels@example.org"
//     until = "2026-12-31"            # the last day on which the table holds
//     reason = "the checksum is worth it"

inline constexpr std::string_view kPolicySection = "policy";
std::vector<std::string> pattern_policy_keys();

// Takes the entries one by one and reads them when all of a table are there.
class PolicyTables {
 public:
  // Error (input): more than 1000 tables. Precondition: an entry of [[policy]].
  Result<void> take(const TomlEntry& entry, const std::string& where);
  // Lays them into the configuration. Error (input): an unknown key, one that holds for all benchmarks or none, a table
  // with `match` alone, two tables without it, a value that cannot be read.
  Result<void> finish(Configuration& configuration) const;

 private:
  struct Entry {
    TomlEntry entry;
    std::string where;  // file and line
  };
  struct Table {
    std::string where;
    std::vector<Entry> entries;
    bool has_match = false;
  };
  static Result<void> read(const Table& table, PatternPolicy& policy);

  std::vector<Table> tables_;
};

// The table as steelyard.toml would have it.
std::string to_toml(const PatternPolicy& policy);

// The nearest known key, or where none is near the table that has a key of this name, or all that there are.
Error unknown_key(const std::string& where, std::string_view name, const std::vector<std::string>& known);

}  // namespace steelyard::ci
