// Scores of a rule on windows of recordings: how often it alarms where nothing changed, how often it finds a change
// that was put in, and how honest its interval is. Every window is judged unchanged and with each change, so that the
// figures of a line belong to the same data.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/studies/judging/rule.hpp"

namespace steelyard::judging {

inline constexpr std::array<double, 4> kChanges = {1.01, 1.02, 1.05, 1.10};

struct Share {
  std::int64_t count = 0;
  std::int64_t of = 0;
  void add(bool happened);
  double value() const;           // 0 of nothing
  double standard_error() const;  // binomial
};

struct Score {
  // Pairs without a change.
  Share alarm;         // says that there is one, at its own level (p <= .05 where it has a p)
  Share alarm_strict;  // p <= .01; of = 0 where the rule has no p
  Share called;        // verdict regression or improvement; Steelyard's alone, as the next two
  Share shown_unchanged;
  Share run_alarm;  // windows with a verdict of change on any unchanged benchmark; rules without verdicts: that say so
  // Pairs with a change, by kChanges.
  std::array<Share, kChanges.size()> found;         // says slower
  std::array<Share, kChanges.size()> called_right;  // verdict regression
  Share wrong;                                      // says faster, over all changes
  Share covered;                                    // intervals that hold the true ratio, changed or not
};

struct ScoreOptions {
  int seeds = 3;
  int windows = 40;  // for each seed
  // Each window's benchmarks are judged in one comparison, and `changed` of them get the change; else every benchmark
  // is a comparison of its own.
  bool as_suite = false;
  int changed = 4;
  bool only_side_by_side = false;  // the change is not there alone
};

using WindowSource = std::function<Window(Draw&)>;
Score score(const Rule& rule, const WindowSource& source, const ScoreOptions& options);

// A Markdown table, one score a line; figures that a rule has not are left empty.
std::string score_table_head();
std::string score_line(const std::string& row, const std::string& rule, const Score& score);

}  // namespace steelyard::judging
