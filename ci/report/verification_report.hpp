// Whether a kept comparison could be computed again, and what came out differently. Pure: values in, text out.
#pragma once

#include <string>
#include <vector>

#include "ci/judging/replay.hpp"
#include "ci/report/report.hpp"

namespace steelyard {

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

std::string terminal_verification(const Verification& verification, const TerminalStyle& style);
std::string json_verification(const Verification& verification);  // schema steelyard.verification/1

}  // namespace steelyard
