// An alert: something got worse on a branch, and what became of it. It is about one benchmark and metric of one branch
// for as long as these exist: what was resolved and is there again is the same alert, reopened. Change points have one
// each. What people said and what comparisons showed are facts; the state is derived from them (alert_life.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/result.hpp"

namespace steelyard {

enum class AlertState { open, acknowledged, accepted, resolved, reopened };
std::string_view to_text(AlertState state);
std::optional<AlertState> parse_alert_state(std::string_view text);

// What an alert is about. Comparisons: fingerprint and change_point are empty.
struct AlertSubject {
  std::string project;
  std::string branch;
  std::string benchmark;  // canonical text
  std::string metric;     // its name
  std::string fingerprint{};
  std::string change_point{};
  bool operator==(const AlertSubject&) const = default;
};
// SHA-256 over the subject.
std::string alert_id(const AlertSubject& subject);

struct AlertTransition {
  std::string transition;  // "opened", "acknowledged", "accepted", "resolved", "reopened"
  std::int64_t at_unix_ns = 0;
  std::string by;      // a person, "comparison:ID" or "change point"
  std::string commit;  // candidate's; accepted: that it was accepted by
  std::string note;
  bool operator==(const AlertTransition&) const = default;
};

struct Alert {
  std::string id;
  AlertSubject subject;
  std::string unit;
  std::string comparison;   // the newest that showed it; empty: a change point
  std::string commit;       // the candidate's there
  std::string fingerprint;  // of the machine that showed it last; empty: not known
  std::string verdict;      // "regression", "failed", "missing"
  AlertState state = AlertState::open;
  std::optional<double> baseline;
  std::optional<double> candidate;
  std::optional<double> ratio;        // level now over the one before, later comparisons included
  std::string accepted_commit;        // empty: it never was
  std::vector<AlertTransition> life;  // oldest first, never empty
};

// What is accepted as it is, and by which commit: of an alert in that state, as it was when somebody said so.
struct AcceptedAlert {
  AlertSubject subject;
  std::string unit;
  std::string fingerprint;  // of the machine that the level holds for; empty: not known
  std::string commit;
  std::optional<double> level;
};

// Which alerts to read. Newest change of state first.
struct AlertQuery {
  std::string id;         // or a prefix of it; empty: any
  std::string project;    // empty: any
  std::string branch;     // empty: any
  std::string benchmark;  // canonical text or a part of it; empty: any
  bool resolved_too = false;
  int limit = 200;
};

// What a person does to an alert.
struct AlertAct {
  enum class Kind { acknowledge, accept, resolve, reopen };
  Kind kind = Kind::acknowledge;
  std::string alert;  // id or an unambiguous prefix of at least 6 characters
  std::string who;
  std::string note;
  std::string commit;  // with accept: by which; must be named
  std::int64_t at_unix_ns = 0;
};

}  // namespace steelyard
