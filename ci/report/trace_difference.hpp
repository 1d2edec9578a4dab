// What changed between the traces of two builds: facts, found by ci/judging/trace_difference, and their words as a
// table for a terminal, as Markdown, as CSV and for scripts (the interface steelyard.trace_diff/1).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "regress/ab/recordings.hpp"

namespace steelyard::ci {

// Of one repeat (a step, an iteration): times are the median over all of a side's, the mean where it did not run in
// every one.
struct TraceSideCost {
  double calls = 0;     // the mean
  double total_ns = 0;  // with what ran in them
  double self_ns = 0;
  double call_ns = 0;  // of total_ns, of one call: the mean over all
};

// How often it is called: told exactly where each repeat of a side has the same number.
enum class CallsChange { same, changed, varies };
std::span<const std::string_view> words_of(CallsChange);

// What a group that one side has alone may be on the other side: a proposal, of which nothing is judged.
struct LikelyName {
  std::string name;
  std::string shapes;
  double likeness = 0;  // from 0 to 1
};

struct TraceRowDifference {
  std::string name;
  std::string shapes;
  std::string within;  // what repeats: "step *", a benchmark; empty: nothing did
  bool is_on_device = false;
  std::optional<TraceSideCost> baseline, candidate;
  bool is_judged = false;    // else its processes do not all have it, or it took no time
  regress::JudgedTime time;  // of total_ns; fresh and missing: the verdict alone
  CallsChange calls = CallsChange::same;
  std::optional<LikelyName> perhaps;

  // Candidate over baseline in total_ns: where it is judged the estimate of the test, else of the two. Absent: one
  // side lacks it, or took no time.
  std::optional<double> ratio() const;
  std::optional<Interval> interval() const;  // of that ratio
  // The same of the time of one call: ratio() over that of the calls where each repeat of a side has as many, so that
  // the three fit together; else of the means. Absent: as ratio().
  std::optional<double> call_ratio() const;
  // Why a row that both sides have has no verdict, by the words of regress::RecordingDoubt, and
  // "not_in_every_process"; empty: it has one.
  std::string_view doubt() const;
  // Of a repeat's self time, the candidate's less the baseline's.
  double self_change_ns() const { return (candidate ? candidate->self_ns : 0) - (baseline ? baseline->self_ns : 0); }
};

struct RepeatedWithin {
  std::string name;                        // empty: the recordings as a whole
  std::array<std::uint64_t, 2> repeats{};  // of the baseline, of the candidate
};

struct TraceDifference {
  std::array<std::string, 2> sides;  // as they were named: the baseline, the candidate
  std::array<std::uint64_t, 2> processes{};
  regress::RecordingOrder order = regress::RecordingOrder::one_each;
  regress::RecordingQuestion question;
  std::vector<RepeatedWithin> repeats;
  std::vector<TraceRowDifference> rows;  // what changed most in self time first
  std::uint64_t unjudged = 0;            // rows beyond those that are judged at once
  // What is missing.
  std::uint64_t excluded_loops = 0;
  std::uint64_t dropped = 0;     // spans, of both sides, for want of room, as a clock stepped, or without a time
  std::uint64_t unfinished = 0;  // recordings without an end
};

// `rows`: -1: all. Below the table stands what its intervals cover, and why there is no verdict where there is none.
std::string terminal_trace_difference(const TraceDifference& difference, int rows);
std::string markdown_trace_difference(const TraceDifference& difference, int rows);
// Every row, in nanoseconds (RFC 4180).
std::string csv_trace_difference(const TraceDifference& difference);
// Every row; newline at the end.
std::string json_trace_difference(const TraceDifference& difference);

}  // namespace steelyard::ci
