// What the preload library (shim/count_shim.cpp) saw inside the counted program, and why nothing was counted if nothing
// was.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace steelyard {

struct ShimReport {
  std::int64_t process = 0;  // pid of the counted program
  std::int64_t forced = 0;   // iterations each State was made with
  // How often each wrapped function was called in the counted pass.
  std::int64_t constructed = 0;
  std::int64_t started = 0;
  std::int64_t finished = 0;
  std::int64_t skipped = 0;
  std::int64_t iterations = 0;  // made by all threads together; -1: State is laid out in a way we do not know
  // CPU time while the clock ran, in us: of the loop's thread, and of others (0 where the benchmark itself has
  // several).
  std::int64_t own_us = 0;
  std::int64_t others_us = 0;
  std::string libc;             // version, e.g. "2.36"
  std::string libc_build;       // its build id, 16 digits; "-": none
  std::string allocator;        // the file malloc comes from
  std::string allocator_build;  // the build id of that
  std::string dispatch;         // which routines libc chose, as a number in 16 digits
  std::string cpu;              // features as Valgrind shows them
};

// Absent where the text is no whole report.
std::optional<ShimReport> parse_shim_report(std::string_view text);

// Whether the program ran and the preload library saw nothing of it, or too little: Google Benchmark is in it without
// its symbols, or the compiler has inlined what is wrapped. Then whole functions or the whole program may still be
// counted.
bool hides_its_clock(const ShimReport& report, std::string_view output);

// Whether threads other than the benchmark's own worked while its clock ran: more than 1 ms under Valgrind, which is
// some 20 us without, and 1 % of the loop. Their instructions were not collected.
bool has_work_in_other_threads(const ShimReport& report);

// Why a collection with this report is of no use, and what to do about it; empty where it is of use. `output` is what
// the program printed: it says why a benchmark skipped itself.
std::string what_is_wrong(const ShimReport& report, std::string_view output);

}  // namespace steelyard
