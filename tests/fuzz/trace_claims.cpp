#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>

#include "bench/profile/chrome_trace.hpp"
#include "bench/profile/key_averages.hpp"
#include "bench/profile/read_spans.hpp"
#include "bench/profile/spans/span_file.hpp"
#include "bench/profile/trace.hpp"
#include "tests/fuzz/claims.hpp"

namespace steelyard::testing {
namespace {

// The self times of all events are the time of those that run in no other.
BrokenClaim broken_claim_about_sums(const bench::Trace& trace) {
  const bench::TraceTree tree = bench::tree_of(trace);
  std::int64_t roots = 0, selves = 0;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    if (trace.events[i].duration_ns < 0) return "no event takes less than no time";
    if (trace.events[i].track >= trace.tracks.size()) return "an event is on a track that there is";
    if (tree.parents[i] == bench::TraceTree::kNoParent) roots += trace.events[i].duration_ns;
    if (tree.parents[i] != bench::TraceTree::kNoParent && tree.parents[i] >= i) return "parents stand before children";
    selves += tree.self_ns[i];
  }
  if (roots != selves) return "self times add up to the roots' times";
  const bench::KeyAverages averages = bench::key_averages(trace, tree, {.by_shapes = true, .by_stack = 2});
  std::int64_t calls = 0;
  for (const bench::KeyAverage& row : averages.rows) calls += row.calls;
  if (calls != static_cast<std::int64_t>(trace.events.size())) return "each event is in one row";
  return std::nullopt;
}

std::string written(const bench::Trace& trace) {
  std::ostringstream out;
  bench::write_chrome_trace(trace, "it", out);
  return out.str();
}

BrokenClaim broken_claim_about_writing(const bench::Trace& trace) {
  const std::string text = written(trace);
  const auto back = bench::read_chrome_trace(text, "it");
  if (!back) return "what was written can be read: " + back.error().text();
  if (back->events.size() != trace.events.size()) return "what was written has as many events";
  return std::nullopt;
}

// Bounds its time, not what it can find: sums of that many nanoseconds fit 63 bits.
bool is_small(const bench::Trace& trace) {
  return std::all_of(trace.events.begin(), trace.events.end(),
                     [](const bench::TraceEvent& event) { return event.duration_ns < std::int64_t{1} << 48; });
}

}  // namespace

BrokenClaim broken_claim_about_chrome_trace(const std::string& text) {
  const auto trace = bench::read_chrome_trace(text, "input", {.max_events = 10'000});
  if (!trace || !is_small(*trace)) return std::nullopt;
  if (const auto broken = broken_claim_about_sums(*trace)) return broken;
  return broken_claim_about_writing(*trace);
}

// The input is the header's beginning, a chunk of names and one of spans, each filled up with zeros.
BrokenClaim broken_claim_about_spans(const std::string& bytes) {
  constexpr std::size_t kHeader = sizeof(SpanFileHeader), kChunk = 1024;
  std::string file = bytes.substr(0, kHeader);
  file.resize(kSpanHeaderBytes);
  for (std::size_t at = kHeader; at < std::min(bytes.size(), kHeader + 2 * kChunk); at += kChunk) {
    file += bytes.substr(at, kChunk);
    file.resize(kSpanHeaderBytes + ((file.size() - kSpanHeaderBytes) / kSpanChunkBytes + 1) * kSpanChunkBytes);
  }
  const int memory = memfd_create("spans", MFD_CLOEXEC);
  if (memory < 0) return std::nullopt;
  BrokenClaim broken;
  if (write(memory, file.data(), file.size()) == static_cast<ssize_t>(file.size())) {
    const auto trace = bench::read_spans("/proc/self/fd/" + std::to_string(memory));
    if (trace && is_small(*trace)) broken = broken_claim_about_sums(*trace);
  }
  close(memory);
  return broken;
}

}  // namespace steelyard::testing
