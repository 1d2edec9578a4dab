#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "bench/profile/chrome_trace.hpp"
#include "bench/profile/gzip.hpp"
#include "bench/profile/key_averages.hpp"
#include "bench/profile/perfetto_trace.hpp"
#include "bench/profile/read_spans.hpp"
#include "bench/profile/spans/span_file.hpp"
#include "bench/profile/trace.hpp"
#include "bench/profile/trace_overview.hpp"
#include "bench/profile/trace_repeats.hpp"
#include "tests/fuzz/claims.hpp"

namespace steelyard::testkit {
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
  const auto ran = std::count_if(trace.events.begin(), trace.events.end(),
                                 [](const bench::TraceEvent& event) { return !bench::is_of_recording(event.kind); });
  if (calls != ran) return "each event that is not of the recording is in one row";
  return std::nullopt;
}

std::string written(const bench::Trace& trace) {
  std::ostringstream out;
  bench::write_chrome_trace(trace, "it", out);
  return out.str();
}

BrokenClaim broken_claim_about_writing(const bench::Trace& trace) {
  const std::string text = written(trace);
  const auto back = bench::read_chrome_trace(text, "it", {.is_strict = true});
  if (!back) return "what was written can be read: " + back.error().text();
  if (back->events.size() != trace.events.size()) return "what was written has as many events";
  return std::nullopt;
}

// What reports make of a trace, whatever it is of.
BrokenClaim broken_claim_about_reports(const bench::Trace& trace) {
  const bench::TraceOverview overview = bench::overview_of(trace, bench::tree_of(trace));
  const std::int64_t used = std::accumulate(overview.use_ns.begin(), overview.use_ns.end(), std::int64_t{0});
  if (used != overview.whole_ns()) return "each moment is of one use";
  for (const bench::RepeatedGroup& group : bench::repeats_of(trace).groups) {
    if (group.costs.empty()) return "what repeats has costs";
  }
  std::ostringstream out;
  bench::write_perfetto_trace(trace, out);
  if (out.str().empty()) return "a trace of Perfetto's has a beginning";
  return std::nullopt;
}

}  // namespace

BrokenClaim broken_claim_about_chrome_trace(const std::string& text) {
  std::string unpacked = text;
  if (bench::is_gzip(text)) {
    Result<bench::UnpackedGzip> whole = bench::unpack_gzip(text, "input", std::uint64_t{1} << 20);
    if (!whole) return broken_claim_about_error(whole.error(), "input");
    unpacked = std::move(whole->text);
  }
  const auto trace = bench::read_chrome_trace(unpacked, "input", {.max_events = 10'000});
  if (!trace) return broken_claim_about_error(trace.error(), "input");
  if (const auto broken = broken_claim_about_sums(*trace)) return broken;
  if (const auto broken = broken_claim_about_reports(*trace)) return broken;
  return broken_claim_about_writing(*trace);
}

std::string span_file_of(const std::string& input) {
  constexpr std::size_t kHeader = sizeof(SpanFileHeader), kChunk = 1024, kMaxChunks = 4;
  std::string file = input.substr(0, kHeader);
  file.resize(kSpanHeaderBytes);
  for (std::size_t at = kHeader; at < std::min(input.size(), kHeader + kMaxChunks * kChunk); at += kChunk) {
    file += input.substr(at, kChunk);
    file.resize(kSpanHeaderBytes + ((file.size() - kSpanHeaderBytes) / kSpanChunkBytes + 1) * kSpanChunkBytes);
  }
  return file;
}

BrokenClaim broken_claim_about_spans(const std::string& bytes) {
  const MemoryFile file(span_file_of(bytes));
  const auto trace = bench::read_spans(file.path());
  if (!trace) return std::nullopt;
  if (const auto broken = broken_claim_about_sums(*trace)) return broken;
  return broken_claim_about_reports(*trace);
}

}  // namespace steelyard::testkit
