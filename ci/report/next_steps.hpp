// What a reader can do about a comparison, under every report of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/model/comparison.hpp"

namespace steelyard::ci {

struct NextStep {
  std::string advice;   // "2 inconclusive: measure both sides together"
  std::string command;  // to type, or a place to look at; empty where the advice is all
};

// What the command that reports can do again by an option of its own.
enum class SidesFrom {
  this_command,  // it measured both sides, and kept them in a store
  unkept,        // it measured both sides, and kept them nowhere
  before,        // it compared what had been measured before: it measures nothing, and nothing was kept
  kept,          // it tells a comparison that had been made before, perhaps on another machine
};

// Where the report is read. Who reads a request's comment has neither the machine nor the command line, but the
// arguments of the job and the configuration.
enum class ReadAt { terminal, comment };

// The most useful first; empty when nothing is left to do. A whole command stands where the one that reports has no
// such option.
std::vector<NextStep> next_steps(const Comparison& comparison, SidesFrom from = SidesFrom::this_command,
                                 ReadAt at = ReadAt::terminal);

// What would decide most of the rows that are undecided and gate, or of all where none of them gates: "measure longer",
// "--rounds 64". Absent where none is undecided, or nothing would decide them.
std::optional<NextStep> deciding_step(const Comparison& comparison, SidesFrom from = SidesFrom::this_command,
                                      ReadAt at = ReadAt::terminal);
// As one text behind a sentence: "; measure longer: --rounds 64"; empty where there is none.
std::string deciding_text(const std::optional<NextStep>& step);

// What is said where no rename is proposed, for want of counts: with what lacked where the candidate was measured, if
// anything.
std::string renames_need_counts(const RunHeader& candidate);

}  // namespace steelyard::ci
