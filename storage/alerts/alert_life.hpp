// From what comparisons, change points and people said of one subject to its alert. Pure, and a function of the facts
// alone, whatever the order in which a store got them.
//
// A regression (a failure, a benchmark gone) opens the alert. What ends it by itself:
//   - a later comparison with the same baseline that finds it unchanged or improved;
//   - later improvements against other baselines that together take back the change, within the margin. A branch's next
//     commits are compared with each other: that the next one is unchanged says only that the regression stays;
//   - of a failed or missing benchmark: that it is measured again.
// A regression after that reopens it. One that was accepted stays so while no comparison shows more than was accepted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "storage/alerts/alert.hpp"

namespace steelyard {

struct AlertFact {
  enum class Kind { comparison, change_point, person };
  Kind kind = Kind::comparison;
  std::int64_t at_unix_ns = 0;
  std::string id;    // of the comparison; orders those of one time
  std::string what;  // the verdict; "confirmed", "gone", ...; "acknowledged", "accepted", "resolved", "reopened"
  std::string baseline_side;   // commit, or the run where there is none
  std::string candidate_side;  // likewise
  std::string commit;          // the candidate's; a person's: accepted by
  std::string fingerprint{};   // the candidate's
  std::string unit{};
  std::optional<double> baseline{};
  std::optional<double> candidate{};
  std::optional<double> ratio{};
  double margin = 0;  // relative, of equivalence
  bool higher_is_better = false;
  std::string who{};
  std::string note{};
};

// Absent where nothing of it opens one. Linear in the facts, after sorting them.
std::optional<Alert> alert_of(const AlertSubject& subject, std::vector<AlertFact> facts);

// Why a person cannot do this to an alert in that state; empty: they can.
std::string refusal(AlertAct::Kind kind, AlertState state);
std::string_view event_of(AlertAct::Kind kind);  // "acknowledged", "accepted", "resolved", "reopened"

}  // namespace steelyard
