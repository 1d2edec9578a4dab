// The options of a program that records itself: of those that link steelyard::bench_main, and of the suite for the CPU.
//
//     SpanOptions options;
//     for (const std::string& argument : arguments) {
//       STEELYARD_TRY(const bool is_one, take_span_option(argument, options));
//       if (!is_one) rest.push_back(argument);
//     }
//     STEELYARD_CHECK(check_span_options(options));
//     STEELYARD_CHECK(run_recorded(options, "suite", nullptr, [&] { run(rest); }));
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "bench/model/result.hpp"

namespace steelyard {

struct SpanOptions {
  std::string file;             // --steelyard_spans=FILE, --steelyard_profile=FILE; empty: nothing is recorded
  bool records_device = false;  // --steelyard_profile
  int samples_hz = 0;           // --steelyard_samples=HZ; 0: none are taken
};

// False: it is none of them. Error (input): its value is not understood; a second file.
Result<bool> take_span_option(const std::string& argument, SpanOptions& options);
// Once all are taken. Error (input): samples without a file.
Result<void> check_span_options(const SpanOptions& options);

// Runs it, recorded where that is wanted. What is not recorded then is told on standard error, behind `program`.
// `allocated_bytes`: SpanRecordingOptions::allocated_bytes. Error (input): it cannot be recorded; nothing has run.
Result<void> run_recorded(const SpanOptions& options, const char* program, std::int64_t (*allocated_bytes)(),
                          const std::function<void()>& run);

}  // namespace steelyard
