#include "bench/profile/read_spans.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bench/profile/read_device.hpp"
#include "bench/profile/sample_stacks.hpp"
#include "bench/profile/spans/span_file.hpp"

namespace steelyard::bench {
namespace {

// Read chunk by chunk, not mapped: the file may still be written, or be cut by others.
class SpanFile {
 public:
  static Result<SpanFile> open(const std::filesystem::path& path, std::uint64_t max_bytes) {
    SpanFile opened;
    opened.file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (opened.file_ < 0) return input_error(path.string(), std::strerror(errno), "a file of recorded spans");
    struct stat facts {};
    const bool is_file = fstat(opened.file_, &facts) == 0 && S_ISREG(facts.st_mode);
    opened.bytes_ = is_file ? static_cast<std::size_t>(facts.st_size) : 0;
    if (opened.bytes_ < kSpanHeaderBytes) {
      return input_error(path.string(), std::to_string(opened.bytes_) + " bytes",
                         "a file of recorded spans, which has at least " + std::to_string(kSpanHeaderBytes));
    }
    if (opened.bytes_ > max_bytes) {
      return input_error(path.string(), std::to_string(opened.bytes_) + " bytes",
                         "at most " + std::to_string(max_bytes), "record fewer steps");
    }
    return opened;
  }
  SpanFile(SpanFile&& other) noexcept : file_(std::exchange(other.file_, -1)), bytes_(other.bytes_) {}
  ~SpanFile() {
    if (file_ >= 0) ::close(file_);
  }

  std::size_t bytes() const { return bytes_; }
  // What is past the file's end reads as 0, which is no span.
  void read(std::size_t place, std::span<char> memory) const {
    std::size_t done = 0;
    while (done < memory.size()) {
      const ssize_t n = pread(file_, memory.data() + done, memory.size() - done, static_cast<off_t>(place + done));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) break;
      done += static_cast<std::size_t>(n);
    }
    std::fill(memory.begin() + static_cast<std::ptrdiff_t>(done), memory.end(), '\0');
  }

 private:
  SpanFile() = default;
  int file_ = -1;
  std::size_t bytes_ = 0;
};

// The value at a place of a chunk, which need not be aligned.
template <class T>
T value_at(std::span<const char> memory, std::size_t place) {
  T value;
  std::memcpy(&value, memory.data() + place, sizeof value);
  return value;
}

template <std::size_t n>
std::string text_of(const std::array<char, n>& text) {
  return std::string(text.data(), std::find(text.begin(), text.end(), '\0'));
}

class SpanReader {
 public:
  SpanReader(const std::filesystem::path& path, const ReadSpansOptions& options, const SpanFile& file)
      : path_(path), options_(options), file_(file), chunk_(kSpanChunkBytes) {}

  Result<Trace> read();

 private:
  struct Name {
    std::uint32_t name_text = 0;
    std::uint32_t place_text = 0;
    std::uint32_t iterations = 0;
  };

  Error damaged(std::size_t at, std::string found, std::string wanted) const {
    return input_error(path_.string() + ", byte " + std::to_string(at), std::move(found), std::move(wanted),
                       "record the spans again");
  }
  Result<void> read_header();
  Result<void> check_sums() const;
  Result<void> give_memory();
  Result<void> read_names(std::size_t place);
  Result<void> read_slots(std::size_t place);
  Result<void> read_devices();
  Result<void> read_device_chunk(std::size_t place, DeviceReader& reader);
  Name name_of(std::uint32_t id);
  std::int64_t ns_of(std::uint64_t ticks) const;
  std::int64_t ns_of_stamp(std::uint64_t stamp) const;
  bool lacks_chunks();
  void clip_to_warm_up(TraceEvent& event) const;
  template <class Read>
  Result<void> each_chunk(SpanChunkKind kind, Read read);
  void close_open_spans();
  void sort();
  template <class Take>
  Result<void> each_sample(std::size_t place, Take take);
  Result<void> read_samples(std::size_t place);
  Result<void> note_last_sample(std::size_t place);
  void add_sample(std::uint32_t track, const StackSample& sample, std::span<const char> stack);
  std::uint32_t innermost_event(std::uint32_t track, std::int64_t at_ns) const;
  std::uint32_t track_of(const SpanChunk& chunk);
  std::uint32_t frame_of(const std::vector<std::string>& functions);

  const std::filesystem::path& path_;
  const ReadSpansOptions& options_;
  const SpanFile& file_;
  std::vector<char> chunk_;
  SpanFileHeader header_{};
  double ns_a_tick_ = 1;
  std::int64_t warm_until_ns_ = 0;
  Trace trace_;
  std::unordered_map<std::uint32_t, Name> names_;
  std::vector<DeviceReader::OfCall> taken_;
  // For samples alone:
  std::vector<std::uint64_t> objects_;  // of each event, its Span's address
  std::string mappings_;
  std::optional<StackUnwinder> unwinder_;
  std::unordered_map<std::uint64_t, std::uint64_t> last_samples_;  // by the system's thread, in ticks
  std::vector<std::uint32_t> parents_, first_events_;        // of each event; of each track, and one past the last
  std::unordered_map<std::uint64_t, std::uint32_t> tracks_;  // by the system's thread
  std::unordered_map<std::uint64_t, std::uint32_t> frames_;  // by parent and function
};

Result<void> SpanReader::read_header() {
  file_.read(0, {reinterpret_cast<char*>(&header_), sizeof header_});
  if (header_.magic != kSpanMagic) {
    return damaged(0, "another beginning", "a file of recorded spans, which begins with SYSPANS");
  }
  if (header_.version < kOldestSpanFileVersion || header_.version > kSpanFileVersion) {
    return input_error(path_.string(), "version " + std::to_string(header_.version),
                       "version " + std::to_string(kOldestSpanFileVersion) + " to " + std::to_string(kSpanFileVersion),
                       "read it with the program that wrote it");
  }
  if (header_.chunk_bytes != kSpanChunkBytes || header_.latest > 1) {
    return damaged(0, "chunks of " + std::to_string(header_.chunk_bytes) + " bytes",
                   "chunks of " + std::to_string(kSpanChunkBytes));
  }
  const ClockPair& first = header_.first;
  const ClockPair& last = header_.later[header_.latest];
  // Ticks of the system's clock are nanoseconds, whatever the readings say.
  if (header_.clock == SpanClock::time_stamp_counter) {
    if (last.ticks <= first.ticks || last.monotonic_ns <= first.monotonic_ns || first.monotonic_ns < 0) {
      return damaged(0, "two clock readings that do not rise", "readings of a clock that goes forward");
    }
    ns_a_tick_ =
        static_cast<double>(last.monotonic_ns - first.monotonic_ns) / static_cast<double>(last.ticks - first.ticks);
  }
  trace_.start_unix_ns = first.unix_ns;
  trace_.program = text_of(header_.program);
  trace_.host = text_of(header_.host);
  trace_.dropped = header_.dropped;
  trace_.cut_names = header_.cut_names;
  trace_.begins_cold = header_.warm_until != 0;  // until a span of the warm-up is found
  warm_until_ns_ = header_.warm_until == kStillWarmingUp ? kMaxTraceTime : ns_of(header_.warm_until);
  trace_.is_finished = header_.is_finished == 1;
  trace_.is_cut = (file_.bytes() - kSpanHeaderBytes) % kSpanChunkBytes != 0 || lacks_chunks();
  trace_.has_steady_ticks = header_.clock == SpanClock::time_stamp_counter;
  const bool has_rate = header_.ns_a_stamped_tick > 0 && header_.ns_a_stamped_tick < 1e9;
  if (header_.cupti_version != 0 && !has_rate) {
    return damaged(0, "a clock of devices without a rate", "nanoseconds a tick, above 0");
  }
  add_device_facts(header_, trace_);
  if (header_.samples == SampleSource::none) return {};
  if (header_.samples_hz == 0 || header_.samples_hz > 1'000'000'000) {
    return damaged(0, std::to_string(header_.samples_hz) + " samples a second", "1 or more");
  }
  trace_.sampling.hz = static_cast<int>(header_.samples_hz);
  trace_.sampling.has_timers = header_.samples == SampleSource::timers;
  if (header_.perf_refusal != 0) {
    trace_.sampling.perf_refusal = std::strerror(static_cast<int>(header_.perf_refusal));
  }
  trace_.sampling.dropped = header_.samples_dropped;
  return {};
}

// A span may have begun before the first reading only by the width of that reading.
std::int64_t SpanReader::ns_of(std::uint64_t ticks) const {
  const double since = static_cast<double>(static_cast<std::int64_t>(ticks - header_.first.ticks));
  constexpr double kMaxTime = static_cast<double>(kMaxTraceTime);
  return std::llround(std::clamp(since * ns_a_tick_, -kMaxTime, kMaxTime));
}

// By the tick that was stamped.
std::int64_t SpanReader::ns_of_stamp(std::uint64_t stamp) const {
  const auto since = static_cast<std::int64_t>(stamp - static_cast<std::uint64_t>(header_.first.monotonic_ns));
  const double ticks = static_cast<double>(since) / header_.ns_a_stamped_tick;
  constexpr double kMaxNs = 0x1p60;
  return std::llround(std::clamp(ticks * ns_a_tick_, -kMaxNs, kMaxNs));
}

// Chunks that the writer began, and that are not there: the file was cut between two of them, or emptied.
bool SpanReader::lacks_chunks() {
  std::uint64_t found = 0;
  for (std::size_t at = kSpanHeaderBytes; at + sizeof(SpanChunk) <= file_.bytes(); at += kSpanChunkBytes) {
    file_.read(at, std::span(chunk_).first(sizeof(SpanChunk)));
    found += value_at<SpanChunk>(chunk_, 0).kind == SpanChunkKind::unused ? 0 : 1;
  }
  return found < header_.chunks;
}

template <class Read>
Result<void> SpanReader::each_chunk(SpanChunkKind kind, Read read) {
  for (std::size_t at = kSpanHeaderBytes; at + sizeof(SpanChunk) <= file_.bytes(); at += kSpanChunkBytes) {
    file_.read(at, std::span(chunk_).first(sizeof(SpanChunk)));
    if (value_at<SpanChunk>(chunk_, 0).kind != kind) continue;
    file_.read(at, chunk_);
    STEELYARD_CHECK(read(at));
  }
  return {};
}

Result<void> SpanReader::read_names(std::size_t place) {
  const std::uint64_t used = value_at<SpanChunk>(chunk_, 0).used_bytes;
  if (used > kSpanChunkBytes - sizeof(SpanChunk)) {
    return damaged(place, std::to_string(used) + " bytes of names", "no more than a chunk holds");
  }
  std::size_t at = sizeof(SpanChunk);
  const std::size_t end = std::min(at + used, file_.bytes() - place);
  while (at + sizeof(SpanNameRecord) <= end) {
    const auto record = value_at<SpanNameRecord>(chunk_, at);
    const bool is_sound = record.name_bytes <= kMaxSpanNameBytes && record.file_bytes <= kMaxSpanNameBytes;
    const std::size_t bytes = sizeof record + record.name_bytes + record.file_bytes;
    if (is_sound && at + bytes > end && trace_.is_cut) break;
    if (!is_sound || at + bytes > end) {
      return damaged(place + at, "a name of " + std::to_string(record.name_bytes) + " bytes",
                     "one that its chunk holds");
    }
    const std::string_view name(chunk_.data() + at + sizeof record, record.name_bytes);
    std::string source(chunk_.data() + at + sizeof record + record.name_bytes, record.file_bytes);
    if (!source.empty()) source += ':' + std::to_string(record.line);
    const std::uint32_t iterations = source.empty() ? record.line : 0;
    names_.insert_or_assign(record.id, Name{trace_.texts.id_of(name), trace_.texts.id_of(source), iterations});
    at += (bytes + 7) / 8 * 8;
  }
  return {};
}

SpanReader::Name SpanReader::name_of(std::uint32_t id) {
  const auto known = names_.find(id);
  if (known != names_.end()) return known->second;
  ++trace_.unnamed;
  return {trace_.texts.id_of(kUnnamedEvent)};
}

Result<void> SpanReader::read_slots(std::size_t place) {
  const auto chunk = value_at<SpanChunk>(chunk_, 0);
  if (chunk.thread > file_.bytes() / kSpanChunkBytes) {
    return damaged(place, "thread " + std::to_string(chunk.thread), "a number below that of the chunks");
  }
  if (chunk.thread >= trace_.tracks.size()) trace_.tracks.resize(chunk.thread + 1);
  trace_.tracks[chunk.thread] = {header_.process, static_cast<std::int64_t>(chunk.thread_id),
                                 text_of(chunk.thread_name)};
  for (std::size_t i = 0; i < kSlotsOfChunk; ++i) {
    const std::size_t at = sizeof(SpanChunk) + i * sizeof(SpanSlot);
    if (place + at + sizeof(SpanSlot) > file_.bytes()) break;
    const auto slot = value_at<SpanSlot>(chunk_, at);
    if (slot.begin == 0) break;
    if (slot.begin < header_.warm_until) {
      trace_.begins_cold = false;
      continue;
    }
    const bool is_open = slot.end == 0;
    const std::int64_t begin_ns = ns_of(slot.begin), end_ns = is_open ? begin_ns : ns_of(slot.end);
    if (end_ns < begin_ns) {
      ++trace_.backwards;
      continue;
    }
    if (trace_.events.size() == options_.max_events) {
      return input_error(path_.string(), "more than " + std::to_string(options_.max_events) + " spans",
                         "as many as can be read at once", "record fewer steps");
    }
    TraceEvent event;
    const Name name = name_of(slot.name);
    event.name_text = name.name_text;
    event.place_text = name.place_text;
    event.iterations = name.iterations;
    if (slot.shapes != 0) event.shapes_text = name_of(slot.shapes).name_text;
    event.track = chunk.thread;
    event.begin_ns = begin_ns;
    event.is_open = is_open;
    event.duration_ns = end_ns - begin_ns;
    if (std::isfinite(slot.flops)) event.flops = slot.flops;
    if (std::isfinite(slot.bytes)) event.bytes = slot.bytes;
    if (!event.is_open && slot.allocated_bytes >= 0) event.allocated_bytes = slot.allocated_bytes;
    trace_.events.push_back(event);
    if (trace_.sampling.hz > 0) objects_.push_back(slot.object);
  }
  return {};
}

void SpanReader::clip_to_warm_up(TraceEvent& event) const {
  const std::int64_t end_ns = event.end_ns();
  event.begin_ns = std::max(event.begin_ns, warm_until_ns_);
  event.duration_ns = end_ns - event.begin_ns;
}

Result<void> SpanReader::read_device_chunk(std::size_t place, DeviceReader& reader) {
  for (std::size_t at = sizeof(SpanChunk); at + sizeof(DeviceRecord) <= kSpanChunkBytes; at += sizeof(DeviceRecord)) {
    if (place + at + sizeof(DeviceRecord) > file_.bytes()) break;
    const auto record = value_at<DeviceRecord>(chunk_, at);
    if (record.kind == DeviceRecordKind::none) break;
    // Streams, and memory in use, are there from before.
    const bool takes_time = record.kind != DeviceRecordKind::stream && record.kind != DeviceRecordKind::memory;
    // What a pause that reaches beyond the warm-up left out is missing from the recording.
    const bool is_pause = record.kind == DeviceRecordKind::pause;
    const std::int64_t at_ns = ns_of_stamp(is_pause ? record.end : record.begin);
    if (takes_time && header_.warm_until != 0 && at_ns < warm_until_ns_) continue;
    const std::size_t before = trace_.events.size();
    reader.add(record);
    if (is_pause && header_.warm_until != 0 && trace_.events.size() > before) clip_to_warm_up(trace_.events.back());
    if (trace_.sampling.hz > 0) objects_.resize(trace_.events.size());
  }
  if (trace_.events.size() <= options_.max_events) return {};
  return input_error(path_.string(), "more than " + std::to_string(options_.max_events) + " spans and activities",
                     "as many as can be read at once", "record fewer steps");
}

Result<void> SpanReader::read_devices() {
  if (header_.cupti_version == 0) return {};
  DeviceReader reader(
      header_, trace_, [this](std::uint64_t stamp) { return ns_of_stamp(stamp); },
      [this](std::uint32_t id) { return name_of(id).name_text; });
  STEELYARD_CHECK(each_chunk(SpanChunkKind::device, [&](std::size_t at) { return read_device_chunk(at, reader); }));
  reader.finish();
  taken_ = reader.taken();
  return {};
}

// What a call took of a device is its own, and so of the spans around it.
Result<void> SpanReader::give_memory() {
  if (taken_.empty()) return {};
  std::unordered_map<std::uint64_t, std::uint32_t> calls;  // by correlation; of a call in a call the outer one
  for (std::uint32_t i = 0; i < trace_.events.size(); ++i) {
    const TraceEvent& event = trace_.events[i];
    if (event.correlation != 0 && !is_on_device(event.kind)) calls.emplace(event.correlation, i);
  }
  std::vector<TakenMemory> taken;
  for (const DeviceReader::OfCall& one : taken_) {
    const auto call = calls.find(one.correlation);
    if (call != calls.end()) taken.push_back({call->second, one.bytes, true});
  }
  if (taken.empty() || add_taken_memory(taken, tree_of(trace_).parents, trace_)) return {};
  return input_error(path_.string(), "memory of exabytes", "what a process took");
}

// As long as anything else of the thread is known to have lasted.
void SpanReader::close_open_spans() {
  std::vector<std::int64_t> last(trace_.tracks.size(), 0);
  for (std::size_t i = 0; i < last.size(); ++i) {
    const auto sampled = last_samples_.find(static_cast<std::uint64_t>(trace_.tracks[i].id));
    if (sampled != last_samples_.end()) last[i] = ns_of(sampled->second);
  }
  for (const TraceEvent& event : trace_.events) last[event.track] = std::max(last[event.track], event.end_ns());
  for (TraceEvent& event : trace_.events) {
    if (event.is_open) event.duration_ns = last[event.track] - event.begin_ns;
  }
}

// The events, and with them their Spans' addresses; which events are whose.
void SpanReader::sort() {
  const std::vector<TraceEvent>& events = trace_.events;
  if (trace_.sampling.hz > 0) {
    std::vector<std::uint32_t> order(events.size());
    std::iota(order.begin(), order.end(), 0U);
    const auto key = [&](std::uint32_t i) {
      return std::tuple(events[i].track, events[i].begin_ns, -events[i].duration_ns);
    };
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
    std::vector<std::uint64_t> objects;
    for (const std::uint32_t i : order) objects.push_back(objects_[i]);
    objects_ = std::move(objects);
  }
  sort_events(trace_);
  if (trace_.sampling.hz == 0) return;
  parents_ = tree_of(trace_).parents;
  first_events_.assign(trace_.tracks.size() + 1, 0);
  for (const TraceEvent& event : events) ++first_events_[event.track + 1];
  std::partial_sum(first_events_.begin(), first_events_.end(), first_events_.begin());
  for (std::uint32_t i = 0; i < trace_.tracks.size(); ++i) {
    tracks_[static_cast<std::uint64_t>(trace_.tracks[i].id)] = i;
  }
}

std::uint32_t SpanReader::track_of(const SpanChunk& chunk) {
  const auto [known, is_new] = tracks_.try_emplace(chunk.thread_id, static_cast<std::uint32_t>(trace_.tracks.size()));
  if (is_new) trace_.tracks.push_back({header_.process, static_cast<std::int64_t>(chunk.thread_id), ""});
  return known->second;
}

std::uint32_t SpanReader::innermost_event(std::uint32_t track, std::int64_t at_ns) const {
  if (track + 1 >= first_events_.size()) return TraceTree::kNoParent;
  const auto begin = trace_.events.begin() + first_events_[track],
             end = trace_.events.begin() + first_events_[track + 1];
  const auto next =
      std::upper_bound(begin, end, at_ns, [](std::int64_t at, const TraceEvent& event) { return at < event.begin_ns; });
  if (next == begin) return TraceTree::kNoParent;
  auto event = static_cast<std::uint32_t>(next - trace_.events.begin() - 1);
  while (event != TraceTree::kNoParent && trace_.events[event].end_ns() < at_ns) event = parents_[event];
  return event;
}

std::uint32_t SpanReader::frame_of(const std::vector<std::string>& functions) {
  std::uint32_t frame = 0;
  for (auto function = functions.rbegin(); function != functions.rend(); ++function) {
    const std::uint32_t text = trace_.texts.id_of(*function);
    const auto [known, is_new] =
        frames_.try_emplace(std::uint64_t{frame} << 32 | text, static_cast<std::uint32_t>(trace_.frames.size()));
    if (is_new) trace_.frames.push_back({text, frame});
    frame = known->second;
  }
  return frame;
}

void SpanReader::add_sample(std::uint32_t track, const StackSample& sample, std::span<const char> stack) {
  TraceSample one;
  one.track = track;
  one.at_ns = ns_of(sample.at);
  one.cpu_ns = static_cast<std::int64_t>(std::min<std::uint64_t>(sample.cpu_ns, std::uint64_t{1} << 61));
  one.event = innermost_event(track, one.at_ns);
  // A call of the runtime has none: it is the span's around it.
  std::uint64_t object = 0;
  for (std::uint32_t at = one.event; at != TraceTree::kNoParent && object == 0; at = parents_[at])
    object = objects_[at];
  one.frame = frame_of(unwinder_->functions(sample, stack, object));
  const std::int64_t period = 1'000'000'000 / trace_.sampling.hz;
  const std::int64_t periods = (one.cpu_ns + period / 2) / period;
  if (periods > 1) trace_.sampling.missed += static_cast<std::uint64_t>(periods - 1);
  trace_.samples.push_back(one);
}

// `take`: with a StackSample and its place in the chunk.
template <class Take>
Result<void> SpanReader::each_sample(std::size_t place, Take take) {
  std::size_t at = sizeof(SpanChunk);
  while (at + sizeof(StackSample) <= kSpanChunkBytes) {
    const auto sample = value_at<StackSample>(chunk_, at);
    if (sample.bytes == 0) break;
    const bool is_sound = sample.stack_bytes <= kMaxSampledStackBytes && at + sample.bytes <= kSpanChunkBytes &&
                          sample.bytes >= sizeof sample + sample.stack_bytes;
    if (!is_sound) {
      return damaged(place + at, "a sample of " + std::to_string(sample.bytes) + " bytes", "one that its chunk holds");
    }
    if (place + at + sample.bytes > file_.bytes()) break;  // the file is cut within it
    take(sample, at);
    at += sample.bytes;
  }
  return {};
}

Result<void> SpanReader::read_samples(std::size_t place) {
  const std::uint32_t track = track_of(value_at<SpanChunk>(chunk_, 0));
  STEELYARD_CHECK(each_sample(place, [&](const StackSample& sample, std::size_t at) {
    if (sample.at < header_.warm_until) return;
    add_sample(track, sample, std::span(chunk_).subspan(at + sizeof sample, sample.stack_bytes));
  }));
  if (trace_.samples.size() > options_.max_events) {
    return input_error(path_.string(), "more than " + std::to_string(options_.max_events) + " samples",
                       "as many as can be read at once", "record fewer steps");
  }
  return {};
}

// An unended span of a thread lasted until its last sample at least.
Result<void> SpanReader::note_last_sample(std::size_t place) {
  std::uint64_t& last = last_samples_[value_at<SpanChunk>(chunk_, 0).thread_id];
  return each_sample(place, [&](const StackSample& sample, std::size_t) { last = std::max(last, sample.at); });
}

Result<void> SpanReader::check_sums() const {
  if (TraceSums().add(trace_)) return {};
  return input_error(path_.string(), "spans or samples of decades", "times that a process took",
                     "record the spans again");
}

Result<Trace> SpanReader::read() {
  STEELYARD_CHECK(read_header());
  STEELYARD_CHECK(each_chunk(SpanChunkKind::names, [&](std::size_t at) { return read_names(at); }));
  STEELYARD_CHECK(each_chunk(SpanChunkKind::spans, [&](std::size_t at) { return read_slots(at); }));
  STEELYARD_CHECK(read_devices());
  if (trace_.sampling.hz > 0) {
    STEELYARD_CHECK(each_chunk(SpanChunkKind::samples, [&](std::size_t at) { return note_last_sample(at); }));
  }
  close_open_spans();
  STEELYARD_CHECK(check_sums());
  sort();
  STEELYARD_CHECK(give_memory());
  if (trace_.sampling.hz == 0) return std::move(trace_);
  STEELYARD_CHECK(each_chunk(SpanChunkKind::mappings, [&](std::size_t) -> Result<void> {
    const std::uint64_t used = std::min(value_at<SpanChunk>(chunk_, 0).used_bytes, kSpanChunkBytes - sizeof(SpanChunk));
    const std::string_view text(chunk_.data() + sizeof(SpanChunk), used);
    const std::string_view lines = text.substr(0, text.substr(0, text.find('\0')).rfind('\n') + 1);  // of a cut file
    if (!lines.empty()) mappings_ = lines;
    return {};
  }));
  STEELYARD_TRY(StackUnwinder unwinder, StackUnwinder::open(mappings_));
  unwinder_.emplace(std::move(unwinder));
  trace_.sampling.has_newer_files = unwinder_->has_newer_files(header_.later[header_.latest].unix_ns);
  STEELYARD_CHECK(each_chunk(SpanChunkKind::samples, [&](std::size_t at) { return read_samples(at); }));
  std::stable_sort(trace_.samples.begin(), trace_.samples.end(), [](const TraceSample& a, const TraceSample& b) {
    return std::tuple(a.track, a.at_ns) < std::tuple(b.track, b.at_ns);
  });
  STEELYARD_CHECK(check_sums());
  return std::move(trace_);
}

}  // namespace

Result<Trace> read_spans(const std::filesystem::path& path, const ReadSpansOptions& options) {
  STEELYARD_TRY(const SpanFile file, SpanFile::open(path, options.max_bytes));
  return SpanReader(path, options, file).read();
}

}  // namespace steelyard::bench
