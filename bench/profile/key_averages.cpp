#include "bench/profile/key_averages.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <tuple>
#include <unordered_map>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/dtype.hpp"
#include "bench/model/text.hpp"

namespace steelyard::bench {
namespace {

constexpr std::array<std::string_view, 2> kStepPrefixes{"step ", "ProfilerStep#"};

// What names a step begins with; empty where it names none.
std::string_view step_prefix(std::string_view name) {
  for (const std::string_view prefix : kStepPrefixes) {
    if (!name.starts_with(prefix) || name.size() == prefix.size()) continue;
    if (name.find_first_not_of("0123456789", prefix.size()) == std::string_view::npos) return prefix;
  }
  return "";
}

}  // namespace

bool is_step(std::string_view name) { return !step_prefix(name).empty(); }

std::string group_name(const std::string& name) {
  const std::string_view prefix = step_prefix(name);
  if (prefix.empty()) return name;
  return std::string(prefix.substr(0, prefix.size() - (prefix.ends_with('#') ? 1 : 0))) + '*';
}

SingleIterations::SingleIterations(const Trace& trace) {
  for (const TraceEvent& event : trace.events) {
    if (event.iterations > 1) looped_.insert(event.name_text);
  }
}

namespace {

struct Key {
  std::uint32_t name, shapes;
  std::string place;
  bool is_on_device, is_one_iteration;
  std::optional<std::uint64_t> process;
  bool operator==(const Key&) const = default;
};
struct KeyHash {
  std::size_t operator()(const Key& key) const {
    const std::size_t flags = (key.is_on_device ? 1U : 0U) + (key.is_one_iteration ? 2U : 0U);
    const std::size_t numbers = (std::size_t{key.name} << 32 | key.shapes) * 4 + flags;
    return std::hash<std::size_t>()(numbers + key.process.value_or(0)) ^ std::hash<std::string>()(key.place);
  }
};

template <class T>
void add(std::optional<T>& sum, const std::optional<T>& value) {
  if (value) sum = sum.value_or(T{}) + *value;
}

void take_off(std::optional<std::int64_t>& self, const std::optional<std::int64_t>& bytes) {
  if (self && bytes) *self -= *bytes;
}

class Grouping {
 public:
  Grouping(const Trace& trace, const TraceTree& tree, const KeyGrouping& wanted)
      : trace_(trace), tree_(tree), wanted_(wanted), rows_of_(trace.events.size(), kNone), single_(trace) {}

  KeyAverages averages();

 private:
  static constexpr std::uint32_t kNone = TraceTree::kNoParent;

  std::string place_of(std::uint32_t event) const;
  std::uint32_t row_of(std::uint32_t event);
  bool is_in_its_own_group(std::uint32_t event);
  void count_children();
  bool is_merged(std::uint32_t event) const;
  void add_event(std::uint32_t event);

  const Trace& trace_;
  const TraceTree& tree_;
  const KeyGrouping& wanted_;
  KeyAverages averages_;
  std::unordered_map<Key, std::uint32_t, KeyHash> rows_;
  std::unordered_map<std::uint32_t, std::pair<std::uint32_t, std::string>> names_;
  TraceTexts group_names_;
  std::vector<std::uint32_t> rows_of_;   // of each event
  std::vector<std::uint32_t> children_;  // of each event, how many
  const SingleIterations single_;
  std::vector<std::uint32_t> around_;  // the events in which the last one asked about ran, and it
  std::vector<std::int64_t> open_;     // how many of those are of each row
  std::map<std::pair<std::uint32_t, std::uint32_t>, bool> launches_;  // that were met, by row and launch
};

// Where it is, and where those around it are; of one that says a whole stack, as PyTorch's do, the top of that.
std::string Grouping::place_of(std::uint32_t event) const {
  std::string places;
  int count = 0;
  int levels = 1000;
  bool is_stack = false;
  for (std::uint32_t at = event; at != kNone && count < wanted_.by_stack && !is_stack && levels-- > 0;
       at = tree_.parents[at]) {
    std::string_view place = trace_.texts[trace_.events[at].place_text];
    is_stack = place.find(';') != std::string_view::npos;
    while (!place.empty() && count < wanted_.by_stack) {
      const std::size_t end = std::min(place.find(';'), place.size());
      places += (places.empty() ? "" : ";") + std::string(place.substr(0, end));
      place.remove_prefix(std::min(end + 1, place.size()));
      ++count;
    }
  }
  return places;
}

std::uint32_t Grouping::row_of(std::uint32_t index) {
  const TraceEvent& event = trace_.events[index];
  auto known = names_.find(event.name_text);
  if (known == names_.end()) {
    const std::string name = group_name(trace_.name_of(event));
    known = names_.emplace(event.name_text, std::pair(group_names_.id_of(name), name)).first;
  }
  Key key{known->second.first, wanted_.by_shapes ? event.shapes_text : 0,
          place_of(index),     is_on_device(event.kind),
          single_.has(event),  wanted_.by_process ? std::optional(trace_.tracks[event.track].process) : std::nullopt};
  const auto [row, is_new] = rows_.emplace(std::move(key), static_cast<std::uint32_t>(averages_.rows.size()));
  if (is_new) {
    averages_.rows.push_back({.name = known->second.second,
                              .is_on_device = row->first.is_on_device,
                              .is_one_iteration = row->first.is_one_iteration,
                              .shapes = trace_.texts[row->first.shapes],
                              .place = row->first.place,
                              .process = row->first.process});
  }
  return row->second;
}

void Grouping::count_children() {
  children_.resize(trace_.events.size());
  for (const std::uint32_t parent : tree_.parents) {
    if (parent != kNone) ++children_[parent];
  }
}

bool Grouping::is_merged(std::uint32_t index) const {
  const std::uint32_t parent = tree_.parents[index];
  if (parent == kNone || children_[parent] != 1) return false;
  const TraceEvent &event = trace_.events[index], &around = trace_.events[parent];
  return event.kind == TraceKind::operation && around.kind == TraceKind::operation &&
         event.name_text == around.name_text;
}

// Asked for each event once, in their order: parents stand before their children.
bool Grouping::is_in_its_own_group(std::uint32_t event) {
  while (!around_.empty() && around_.back() != tree_.parents[event]) {
    --open_[rows_of_[around_.back()]];
    around_.pop_back();
  }
  open_.resize(averages_.rows.size(), 0);
  around_.push_back(event);
  return open_[rows_of_[event]]++ > 0;
}

void keep_common(KeyAverage& row, const KernelLaunch& launch) {
  const auto shared = [](const KernelLaunch& one) { return one.static_shared_bytes + one.dynamic_shared_bytes; };
  CommonOfLaunches& common = row.common;
  common.block = common.block && row.launch->block == launch.block;
  common.registers = common.registers && row.launch->registers == launch.registers;
  common.shared = common.shared && shared(*row.launch) == shared(launch);
  common.occupancy = common.occupancy && row.launch->occupancy == launch.occupancy;
  common.achieved_occupancy = common.achieved_occupancy && row.launch->achieved_occupancy == launch.achieved_occupancy;
}

// What stands around kernels there, for a span of the host, did nothing itself.
std::int64_t self_on_device(const TraceEvent& event) {
  return event.kind == TraceKind::device_annotation ? 0 : event.duration_ns;
}

void Grouping::add_event(std::uint32_t index) {
  const TraceEvent& event = trace_.events[index];
  KeyAverage& row = averages_.rows[rows_of_[index]];
  if (!is_merged(index)) {
    ++row.calls;
    add(row.flops, event.flops);
    add(row.bytes, event.bytes);
  }
  if (row.is_on_device) {
    row.self_device_ns += self_on_device(event);
    row.device_ns += event.duration_ns;
    if (event.launch == 0 || !launches_.try_emplace({rows_of_[index], event.launch}, true).second) return;
    const KernelLaunch& launch = *trace_.launch_of(event);
    if (row.launches++ == 0) row.launch = launch;
    keep_common(row, launch);
    return;
  }
  row.self_ns += tree_.self_ns[index];
  row.self_device_ns += tree_.self_device_ns[index];
  add(row.self_allocated_bytes, event.allocated_bytes);  // what its children allocated is taken off below
  add(row.self_device_allocated_bytes, event.device_allocated_bytes);
  if (is_in_its_own_group(index)) return;
  row.total_ns += event.duration_ns;
  row.device_ns += tree_.device_ns[index];
  add(row.allocated_bytes, event.allocated_bytes);
  add(row.device_allocated_bytes, event.device_allocated_bytes);
}

// What may be missing of a span's work: then no rate is certain.
bool may_lack_work(const Trace& trace) {
  const DeviceRecording& device = trace.device_recording;
  const auto is_work = [](DeviceRecordKind kind) {
    return kind != DeviceRecordKind::overhead && kind != DeviceRecordKind::stream && kind != DeviceRecordKind::memory;
  };
  return trace.is_cut || !trace.is_finished || trace.dropped + trace.unnamed + trace.backwards > 0 ||
         device.dropped + device.without_room + device.untimed > 0 ||
         std::any_of(device.unrecorded.begin(), device.unrecorded.end(), is_work);
}

// AchievedRates of rows.
class Rates {
 public:
  Rates(const Trace& trace, const TraceTree& tree, const std::vector<std::uint32_t>& rows_of)
      : trace_(trace), tree_(tree), rows_of_(rows_of), works_of_(trace.events.size(), kNone) {}

  void add_to(std::vector<KeyAverage>& rows);

 private:
  static constexpr std::uint32_t kNone = TraceTree::kNoParent;
  // A span that says operations or bytes, and what it started.
  struct Work {
    std::uint32_t span = 0;
    bool is_certain = true;
    bool moves_besides = false;  // by copies and sets, which compute nothing
    std::size_t kernels = 0;
    std::uint32_t row = kNone;
    std::int64_t ns = 0;
    std::string device = {};
  };
  struct Sum {
    std::optional<double> flops, bytes;
    std::int64_t flops_ns = 0, bytes_ns = 0;
    std::optional<std::string> dtype;  // of the operations; empty: of one not known, or they differ
  };

  void find_spans();
  void doubt_paused();
  void add_kernel(std::uint32_t event);
  const std::string& device_of(const TraceEvent& event) const;
  const std::string& dtype_of_work(const TraceEvent& span);

  const Trace& trace_;
  const TraceTree& tree_;
  const std::vector<std::uint32_t>& rows_of_;
  std::vector<Work> works_;
  std::vector<std::uint32_t> works_of_;                                    // of each event: the innermost, by index
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> dtypes_;  // by the texts of name and types
  std::int64_t last_stray_ns_ = std::numeric_limits<std::int64_t>::min();  // began what nobody is known to have started
};

void Rates::find_spans() {
  for (std::uint32_t i = 0; i < trace_.events.size(); ++i) {
    const TraceEvent& event = trace_.events[i];
    if (is_on_device(event.kind) || is_of_recording(event.kind)) continue;
    if (tree_.parents[i] != kNone) works_of_[i] = works_of_[tree_.parents[i]];
    if (!event.flops && !event.bytes) continue;
    if (works_of_[i] != kNone) works_[works_of_[i]].is_certain = false;
    works_of_[i] = static_cast<std::uint32_t>(works_.size());
    works_.push_back({.span = i, .is_certain = !event.is_open});
  }
}

// In a pause what a span started was not recorded.
void Rates::doubt_paused() {
  std::vector<std::pair<std::int64_t, std::int64_t>> pauses;  // from, and until when the latest so far lasted
  for (const TraceEvent& event : trace_.events) {
    if (event.kind == TraceKind::pause) pauses.emplace_back(event.begin_ns, event.end_ns());
  }
  std::sort(pauses.begin(), pauses.end());
  for (std::size_t i = 1; i < pauses.size(); ++i) pauses[i].second = std::max(pauses[i].second, pauses[i - 1].second);
  for (Work& work : works_) {
    const TraceEvent& span = trace_.events[work.span];
    const auto after = std::lower_bound(pauses.begin(), pauses.end(), std::pair(span.end_ns(), std::int64_t{0}));
    if (after != pauses.begin() && std::prev(after)->second > span.begin_ns) work.is_certain = false;
  }
}

const std::string& Rates::device_of(const TraceEvent& event) const {
  for (const TraceDevice& device : trace_.devices) {
    if (device.process == trace_.tracks[event.track].process) return device.name;
  }
  return trace_.texts[0];
}

// Of an operation of PyTorch, by EventDetail::types_text. Of float and double none: whether they are multiplied as they
// are or in tensor cores' own ways, PyTorch decides and does not say.
std::string dtype_of_types(std::string_view types) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kTypes{{{"c10::BFloat16", "bf16"},
                                                                                 {"c10::Half", "f16"},
                                                                                 {"c10::Float8_e4m3fn", "f8"},
                                                                                 {"c10::Float8_e5m2", "f8"},
                                                                                 {"signed char", "i8"},
                                                                                 {"float", ""},
                                                                                 {"double", ""}}};
  std::optional<std::string_view> found;
  for (; !types.empty(); types.remove_prefix(std::min(types.find('\n'), types.size() - 1) + 1)) {
    const std::string_view type = types.substr(0, types.find('\n'));
    const auto known = std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& one) { return one.first == type; });
    if (known == kTypes.end()) continue;  // a scalar, or nothing
    if (found && *found != known->second) return "";
    found = known->second;
  }
  return std::string(found.value_or(""));
}

// Empty where the span has no types, or several.
const std::string& Rates::dtype_of_work(const TraceEvent& span) {
  const EventDetail* const detail = trace_.detail_of(span);
  const std::uint32_t types = detail == nullptr ? 0 : detail->types_text;
  const auto [known, is_new] = dtypes_.try_emplace({span.name_text, types});
  if (is_new) {
    known->second = dtype_of(parse_google_benchmark_name(trace_.name_of(span))).value_or("");
    if (known->second.empty()) known->second = dtype_of_types(trace_.texts[types]);
  }
  return known->second;
}

void Rates::add_kernel(std::uint32_t index) {
  const TraceEvent& event = trace_.events[index];
  const std::uint32_t caller = tree_.started_by[index];
  if (caller == kNone) {
    if (event.kind != TraceKind::device_annotation) last_stray_ns_ = std::max(last_stray_ns_, event.begin_ns);
    return;
  }
  if (works_of_[caller] == kNone) return;
  Work& work = works_[works_of_[caller]];
  if (event.kind == TraceKind::device_copy || event.kind == TraceKind::device_set) {
    work.moves_besides = true;
    return;
  }
  const std::string& device = device_of(event);
  if (work.kernels++ == 0) {
    work.row = rows_of_[index];
    work.device = device;
  }
  const bool is_kernel = event.kind == TraceKind::kernel && event.launch != 0;  // and no graph of several
  if (!is_kernel || work.row != rows_of_[index]) work.is_certain = false;
  if (work.device != device) work.device.clear();
  work.ns += event.duration_ns;
}

void Rates::add_to(std::vector<KeyAverage>& rows) {
  const auto is_of_device = [](const TraceEvent& event) { return is_on_device(event.kind); };
  if (may_lack_work(trace_) || std::none_of(trace_.events.begin(), trace_.events.end(), is_of_device)) return;
  find_spans();
  if (works_.empty()) return;
  doubt_paused();
  for (std::uint32_t i = 0; i < trace_.events.size(); ++i) {
    if (is_of_device(trace_.events[i])) add_kernel(i);
  }
  std::map<std::uint32_t, Sum> sums;
  for (const Work& work : works_) {
    const TraceEvent& span = trace_.events[work.span];
    if (!work.is_certain || work.row == kNone || work.ns <= 0 || span.begin_ns < last_stray_ns_) continue;
    std::string& device = rows[work.row].achieved.device;
    const auto [place, is_new] = sums.try_emplace(work.row);
    if (is_new) device = work.device;
    if (device != work.device) device.clear();
    add(place->second.flops, span.flops);
    if (span.bytes && !work.moves_besides) {
      add(place->second.bytes, span.bytes);
      place->second.bytes_ns += work.ns;
    }
    if (!span.flops) continue;
    place->second.flops_ns += work.ns;
    std::optional<std::string>& dtype = place->second.dtype;
    dtype = !dtype || *dtype == dtype_of_work(span) ? dtype_of_work(span) : "";
  }
  const auto rate = [](const std::optional<double>& sum, std::int64_t ns) {
    const double value = sum ? *sum / (static_cast<double>(ns) / 1e9) : 0;
    return value > 0 && std::isfinite(value) ? std::optional(value) : std::nullopt;
  };
  for (const auto& [row, sum] : sums) {
    rows[row].achieved.flops = rate(sum.flops, sum.flops_ns);
    rows[row].achieved.bytes = rate(sum.bytes, sum.bytes_ns);
    rows[row].achieved.dtype = sum.dtype.value_or("");
  }
}

KeyAverages Grouping::averages() {
  count_children();
  for (std::uint32_t i = 0; i < trace_.events.size(); ++i) {
    const TraceEvent& event = trace_.events[i];
    if (is_of_recording(event.kind)) continue;
    const bool works_on_device = is_on_device(event.kind);
    (works_on_device ? averages_.self_device_ns : averages_.self_ns) +=
        works_on_device ? self_on_device(event) : tree_.self_ns[i];
    const std::uint32_t parent = tree_.parents[i];
    if (wanted_.only_roots && parent != kNone) continue;
    rows_of_[i] = is_merged(i) ? rows_of_[parent] : row_of(i);
    add_event(i);
    if (parent == kNone || rows_of_[parent] == kNone) continue;
    KeyAverage& around = averages_.rows[rows_of_[parent]];
    take_off(around.self_allocated_bytes, event.allocated_bytes);
    take_off(around.self_device_allocated_bytes, event.device_allocated_bytes);
  }
  Rates(trace_, tree_, rows_of_).add_to(averages_.rows);
  std::sort(averages_.rows.begin(), averages_.rows.end(), [](const KeyAverage& a, const KeyAverage& b) {
    const auto key = [](const KeyAverage& row) {
      return std::tie(row.name, row.shapes, row.place, row.is_one_iteration, row.process);
    };
    return std::tuple(-a.self_ns, -a.self_device_ns, key(a)) < std::tuple(-b.self_ns, -b.self_device_ns, key(b));
  });
  return std::move(averages_);
}

double an_event(std::int64_t ns, std::int64_t calls) { return static_cast<double>(ns) / static_cast<double>(calls); }

struct SortKey {
  const char* name;
  double (*value)(const KeyAverage&);
};
constexpr std::array<SortKey, 12> kSortKeys{{
    {"self", [](const KeyAverage& row) { return static_cast<double>(row.self_ns); }},
    {"total", [](const KeyAverage& row) { return static_cast<double>(row.total_ns); }},
    {"average", [](const KeyAverage& row) { return an_event(row.total_ns, row.calls); }},
    {"self_device", [](const KeyAverage& row) { return static_cast<double>(row.self_device_ns); }},
    {"device", [](const KeyAverage& row) { return static_cast<double>(row.device_ns); }},
    {"device_average", [](const KeyAverage& row) { return an_event(row.device_ns, row.calls); }},
    {"calls", [](const KeyAverage& row) { return static_cast<double>(row.calls); }},
    {"memory", [](const KeyAverage& row) { return static_cast<double>(row.allocated_bytes.value_or(0)); }},
    {"self_memory", [](const KeyAverage& row) { return static_cast<double>(row.self_allocated_bytes.value_or(0)); }},
    {"device_memory",
     [](const KeyAverage& row) { return static_cast<double>(row.device_allocated_bytes.value_or(0)); }},
    {"self_device_memory",
     [](const KeyAverage& row) { return static_cast<double>(row.self_device_allocated_bytes.value_or(0)); }},
    {"flops", [](const KeyAverage& row) { return row.flops.value_or(0); }},
}};

}  // namespace

KeyAverages key_averages(const Trace& trace, const TraceTree& tree, const KeyGrouping& grouping) {
  return Grouping(trace, tree, grouping).averages();
}

Result<void> sort_rows(KeyAverages& averages, const std::string& key) {
  const auto found = std::find_if(kSortKeys.begin(), kSortKeys.end(), [&](const SortKey& k) { return key == k.name; });
  if (found == kSortKeys.end()) {
    const std::string known = joined_text(kSortKeys, ", ", [](const SortKey& one) { return one.name; });
    return input_error("--sort", '"' + key + '"', "one of " + known);
  }
  std::stable_sort(averages.rows.begin(), averages.rows.end(),
                   [&](const KeyAverage& a, const KeyAverage& b) { return found->value(a) > found->value(b); });
  return {};
}

std::vector<SampledFunction> sampled_functions(const Trace& trace) {
  std::vector<SampledFunction> functions;
  std::map<std::pair<std::string, std::string>, std::size_t> known;
  std::vector<std::size_t> in_sample;
  for (const TraceSample& sample : trace.samples) {
    const std::string event =
        sample.event == TraceTree::kNoParent ? "" : group_name(trace.name_of(trace.events[sample.event]));
    in_sample.clear();
    const auto add = [&](const std::string& name) {
      const auto [place, is_new] = known.try_emplace({event, name}, functions.size());
      if (is_new) functions.push_back({event, name});
      SampledFunction& function = functions[place->second];
      if (in_sample.empty()) function.self_ns += sample.cpu_ns;
      if (std::find(in_sample.begin(), in_sample.end(), place->second) == in_sample.end()) {
        ++function.samples;
        function.total_ns += sample.cpu_ns;
      }
      in_sample.push_back(place->second);
    };
    if (sample.frame == 0) add(std::string(kNoFunction));
    for (std::uint32_t at = sample.frame; at != 0; at = trace.frames[at].parent) {
      add(trace.texts[trace.frames[at].function_text]);
    }
  }
  std::sort(functions.begin(), functions.end(), [](const SampledFunction& a, const SampledFunction& b) {
    return std::tuple(-a.self_ns, -a.total_ns, std::tie(a.event, a.name)) <
           std::tuple(-b.self_ns, -b.total_ns, std::tie(b.event, b.name));
  });
  return functions;
}

}  // namespace steelyard::bench
