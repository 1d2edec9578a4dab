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

std::string terminal_tokens(const std::vector<storage::Token>& tokens);
std::string json_tokens(const std::vector<storage::Token>& tokens);  // schema steelyard.tokens/1
std::string json_issued(const storage::IssuedToken& issued);         // schema steelyard.issued_token/1
std::string json_revoked(const std::string& id, bool was_good);      // schema steelyard.revoked_token/1

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

// What a store has where it has no answer, so that nobody reads "nothing found" where nothing was looked at.

// A question for series that none fits.
struct NoSeries {
  // An option that chooses. `nearest`: what may have been meant; empty: nothing is like it.
  struct Choice {
    std::string option;  // "--branch"
    std::string value;
    std::string nearest{};
  };
  std::string archives{};              // the folder that was looked through; empty: the store
  std::string benchmark{};             // that was asked for; empty: any
  std::string nearest{};               // of all benchmarks, where it is the name that fits none; empty: none is like it
  std::vector<Choice> excluded_by{};   // without any one of these, or all of several, there are series
  std::vector<std::string> metrics{};  // that all series have, where no metric was named and none is of a usual one
  bool is_chained = false;             // there are, and no two of their commits were measured against each other
};
std::string terminal_no_series(const NoSeries& none);
// Where changes had nothing to look at. metrics: as of NoSeries, of which lower or higher is better.
std::string terminal_nothing_to_look_at(bool is_store, const std::vector<std::string>& metrics);

// One end of a range of commits.
struct RangeEnd {
  std::string commit;       // that was asked for
  bool has_run = true;      // of the branch that was asked for
  std::string nearest{};    // where it has none: the nearest commit before it that has one; empty: none is known
  std::int64_t before = 0;  // how many commits that one is before it
  const std::string& measured() const { return has_run ? commit : nearest; }  // empty: none is known
};
struct RangeLook {
  RangeEnd from;
  RangeEnd to;
  std::string branch{};          // that was asked for; empty: any
  bool has_branch = true;        // the store has runs of it
  std::string nearest_branch{};  // that may have been meant
  // Of what was measured first nothing before it is to be known: all of the range is after it.
  bool compares() const { return has_branch && !to.measured().empty() && from.measured() != to.measured(); }
};
// "1a2b3c4d5 has no run; the nearest measured commit is 9f8e7d6c5, 3 commits before it"; empty: nothing is missing.
std::string missing_runs_text(const RangeLook& look);
// place: the range as it was asked for. missing: as missing_runs_text() has it.
std::string nothing_to_compare_text(const std::string& place, const std::string& missing);

}  // namespace steelyard::ci
