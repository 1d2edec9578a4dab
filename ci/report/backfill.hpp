// What measuring commits afterwards came to, for a person and a program. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/model/fields.hpp"
#include "ci/app/terminal_text.hpp"
#include "storage/model/history.hpp"

namespace steelyard::ci {

// One commit held against an older one.
struct BackfillStep {
  std::string before;  // full shas
  std::string after;
  std::string trouble = {};  // why it could not be measured; empty: it was, and is kept

  static void fields(auto& visit, auto& self) {
    visit("before", self.before);
    visit("after", self.after);
    visit("trouble", self.trouble, {.null = Null::written});
  }
};

// Where the level of a benchmark differs between two neighbours of those that have levels.
struct BackfillChange {
  std::string benchmark;
  std::string metric;
  std::string before;
  std::string after;
  double ratio = 1;
  std::int64_t between = 0;  // commits that could still be measured there

  static void fields(auto& visit, auto& self) {
    visit("benchmark", self.benchmark);
    visit("metric", self.metric);
    visit("before", self.before);
    visit("after", self.after);
    visit("ratio", self.ratio);
    visit("commits_between", self.between);
  }
};

struct BackfillReport {
  std::string from;
  std::string to;
  std::size_t commits = 0;           // of the line, both ends counted
  std::size_t linked = 0;            // of them, that have a level over the first by ratios
  std::size_t with_parent = 0;       // of them, that were held against their parent
  std::vector<BackfillStep> steps;   // of this session, in order
  std::vector<BackfillChange> left;  // that are suspected, the surest first
  bool budget_spent = false;
  bool interrupted = false;
};

// A series by the ratios of commits that were measured against each other.
struct ChainedSeries {
  storage::HistorySeries series;      // without points where nothing is linked
  std::vector<std::string> unlinked;  // commits with a point that no way leads to from the newest, in the series' order
  // Of the commit that is known worst against the newest: by what factor its level may be off, at a level of 95 %. The
  // further the way, the wider.
  double widest = 1;
};

// "1a2b3c4d5 against 9f8e7d6c5 is kept"
std::string backfill_step_text(const BackfillStep& step);
std::string terminal_backfill(const BackfillReport& report, const TerminalStyle& style);
// How far the levels of a series can be trusted, and what is not among them.
std::string chained_text(const ChainedSeries& chained);
// schema steelyard.backfill/1
std::string json_backfill(const BackfillReport& report);

}  // namespace steelyard::ci
