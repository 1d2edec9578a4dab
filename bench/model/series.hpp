// A series: one benchmark and metric along the commits of a branch, as the finder of change points takes it. Each point
// has one value or several of its own (duplicates of a commit are one point); a point without any is a gap.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/metric.hpp"

namespace steelyard {

struct SeriesPoint {
  std::vector<double> values;  // empty: a gap; not finite ones are taken as absent
  std::string commit;          // empty: unknown
  std::string machine;         // fingerprint; empty: all points are of one machine
  std::string run;             // empty: not from the store
  bool operator==(const SeriesPoint&) const = default;
};

struct Series {
  std::string name;
  std::string metric;
  std::string unit;
  Better better = Better::lower;
  std::vector<SeriesPoint> points;  // oldest first
  bool operator==(const Series&) const = default;
};

enum class ChangeStatus {
  confirmed,
  suspected,  // fewer than kMinLaterValues values since: to be measured again before anyone is told
};
inline constexpr std::size_t kMinLaterValues = 3;
inline constexpr std::array<std::string_view, 2> kChangeStatusWords{"confirmed", "suspected"};
inline std::span<const std::string_view> words_of(ChangeStatus) { return kChangeStatusWords; }

// What the change came with. One series cannot tell; all series that were looked at together may.
enum class ChangeCause {
  commit,   // as far as is known
  machine,  // most of the machine's series moved alike there, and nothing speaks for the code
  creep,    // several commits, each with a step too small to be told by itself
};
inline constexpr std::array<std::string_view, 3> kChangeCauseWords{"commit", "machine", "creep"};
inline std::span<const std::string_view> words_of(ChangeCause) { return kChangeCauseWords; }

struct ChangePoint {
  std::size_t index = 0;  // of the first value at the new level
  std::string commit;
  std::string last_good;  // the newest commit that is known to be at the old level: the change is after it
  double before = 0;      // levels, in the metric's unit
  double after = 0;
  std::optional<double> ratio;  // absent where the levels have none (0, different signs)
  // Chance of a step this strong somewhere in its stretch of the series if there is none
  // (docs/method/change_points.md, "p").
  double p = 1;
  ChangeStatus status = ChangeStatus::suspected;
  bool regression = false;  // else an improvement
  // Equal for one change however many points come later: hash of series, machine and the commit (or index) at which it
  // was confirmed first. Empty while it is suspected.
  std::string id;
  // First and last index at which the new level may have begun, where noise leaves the place open; first <= index <=
  // last.
  std::size_t first = 0;
  std::size_t last = 0;
  // By which commit somebody accepted the level that it brought; empty: nobody did. Set by who asked the store.
  std::string accepted_by{};
  // Of a regression: where the change begins that took it back, and by which commit (empty: unknown). Absent: none did.
  // Set by mark_taken_back() (regress/history/change_points.hpp).
  std::optional<std::size_t> taken_back_at{};
  std::string taken_back_by{};
  // Of what share of this machine's series moved at the same place: set by the grouping, 0 before it. So is the cause,
  // which is of the series looked at together, and not kept with one of them.
  double shared = 0;
  ChangeCause cause = ChangeCause::commit;
  bool operator==(const ChangePoint&) const = default;

  static constexpr std::int64_t kHighestIndex = INT64_C(1) << 31;
  static void fields(auto& visit, auto& self) {
    visit("index", self.index, {.high = kHighestIndex});
    visit("commit", self.commit, {.null = Null::written});
    visit("last_good", self.last_good, {.null = Null::written});
    visit("before", self.before, {.null = Null::accepted});
    visit("after", self.after, {.null = Null::accepted});
    visit("ratio", self.ratio);
    visit("p", self.p, {.null = Null::accepted});
    visit("status", self.status);
    visit("verdict", self.regression, {.words = {"improvement", "regression"}});
    visit("id", self.id, {.null = Null::written});
    visit("first", self.first, {.high = kHighestIndex});
    visit("last", self.last, {.high = kHighestIndex});
    visit("shared", self.shared, {.null = Null::accepted});
  }
};

// A level that somebody accepted, by a commit that is named: to be there again is no reason to fail.
struct AcceptedLevel {
  double level = 0;  // in the metric's unit
  std::string commit;
  bool operator==(const AcceptedLevel&) const = default;

  static void fields(auto& visit, auto& self) {
    visit("level", self.level);
    visit("commit", self.commit, {.null = Null::written});
  }
};

// Where the level comes from that the small steps of a count are added up from.
enum class LevelOrigin {
  first_known,  // nothing was accepted or released: the oldest value that was looked at
  accepted,     // with an alert, by a commit that is named
  released,     // a tag of the repository
};
inline constexpr std::array<std::string_view, 3> kLevelOriginWords{"first known", "accepted", "released"};
inline std::span<const std::string_view> words_of(LevelOrigin) { return kLevelOriginWords; }

// A change of a count that was too small to fail a gate by itself, for the better or the worse.
struct CreepStep {
  std::string commit;  // the first one that was measured at the new level; empty: unknown
  double level = 0;    // the new one, in the metric's unit
  double ratio = 1;    // over the level before
  bool operator==(const CreepStep&) const = default;

  static void fields(auto& visit, auto& self) {
    visit("commit", self.commit, {.null = Null::written});
    visit("level", self.level);
    visit("ratio", self.ratio);
  }
};

// What the small changes of one count came to since its level was accepted or released
// (regress/history/creep.hpp).
struct Creep {
  LevelOrigin origin = LevelOrigin::first_known;
  std::string commit;              // of that level; empty: unknown
  std::string release;             // the tag's name; empty: none
  std::int64_t at_unix_s = 0;      // when it was accepted or released; 0: unknown
  double accepted = 0;             // the level, in the metric's unit, under the conditions of today
  double level = 0;                // now
  double ratio = 1;                // of all steps together
  double effect = 0;               // from which on it fails, relative; each step is smaller
  bool beyond = false;             // it does: the steps and the level, both
  std::vector<CreepStep> steps{};  // oldest first
  bool operator==(const Creep&) const = default;

  static void fields(auto& visit, auto& self) {
    visit("origin", self.origin);
    visit("commit", self.commit, {.null = Null::written});
    visit("release", self.release, {.null = Null::written});
    visit("at_unix_s", self.at_unix_s);
    visit("accepted", self.accepted);
    visit("level", self.level);
    visit("ratio", self.ratio);
    visit("effect", self.effect);
    visit("beyond", self.beyond);
    visit("steps", self.steps, {.column = "step"});
  }
};

// One benchmark and metric of a history, as the judge of a run that was measured alone is given it.
struct SeriesHistory {
  Series series;  // name: the benchmark's canonical text
  std::vector<ChangePoint> changes;
  double usual_invocations = 1;             // behind one point, as a rule
  std::optional<AcceptedLevel> accepted{};  // on the candidate's machine
  bool operator==(const SeriesHistory&) const = default;

  static void fields(auto& visit, auto& self) {
    visit("benchmark", self.series.name);
    visit("metric", self.series.metric);
    visit("unit", self.series.unit);
    visit("better", self.series.better);
    visit("usual_invocations", self.usual_invocations, {.null = Null::accepted});
    visit("points", self.series.points);
    visit("accepted", self.accepted, {.omitted = true});
    visit("changes", self.changes, {.most = 1'000'000});
  }
};

// All that such a judge was given besides the runs, kept with the verdict so that it can be computed again.
struct JudgedHistory {
  std::string branch;  // that the history is of; empty: all
  std::vector<SeriesHistory> series;
  bool operator==(const JudgedHistory&) const = default;
};

}  // namespace steelyard
