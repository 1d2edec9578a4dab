// Raw repetitions of a benchmark whose source asks for aggregates only: ReportAggregatesOnly(true) wins over every
// flag, and Repetitions(n) too, so that no file has them. From --v=2 on Google Benchmark (1.5 to 1.9) writes to stderr,
// in six digits, what every pass of a benchmark took, also in programs that are static or stripped:
//
//     -- LOG(2): Running BM_sort/repeats:3 for 1024
//     -- LOG(2): Ran in 0.0102384/0.0102391            (CPU and real time, seconds)
//
// The last n passes are the n repetitions: what stands before them searched for the number of iterations.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard::bench {

inline constexpr std::string_view kPassLogOption = "--v=2";
inline constexpr std::string_view kPassLogMark = "-- LOG(";

struct LoggedPass {
  std::int64_t iterations = 0;  // of each thread, as they were asked for
  double cpu_seconds = 0;
  double real_seconds = 0;
};

// By benchmark as the program lists it, in the order of time. Lines of other origin are passed over; linear.
std::map<std::string, std::vector<LoggedPass>> read_pass_log(std::string_view text);

// What the file says of a benchmark's repetitions, in any unit.
struct MeanAndSpread {
  double mean = 0;
  double stddev = 0;  // n - 1
};

// The repetitions in the summary's unit, in the order of time: `logged` scaled to the mean, as all repetitions have as
// many iterations. Empty where that does not yield the summary's standard deviation to the digits of the log: the log
// is then of something else (of the real time, where the time is the benchmark's own) and tells nothing. n = 1: empty.
std::vector<double> repetitions_by_log(std::span<const double> logged, const MeanAndSpread& summary);

}  // namespace steelyard::bench
