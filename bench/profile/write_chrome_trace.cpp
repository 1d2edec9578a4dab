// Writes a Trace as a Chrome trace, event by event.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdlib>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bench/model/text.hpp"
#include "bench/model/utf8.hpp"
#include "bench/profile/chrome_trace.hpp"
#include "bench/profile/occupancy.hpp"
#include "bench/profile/trace_lanes.hpp"

namespace steelyard::bench {
namespace {

// Takes a list of sizes, or of such lists, off the beginning.
bool take_sizes(std::string_view& text, int levels) {
  constexpr std::size_t kMaxDigits = 18;
  if (levels == 0 || !text.starts_with('[')) return false;
  text.remove_prefix(1);
  for (bool is_first = true; !text.starts_with(']'); is_first = false) {
    if (!is_first && !text.starts_with(", ")) return false;
    if (!is_first) text.remove_prefix(2);
    if (text.starts_with('[')) {
      if (!take_sizes(text, levels - 1)) return false;
      continue;
    }
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    if (digits == 0 || digits > kMaxDigits || (digits > 1 && text.front() == '0')) return false;
    text.remove_prefix(digits);
  }
  text.remove_prefix(1);
  return true;
}

// "[[64, 512], []]", as spans and PyTorch say shapes, and as JSON has it, too.
bool is_list_of_sizes(std::string_view text) {
  constexpr int kMaxListLevels = 8;
  return take_sizes(text, kMaxListLevels) && text.empty();
}

// A line of the file in the making; std::to_chars has no locale.
class Line {
 public:
  Line& operator<<(std::string_view text) {
    text_ += text;
    return *this;
  }
  Line& operator<<(const char* text) { return *this << std::string_view(text); }
  template <std::integral T>
  Line& operator<<(T value) {
    std::array<char, 24> digits;
    text_.append(digits.data(), std::to_chars(digits.begin(), digits.end(), value).ptr);
    return *this;
  }
  Line& operator<<(double value) { return *this << shortest_text(value); }
  // In microseconds, every nanosecond.
  Line& time(std::int64_t ns) {
    const std::int64_t size = std::abs(ns);
    *this << (ns < 0 ? "-" : "") << size / 1000;
    const auto digit = [](std::int64_t value) { return static_cast<char>('0' + value % 10); };
    text_ += {'.', digit(size / 100), digit(size / 10), digit(size)};
    return *this;
  }
  std::size_t size() const { return text_.size(); }
  void clear() { text_.clear(); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

class ChromeWriter {
 public:
  ChromeWriter(const Trace& trace, std::ostream& out) : trace_(trace), out_(out), lanes_(trace) {
    for (std::uint32_t i = 0; i < trace.texts.size(); ++i) {
      quoted_.push_back(json_quoted(trace.texts[i]));
      if (!is_utf8(trace.texts[i])) replaced_ += utf8_of(trace.texts[i]).replaced;
    }
    for (const TraceEvent& event : trace.events) {
      if (is_on_device(event.kind)) processes_of_devices_.insert(trace.tracks[event.track].process);
      if (event.correlation == 0) continue;
      (is_on_device(event.kind) ? on_device_ : on_host_)[event.correlation] = true;
    }
    for (const BackwardLink& link : trace.backward_links) linked_[link.forward] = linked_[link.backward] = {};
  }

  void write(const std::string& title) {
    out_ << "{\"schemaVersion\": 1, " << devices_text()
         << "\"displayTimeUnit\": \"ms\", \"baseTimeNanoseconds\": " << trace_.start_unix_ns << ", " << recording_text()
         << "\"traceName\": " << json_quoted(title) << ",\n\"traceEvents\": [";
    for (const TraceEvent& event : trace_.events) write_event(event);
    for (std::size_t i = 0; i < trace_.backward_links.size(); ++i) write_backward_arrow(i);
    for (const TraceMemory& point : trace_.memory) write_memory(point);
    write_names();
    write_window();
    out_ << "\n]}\n";
  }

 private:
  // Where the reader finds whose ceilings bound a roofline.
  std::string devices_text() const {
    std::string text;
    for (const TraceDevice& device : trace_.devices) {
      text += (text.empty() ? "" : ", ") + ("{\"id\": " + std::to_string(device.process)) +
              ", \"name\": " + json_quoted(device.name) + "}";
    }
    return text.empty() ? "" : "\"deviceProperties\": [" + text + "], ";
  }

  // Before the events, as the file may be cut.
  std::string recording_text() const {
    std::string text;
    const auto add = [&](std::string_view name, const std::string& value) {
      text += (text.empty() ? "" : ", ") + json_quoted(name) + ": " + value;
    };
    for (const RecordingFact& fact : recording_facts()) {
      const std::uint64_t value = fact.get(trace_) + (fact.name == kReplacedFact ? replaced_ : 0);
      if (value != 0) add(fact.name, std::to_string(value));
    }
    const std::string& refusal = trace_.device_recording.refusal;
    if (!refusal.empty()) add(kDeviceRefusalMember, json_quoted(refusal));
    return text.empty() ? "" : json_quoted(kRecordingMember) + ": {" + text + "}, ";
  }

  // PyTorch has processes below 0, for what is of the recording.
  static std::int64_t number_of(std::uint64_t process) { return static_cast<std::int64_t>(process); }

  void begin_line() {
    line_.clear();
    line_ << (std::exchange(is_first_, false) ? "\n" : ",\n");
  }

  void write_line() { out_.write(line_.text().data(), static_cast<std::streamsize>(line_.size())); }

  void write_event(const TraceEvent& event) {
    const TraceLanes::Place place = lanes_.of(event);
    begin_line();
    line_ << R"({"ph": "X", "cat": ")" << words_of(event.kind)[static_cast<std::size_t>(event.kind)] << R"(", "name": )"
          << quoted_[event.name_text] << R"(, "pid": )" << number_of(place.process) << R"(, "tid": )" << place.thread
          << R"(, "ts": )";
    line_.time(event.begin_ns) << R"(, "dur": )";
    line_.time(event.duration_ns);
    add_args(event);
    line_ << "}";
    write_line();
    const auto linked = linked_.find(static_cast<std::uint32_t>(&event - trace_.events.data()));
    if (linked != linked_.end()) linked->second = place;
    if (event.correlation != 0 && on_device_.contains(event.correlation) && on_host_.contains(event.correlation)) {
      write_arrow(event, place);
    }
  }

  // As PyTorch's profiler tells it, and of what.
  void write_memory(const TraceMemory& point) {
    begin_line();
    line_ << R"({"ph": "i", "s": "p", "cat": "cpu_instant_event", "name": "[memory]", "pid": 0, "tid": 0, "ts": )";
    line_.time(point.at_ns) << R"(, "args": {"Total Allocated": )" << point.bytes << R"(, "Pool": )"
                            << quoted_[point.pool_text] << "}}";
    write_line();
  }

  const std::string& shapes_of(const TraceEvent& event) {
    const std::string& text = trace_.texts[event.shapes_text];
    const auto [known, is_new] = are_lists_.try_emplace(event.shapes_text, false);
    if (is_new) known->second = is_list_of_sizes(text);
    return known->second ? text : quoted_[event.shapes_text];
  }

  // "[\"float\", \"\"]" of two lines.
  static std::string types_of(std::string_view lines) {
    std::string list;
    while (!lines.empty()) {
      const std::size_t end = std::min(lines.find('\n'), lines.size());
      list += (list.empty() ? "[" : ", ") + json_quoted(lines.substr(0, end));
      lines.remove_prefix(std::min(end + 1, lines.size()));
    }
    return list + ']';
  }

  void add_args(const TraceEvent& event) {
    const std::size_t before = line_.size();
    const char* separator = R"(, "args": {")";
    const auto add = [&](std::string_view key, const auto& value) {
      line_ << std::exchange(separator, R"(, ")") << key << R"(": )" << value;
    };
    if (event.external_id != 0) add("External id", event.external_id);
    if (event.correlation != 0) add("correlation", event.correlation);
    if (const EventDetail* const detail = trace_.detail_of(event)) {
      for (const DetailWord& one : kDetailWords) {
        if (detail->*one.value) add(one.word, *(detail->*one.value));
      }
      if (detail->types_text != 0) add(kInputTypes, types_of(trace_.texts[detail->types_text]));
    }
    if (event.shapes_text != 0) add("Input Dims", shapes_of(event));
    if (event.place_text != 0) add("Call stack", quoted_[event.place_text]);
    if (event.flops) add("flops", *event.flops);
    if (event.bytes) add("bytes", *event.bytes);
    if (event.allocated_bytes) add("allocated bytes", *event.allocated_bytes);
    if (event.device_allocated_bytes) add("device allocated bytes", *event.device_allocated_bytes);
    if (event.iterations != 0) add("iterations", event.iterations);
    if (event.bytes && event.duration_ns > 0 && event.kind == TraceKind::device_copy) {
      add("memory bandwidth (GB/s)", *event.bytes / static_cast<double>(event.duration_ns));
    }
    if (const KernelLaunch* launch = trace_.launch_of(event)) {
      add("device", number_of(trace_.tracks[event.track].process));
      if (launch->context) add("context", *launch->context);
      add("stream", trace_.tracks[event.track].id);
      const EventDetail* const detail = trace_.detail_of(event);
      if (detail != nullptr && detail->queued_ns) add(kQueued, Line().time(*detail->queued_ns).text());
      add("grid", dimensions_text(launch->grid));
      add("block", dimensions_text(launch->block));
      add("registers per thread", launch->registers);
      add("shared memory", launch->static_shared_bytes + launch->dynamic_shared_bytes);  // PyTorch's; then both apart
      add("static shared memory", launch->static_shared_bytes);
      add("dynamic shared memory", launch->dynamic_shared_bytes);
      if (launch->blocks_a_multiprocessor) {
        const double threads = static_cast<double>(launch->block[0]) * launch->block[1] * launch->block[2];
        const double warps = *launch->blocks_a_multiprocessor * threads / 32;
        add("blocks per SM", *launch->blocks_a_multiprocessor);
        if (std::isfinite(warps)) add("warps per SM", warps);
      }
      if (launch->occupancy) add("occupancy", *launch->occupancy);
      if (launch->achieved_occupancy) add(kAchievedOccupancy, 100 * *launch->achieved_occupancy);
    }
    if (event.is_open) add(kDidNotEnd, "true");
    if (line_.size() != before) line_ << "}";
  }

  // One a call and one a thing on the device, whichever of them come twice.
  void write_arrow(const TraceEvent& event, const TraceLanes::Place& place) {
    const bool is_head = is_on_device(event.kind);
    bool& is_open = (is_head ? on_device_ : on_host_)[event.correlation];
    if (std::exchange(is_open, false)) write_end("ac2g", is_head, event.correlation, event.begin_ns, place);
  }

  void write_backward_arrow(std::size_t index) {
    for (const bool is_head : {false, true}) {
      const BackwardLink& link = trace_.backward_links[index];
      const std::uint32_t event = is_head ? link.backward : link.forward;
      write_end(kBackwardCategory, is_head, index + 1, trace_.events[event].begin_ns, linked_[event]);
    }
  }

  // Of an arrow, at the beginning of an event.
  void write_end(std::string_view category, bool is_head, std::uint64_t id, std::int64_t at_ns,
                 const TraceLanes::Place& place) {
    begin_line();
    line_ << R"({"ph": ")" << (is_head ? "f" : "s") << R"(", "cat": ")" << category << R"(", "name": ")" << category
          << R"(", "id": )" << id << R"(, "pid": )" << number_of(place.process) << R"(, "tid": )" << place.thread
          << R"(, "ts": )";
    line_.time(at_ns) << (is_head ? R"(, "bp": "e"})" : "}");
    write_line();
  }

  // `argument`: one member, as JSON.
  void write_fact(const char* what, std::uint64_t process, std::int64_t thread, const std::string& argument) {
    begin_line();
    line_ << R"({"ph": "M", "name": ")" << what << R"(", "pid": )" << number_of(process) << R"(, "tid": )" << thread
          << R"(, "ts": 0, "args": {)" << argument << "}}";
    write_line();
  }

  void write_name(const char* what, std::uint64_t process, std::int64_t thread, const std::string& name) {
    write_fact(what, process, thread, "\"name\": " + json_quoted(name));
  }

  // Devices stand beneath the host, as in PyTorch's traces.
  void write_process(const TraceTrack& track) {
    constexpr std::int64_t kFirstOfDevices = 5'000'000;
    if (!trace_.program.empty()) write_name("process_name", track.process, track.id, trace_.program);
    const bool is_device = processes_of_devices_.contains(track.process);
    const std::int64_t number = number_of(track.process);
    write_fact("process_labels", track.process, track.id,
               "\"labels\": " + (is_device ? "\"GPU " + std::to_string(number) + '"' : "\"CPU\""));
    const std::int64_t place = is_device && number < kFirstOfDevices ? kFirstOfDevices + number : number;
    write_fact("process_sort_index", track.process, track.id, "\"sort_index\": " + std::to_string(place));
  }

  void write_thread(std::uint64_t process, std::int64_t thread, const std::string& name, std::int64_t place) {
    if (!name.empty()) write_name("thread_name", process, thread, name);
    write_fact("thread_sort_index", process, thread, "\"sort_index\": " + std::to_string(place));
  }

  // What overlaps stands right beneath its track.
  void write_names() {
    std::set<std::uint64_t> processes;
    for (const TraceTrack& track : trace_.tracks) {
      if (processes.insert(track.process).second) write_process(track);
      write_thread(track.process, track.id, track.name, track.id);
    }
    for (const auto& [lane, thread] : lanes_.beside()) {
      const TraceTrack& track = trace_.tracks[lane.first];
      const std::string name =
          track.name + " " + std::to_string(track.id) + ", overlapping " + std::to_string(lane.second);
      write_thread(track.process, thread, name, track.id);
    }
  }

  // Where what was recorded begins and ends, as PyTorch's profiler marks it.
  void write_window() {
    if (trace_.events.empty()) return;
    std::int64_t begin_ns = trace_.events.front().begin_ns, end_ns = begin_ns;
    for (const TraceEvent& event : trace_.events) {
      begin_ns = std::min(begin_ns, event.begin_ns);
      end_ns = std::max(end_ns, event.end_ns());
    }
    for (const auto& [name, at_ns] :
         {std::pair("Iteration Start: steelyard", begin_ns), {"Record Window End", end_ns}}) {
      begin_line();
      line_ << R"({"ph": "i", "s": "g", "name": ")" << name << R"(", "pid": 0, "tid": 0, "ts": )";
      line_.time(at_ns) << "}";
      write_line();
    }
  }

  const Trace& trace_;
  std::ostream& out_;
  TraceLanes lanes_;
  std::set<std::uint64_t> processes_of_devices_;
  std::vector<std::string> quoted_;
  std::uint64_t replaced_ = 0;                                   // bytes of texts, for each of which U+FFFD stands
  std::unordered_map<std::uint64_t, bool> on_device_, on_host_;  // by correlation; true: its arrow is to be written
  std::unordered_map<std::uint32_t, bool> are_lists_;            // texts of shapes
  std::unordered_map<std::uint32_t, TraceLanes::Place> linked_;  // events of backward_links
  Line line_;
  bool is_first_ = true;
};

}  // namespace

void write_chrome_trace(const Trace& trace, const std::string& title, std::ostream& out) {
  ChromeWriter(trace, out).write(title);
}

}  // namespace steelyard::bench
