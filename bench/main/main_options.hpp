// The command line of a benchmark program: our own options, taken out of it, and what has to be known of Google
// Benchmark's, which stay in it. Pure: arguments and environment in, values out.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/harness/axes.hpp"
#include "bench/main/run_session.hpp"
#include "bench/profile/spans/recorded_run.hpp"

namespace steelyard {

inline constexpr int kDefaultBlocks = 8;

struct MainOptions {
  std::vector<std::string> rest;  // for Google Benchmark, the program's name first
  std::vector<AxisOverride> axes;
  BlockOrder order;                      // blocks 1 where a repetition cannot be split
  bool shows_blocks = false;             // on the display, not only in files
  bool has_file = false;                 // --benchmark_out
  std::string file_format;               // "json", "console", "csv"
  bool collects_by_hand = false;         // --steelyard_callgrind
  bool wants_help = false;               // --steelyard_help
  bool makes_single_iterations = false;  // --steelyard_single
  SpanOptions spans;
};

// A variable of the environment, or nothing.
using ReadVariable = std::function<std::optional<std::string>(const std::string&)>;

// `rest` ends in the repetitions and the time that Google Benchmark is to use for the blocks. `time_takes_unit`: "0.5s"
// is the form of --benchmark_min_time (since 1.8). Error (input): an option --steelyard_... that is none or whose value
// is not understood.
Result<MainOptions> parse_main_options(const std::vector<std::string>& arguments, const ReadVariable& variable,
                                       bool time_takes_unit);

std::string main_options_help();

}  // namespace steelyard
