// An alert: something got worse on a branch, and what became of it. It is about one benchmark and metric of one branch
// for as long as these exist: what was resolved and is there again is the same alert, reopened. A pull or merge request
// is on no branch, and stands in the place of one: its alerts are its own. Change points have one each. What people
// said and what comparisons showed are facts; the state is derived from them (alert_of()).
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/fields.hpp"
#include "bench/model/run.hpp"

namespace steelyard::storage {

enum class AlertState { open, acknowledged, accepted, resolved, reopened };
std::string_view to_text(AlertState state);
std::span<const std::string_view> words_of(AlertState);
std::optional<AlertState> parse_alert_state(std::string_view text);

// What an alert is about. Comparisons: fingerprint and change_point are empty.
struct AlertSubject {
  std::string project;
  std::string branch;     // or "request:7"; empty: neither is known
  std::string benchmark;  // canonical text
  std::string metric;     // its name
  std::string fingerprint{};
  std::string change_point{};

  static void fields(auto& visit, auto& self) {
    visit("project", self.project);
    visit("branch", self.branch);
    visit("benchmark", self.benchmark);
    visit("metric", self.metric);
    visit("fingerprint", self.fingerprint);
    visit("change_point", self.change_point);
  }
  bool operator==(const AlertSubject&) const = default;
};
// SHA-256 over the subject.
std::string alert_id(const AlertSubject& subject);

// The setting of a run that the job of a pull or merge request measured, of a commit that is on no branch there: which
// request, as the CI service numbers it, else as the branch is called that it comes from.
inline constexpr const char* kRequestSetting = "request";
// Whose alerts come of a comparison with this candidate: its branch's, else its request's, "request:7", which no branch
// can be called. is_of_request: whatever it says of its branch, which then is no more than a name.
std::string alert_branch(const RunHeader& candidate, bool is_of_request = false);
std::string alert_branch_of_request(const std::string& name);  // "request:7"
bool is_request_branch(std::string_view branch);

// Whether a comparison is of two programs or commands that somebody measured together and that belong to no commit, as
// `ab` of two files: a question of that moment, which opens no alert and ends none.
bool is_of_files(const RunHeader& baseline, const RunHeader& candidate);

struct AlertTransition {
  std::string transition;  // "opened", "acknowledged", "accepted", "resolved", "reopened"
  std::int64_t at_unix_ns = 0;
  std::string by;      // a person, "comparison:ID" or "change point"
  std::string commit;  // candidate's; accepted: that it was accepted by
  std::string note;

  static void fields(auto& visit, auto& self) {
    visit("transition", self.transition);
    visit("at_unix_ns", self.at_unix_ns, kAnyTime);
    visit("by", self.by);
    visit("commit", self.commit);
    visit("note", self.note);
  }
  bool operator==(const AlertTransition&) const = default;
};

// Who is to see to an alert. It changes no state, and no state changes it.
struct AlertAssignment {
  std::string to;  // a person
  std::string by;  // who said so
  std::int64_t at_unix_ns = 0;
  std::string note;

  static void fields(auto& visit, auto& self) {
    visit("to", self.to);
    visit("by", self.by);
    visit("at_unix_ns", self.at_unix_ns, kAnyTime);
    visit("note", self.note);
  }
  bool operator==(const AlertAssignment&) const = default;
};
inline constexpr std::size_t kMaxAssigneeBytes = 200;

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
  std::string accepted_until{};       // the last day of what was accepted last, "2026-12-31"; empty: for good
  std::vector<AlertTransition> life;  // oldest first, never empty
  std::optional<AlertAssignment> assignment{};
  std::vector<std::string> other_names{};  // of its benchmark, which was renamed; ascending

  static void fields(auto& visit, auto& self) {
    visit("id", self.id);
    visit("subject", self.subject);
    visit("unit", self.unit);
    visit("comparison", self.comparison);
    visit("commit", self.commit);
    visit("fingerprint", self.fingerprint);
    visit("verdict", self.verdict);
    visit("state", self.state);
    visit("baseline", self.baseline);
    visit("candidate", self.candidate);
    visit("ratio", self.ratio);
    visit("accepted_commit", self.accepted_commit);
    visit("accepted_until", self.accepted_until);
    visit("life", self.life);
    visit("assignment", self.assignment);
    visit("other_names", self.other_names, {.omitted = true});
  }
};

// What is accepted as it is, and by which commit: of an alert in that state, as it was when somebody said so.
struct AcceptedAlert {
  AlertSubject subject;
  std::string unit;
  std::string fingerprint;  // of the machine that the level holds for; empty: not known
  std::string commit;
  std::optional<double> level;
  std::int64_t at_unix_ns = 0;  // when somebody said so
  // Of a request: the branch that it is to be merged into, as its newest gate was told; empty: not known.
  std::string merged_into{};

  static void fields(auto& visit, auto& self) {
    visit("subject", self.subject);
    visit("unit", self.unit);
    visit("fingerprint", self.fingerprint);
    visit("commit", self.commit);
    visit("level", self.level);
    visit("at_unix_ns", self.at_unix_ns, kAnyTime);
    visit("merged_into", self.merged_into, {.omitted = true});
  }
};

struct AcceptedQuery {
  std::string project;  // empty: any
  // Of alerts that are accepted now; false: all that nobody took back, though a comparison may have shown more since.
  bool only_standing = true;

  static void fields(auto& visit, auto& self) {
    visit("project", self.project);
    visit("only_standing", self.only_standing);
  }
};

// Which alerts to read. Newest change of state first.
struct AlertQuery {
  std::string id;         // or a prefix of it; empty: any
  std::string project;    // empty: any
  std::string branch;     // empty: any
  std::string benchmark;  // canonical text or a part of it, or of another name that it had; empty: any
  bool resolved_too = false;
  int limit = 200;
  // What follows is not for another process.
  std::set<std::string> benchmarks{};  // those that are called so as well
  std::string commit{};                // that opened it; empty: any
  std::string state{};                 // its text; empty: any
  std::string after{};                 // Page::next

  static void fields(auto& visit, auto& self) {
    visit("id", self.id);
    visit("project", self.project);
    visit("branch", self.branch);
    visit("benchmark", self.benchmark);
    visit("resolved_too", self.resolved_too);
    visit("limit", self.limit);
  }
};

// What a person does to an alert.
struct AlertAct {
  enum class Kind { acknowledge, accept, resolve, reopen, assign };
  Kind kind = Kind::acknowledge;
  std::string alert;  // id or an unambiguous prefix of at least 6 characters
  std::string who;
  std::string note;
  std::string commit;  // with accept: by which; must be named
  std::int64_t at_unix_ns = 0;
  // With accept: its last day in UTC, "2026-12-31"; empty: for good. With reopen: only what is accepted until that day;
  // empty: whatever the day.
  std::string until{};
  std::string assignee{};  // with assign: a person, of at most kMaxAssigneeBytes; empty: nobody any more
};

// That somebody was told how an alert stands. A change of its state is told once on each channel.
struct AlertNotice {
  std::string alert;                        // its id
  std::string channel;                      // "webhook", "slack", "mail:kernels@example.org"
  AlertState state = AlertState::open;      // that is told
  std::optional<AlertState> told_before{};  // on this channel; absent: nothing was
  bool operator==(const AlertNotice&) const = default;
};
// Who is about to tell; the same for a claim and for what became of it.
struct NoticeClaim {
  std::string id;  // no other call's
  std::int64_t at_unix_ns = 0;
};
// A claim of which nothing is heard for so long is given up: its program ended before it could say.
inline constexpr std::int64_t kClaimHoldsNs = 600'000'000'000;

// Whether how an alert stands is news: who never heard of it wants no word that it is gone, or is in hands.
bool is_news(std::optional<AlertState> told_before, AlertState now);

// From what comparisons, change points and people said of one subject to its alert. Pure, and a function of the facts
// alone, whatever the order in which a store got them.
//
// A regression (a failure, a benchmark gone) opens the alert. What ends it by itself:
//   - a later comparison with the same baseline that finds it unchanged or improved;
//   - later improvements against other baselines that together take back the change, within the margin. A branch's next
//     commits are compared with each other: that the next one is unchanged says only that the regression stays;
//   - of a failed or missing benchmark: that it is measured again;
//   - of a failed one: that it leaves itself out on both sides (skipped), which is no failure;
//   - of a change point: that it is seen no more, was found to be the machine's, or was taken back by a later change.
//     What is so when it is first seen opens none, and what is so no more opens it again.
// Of several comparisons with other baselines the changes add up, as those of a branch's commits do. Of sides without
// a commit, and where no branch says that commits follow each other, only a baseline that was a candidate before goes
// on from what is known; any other comparison takes the place of what was found before, where it is a regression, and
// says nothing of it where it is none. A request's commits are each compared with what it is to be merged into: the
// newest comparison says all that the request changes, whatever its baseline.
//
// A regression after that reopens it. One that was accepted stays so while no comparison shows more than was accepted;
// a creep is counted from what was accepted last, and is more.

struct AlertFact {
  enum class Kind { comparison, change_point, person };
  Kind kind = Kind::comparison;
  std::int64_t at_unix_ns = 0;
  std::string id;    // of the comparison; orders those of one time
  std::string what;  // the verdict; "confirmed", "gone", ...; "acknowledged", "accepted", "resolved", "reopened"
  // Commits; the run where there is none.
  std::string baseline_side;
  std::string candidate_side;
  std::string commit;         // the candidate's; a person's: accepted by
  std::string fingerprint{};  // the candidate's
  std::string unit{};
  std::optional<double> baseline{};
  std::optional<double> candidate{};
  std::optional<double> ratio{};
  bool has_commits = true;  // on both sides
  double margin = 0;        // relative, of equivalence
  bool higher_is_better = false;
  // Beyond the level that was accepted last, in steps that are too small to fail by themselves: `baseline` is that
  // level, and `ratio` is to it.
  bool is_creep = false;
  bool of_machine = false;      // a change point whose cause is the machine: nobody can mend it in the code
  std::string taken_back_by{};  // a change point, by which later commit; empty: it stands
  std::string who{};
  std::string note{};
  std::string benchmark{};  // by which name it is of it; empty: the subject's
};

// Absent where nothing of it opens one. Linear in the facts, after sorting them. Of a benchmark that was renamed with
// the facts of all of its names: one alert, which is known by the name that people spoke of it first, else by the one
// that it was opened under.
std::optional<Alert> alert_of(const AlertSubject& subject, std::vector<AlertFact> facts);

// Why a person cannot do this to an alert in that state; empty: they can. To assign it there is no wrong state.
std::string refusal(AlertAct::Kind kind, AlertState state);
std::string_view event_of(AlertAct::Kind kind);  // "acknowledged", "accepted", "resolved", "reopened", "assigned"

}  // namespace steelyard::storage
