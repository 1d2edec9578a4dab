#include "bench/profile/key_averages.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <tuple>
#include <unordered_map>

namespace steelyard::bench {
namespace {

constexpr std::array<std::string_view, 2> kStepPrefixes{"step ", "ProfilerStep#"};

// Empty: it is no step.
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

namespace {

struct Key {
  std::uint32_t name, shapes;
  std::string place;
  bool is_on_device;
  bool operator==(const Key&) const = default;
};
struct KeyHash {
  std::size_t operator()(const Key& key) const {
    const std::size_t numbers = (std::size_t{key.name} << 32 | key.shapes) * 2 + (key.is_on_device ? 1 : 0);
    return std::hash<std::size_t>()(numbers) ^ std::hash<std::string>()(key.place);
  }
};

template <class T>
void add(std::optional<T>& sum, const std::optional<T>& value) {
  if (value) sum = sum.value_or(T{}) + *value;
}

class Grouping {
 public:
  Grouping(const Trace& trace, const TraceTree& tree, const KeyGrouping& wanted)
      : trace_(trace), tree_(tree), wanted_(wanted), rows_of_(trace.events.size(), kNone) {}

  KeyAverages averages();

 private:
  static constexpr std::uint32_t kNone = TraceTree::kNoParent;

  std::string place_of(std::uint32_t event) const;
  std::uint32_t row_of(std::uint32_t event);
  bool is_in_its_own_group(std::uint32_t event);
  void add_event(std::uint32_t event);

  const Trace& trace_;
  const TraceTree& tree_;
  const KeyGrouping& wanted_;
  KeyAverages averages_;
  std::unordered_map<Key, std::uint32_t, KeyHash> rows_;
  std::unordered_map<std::uint32_t, std::pair<std::uint32_t, std::string>> names_;
  TraceTexts group_names_;
  std::vector<std::uint32_t> rows_of_;  // of each event
  std::vector<std::uint32_t> around_;   // the events in which the last one asked about ran, and it
  std::vector<std::int64_t> open_;      // how many of those are of each row
  std::map<std::pair<std::uint32_t, std::uint32_t>, bool> launches_;  // that were met, by row and launch
};

// Where it is, and where those around it are.
std::string Grouping::place_of(std::uint32_t event) const {
  std::string places;
  int count = 0;
  int levels = 1000;
  for (std::uint32_t at = event; at != kNone && count < wanted_.by_stack && levels-- > 0; at = tree_.parents[at]) {
    const std::uint32_t place = trace_.events[at].place_text;
    if (place == 0) continue;
    places += (places.empty() ? "" : ";") + trace_.texts[place];
    ++count;
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
  Key key{known->second.first, wanted_.by_shapes ? event.shapes_text : 0, place_of(index), is_on_device(event.kind)};
  const auto [row, is_new] = rows_.emplace(std::move(key), static_cast<std::uint32_t>(averages_.rows.size()));
  if (is_new) {
    averages_.rows.push_back({.name = known->second.second,
                              .is_on_device = row->first.is_on_device,
                              .shapes = trace_.texts[row->first.shapes],
                              .place = row->first.place});
  }
  return row->second;
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

void Grouping::add_event(std::uint32_t index) {
  const TraceEvent& event = trace_.events[index];
  KeyAverage& row = averages_.rows[rows_of_[index]];
  ++row.calls;
  add(row.flops, event.flops);
  add(row.bytes, event.bytes);
  if (row.is_on_device) {
    row.self_device_ns += event.duration_ns;
    row.device_ns += event.duration_ns;
    if (event.launch == 0 || !launches_.try_emplace({rows_of_[index], event.launch}, true).second) return;
    if (row.launches++ == 0) row.launch = *trace_.launch_of(event);
    return;
  }
  row.self_ns += tree_.self_ns[index];
  row.self_device_ns += tree_.self_device_ns[index];
  add(row.self_allocated_bytes, event.allocated_bytes);  // what its children allocated is taken off below
  if (is_in_its_own_group(index)) return;
  row.total_ns += event.duration_ns;
  row.device_ns += tree_.device_ns[index];
  add(row.allocated_bytes, event.allocated_bytes);
}

KeyAverages Grouping::averages() {
  for (std::uint32_t i = 0; i < trace_.events.size(); ++i) {
    const TraceEvent& event = trace_.events[i];
    const bool works_on_device = is_on_device(event.kind);
    (works_on_device ? averages_.self_device_ns : averages_.self_ns) +=
        works_on_device ? event.duration_ns : tree_.self_ns[i];
    const std::uint32_t parent = tree_.parents[i];
    if (wanted_.only_roots && parent != kNone) continue;
    rows_of_[i] = row_of(i);
    add_event(i);
    if (parent != kNone && rows_of_[parent] != kNone && event.allocated_bytes) {
      std::optional<std::int64_t>& self = averages_.rows[rows_of_[parent]].self_allocated_bytes;
      if (self) *self -= *event.allocated_bytes;
    }
  }
  std::sort(averages_.rows.begin(), averages_.rows.end(), [](const KeyAverage& a, const KeyAverage& b) {
    return std::tuple(-a.self_ns, -a.self_device_ns, std::tie(a.name, a.shapes, a.place)) <
           std::tuple(-b.self_ns, -b.self_device_ns, std::tie(b.name, b.shapes, b.place));
  });
  return std::move(averages_);
}

double an_event(std::int64_t ns, std::int64_t calls) { return static_cast<double>(ns) / static_cast<double>(calls); }

struct SortKey {
  const char* name;
  double (*value)(const KeyAverage&);
};
constexpr std::array<SortKey, 10> kSortKeys{{
    {"self", [](const KeyAverage& row) { return static_cast<double>(row.self_ns); }},
    {"total", [](const KeyAverage& row) { return static_cast<double>(row.total_ns); }},
    {"average", [](const KeyAverage& row) { return an_event(row.total_ns, row.calls); }},
    {"self_device", [](const KeyAverage& row) { return static_cast<double>(row.self_device_ns); }},
    {"device", [](const KeyAverage& row) { return static_cast<double>(row.device_ns); }},
    {"device_average", [](const KeyAverage& row) { return an_event(row.device_ns, row.calls); }},
    {"calls", [](const KeyAverage& row) { return static_cast<double>(row.calls); }},
    {"memory", [](const KeyAverage& row) { return static_cast<double>(row.allocated_bytes.value_or(0)); }},
    {"self_memory", [](const KeyAverage& row) { return static_cast<double>(row.self_allocated_bytes.value_or(0)); }},
    {"flops", [](const KeyAverage& row) { return row.flops.value_or(0); }},
}};

}  // namespace

KeyAverages key_averages(const Trace& trace, const TraceTree& tree, const KeyGrouping& grouping) {
  return Grouping(trace, tree, grouping).averages();
}

Result<void> sort_rows(KeyAverages& averages, const std::string& key) {
  const auto found = std::find_if(kSortKeys.begin(), kSortKeys.end(), [&](const SortKey& k) { return key == k.name; });
  if (found == kSortKeys.end()) {
    std::string known;
    for (const SortKey& one : kSortKeys) known += (known.empty() ? "" : ", ") + std::string(one.name);
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
