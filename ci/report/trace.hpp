// Where the time of a trace went, as tables: for a terminal in the columns of PyTorch's profiler, as Markdown, as CSV,
// and for scripts (the interface steelyard.trace/1).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bench/profile/key_averages.hpp"
#include "bench/profile/trace.hpp"

namespace steelyard::ci {

struct TraceTable {
  int rows = 100;  // -1: all
  bool has_shapes = false;
  bool has_places = false;
  bool has_processes = false;
  // Columns that these have at most, 5 or more; what is longer is cut.
  std::size_t name_width = 55, shapes_width = 80, place_width = 75;
};

// "mm"; "one iteration of BM_mm", where the loops of the benchmark have a row beside it.
std::string row_name(const bench::KeyAverage& row);

// How kernels of a row were launched, and how fast they and copies were; empty where that is not known, or differs
// among them.
struct LaunchTexts {
  std::string grid, block;  // "264x2x1"; of several: "3 kinds"
  std::string registers, shared, occupancy, achieved_occupancy, flops, bandwidth, memory_share;
  std::string arithmetic_share;  // and of which dtype: "1.2% bf16"
};
LaunchTexts launch_texts(const bench::KeyAverage& row);
// Bytes a second of a device's row: what copies moved, or what kernels reach.
std::optional<double> bandwidth_of(const bench::KeyAverage& row);
// Of the bandwidth of the device's memory, by its datasheet, what kernels reach.
std::optional<double> memory_share_of(const bench::KeyAverage& row);
// Of the operations a second that the device's datasheet has for their dtype, of dense arithmetic. Absent: it has none,
// or device or dtype are not known.
std::optional<double> arithmetic_share_of(const bench::KeyAverage& row);

// "kernels".
std::string device_record_words(DeviceRecordKind kind);
// What the recording lacks, a sentence each: what looks whole and is not would be wrong without a sign of it.
std::vector<std::string> missing_lines(const bench::Trace& trace);
// That names are not as the program has them, as some bytes of them are no text; empty: they are.
std::string replaced_names_line(const bench::Trace& trace);

// A column stands only where a row has something in it. Percentages are of the sum of all self times. Below the table
// stand those sums, what the recording lacks, a second table of how kernels were launched and how fast copies moved,
// and, where stacks were sampled, one of the functions in each span. Times are "12.345ms", memory "1.50 KB" (of 1024
// bytes).
std::string terminal_trace(const bench::Trace& trace, const bench::KeyAverages& averages, const TraceTable& table);
// The table of terminal_trace().
std::string markdown_trace(const bench::Trace& trace, const bench::KeyAverages& averages, const TraceTable& table);
// Every row and column, in nanoseconds and bytes; a field that does not apply is empty (RFC 4180).
std::string csv_trace(const bench::KeyAverages& averages);
// Every row; newline at the end.
std::string json_trace(const bench::Trace& trace, const bench::KeyAverages& averages);

}  // namespace steelyard::ci
