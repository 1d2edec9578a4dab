#include "bench/profile/trace_overview.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "bench/profile/key_averages.hpp"

namespace steelyard::bench {
namespace {

bool works_on_device(TraceKind kind) {
  return kind == TraceKind::kernel || kind == TraceKind::device_copy || kind == TraceKind::device_set;
}

// Device annotations are names for stretches of a stream, in which it may do nothing.
std::optional<TimeUse> use_of(TraceKind kind) {
  switch (kind) {
    case TraceKind::kernel:
      return TimeUse::kernel;
    case TraceKind::device_copy:
    case TraceKind::device_set:
      return TimeUse::copy;
    case TraceKind::runtime_call:
    case TraceKind::driver_call:
      return TimeUse::launch;
    case TraceKind::device_annotation:
    case TraceKind::window:
    case TraceKind::pause:
      return std::nullopt;
    default:
      return TimeUse::host;
  }
}

struct Stretch {
  std::int64_t begin, end;
};

// The union, in order.
std::vector<Stretch> joined(std::vector<Stretch> stretches) {
  std::sort(stretches.begin(), stretches.end(), [](const Stretch& a, const Stretch& b) { return a.begin < b.begin; });
  std::vector<Stretch> result;
  for (const Stretch& one : stretches) {
    if (!result.empty() && one.begin <= result.back().end) {
      result.back().end = std::max(result.back().end, one.end);
    } else {
      result.push_back(one);
    }
  }
  return result;
}

std::int64_t length_of(const std::vector<Stretch>& stretches) {
  std::int64_t sum = 0;
  for (const Stretch& one : stretches) sum += one.end - one.begin;
  return sum;
}

// What is in `all` and not in `taken`; both are unions in order.
std::int64_t length_outside(const std::vector<Stretch>& all, const std::vector<Stretch>& taken) {
  std::int64_t inside = 0;
  std::size_t at = 0;
  for (const Stretch& one : all) {
    while (at < taken.size() && taken[at].end <= one.begin) ++at;
    for (std::size_t i = at; i < taken.size() && taken[i].begin < one.end; ++i) {
      inside += std::min(one.end, taken[i].end) - std::max(one.begin, taken[i].begin);
    }
  }
  return length_of(all) - inside;
}

std::vector<Stretch> pauses_of(const Trace& trace) {
  std::vector<Stretch> pauses;
  for (const TraceEvent& event : trace.events) {
    if (event.kind == TraceKind::pause) pauses.push_back({event.begin_ns, event.end_ns()});
  }
  return joined(std::move(pauses));
}

// Of a pause what is known nonetheless, of spans for one, is no pause.
void add_uses(const Trace& trace, const std::vector<Stretch>& pauses, TraceOverview& overview) {
  std::array<std::vector<Stretch>, kTimeUses> by_use;
  for (const TraceEvent& event : trace.events) {
    // Within another of its kind a call adds nothing to a union; only what is not covered yet is kept.
    const auto use = use_of(event.kind);
    if (!use || event.duration_ns == 0) continue;
    auto& stretches = by_use[static_cast<std::size_t>(*use)];
    if (!stretches.empty() && stretches.back().begin <= event.begin_ns && event.end_ns() <= stretches.back().end)
      continue;
    stretches.push_back({event.begin_ns, event.end_ns()});
  }
  std::vector<Stretch> taken;
  for (std::size_t use = 0; use < by_use.size(); ++use) {
    const std::vector<Stretch> all = joined(std::move(by_use[use]));
    overview.use_ns[use] = length_outside(all, taken);
    taken.insert(taken.end(), all.begin(), all.end());
    taken = joined(std::move(taken));
  }
  overview.paused_ns = length_outside(pauses, taken);
  overview.use_ns[static_cast<std::size_t>(TimeUse::idle)] = overview.whole_ns() - length_of(taken);
}

// A kernel and the call that launched it.
struct Launched {
  std::int64_t begin, call_begin, call_end;
};

std::unordered_map<std::uint64_t, const TraceEvent*> calls_by_correlation(const Trace& trace) {
  std::unordered_map<std::uint64_t, const TraceEvent*> calls;
  for (const TraceEvent& event : trace.events) {
    const bool is_call = event.kind == TraceKind::runtime_call || event.kind == TraceKind::driver_call;
    if (is_call && event.correlation != 0) calls.emplace(event.correlation, &event);
  }
  return calls;
}

void add_launches(std::vector<Launched> launched, const std::vector<Stretch>& busy, const std::vector<Stretch>& pauses,
                  DeviceOverview& device) {
  std::sort(launched.begin(), launched.end(), [](const Launched& a, const Launched& b) { return a.begin < b.begin; });
  std::vector<std::int64_t> queued;
  for (const Launched& one : launched) queued.push_back(std::max<std::int64_t>(0, one.begin - one.call_end));
  std::sort(queued.begin(), queued.end());
  if (!queued.empty()) {
    const auto quartile = [&](std::size_t quarter) { return queued[(queued.size() - 1) * quarter / 4]; };
    device.queued_ns = {quartile(1), quartile(2), quartile(3)};
  }
  std::vector<Stretch> late;
  for (std::size_t i = 1; i < busy.size(); ++i) {
    const auto first = std::lower_bound(launched.begin(), launched.end(), busy[i].begin,
                                        [](const Launched& one, std::int64_t begin) { return one.begin < begin; });
    const bool is_known = first != launched.end() && first->begin == busy[i].begin;
    if (is_known && first->call_begin >= busy[i - 1].end) late.push_back({busy[i - 1].end, busy[i].begin});
  }
  device.idle_for_launch_ns = length_outside(late, pauses);
}

void add_devices(const Trace& trace, const std::vector<Stretch>& pauses, TraceOverview& overview) {
  struct Found {
    std::vector<Stretch> stretches;
    std::vector<Launched> launched;
    std::int64_t kernels = 0;
  };
  const auto calls = calls_by_correlation(trace);
  std::map<std::uint64_t, Found> by_process;
  for (const TraceEvent& event : trace.events) {
    if (!works_on_device(event.kind)) continue;
    Found& found = by_process[trace.tracks[event.track].process];
    found.stretches.push_back({event.begin_ns, event.end_ns()});
    if (event.kind != TraceKind::kernel) continue;
    ++found.kernels;
    const auto call = calls.find(event.correlation);
    if (event.correlation != 0 && call != calls.end()) {
      found.launched.push_back({event.begin_ns, call->second->begin_ns, call->second->end_ns()});
    }
  }
  for (auto& [process, found] : by_process) {
    DeviceOverview device;
    device.process = process;
    device.kernels = found.kernels;
    const std::vector<Stretch> busy = joined(std::move(found.stretches));
    device.busy_ns = length_of(busy);
    device.idle_ns = overview.whole_ns() - device.busy_ns;
    add_launches(std::move(found.launched), busy, pauses, device);
    overview.devices.push_back(device);
  }
}

bool is_elementwise(const std::string& name) {
  return name.find("elementwise") != std::string::npos || name.find("pointwise") != std::string::npos;
}

// How many tensors a kernel reads and writes, by what says shapes around what started it.
class TensorCounts {
 public:
  TensorCounts(const Trace& trace, const TraceTree& tree)
      : trace_(trace), tree_(tree), sayers_(trace.events.size(), TraceTree::kNoParent) {
    for (std::uint32_t i = 0; i < sayers_.size(); ++i) {
      const bool says = trace.events[i].shapes_text != 0 && !is_on_device(trace.events[i].kind);
      if (says || tree.parents[i] != TraceTree::kNoParent) sayers_[i] = says ? i : sayers_[tree.parents[i]];
    }
    for (std::uint32_t i = 0; i < sayers_.size(); ++i) {
      if (works_on_device(trace.events[i].kind)) ++started_[sayer_of(i)];
    }
  }

  // Nothing says it, or what does started more than this kernel: no value.
  std::optional<std::int64_t> of(std::uint32_t kernel) const {
    const std::uint32_t sayer = sayer_of(kernel);
    if (sayer == TraceTree::kNoParent || started_.at(sayer) != 1) return std::nullopt;
    const std::string& shapes = trace_.texts[trace_.events[sayer].shapes_text];  // "[[64, 512], [], [512]]"
    std::int64_t tensors = 1;
    for (std::size_t i = 1; i < shapes.size(); ++i) {
      tensors += shapes[i - 1] == '[' && shapes[i] >= '0' && shapes[i] <= '9' ? 1 : 0;
    }
    return tensors;
  }

 private:
  std::uint32_t sayer_of(std::uint32_t kernel) const {
    const std::uint32_t host = tree_.started_by[kernel];
    return host == TraceTree::kNoParent ? host : sayers_[host];
  }

  const Trace& trace_;
  const TraceTree& tree_;
  std::vector<std::uint32_t> sayers_;  // of each event
  std::unordered_map<std::uint32_t, std::int64_t> started_;
};

void add_elementwise(const Trace& trace, const TraceTree& tree, ElementwiseRun& found) {
  constexpr std::size_t kMinRun = 3;
  std::vector<std::uint32_t> run, all;
  const auto end_run = [&] {
    if (run.size() >= kMinRun) {
      ++found.runs;
      found.kernels += static_cast<std::int64_t>(run.size());
      found.longest = std::max(found.longest, static_cast<std::int64_t>(run.size()));
      all.insert(all.end(), run.begin(), run.end());
    }
    run.clear();
  };
  for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
    const TraceEvent& event = trace.events[i];
    if (!works_on_device(event.kind)) continue;
    const bool goes_on = event.kind == TraceKind::kernel && is_elementwise(trace.name_of(event));
    if (!goes_on || (!run.empty() && trace.events[run.back()].track != event.track)) end_run();
    if (goes_on) run.push_back(i);
  }
  end_run();
  if (all.empty()) return;
  const TensorCounts counts(trace, tree);
  found.tensors = 0;
  for (const std::uint32_t kernel : all) {
    found.time_ns += trace.events[kernel].duration_ns;
    const std::optional<std::int64_t> tensors = counts.of(kernel);
    found.tensors = found.tensors && tensors ? std::optional(*found.tensors + *tensors) : std::nullopt;
  }
}

}  // namespace

TraceOverview overview_of(const Trace& trace, const TraceTree& tree) {
  TraceOverview overview;
  if (trace.events.empty()) return overview;
  overview.begin_ns = trace.events.front().begin_ns;
  overview.end_ns = overview.begin_ns;
  for (const TraceEvent& event : trace.events) {
    overview.begin_ns = std::min(overview.begin_ns, event.begin_ns);
    overview.end_ns = std::max(overview.end_ns, event.end_ns());
    if (is_on_device(event.kind) || is_of_recording(event.kind)) continue;
    if (is_step(trace.name_of(event))) ++overview.steps;
  }
  const std::vector<Stretch> pauses = pauses_of(trace);
  add_uses(trace, pauses, overview);
  add_devices(trace, pauses, overview);
  add_elementwise(trace, tree, overview.elementwise);
  return overview;
}

}  // namespace steelyard::bench
