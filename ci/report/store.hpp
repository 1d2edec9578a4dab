// What a store holds, for a person and for a program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/run.hpp"
#include "ci/app/terminal_text.hpp"
#include "storage/model/access.hpp"
#include "storage/model/upkeep.hpp"

namespace steelyard::ci {

std::string terminal_status(const storage::StoreStatus& status, const TerminalStyle& style);
std::string terminal_upkeep(const storage::StoreUpkeep& upkeep);             // tables and partitions, below the status
std::vector<std::string> upkeep_advice(const storage::StoreUpkeep& upkeep);  // what to do, a sentence each
// Schema steelyard.status/1.
std::string json_status(const storage::StoreStatus& status, const storage::StoreUpkeep& upkeep);

// Who may do what: "every project", "project x"; "reader of project x".
std::string scope_of(const storage::AccessGrant& grant);
std::string access_text(const storage::AccessGrant& grant);
std::string terminal_grants(const std::vector<storage::AccessGrant>& grants);
std::string json_grants(const std::vector<storage::AccessGrant>& grants);  // schema steelyard.grants/1

// What an upgrade would do, and which table goes where.
std::string terminal_upgrade(const storage::UpgradePlan& plan);
std::string json_upgrade(const storage::UpgradePlan& plan);  // schema steelyard.upgrade/1
std::string terminal_distribution(const storage::DistributionPlan& plan);
std::string json_distribution(const storage::DistributionPlan& plan);  // schema steelyard.distribution/1

// Whether a kept comparison could be computed again, and what came out differently. Pure: values in, text out.

struct FieldDifference {
  std::string benchmark;
  std::string metric;
  std::string field;
  std::string kept;        // empty: absent
  std::string recomputed;  // empty: absent
  bool operator==(const FieldDifference&) const = default;
};

struct Replay {
  std::string rule_version;                  // of this program's engine
  std::vector<FieldDifference> differences;  // by row
  std::int64_t rows = 0;                     // compared
  std::int64_t untimed = 0;  // rows that counting decided: equal builds; they follow from no run and are not compared
  // The functions of changed counts are told with lines, and they are of profiles whose lines may be shifted.
  bool has_shifted_lines = false;
};

enum class VerificationOutcome {
  verified,      // every judged field is the same, bit for bit
  differs,       // some are not, by the same rules and from the same runs
  not_verified,  // other rules, a run that is nowhere, or a history in place of a baseline
};
std::string_view to_text(VerificationOutcome outcome);  // "verified", "differs", "not verified"

struct Verification {
  std::string comparison;  // as the user named it
  VerificationOutcome outcome = VerificationOutcome::not_verified;
  std::string why;           // it is not verified, or differs; empty: verified
  std::string rule_version;  // of the kept comparison
  std::string baseline_run;
  std::string candidate_run;
  std::string baseline_place;  // where it was found; empty: nowhere
  std::string candidate_place;
  Replay replay;
};

// Whose the runs are that a job keeps, which it did not measure itself.
struct ExpectedOrigin {
  std::string project;                   // empty: any
  std::string commit;                    // whole; empty: any
  std::optional<Commit> described = {};  // all that a gate would say of it; absent: not asked
};
// In which a side is of another origin, by its archive or by what the comparison says of it; empty: in nothing. `side`:
// "baseline", "candidate".
std::string other_origin_text(const std::string& side, const RunHeader& archive, const RunHeader& in_comparison,
                              const ExpectedOrigin& expected);

std::string terminal_verification(const Verification& verification, const TerminalStyle& style);
std::string json_verification(const Verification& verification);  // schema steelyard.verification/1

}  // namespace steelyard::ci
