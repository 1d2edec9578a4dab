// What holds for every text that the reader of callgrind.out files is given, be it a profile or noise. Shared by the
// fuzzer and by the tests that replay its corpus and mutate profiles.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace steelyard::testing {

// What does not hold; empty where all does:
// - an error says where, and a profile's self costs add up to its totals, per event and per position;
// - what is inclusive is at least 0, and nothing refers to a function or file that is not there;
// - asking for positions changes nothing else, nor do line ends of two characters (they keep the quick scanner of cost
//   lines from being used, so it is held against the careful one);
// - a profile whose relative positions are written in full reads the same, at every address and line.
std::optional<std::string> broken_claim_about_callgrind(std::string_view text);

}  // namespace steelyard::testing
