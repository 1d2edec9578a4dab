// What the Timer yields: the times of one task in one process, with what identifies the task and the machine. The
// counterpart of torch.utils.benchmark's TaskSpec and Measurement. Not a steelyard::Measurement (bench/model), which
// groups the samples of many invocations; to_run() makes a run of these.
//
//     TaskMeasurement sorted = timer.blocked_autorange();
//     fmt::print("{}\n", sorted.text());
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/result.hpp"

namespace steelyard {

// A value: two measurements are of the same task exactly if all fields are equal. Every field has a default, so that
// {.label = "dot"} draws no warning.
struct TaskSpec {
  std::string statement = {};     // source text, or the name of what was run
  std::string setup = {};         // its text or name; may be empty, as all below
  std::string global_setup = {};  // file-scope text
  std::string label = {};         // heads a table: "batched dot"
  std::string sub_label = {};     // a row of it: "multiply and sum"
  std::string description = {};   // a column of it: "float32"
  std::string environment = {};   // of the build or branch: "main", "with patch"
  int threads = 1;
  auto operator<=>(const TaskSpec&) const = default;

  // "label: sub_label"; without a label the statement, several lines of it indented below a line of their own.
  std::string title() const;
};

// The statement, setup and global setup without the indentation that their lines share, a leading line end and
// trailing blanks: as they would read by themselves. A Timer does so to its task.
TaskSpec dedented(TaskSpec task);

struct TaskMeasurement {
  TaskSpec task;
  std::int64_t runs_per_time = 1;  // of the statement, in each raw time; at least 1
  std::vector<double> raw_times;   // seconds, in the order they were taken; each of runs_per_time runs, unless:
  // Runs of each raw time, where they differ (a timer varies them, so as not to fall in step with periodic noise);
  // empty: runs_per_time each.
  std::vector<std::int64_t> runs_of_times;
  std::string fingerprint;  // of the machine (Environment::fingerprint); empty: unknown
  // Rule that stopped it, clock, seed, program: for people and for replay.
  std::map<std::string, std::string> metadata;
  bool operator==(const TaskMeasurement&) const = default;

  // What makes it no measurement that could have been taken ("0 runs per time"); empty: nothing. Archives refuse it.
  std::string flaw() const;
  // Seconds per run. Precondition: runs_of_times is empty or as long as raw_times, none below 1.
  std::vector<double> times_in_order() const;  // as they were taken
  std::vector<double> times() const;           // ascending
  // Each is absent where there is no time at all. Quantiles interpolate at (n-1)p (Hyndman and Fan 1996, type 7).
  std::optional<double> median() const;
  std::optional<double> mean() const;
  std::optional<double> p25() const;
  std::optional<double> p75() const;
  std::optional<double> interquartile_range() const;
  // 1 to 4: how many digits of the median the spread of the middle half supports.
  int significant_figures() const;
  // IQR over median of at least 0.1, worse from 0.25 on; needs 4 times. Empty: none.
  bool has_warning() const;
  std::string warning_text() const;
  // What PyTorch's repr prints (docs/guide/harness.md lists where it differs on purpose).
  std::string text() const;
};

// Times of equal tasks joined in order of first appearance: runs_per_time 1, raw_times the times per run of all;
// metadata kept where all agree. Error (input): fingerprints differ and `across_machines` is not set; the message names
// both.
struct MergeOptions {
  bool across_machines = false;
};
Result<std::vector<TaskMeasurement>> merge(const std::vector<TaskMeasurement>& measurements, MergeOptions options = {});

struct TimeUnit {
  std::string_view name;    // "us"
  std::string_view plural;  // "microseconds"
  double seconds = 1;
};
// ps, ns, us, ms, s, min: the largest that keeps the number at least 1. Zero and below ps: ps.
TimeUnit time_unit(double seconds);
// Half to even at n significant digits; 0 stays 0. n at least 1.
double trim_to_significant_figures(double value, int n);

}  // namespace steelyard
