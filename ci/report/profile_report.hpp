// Counted profiles for scripts (the interface steelyard.profile/1) and for a terminal.
#pragma once

#include <string>
#include <vector>

#include "bench/counting/callgrind_reader.hpp"
#include "bench/model/counted_profile.hpp"
#include "ci/profile/joined_profile.hpp"

namespace steelyard {

std::string json_profile(const std::vector<CallgrindPart>& parts);
// Of a run: each benchmark is a part, with its name and the iterations that the costs are of.
std::string json_profile(const std::vector<CountedProfile>& profiles);

// The functions that cost most themselves.
std::string terminal_profile(const std::vector<CallgrindPart>& parts, int rows);
std::string terminal_profile(const std::vector<CountedProfile>& profiles, int rows);

// The functions whose own cost changed most, an iteration where the sides say how many there were.
std::string terminal_profile_difference(const JoinedProfile& joined, int rows);

}  // namespace steelyard
