// What is said of a row of a comparison beside its figures and its reason (reason_text.hpp). The report and the chain
// of --explain say it in the same words. Plain text without markup.
#pragma once

#include <string>

#include "bench/model/comparison.hpp"
#include "regress/ab/judged.hpp"

namespace steelyard::ci {

// Why it does not gate, as a sentence's end; empty where it gates.
std::string gate_note_text(const ComparisonRow& row, const regress::GateNote& note);

// What the row was judged by and which table said it: "minimum effect 5 % by the policy of "gemv/*"
// (steelyard.toml:12); margin 2 % as for all". A margin here is without what a calibration adds to it. Empty where no
// table decided anything of the row.
std::string policy_text(const ComparisonPolicy& policy, const ComparisonRow& row);

// "over 4 code layouts +0.40 % to +6.70 % (95 %), standard deviation between them 1.2 %; layout could explain 3.1 % of
// it": how much, at most, at the row's confidence. Empty where the row has no such component.
std::string code_layout_text(const ComparisonRow& row);

// A minimum detectable effect, "2.1 %"; "over 1,000 %" of rounds so few or so noisy that a figure would only pretend to
// say how little they can see.
std::string detectable_text(double effect);

// What stands in place of an interval: "exact", "exact to 0.02 %", "whole functions, to 0.3 %", "whole program".
std::string exactness_text(CountScope scope, double jitter);

}  // namespace steelyard::ci
