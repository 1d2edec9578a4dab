#include "bench/profile/spans/recorded_run.hpp"

#include <cstdio>

#include "bench/model/parse_number.hpp"
#include "bench/profile/spans/span_recording.hpp"
#include "bench/profile/spans/stack_sampler.hpp"

namespace steelyard {

Result<bool> take_span_option(const std::string& argument, SpanOptions& options) {
  const std::size_t equals = argument.find('=');
  const std::string name = argument.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
  if (name == "--steelyard_samples") {
    const auto number = parse_as<int>(value);
    if (!number || *number < 1 || *number > kMaxSamplesHz) {
      return input_error(name, '"' + value + '"', "samples a second, from 1 to " + std::to_string(kMaxSamplesHz));
    }
    options.samples_hz = *number;
    return true;
  }
  if (name != "--steelyard_spans" && name != "--steelyard_profile") return false;
  if (value.empty()) return input_error(name, "no value", "the file that they are recorded into");
  if (!options.file.empty()) {
    return input_error(name, "a file beside " + options.file, "one of --steelyard_spans and --steelyard_profile");
  }
  options.file = value;
  options.records_device = name == "--steelyard_profile";
  return true;
}

Result<void> check_span_options(const SpanOptions& options) {
  if (options.samples_hz == 0 || !options.file.empty()) return {};
  return input_error("--steelyard_samples", "no --steelyard_spans", "the file that they are recorded into");
}

Result<void> run_recorded(const SpanOptions& options, const char* program, std::int64_t (*allocated_bytes)(),
                          const std::function<void()>& run) {
  if (options.file.empty()) {
    run();
    return {};
  }
  STEELYARD_TRY(SpanRecording recording, SpanRecording::start({.file = options.file,
                                                               .allocated_bytes = allocated_bytes,
                                                               .samples_hz = options.samples_hz,
                                                               .device = {.is_wanted = options.records_device}}));
  if (!recording.device_refusal().empty()) {
    std::fprintf(stderr, "%s: spans alone are recorded: %s\n", program, recording.device_refusal().c_str());
  }
  run();
  const RecordedSpans recorded = recording.stop();
  const auto tell = [&](std::uint64_t lost, const char* what) {
    if (lost == 0) return;
    std::fprintf(stderr, "%s: %s: %llu %s found no room\n", program, options.file.c_str(),
                 static_cast<unsigned long long>(lost), what);
  };
  tell(recorded.dropped, "spans");
  tell(recorded.samples_dropped, "samples");
  return {};
}

}  // namespace steelyard
