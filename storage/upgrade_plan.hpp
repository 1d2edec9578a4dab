// What `steelyard db migrate` would do to a store: told without doing it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace steelyard {

struct AffectedTable {
  std::string name;        // without the schema
  std::int64_t bytes = 0;  // with its indexes; 0: it is not there yet
  bool operator==(const AffectedTable&) const = default;
};

struct UpgradeStep {
  int version = 0;
  std::string name;
  std::string checksum;                 // SHA-256 of the script
  std::vector<std::string> creates;     // tables
  std::vector<AffectedTable> rewrites;  // every row is written again: time and space for as much as they have
  std::vector<AffectedTable> fills;     // rows of others are put into these
  std::vector<std::string> drops;
};

struct UpgradePlan {
  std::string address;     // safe to print
  int version = 0;         // that the store has; 0: none
  int newest = 0;          // that this program has
  std::int64_t bytes = 0;  // of the whole database
  bool allowed = true;     // the login may do it
  std::vector<UpgradeStep> steps;
};

}  // namespace steelyard
