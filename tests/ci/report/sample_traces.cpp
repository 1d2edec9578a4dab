#include "tests/ci/report/sample_traces.hpp"

#include <cstdint>
#include <string>

namespace steelyard::sample {

bench::Trace launch_bound(int steps) {
  bench::Trace trace;
  trace.tracks = {{1, 1, "main"}, {0, 7, "stream 7"}};
  const auto add = [&](const char* name, bench::TraceKind kind, std::uint32_t track, std::int64_t begin,
                       std::int64_t ns, std::uint64_t correlation = 0) {
    trace.events.push_back(bench::TraceEvent{.name_text = trace.texts.id_of(name),
                                             .track = track,
                                             .begin_ns = begin,
                                             .duration_ns = ns,
                                             .kind = kind,
                                             .correlation = correlation});
  };
  for (int i = 0; i < steps; ++i) {
    const std::int64_t at = i * 120'000;
    add(("step " + std::to_string(i)).c_str(), bench::TraceKind::annotation, 0, at, 119'000);
    add("prepare", bench::TraceKind::operation, 0, at + 1'000, 90'000);
    add("cudaLaunchKernel", bench::TraceKind::runtime_call, 0, at + 95'000, 5'000, static_cast<std::uint64_t>(i + 1));
    add("sgemm", bench::TraceKind::kernel, 1, at + 103'000, 10'000, static_cast<std::uint64_t>(i + 1));
  }
  bench::sort_events(trace);
  return trace;
}

}  // namespace steelyard::sample
