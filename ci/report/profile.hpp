// Counted profiles for scripts (the interface steelyard.profile/1) and for a terminal.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bench/counting/algebra/profile_delta.hpp"
#include "bench/counting/reader/callgrind_reader.hpp"
#include "bench/model/counted_profile.hpp"

namespace steelyard::ci {

// Functions with cost or calls as JSON, by self cost of the first event, then by name so that the order is one.
nlohmann::ordered_json json_functions(const std::vector<ProfiledFunction>& functions);

std::string json_profile(const std::vector<bench::CallgrindPart>& parts);
// Of a run: each benchmark is a part, with its name and the iterations that the costs are of.
std::string json_profile(const std::vector<CountedProfile>& profiles);

struct JsonDifference {
  std::string baseline;  // its name
  bench::ProfileDelta delta;
  std::function<bool(const bench::FunctionDelta&)> is_wanted;  // empty: all functions
};
// As json_profile(), and with "against": what changed from the baseline, function by function;
// docs/guide/profiles.md tells its fields.
std::string json_profile(const std::vector<bench::CallgrindPart>& parts, const JsonDifference& against);
std::string json_profile(const std::vector<CountedProfile>& profiles, const JsonDifference& against);

// As json_profile(), and with each part's "lines": objects of file, line, origin (null: unknown), function (the
// one it ran in) and self. Where they may be others' (see has_shifted_lines), the part says "lines_may_be_shifted".
std::string json_lines(const std::vector<CountedProfile>& profiles, bool may_be_shifted);

// What to say where the lines of the run `name` are shown and may be others'.
std::string shifted_lines_note(const std::string& name);

struct ProfileTable {
  int rows = 30;
  bool by_inclusive = false;  // largest inclusive cost first, not largest self cost
  std::string event = {};     // which cost; one that a part lacks, or none: Ir, else its first
};
std::string terminal_profile(const std::vector<bench::CallgrindPart>& parts, const ProfileTable& table);
std::string terminal_profile(const std::vector<CountedProfile>& profiles, const ProfileTable& table);

// The lines that cost most, each with the function it came from and, where that was inlined, the one it ran in.
std::string terminal_lines(const std::vector<CountedProfile>& profiles, int rows);

struct DifferenceTable {
  std::size_t event = 0;  // index into the events
  int rows = 30;
  bool by_inclusive = false;
};
// The functions whose cost changed most, an iteration where the profiles say how many there were; renamed ones with
// both names. `is_wanted` empty: all functions.
std::string terminal_profile_difference(const bench::ProfileDelta& delta, const DifferenceTable& table,
                                        const std::function<bool(const bench::FunctionDelta&)>& is_wanted);

}  // namespace steelyard::ci
