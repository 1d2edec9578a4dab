// What the header of a measured run says of how it was taken, for people and for replay.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/environment.hpp"
#include "bench/runner/layout_choice.hpp"
#include "bench/runner/measured_side.hpp"
#include "bench/runner/round_loop.hpp"
#include "bench/runner/settings.hpp"

namespace steelyard::bench {

// rounds_planned, rounds, layout_reason, cores, stopped (where it did not run to its end), ...
std::map<std::string, std::string> describe_settings(const MeasuringSettings& asked, Nanoseconds budget,
                                                     const LayoutChoice& layout, int rounds_planned,
                                                     const RoundLoopOutcome& outcome);

// address_randomization: "on", unless the machine has it off, or a process was started without it and the system
// refused to switch it on for it. Where the system tells nothing it is as was asked for.
void describe_addresses(const Environment& environment, bool is_refused, std::map<std::string, std::string>& settings);

inline constexpr std::string_view kFilterSetting = "filter";  // which benchmarks were asked for; absent: all

// repetitions, min_time, iterations ("known before" or "found by the program"), benchmarks_a_process where several
// share one, pilot. `pilot`: that it took; 0: there was none.
void describe_samples(const SamplePlan& samples, Nanoseconds pilot, std::map<std::string, std::string>& settings);

// pages: as PagesOf, of the side that has it worst; fresh_copies: how each round came by pages of its own, and what
// that cost; why not, where it did not. Of one side alone where the sides do not differ in it.
void describe_copies(const std::vector<MeasuredSide>& sides, int rounds_per_copy,
                     std::map<std::string, std::string>& settings);

// Nothing of a Google Benchmark program. Of a command what is read of it, and what is done before and around it.
void describe_command(const ListedProgram& listed, std::map<std::string, std::string>& settings);
inline constexpr std::string_view kCommandSetting = "command";  // "process", or its format

// 16 hex digits, different for every measurement: the seed alone would repeat.
std::string draw_session(std::uint64_t seed, std::int64_t at_unix_ns, std::int64_t process);

// The program and its arguments as one line, as the user named them.
std::string program_line(const Program& program);

}  // namespace steelyard::bench
