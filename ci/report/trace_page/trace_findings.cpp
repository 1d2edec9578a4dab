// What stands out in a trace: each thing worth a look with its share of the time and what may be done, the largest
// first.
#include <algorithm>
#include <utility>

#include "bench/model/number_text.hpp"
#include "bench/profile/key_averages.hpp"
#include "ci/report/trace.hpp"
#include "ci/report/trace_page/trace_page.hpp"

namespace steelyard::ci {
namespace {

using bench::KeyAverage;
using bench::TimeUse;

// Below these shares of the time nothing stands out.
constexpr double kMinIdleForLaunch = 0.1;
constexpr double kMinCopies = 0.1;
constexpr double kMinElementwise = 0.05;
constexpr double kMinOneName = 0.3;
constexpr double kMinTiny = 0.1;
constexpr double kMinOverhead = 0.05;
constexpr std::int64_t kTinyNs = 200;  // a call as short as a few spans take themselves
constexpr std::int64_t kMinAllocatedBytes = std::int64_t{1} << 20;

double share(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}
std::string time(std::int64_t ns) { return level_text(static_cast<double>(ns), "ns"); }
std::string many(std::int64_t count, const char* noun) { return plural_text(count, noun); }

struct Weighed {
  double weight = 0;  // of all the time
  TraceFinding finding;
};

void add_launches(const bench::TraceOverview& overview, std::vector<Weighed>& found) {
  for (const bench::DeviceOverview& device : overview.devices) {
    const double waited = share(device.idle_for_launch_ns, overview.whole_ns());
    if (waited < kMinIdleForLaunch || !device.queued_ns) continue;
    const auto& [first, median, third] = *device.queued_ns;
    const std::string name = "Device " + std::to_string(device.process);
    found.push_back(
        {waited,
         {name + " waits for launches in " + share_text(waited) + " of the time",
          "It is busy in " + share_text(share(device.busy_ns, overview.whole_ns())) +
              "; the rest that is counted here ended with a kernel whose launch began when the device was "
              "idle already. From the end of a launch to its kernel it took " +
              time(first) + ", " + time(median) + " and " + time(third) + " (quartiles of " +
              many(device.kernels, "kernel") + ").",
          "Capture the step as a graph, fuse short kernels, or do what stands between launches elsewhere."}});
  }
}

void add_elementwise(const bench::TraceOverview& overview, std::vector<Weighed>& found) {
  const bench::ElementwiseRun& run = overview.elementwise;
  const double part = share(run.time_ns, overview.whole_ns());
  if (run.runs == 0 || part < kMinElementwise) return;
  // One kernel in the place of a run reads a tensor and writes one, at least.
  const std::string what = run.tensors ? " move " + many(*run.tensors, "tensor") + " where " +
                                             (run.runs == 1 ? "one" : std::to_string(run.runs)) +
                                             " would move as few as " + std::to_string(2 * run.runs)
                                       : std::string(" run directly after another");
  found.push_back({part,
                   {many(run.kernels, "elementwise kernel") + what + ", in " + share_text(part) + " of the time",
                    many(run.runs, "run") + " of three and more, the longest of " + std::to_string(run.longest) + ".",
                    "Where each works on what the one before it wrote, one fused kernel reads and writes once."}});
}

void add_copies(const bench::TraceOverview& overview, std::vector<Weighed>& found) {
  const std::int64_t copies = overview.use_ns[static_cast<std::size_t>(TimeUse::copy)];
  const double part = share(copies, overview.whole_ns());
  if (part < kMinCopies) return;
  found.push_back({part,
                   {"Nothing but copies and sets runs on the device in " + share_text(part) + " of the time",
                    time(copies) + " without a kernel beside them.",
                    "Copy from pinned memory on a stream of its own, while kernels run."}});
}

// Steps are what the time is of, and no answer to where it went.
const KeyAverage* largest_self(const bench::KeyAverages& averages) {
  const auto at = std::find_if(averages.rows.begin(), averages.rows.end(), [](const KeyAverage& row) {
    return !row.is_on_device && row.self_ns > 0 && !bench::is_step(row.name) && !row.name.ends_with(" *");
  });
  return at == averages.rows.end() ? nullptr : &*at;
}

void add_host(const bench::KeyAverages& averages, std::vector<Weighed>& found) {
  if (const KeyAverage* row = largest_self(averages)) {
    const double part = share(row->self_ns, averages.self_ns);
    if (part >= kMinOneName) {
      found.push_back({part * 0.5,
                       {share_text(part) + " of the host's recorded time is " + row_name(*row) + " itself",
                        many(row->calls, "call") + ", " + time(row->self_ns) + " without what ran in them, " +
                            time(row->self_ns / row->calls) + " each.",
                        ""}});
    }
  }
  for (const KeyAverage& row : averages.rows) {
    const double part = share(row.self_ns, averages.self_ns);
    if (row.is_on_device || row.calls == 0 || part < kMinTiny || row.total_ns / row.calls > kTinyNs) continue;
    found.push_back(
        {part * 0.4,
         {row_name(row) + " is so short that recording it weighs: " + time(row.total_ns / row.calls) + " a call",
          many(row.calls, "call") + " are " + share_text(part) + " of the host's recorded time.",
          "Take a span around all of them instead."}});
    break;
  }
}

void add_allocations(const bench::KeyAverages& averages, const bench::TraceOverview& overview,
                     std::vector<Weighed>& found) {
  const KeyAverage* most = nullptr;
  for (const KeyAverage& row : averages.rows) {
    const std::int64_t bytes = row.self_allocated_bytes.value_or(0);
    if (bytes >= kMinAllocatedBytes && (most == nullptr || bytes > *most->self_allocated_bytes)) most = &row;
  }
  if (most == nullptr) return;
  const std::int64_t times = std::max<std::int64_t>(1, overview.steps);
  found.push_back({0.01,
                   {row_name(*most) + " allocates most: " +
                        level_text(static_cast<double>(*most->self_allocated_bytes / times), "bytes") +
                        (overview.steps > 0 ? " a step" : " in all"),
                    many(most->calls, "call") + ".", "Memory that is kept from step to step costs nothing."}});
}

// What CUPTI says of its own cost: as much of what the recording shows is not the program's.
void add_overhead(const bench::Trace& trace, const bench::TraceOverview& overview, std::vector<Weighed>& found) {
  std::int64_t time_ns = 0, count = 0;
  for (const bench::TraceEvent& event : trace.events) {
    if (event.kind != bench::TraceKind::overhead) continue;
    time_ns += event.duration_ns;
    ++count;
  }
  const double part = share(time_ns, overview.whole_ns());
  if (part < kMinOverhead) return;
  found.push_back(
      {part,
       {"The recording itself takes " + share_text(part) + " of the time",
        many(count, "time") + ", " + time(time_ns) + " in all, as CUPTI says.", "Judge times by a run without it."}});
}

}  // namespace

std::vector<TraceFinding> findings_of(const bench::Trace& trace, const bench::TraceOverview& overview,
                                      const bench::TraceTree& tree) {
  const bench::KeyAverages averages = bench::key_averages(trace, tree);
  std::vector<Weighed> found;
  add_launches(overview, found);
  add_copies(overview, found);
  add_elementwise(overview, found);
  add_host(averages, found);
  add_allocations(averages, overview, found);
  add_overhead(trace, overview, found);
  std::stable_sort(found.begin(), found.end(), [](const Weighed& a, const Weighed& b) { return a.weight > b.weight; });
  std::vector<TraceFinding> result;
  for (Weighed& one : found) result.push_back(std::move(one.finding));
  return result;
}

}  // namespace steelyard::ci
