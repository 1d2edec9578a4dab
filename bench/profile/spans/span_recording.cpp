#include "bench/profile/spans/span_recording.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <limits>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/profile/spans/chunk_file.hpp"
#include "bench/profile/spans/cupti/device_activities.hpp"
#include "bench/profile/spans/shapes_of_thread.hpp"
#include "bench/profile/spans/span.hpp"
#include "bench/profile/spans/stack_sampler.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif
#if defined(STEELYARD_HAS_NVTX)
#include <nvtx3/nvToolsExt.h>
#endif

// What spans need is global, as they stand in anybody's functions and cost nothing while nobody wants them: whether
// they are recorded, by which clock, and each thread's place in the file.

namespace steelyard {

constinit std::atomic<bool> Span::wanted = false;

class SpanSwitch {
 public:
  static void set(bool is_wanted) { Span::wanted.store(is_wanted, std::memory_order_relaxed); }
};

namespace {

constexpr std::size_t kMaxMadeNames = 1'000'000;
constexpr std::int64_t kUnknownBytes = -1;

// Which recording runs, counted from 1; 0: none.
constinit std::atomic<std::uint32_t> current_recording = 0;
constinit std::atomic<std::int64_t (*)()> allocated_bytes = nullptr;
constinit std::atomic<SpanFileHeader*> current_header = nullptr;
constinit std::atomic<bool> is_full = false;
bool uses_time_stamps = false;  // written before the recording that uses it begins

// A thread's place in its chunk. No destructor: what is left of a chunk when its thread ends stays empty.
struct ThreadLog {
  SpanSlot* next = nullptr;
  SpanSlot* end = nullptr;
  std::uint32_t recording = 0;
  std::uint32_t thread = 0;
  bool is_paused = false;
};
constinit thread_local ThreadLog thread_log;

// Ranges of NVTX are made where a tool listens: it names its library so before the program starts.
bool is_watched_by_nsys() {
#if defined(STEELYARD_HAS_NVTX)
  static const bool is_watched = std::getenv("NVTX_INJECTION64_PATH") != nullptr;
  return is_watched;
#else
  return false;
#endif
}
[[maybe_unused]] const bool kSwitchedOnFromTheStart = [] {
  if (is_watched_by_nsys()) SpanSwitch::set(true);
  return true;
}();

std::int64_t clock_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

std::uint64_t ticks() {
#if defined(__x86_64__)
  if (uses_time_stamps) return __rdtsc();
#endif
  return static_cast<std::uint64_t>(clock_ns(CLOCK_MONOTONIC));
}

// What CUPTI, which wants nanoseconds, is given as the clock: these same ticks by a rate that is as good as a
// millisecond of them, and is written down, so that whoever reads the file finds the tick again.
struct StampedClock {
  std::uint64_t origin_ticks = 0;
  std::uint64_t origin_ns = 0;
  double ns_a_tick = 1;
};
StampedClock stamped_clock;  // written before the recording that uses it begins

std::uint64_t stamp() {
  const auto since = static_cast<double>(static_cast<std::int64_t>(ticks() - stamped_clock.origin_ticks));
  return stamped_clock.origin_ns + static_cast<std::uint64_t>(std::llround(since * stamped_clock.ns_a_tick));
}

// The time stamp counter serves where it runs at one rate whatever the core's clock does (Intel 64 and IA-32
// Architectures Software Developer's Manual, volume 3, 18.17: CPUID.80000007H:EDX[8]) and where the kernel, which
// watches whether it agrees between cores, tells the time by it.
bool has_steady_time_stamps() {
#if defined(__x86_64__)
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) == 0 || (edx & (1U << 8)) == 0) return false;
  std::ifstream file("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  std::string source;
  return file >> source && source == "tsc";
#else
  return false;
#endif
}

// The narrowest of five readings, as the thread may be interrupted in any.
ClockPair read_clocks() {
  ClockPair best{};
  std::uint64_t narrowest = std::numeric_limits<std::uint64_t>::max();
  for (int i = 0; i < 5; ++i) {
    const std::uint64_t before = ticks();
    const std::int64_t monotonic = clock_ns(CLOCK_MONOTONIC);
    const std::uint64_t after = ticks();
    const std::int64_t unix = clock_ns(CLOCK_REALTIME);
    if (after - before >= narrowest) continue;
    narrowest = after - before;
    best = {before + (after - before) / 2, monotonic, unix};
  }
  return best;
}

char zeros[kSpanChunkBytes];  // never written; takes no memory

// A page of memory of this process alone in the place of a mapped one, whose address a span that has not ended may hold
// still: what it writes then harms nothing. Costs addresses, no memory.
void detach(void* mapped, std::size_t bytes) {
  mmap(mapped, bytes, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

// A name made at run time, kept for good: its spans point to it.
struct MadeName {
  MadeName(std::string made, std::uint32_t iterations) : text(std::move(made)), site{text, "", iterations} {}
  const std::string text;
  SpanSite site;
};

// The file, its chunks and its names. All but the slots that it hands out is under its lock.
class Recorder {
 public:
  // Never destroyed: spans may end after main().
  static Recorder& current() {
    static Recorder& recorder = *new Recorder;
    return recorder;
  }

  Result<void> start(const SpanRecordingOptions& options);
  // Without the lock: CUPTI hands over what it has by a thread of its own, which asks for names meanwhile.
  std::string start_devices(const DeviceActivityOptions& options);
  void end_warm_up();
  RecordedSpans stop();
  SpanSite& site_of(const std::string& text, std::uint32_t iterations = 0);
  // Its number, with which its name stands in the recording's file from here on.
  std::uint32_t id_in(std::uint32_t recording, SpanSite& site);
  // Room for the calling thread; false: there is none left, or the recording has ended.
  bool refill(ThreadLog& log, std::uint32_t recording);

 private:
  Result<void> open(const SpanRecordingOptions& options);
  char* add_chunk(SpanChunkKind kind);
  Result<void> start_samples(const SpanRecordingOptions& options);
  void write(std::uint32_t id, std::string_view name, std::string_view file, std::uint32_t line);
  void note_clock();
  bool has_spans() const;
  void detach_all();
  void forget_in_child();

  std::mutex lock_;
  std::filesystem::path path_;
  ChunkFile file_;
  SpanFileHeader* header_ = nullptr;
  std::vector<char*> chunks_;
  char* names_chunk_ = nullptr;
  std::uint32_t recordings_ = 0, threads_ = 0;
  std::uint32_t names_ = 0;
  std::deque<MadeName> made_names_;                                       // what points into it stays valid
  std::map<std::pair<std::string_view, std::uint32_t>, MadeName*> made_;  // by text and iterations
  bool has_fork_handlers_ = false;
};

Result<void> Recorder::open(const SpanRecordingOptions& options) {
  const auto refused = [&](const char* what, int why) {
    return input_error(options.file.string(), std::string(what) + " (" + std::strerror(why) + ")",
                       "a file that spans can be recorded into");
  };
  const int file = ::open(options.file.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return refused("cannot be opened", errno);
  if (const int why = posix_fallocate(file, 0, kSpanHeaderBytes); why != 0) {
    ::close(file);
    return refused("no room", why);
  }
  void* mapped = mmap(nullptr, kSpanHeaderBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED) {
    const int why = errno;
    ::close(file);
    return refused("cannot be mapped", why);
  }
  header_ = new (mapped) SpanFileHeader{};
  file_.open(file, options.max_bytes, header_->chunks);
  return {};
}

Result<void> Recorder::start(const SpanRecordingOptions& options) {
  const std::lock_guard guard(lock_);
  if (header_ != nullptr) return bug_error(options.file.string(), "spans are being recorded into " + path_.string());
  STEELYARD_CHECK(open(options));
  path_ = options.file;
  threads_ = 0;
  uses_time_stamps = options.may_use_time_stamps && has_steady_time_stamps();
  header_->magic = kSpanMagic;
  header_->version = kSpanFileVersion;
  header_->clock = uses_time_stamps ? SpanClock::time_stamp_counter : SpanClock::steady_clock;
  header_->chunk_bytes = kSpanChunkBytes;
  header_->process = static_cast<std::uint64_t>(getpid());
  if (readlink("/proc/self/exe", header_->program.data(), header_->program.size() - 1) < 0) header_->program[0] = '\0';
  gethostname(header_->host.data(), header_->host.size() - 1);
  header_->first = read_clocks();
  // A second pair a millisecond on, so that a file whose process is killed at once has a rate.
  while (clock_ns(CLOCK_MONOTONIC) - header_->first.monotonic_ns < 1'000'000) continue;
  note_clock();
  const ClockPair &first = header_->first, &second = header_->later[header_->latest];
  stamped_clock = {first.ticks, static_cast<std::uint64_t>(first.monotonic_ns), 1};
  if (uses_time_stamps && second.ticks > first.ticks) {
    stamped_clock.ns_a_tick =
        static_cast<double>(second.monotonic_ns - first.monotonic_ns) / static_cast<double>(second.ticks - first.ticks);
  }
  header_->ns_a_stamped_tick = stamped_clock.ns_a_tick;
  if (options.samples_hz > 0) STEELYARD_CHECK(start_samples(options));
  if (!std::exchange(has_fork_handlers_, true)) {
    pthread_atfork([] { current().lock_.lock(); }, [] { current().lock_.unlock(); },
                   [] { current().forget_in_child(); });
  }
  header_->warm_until = options.is_warming_up ? kStillWarmingUp : 0;
  allocated_bytes = options.allocated_bytes;
  current_header = header_;
  is_full = false;
  current_recording.store(++recordings_, std::memory_order_release);
  SpanSwitch::set(true);
  return {};
}

// Error: nothing is recorded, and the file is gone.
Result<void> Recorder::start_samples(const SpanRecordingOptions& options) {
  const StackSamplerOptions sampling{options.samples_hz, options.may_use_perf_events};
  const Result<void> started = start_stack_samples(sampling, *header_, file_, ticks);
  if (started) return {};
  detach_all();
  std::error_code error;
  std::filesystem::remove(path_, error);
  return started;
}

std::uint32_t recorded_name(const std::string& text) {
  Recorder& recorder = Recorder::current();
  return recorder.id_in(current_recording.load(std::memory_order_acquire), recorder.site_of(text));
}

std::string Recorder::start_devices(const DeviceActivityOptions& options) {
  const Result<void> started = start_device_activities(options, {*header_, file_, recorded_name, stamp});
  if (started) return "";
  const std::string why = started.error().text();
  why.copy(header_->device_refusal.data(), header_->device_refusal.size() - 1);
  return why;
}

void Recorder::note_clock() {
  const std::uint32_t turn = 1 - header_->latest;
  header_->later[turn] = read_clocks();
  std::atomic_ref(header_->latest).store(turn, std::memory_order_release);
}

void Recorder::end_warm_up() {
  const std::lock_guard guard(lock_);
  if (header_ == nullptr) return;
  std::atomic_ref(header_->dropped).store(0, std::memory_order_relaxed);
  std::atomic_ref(header_->samples_dropped).store(0, std::memory_order_relaxed);
  std::atomic_ref(header_->warm_until).store(ticks(), std::memory_order_release);
}

// The last ones first: what a warm-up left stands before them.
bool Recorder::has_spans() const {
  for (std::size_t i = chunks_.size(); i-- > 0;) {
    if (reinterpret_cast<const SpanChunk*>(chunks_[i])->kind != SpanChunkKind::spans) continue;
    auto* const slots = reinterpret_cast<SpanSlot*>(chunks_[i] + sizeof(SpanChunk));
    for (std::size_t j = 0; j < kSlotsOfChunk; ++j) {
      // Threads that were in the midst of a span's beginning write on.
      const std::uint64_t begin = std::atomic_ref(slots[j].begin).load(std::memory_order_acquire);
      if (begin == 0) break;
      if (begin >= header_->warm_until) return true;
    }
  }
  return false;
}

RecordedSpans Recorder::stop() {
  const std::lock_guard guard(lock_);
  RecordedSpans recorded{.file = path_};
  if (header_ == nullptr) return recorded;  // in a forked child
  SpanSwitch::set(is_watched_by_nsys());
  current_recording.store(0, std::memory_order_release);
  stop_stack_samples();
  note_clock();
  recorded.samples_dropped = std::atomic_ref(header_->samples_dropped).load();
  recorded.dropped = std::atomic_ref(header_->dropped).load();
  const std::uint64_t lost = recorded.dropped + recorded.samples_dropped + header_->device_dropped +
                             header_->device_without_room + header_->device_untimed;
  recorded.is_empty = lost == 0 && !has_spans();
  header_->is_finished = 1;
  detach_all();
  return recorded;
}

void Recorder::detach_all() {
  for (char* chunk : chunks_) detach(chunk, kSpanChunkBytes);
  chunks_.clear();
  detach(header_, kSpanHeaderBytes);
  header_ = nullptr;
  names_chunk_ = nullptr;
  file_.close();
}

void Recorder::forget_in_child() {
  SpanSwitch::set(false);
  current_recording.store(0, std::memory_order_release);
  forget_stack_samples();
  forget_device_activities();
  if (header_ != nullptr) detach_all();
  lock_.unlock();
}

char* Recorder::add_chunk(SpanChunkKind kind) {
  char* const chunk = file_.add(kind);
  if (chunk != nullptr) chunks_.push_back(chunk);
  return chunk;
}

bool Recorder::refill(ThreadLog& log, std::uint32_t recording) {
  const std::lock_guard guard(lock_);
  if (current_recording.load(std::memory_order_relaxed) != recording) return false;
  char* const memory = is_full ? nullptr : add_chunk(SpanChunkKind::spans);
  if (memory == nullptr) {
    is_full = true;
    std::atomic_ref(header_->dropped).fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  if (log.recording != recording) log.thread = threads_++;
  auto* chunk = reinterpret_cast<SpanChunk*>(memory);
  chunk->thread = log.thread;
  pthread_getname_np(pthread_self(), chunk->thread_name.data(), chunk->thread_name.size());
  log.recording = recording;
  log.next = reinterpret_cast<SpanSlot*>(memory + sizeof(SpanChunk));
  log.end = log.next + kSlotsOfChunk;
  note_clock();
  return true;
}

void Recorder::write(std::uint32_t id, std::string_view name, std::string_view file, std::uint32_t line) {
  if (name.size() > kMaxSpanNameBytes) ++header_->cut_names;
  name = name.substr(0, kMaxSpanNameBytes);
  file = file.substr(0, kMaxSpanNameBytes);
  const std::size_t bytes = (sizeof(SpanNameRecord) + name.size() + file.size() + 7) / 8 * 8;
  const auto used = [&] { return reinterpret_cast<SpanChunk*>(names_chunk_)->used_bytes; };
  if (names_chunk_ == nullptr || sizeof(SpanChunk) + used() + bytes > kSpanChunkBytes) {
    char* const chunk = add_chunk(SpanChunkKind::names);
    if (chunk == nullptr) return;  // its spans are told as ones without a name
    names_chunk_ = chunk;
  }
  char* const place = names_chunk_ + sizeof(SpanChunk) + used();
  const SpanNameRecord record{id, static_cast<std::uint32_t>(name.size()), static_cast<std::uint32_t>(file.size()),
                              line};
  std::memcpy(place, &record, sizeof record);
  std::memcpy(place + sizeof record, name.data(), name.size());
  std::memcpy(place + sizeof record + name.size(), file.data(), file.size());
  // Last, so that a file that ends here has no half of it.
  std::atomic_ref(reinterpret_cast<SpanChunk*>(names_chunk_)->used_bytes).fetch_add(bytes, std::memory_order_release);
}

SpanSite& Recorder::site_of(const std::string& text, std::uint32_t iterations) {
  static SpanSite more{"(more names than are kept)", "", 0};
  const std::lock_guard guard(lock_);
  if (const auto known = made_.find({text, iterations}); known != made_.end()) return known->second->site;
  if (made_names_.size() == kMaxMadeNames) return more;
  MadeName& made = made_names_.emplace_back(text, iterations);
  made_.emplace(std::pair(std::string_view(made.text), iterations), &made);
  return made.site;
}

std::uint32_t Recorder::id_in(std::uint32_t recording, SpanSite& site) {
  const std::lock_guard guard(lock_);
  std::uint32_t id = site.id.load(std::memory_order_relaxed);
  if (id == 0) site.id.store(id = ++names_, std::memory_order_relaxed);
  if (current_recording.load(std::memory_order_relaxed) != recording) return id;
  if (site.written_in.load(std::memory_order_relaxed) != recording) {
    write(id, site.name, site.file, site.line);
    site.written_in.store(recording, std::memory_order_release);
  }
  return id;
}

std::uint32_t id_in(std::uint32_t recording, SpanSite& site) {
  const bool is_written = site.written_in.load(std::memory_order_acquire) == recording;
  return is_written ? site.id.load(std::memory_order_relaxed) : Recorder::current().id_in(recording, site);
}

// False: there is none, which is counted, or the recording has ended.
bool find_room(ThreadLog& log, std::uint32_t recording) {
  if (!is_full.load(std::memory_order_relaxed)) return Recorder::current().refill(log, recording);
  std::atomic_ref(current_header.load(std::memory_order_relaxed)->dropped).fetch_add(1, std::memory_order_relaxed);
  return false;
}

constinit thread_local ShapesOfThread<SpanSite> shapes_of_thread;

std::uint32_t shapes_id(const SpanFacts& facts) {
  thread_local const EndOfShapes end(shapes_of_thread);
  SpanSite& text =
      shapes_of_thread.of(facts, [&]() -> SpanSite& { return Recorder::current().site_of(text_of_shapes(facts)); });
  return id_in(current_recording.load(std::memory_order_acquire), text);
}

// Spans stand in anybody's functions, whose errno is theirs.
class KeptErrno {
 public:
  KeptErrno() = default;
  KeptErrno(const KeptErrno&) = delete;
  KeptErrno& operator=(const KeptErrno&) = delete;
  ~KeptErrno() { errno = value_; }

 private:
  const int value_ = errno;
};

}  // namespace

void ChunkFile::open(int file, std::uint64_t max_bytes, std::uint32_t& chunks) {
  file_ = file;
  max_bytes_ = max_bytes;
  chunks_ = &chunks;
  bytes_ = kSpanHeaderBytes;
}

void ChunkFile::close() { ::close(std::exchange(file_, -1)); }

char* ChunkFile::add(SpanChunkKind kind) {
  const KeptErrno kept;
  std::uint64_t place = bytes_.load();
  do {
    if (place + kSpanChunkBytes > max_bytes_) return nullptr;
  } while (!bytes_.compare_exchange_weak(place, place + kSpanChunkBytes));
  // Written, not only made longer: a full disk is an answer here, and would be a signal where a span is written. And
  // written at once pages cost two thirds of what they do when they are touched one by one.
  const auto at = static_cast<off_t>(place);
  if (pwrite(file_, zeros, kSpanChunkBytes, at) != ssize_t{kSpanChunkBytes}) return nullptr;
  void* mapped = mmap(nullptr, kSpanChunkBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, at);
  if (mapped == MAP_FAILED) return nullptr;
#if defined(MADV_POPULATE_WRITE)
  // MAP_POPULATE maps what a file has for reading alone, so that each page is one more fault when a span is written.
  madvise(mapped, kSpanChunkBytes, MADV_POPULATE_WRITE);
#endif
  const auto thread = static_cast<std::uint64_t>(syscall(SYS_gettid));
  new (mapped)
      SpanChunk{.kind = kind, .thread = 0, .thread_id = thread, .thread_name = {}, .used_bytes = 0, .reserved = {}};
  std::atomic_ref(*chunks_).fetch_add(1, std::memory_order_release);
  return static_cast<char*>(mapped);
}

SpanName::SpanName(const std::string& text, std::int64_t iterations)
    : site_(&Recorder::current().site_of(
          text, iterations > 0 && iterations <= UINT32_MAX ? static_cast<std::uint32_t>(iterations) : 0)) {}

void Span::begin(SpanSite& site) {
  ThreadLog& log = thread_log;
  if (log.is_paused) return;
#if defined(STEELYARD_HAS_NVTX)
  if (is_watched_by_nsys()) has_range_ = nvtxRangePushA(site.name.data()) >= 0;
#endif
  const std::uint32_t recording = current_recording.load(std::memory_order_acquire);
  if (recording == 0) return;
  const std::uint32_t name = id_in(recording, site);
  if (log.recording != recording || log.next == log.end) [[unlikely]] {
    if (!find_room(log, recording)) return;
  }
  SpanSlot* const slot = log.next++;
  slot_ = slot;
  slot->name = name;
  slot->object = reinterpret_cast<std::uint64_t>(this);
  slot->flops = slot->bytes = std::numeric_limits<double>::quiet_NaN();
  const auto allocated = allocated_bytes.load(std::memory_order_relaxed);
  slot->allocated_bytes = allocated == nullptr ? kUnknownBytes : allocated();
  std::atomic_ref(slot->begin).store(ticks(), std::memory_order_release);
}

void Span::end() {
  if (slot_ != nullptr) {
    const std::uint64_t now = ticks();
    const auto allocated = allocated_bytes.load(std::memory_order_relaxed);
    if (allocated != nullptr) slot_->allocated_bytes = allocated() - slot_->allocated_bytes;
    std::atomic_ref(slot_->end).store(now, std::memory_order_release);
  }
#if defined(STEELYARD_HAS_NVTX)
  if (has_range_) nvtxRangePop();
#endif
}

void Span::say(const SpanFacts& facts) {
  if (slot_ == nullptr) return;
  if (facts.shapes.size() > 0) slot_->shapes = shapes_id(facts);
  if (facts.flops) slot_->flops = *facts.flops;
  if (facts.bytes) slot_->bytes = *facts.bytes;
}

void Span::rename(const SpanName& name) {
  const std::uint32_t recording = current_recording.load(std::memory_order_acquire);
  if (slot_ != nullptr && recording != 0) slot_->name = id_in(recording, *name.site_);
}

ThreadPause::ThreadPause() {
  thread_log.is_paused = true;
  pause_own_stack_samples(true);
}

ThreadPause::~ThreadPause() {
  thread_log.is_paused = false;
  pause_own_stack_samples(false);
}

Result<SpanRecording> SpanRecording::start(const SpanRecordingOptions& options) {
  STEELYARD_CHECK(Recorder::current().start(options));
  SpanRecording recording;
  if (options.device.is_wanted) recording.device_refusal_ = Recorder::current().start_devices(options.device);
  return recording;
}

// Without the recorder's lock, as in start().
void SpanRecording::end_warm_up() {
  Recorder::current().end_warm_up();
  end_device_warm_up();
}

RecordedSpans SpanRecording::stop() {
  runs_ = false;
  const bool has_activities = stop_device_activities();
  RecordedSpans recorded = Recorder::current().stop();
  recorded.is_empty = recorded.is_empty && !has_activities;
  return recorded;
}

SpanRecording::SpanRecording(SpanRecording&& other) noexcept
    : runs_(std::exchange(other.runs_, false)), device_refusal_(std::move(other.device_refusal_)) {}

SpanRecording::~SpanRecording() {
  if (runs_) stop();
}

}  // namespace steelyard
