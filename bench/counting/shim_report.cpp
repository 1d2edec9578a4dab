#include "bench/counting/shim_report.hpp"

#include <algorithm>

#include "bench/counting/callgrind_numbers.hpp"

namespace steelyard {
namespace {

constexpr std::string_view kFirstLine = "steelyard-count 1";
constexpr std::string_view kLastLine = "end";
constexpr std::string_view kNoMatch = "Failed to match any benchmarks";
constexpr std::size_t kMaximumMessageBytes = 200;

bool read_signed(std::string_view text, std::int64_t& number) {
  if (text == "-1") return number = -1, true;
  return read_cost(text, number);
}

// False where the line has a known key and an impossible value. Unknown keys are passed over.
bool read_line(std::string_view line, ShimReport& report) {
  const std::size_t blank = std::min(line.find(' '), line.size());
  const std::string_view key = line.substr(0, blank);
  const std::string_view value = without_leading_blanks(line.substr(blank));
  if (key == "pid") return read_signed(value, report.process);
  if (key == "forced") return read_signed(value, report.forced);
  if (key == "constructed") return read_signed(value, report.constructed);
  if (key == "started") return read_signed(value, report.started);
  if (key == "finished") return read_signed(value, report.finished);
  if (key == "skipped") return read_signed(value, report.skipped);
  if (key == "iterations") return read_signed(value, report.iterations);
  if (key == "own_us") return read_signed(value, report.own_us);
  if (key == "others_us") return read_signed(value, report.others_us);
  if (key == "libc") report.libc = value;
  if (key == "libc_build") report.libc_build = value;
  if (key == "allocator") report.allocator = value;
  if (key == "allocator_build") report.allocator_build = value;
  if (key == "dispatch") report.dispatch = value;
  if (key == "cpu") report.cpu = value;
  return true;
}

// Google Benchmark prints "ERROR OCCURRED: 'message'" or "SKIPPED: 'message'" in place of the times.
std::string skip_message(std::string_view output) {
  for (const std::string_view mark : {"ERROR OCCURRED: '", "SKIPPED: '"}) {
    const std::size_t start = output.find(mark);
    if (start == std::string_view::npos) continue;
    const std::string_view message = output.substr(start + mark.size(), kMaximumMessageBytes);
    return ": \"" + std::string(message.substr(0, message.find_first_of("'\n"))) + "\"";
  }
  return "";
}

}  // namespace

std::optional<ShimReport> parse_shim_report(std::string_view text) {
  ShimReport report;
  std::string_view line;
  for (bool is_first = true; !text.empty(); is_first = false) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (is_first ? line != kFirstLine : !read_line(line, report)) return std::nullopt;
  }
  if (line != kLastLine) return std::nullopt;
  return report;
}

bool has_work_in_other_threads(const ShimReport& report) {
  constexpr std::int64_t kLeastUs = 1000, kShare = 100;
  return report.others_us > kLeastUs && report.others_us > report.own_us / kShare;
}

bool hides_its_clock(const ShimReport& report, std::string_view output) {
  if (report.skipped > 0 || (report.constructed > 0 && report.started > 0)) return false;
  return output.find(kNoMatch) == std::string_view::npos;
}

std::string what_is_wrong(const ShimReport& report, std::string_view output) {
  if (report.started == 0 && report.constructed == 0) {
    if (output.find(kNoMatch) != std::string_view::npos) {
      return "the program has no benchmark of that name when it is counted";
    }
    return "nothing could be wrapped: the program holds Google Benchmark without its symbols; link Google Benchmark "
           "dynamically, or keep the program's symbols (no strip, no -s)";
  }
  if (report.constructed == 0) {
    return "the number of iterations could not be set: this Google Benchmark is none of 1.5 to 1.9; link one of those";
  }
  if (report.skipped > 0) return "the benchmark skipped itself" + skip_message(output);
  if (report.started == 0) return "the benchmark never entered its timed loop";
  if (report.finished < report.started) {
    return "the benchmark left its timed loop before the end; let the loop run to its end, or use SkipWithError";
  }
  if (report.iterations <= 0) {
    return "the number of iterations could not be read: this Google Benchmark is none of 1.5 to 1.9; link one of those";
  }
  return "";
}

}  // namespace steelyard
