#include "bench/profile/spans/stack_sampler.hpp"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

// Global, as a handler of signals belongs to the whole process and is given nothing.

namespace steelyard {
namespace {

constexpr std::size_t kMaxSampledThreads = 1024;
constexpr int kSignal = SIGPROF;  // what gprof and others sample by, so that a program's own handlers know it
constexpr std::chrono::milliseconds kBetweenLooksAtThreads{10};
constexpr int kLooksBetweenMappings = 100;
#if defined(SIGEV_THREAD_ID) && !defined(sigev_notify_thread_id)
#define sigev_notify_thread_id _sigev_un._tid
#endif

// What interrupts one thread, and its place in the file. The handler, which runs in that thread, alone touches what
// stands behind `tid` but for the source.
struct SampledThread {
  std::atomic<pid_t> tid = 0;  // 0: free
  int event = -1;              // of perf; -1: a timer
  timer_t timer{};
  char* chunk = nullptr;
  std::size_t used = 0;
  std::uint64_t last_cpu_ns = 0;
};

constinit std::array<SampledThread, kMaxSampledThreads> sampled_threads{};
constinit std::atomic<std::size_t> used_threads = 0;  // places ever used: those before it
constinit std::atomic<std::uint32_t> sampling = 0;    // which one runs, counted from 1; 0: none
constinit std::atomic<int> running_handlers = 0;
// Written before the sampling that uses them begins.
ChunkFile* sample_chunks = nullptr;
SpanFileHeader* sample_header = nullptr;
std::uint64_t (*sample_ticks)() = nullptr;
std::atomic<std::uint64_t> sample_bytes = 0;
std::uint64_t period_ns = 0;

// Whose place was found. Where the handler may look at it: set up with the thread, not at the first use.
struct OwnPlace {
  SampledThread* thread;
  std::uint32_t sampling;
};
[[gnu::tls_model("initial-exec")]] constinit thread_local OwnPlace own_place{};
[[gnu::tls_model("initial-exec")]] constinit thread_local volatile std::sig_atomic_t is_own_paused = 0;

std::uint64_t thread_cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

// The sixth argument of a system call lies on the stack, where an int leaves half of its place as it was.
constexpr unsigned long kNoFlags = 0;

pid_t own_tid() { return static_cast<pid_t>(syscall(SYS_gettid)); }

SampledThread* find_own_place(std::uint32_t which) {
  if (own_place.sampling == which) return own_place.thread;
  const pid_t tid = own_tid();
  const std::size_t count = used_threads.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < count; ++i) {
    if (sampled_threads[i].tid.load(std::memory_order_acquire) != tid) continue;
    own_place = {&sampled_threads[i], which};
    return own_place.thread;
  }
  return nullptr;
}

// As many bytes from `from` on as are there, by the kernel, which says where a pointer would end the program: a stack
// may be anybody's (a coroutine's, an alternate one's), and its end is not known here. Page by page, as a read that
// begins with a mapped page and runs into another yields nothing.
std::size_t copy_stack(std::uint64_t from, char* to) {
  constexpr std::uint64_t kPage = 4096;
  std::array<iovec, kMaxSampledStackBytes / kPage + 1> pieces{};
  std::size_t count = 0, wanted = 0;
  while (wanted < kMaxSampledStackBytes) {
    const std::uint64_t at = from + wanted;
    const std::size_t bytes = std::min<std::size_t>(kPage - at % kPage, kMaxSampledStackBytes - wanted);
    pieces[count++] = {reinterpret_cast<void*>(at), bytes};  // NOLINT(performance-no-int-to-ptr)
    wanted += bytes;
  }
  const iovec whole{to, kMaxSampledStackBytes};
  const auto copied = syscall(SYS_process_vm_readv, getpid(), &whole, 1, pieces.data(), count, kNoFlags);
  return copied < 0 ? 0 : static_cast<std::size_t>(copied);
}

#if defined(__x86_64__)
constexpr bool kKnowsRegisters = true;
void copy_registers(const void* context, StackSample& sample) {
  constexpr std::array<int, 17> kByDwarf{REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
                                         REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
  const auto& found = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  for (std::size_t i = 0; i < kByDwarf.size(); ++i) {
    sample.registers[i] = static_cast<std::uint64_t>(found[kByDwarf[i]]);
  }
}
#else
constexpr bool kKnowsRegisters = false;
void copy_registers(const void*, StackSample&) {}
#endif

// False: there is none.
bool turn_to_next_chunk(SampledThread& thread) {
  if (thread.chunk != nullptr) munmap(std::exchange(thread.chunk, nullptr), kSpanChunkBytes);
  if (sample_bytes.fetch_add(kSpanChunkBytes) + kSpanChunkBytes > sample_chunks->max_bytes() / 2) {
    sample_bytes.fetch_sub(kSpanChunkBytes);
    return false;
  }
  thread.chunk = sample_chunks->add(SpanChunkKind::samples);
  thread.used = sizeof(SpanChunk);
  return thread.chunk != nullptr;
}

void take_sample(SampledThread& thread, const void* context) {
  const std::uint64_t at = sample_ticks();
  const bool has_room =
      thread.chunk != nullptr && thread.used + sizeof(StackSample) + kMaxSampledStackBytes <= kSpanChunkBytes;
  if (!has_room && !turn_to_next_chunk(thread)) {
    std::atomic_ref(sample_header->samples_dropped).fetch_add(1, std::memory_order_relaxed);
    return;
  }
  char* const place = thread.chunk + thread.used;
  auto* const sample = reinterpret_cast<StackSample*>(place);
  copy_registers(context, *sample);
  const std::size_t copied = copy_stack(sample->registers[kStackPointerNumber], place + sizeof(StackSample));
  sample->stack_bytes = static_cast<std::uint32_t>(copied);
  sample->at = at;
  const std::uint64_t cpu = thread_cpu_ns();
  sample->cpu_ns = thread.last_cpu_ns == 0 ? period_ns : cpu - thread.last_cpu_ns;
  thread.last_cpu_ns = cpu;
  const std::size_t bytes = (sizeof(StackSample) + copied + 7) / 8 * 8;
  thread.used += bytes;
  std::atomic_ref(sample->bytes).store(static_cast<std::uint32_t>(bytes), std::memory_order_release);
}

void on_signal(int, siginfo_t*, void* context) {
  const int error = errno;
  running_handlers.fetch_add(1);
  if (const std::uint32_t which = sampling.load(); which != 0) {
    if (SampledThread* const thread = find_own_place(which)) {
      // The next one is of no time before this.
      if (is_own_paused != 0) {
        thread->last_cpu_ns = thread_cpu_ns();
      } else {
        take_sample(*thread, context);
      }
    }
  }
  running_handlers.fetch_sub(1);
  errno = error;
}

// The errno with which it was refused; 0: it runs.
int open_event(SampledThread& thread, pid_t tid, bool has_kernel) {
  perf_event_attr wanted{};
  wanted.size = sizeof wanted;
  wanted.type = PERF_TYPE_SOFTWARE;
  wanted.config = PERF_COUNT_SW_TASK_CLOCK;
  wanted.sample_period = period_ns;
  wanted.wakeup_events = 1;
  wanted.exclude_kernel = has_kernel ? 0 : 1;
  wanted.exclude_hv = 1;
  wanted.disabled = 1;
  const auto event = static_cast<int>(syscall(SYS_perf_event_open, &wanted, tid, -1, -1, PERF_FLAG_FD_CLOEXEC));
  if (event < 0) return errno;
  const f_owner_ex owner{F_OWNER_TID, tid};
  if (fcntl(event, F_SETOWN_EX, &owner) != 0 || fcntl(event, F_SETSIG, kSignal) != 0 ||
      fcntl(event, F_SETFL, O_ASYNC) != 0 || ioctl(event, PERF_EVENT_IOC_ENABLE, 0) != 0) {
    const int why = errno;
    ::close(event);
    return why;
  }
  thread.event = event;
  return 0;
}

int start_timer(SampledThread& thread, pid_t tid) {
  sigevent order{};
  order.sigev_notify = SIGEV_THREAD_ID;
  order.sigev_signo = kSignal;
  order.sigev_notify_thread_id = tid;
  // The clock of another thread of this process (linux/posix-timers.h: the thread's bit, and the scheduler's clock).
  const auto clock = static_cast<clockid_t>((~static_cast<unsigned>(tid) << 3) | 6U);
  if (timer_create(clock, &order, &thread.timer) != 0) return errno;
  const auto seconds = static_cast<time_t>(period_ns / 1'000'000'000);
  const timespec period{seconds, static_cast<long>(period_ns % 1'000'000'000)};
  const itimerspec times{period, period};
  if (timer_settime(thread.timer, 0, &times, nullptr) == 0) return 0;
  const int why = errno;
  timer_delete(thread.timer);
  return why;
}

// Looks for threads that began and ended, and writes what the process has mapped.
class Sampler {
 public:
  static Sampler& current() {
    static Sampler& sampler = *new Sampler;  // never destroyed: threads may run after main()
    return sampler;
  }

  Result<void> start(const StackSamplerOptions& options);
  void stop();
  void forget();

 private:
  void attach(pid_t tid);
  int interrupt(SampledThread& thread, pid_t tid);
  void release(SampledThread& thread);
  void look_at_threads();
  void note_mappings();
  void watch();

  std::mutex lock_;
  std::condition_variable ends_;
  bool is_ending_ = false;
  std::unique_ptr<std::thread> watcher_;
  pid_t watcher_tid_ = 0;
  SampleSource source_ = SampleSource::none;
  bool has_kernel_ = true;
  std::uint32_t samplings_ = 0;
  int refusal_ = 0;  // with which the last thread was not attached
  std::string mappings_;
};

// What time passes in system calls counts where perf may watch the kernel; else it counts for the sample after it.
int Sampler::interrupt(SampledThread& thread, pid_t tid) {
  if (source_ == SampleSource::timers) return start_timer(thread, tid);
  int why = open_event(thread, tid, has_kernel_);
  if (has_kernel_ && (why == EACCES || why == EPERM)) {
    has_kernel_ = false;
    why = open_event(thread, tid, false);
  }
  return why;
}

// tid 0: one that is free. used_threads: none.
std::size_t place_of(pid_t tid) {
  const std::size_t count = used_threads.load(std::memory_order_relaxed);
  std::size_t place = 0;
  while (place < count && sampled_threads[place].tid.load(std::memory_order_relaxed) != tid) ++place;
  return place;
}

void Sampler::attach(pid_t tid) {
  const std::size_t count = used_threads.load();
  const std::size_t place = place_of(0);
  if (place == kMaxSampledThreads) return;
  SampledThread& thread = sampled_threads[place];
  thread.event = -1;
  thread.last_cpu_ns = 0;
  thread.tid.store(tid, std::memory_order_release);
  if (place == count) used_threads.store(count + 1, std::memory_order_release);
  refusal_ = interrupt(thread, tid);
  if (refusal_ != 0) thread.tid.store(0, std::memory_order_release);
}

// Precondition: its thread has ended, or no handler runs.
void Sampler::release(SampledThread& thread) {
  if (thread.event >= 0) {
    ::close(std::exchange(thread.event, -1));
  } else {
    timer_delete(thread.timer);
  }
  if (thread.chunk != nullptr) munmap(std::exchange(thread.chunk, nullptr), kSpanChunkBytes);
  thread.used = 0;
  thread.tid.store(0, std::memory_order_release);
}

void Sampler::look_at_threads() {
  std::array<bool, kMaxSampledThreads> is_there{};
  std::error_code error;
  for (std::filesystem::directory_iterator task("/proc/self/task", error), end; !error && task != end;
       task.increment(error)) {
    const std::string name = task->path().filename().string();
    pid_t tid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), tid).ec != std::errc() || tid == watcher_tid_) continue;
    if (place_of(tid) == used_threads.load()) attach(tid);
    if (const std::size_t place = place_of(tid); place < used_threads.load()) is_there[place] = true;
  }
  for (std::size_t i = 0; !error && i < used_threads.load(); ++i) {
    const pid_t tid = sampled_threads[i].tid.load();
    if (is_there[i] || tid == 0) continue;
    // The list may leave one out while others end; what is taken from a living thread its handler would still use.
    const bool has_ended = syscall(SYS_tgkill, getpid(), tid, 0) != 0 && errno == ESRCH;
    if (has_ended) release(sampled_threads[i]);
  }
}

// Of files alone, as long as a chunk has room.
void Sampler::note_mappings() {
  std::ifstream in("/proc/self/maps");
  std::string text;
  for (std::string line; std::getline(in, line);) {
    if (line.find('/') == std::string::npos || line.find("/dev/") != std::string::npos) continue;
    if (sizeof(SpanChunk) + text.size() + line.size() + 1 > kSpanChunkBytes) break;
    text += line + '\n';
  }
  if (text == mappings_) return;
  char* const memory = sample_chunks->add(SpanChunkKind::mappings);
  if (memory == nullptr) return;
  std::memcpy(memory + sizeof(SpanChunk), text.data(), text.size());
  std::atomic_ref(reinterpret_cast<SpanChunk*>(memory)->used_bytes).store(text.size(), std::memory_order_release);
  munmap(memory, kSpanChunkBytes);
  mappings_ = std::move(text);
}

void Sampler::watch() {
  pthread_setname_np(pthread_self(), "stack-sampler");
  std::unique_lock guard(lock_);
  watcher_tid_ = own_tid();
  int looks = 0;
  while (!is_ending_) {
    look_at_threads();
    if (++looks % kLooksBetweenMappings == 0) note_mappings();
    ends_.wait_for(guard, kBetweenLooksAtThreads, [this] { return is_ending_; });
  }
}

Result<void> install_handler() {
  struct sigaction found {};
  sigaction(kSignal, nullptr, &found);
  const bool is_ours = (found.sa_flags & SA_SIGINFO) != 0 && found.sa_sigaction == on_signal;
  const bool is_free =
      (found.sa_flags & SA_SIGINFO) == 0 && (found.sa_handler == SIG_DFL || found.sa_handler == SIG_IGN);
  if (is_ours) return {};
  if (!is_free) {
    return input_error("stack samples", "another handler of SIGPROF", "that signal for them",
                       "switch off the program's other profiler");
  }
  struct sigaction ours {};
  ours.sa_sigaction = on_signal;
  ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigemptyset(&ours.sa_mask);
  // Never taken back: a signal that is on its way when sampling ends would end the program.
  sigaction(kSignal, &ours, nullptr);
  return {};
}

Result<void> Sampler::start(const StackSamplerOptions& options) {
  if (!kKnowsRegisters) {
    return input_error("stack samples", "a processor whose registers are not known to them", "x86-64");
  }
  std::uint64_t copy = 0;
  const iovec to{&copy, sizeof copy}, from{&copy, sizeof copy};
  if (syscall(SYS_process_vm_readv, getpid(), &to, 1, &from, 1, kNoFlags) < 0) {
    return input_error("stack samples", std::string("no process_vm_readv(2) here (") + std::strerror(errno) + ")",
                       "that system call, by which stacks are copied", "allow it in the container's profile");
  }
  STEELYARD_CHECK(install_handler());
  std::unique_lock guard(lock_);
  source_ = options.may_use_perf_events ? SampleSource::perf_events : SampleSource::timers;
  has_kernel_ = true;
  is_ending_ = false;
  mappings_.clear();
  used_threads.store(0);
  note_mappings();
  // Before the first thread is interrupted, so that no signal finds less.
  sampling.store(++samplings_);
  attach(own_tid());
  if (refusal_ != 0 && source_ == SampleSource::perf_events) {
    sample_header->perf_refusal = static_cast<std::uint32_t>(refusal_);
    source_ = SampleSource::timers;
    attach(own_tid());
  }
  if (refusal_ != 0) {
    sampling.store(0);
    source_ = SampleSource::none;
    return input_error("stack samples",
                       std::string("no timer of this thread's clock (") + std::strerror(refusal_) + ")",
                       "perf events or timers");
  }
  sample_header->samples = source_;
  sample_header->samples_hz = static_cast<std::uint32_t>(options.hz);
  // No signal that is for others ends up in the watcher.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  watcher_ = std::make_unique<std::thread>([this] { watch(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return {};
}

void Sampler::stop() {
  if (watcher_ == nullptr) return;
  {
    const std::lock_guard guard(lock_);
    is_ending_ = true;
  }
  ends_.notify_all();
  watcher_->join();
  watcher_.reset();
  sampling.store(0);
  while (running_handlers.load() != 0) sched_yield();
  for (std::size_t i = 0; i < used_threads.load(); ++i) {
    if (sampled_threads[i].tid.load() != 0) release(sampled_threads[i]);
  }
  note_mappings();
}

// Timers are not inherited; of events, which count their thread in the parent, only the descriptors are. The watcher is
// in the parent alone, and its lock may be held for good.
void Sampler::forget() {
  sampling.store(0);
  running_handlers.store(0);
  if (watcher_ == nullptr) return;
  for (std::size_t i = 0; i < used_threads.load(); ++i) {
    if (sampled_threads[i].event >= 0) ::close(std::exchange(sampled_threads[i].event, -1));
    if (sampled_threads[i].chunk != nullptr) munmap(std::exchange(sampled_threads[i].chunk, nullptr), kSpanChunkBytes);
    sampled_threads[i].tid.store(0);
  }
  static_cast<void>(watcher_.release());
  new (&lock_) std::mutex;
  new (&ends_) std::condition_variable;
}

}  // namespace

Result<void> start_stack_samples(const StackSamplerOptions& options, SpanFileHeader& header, ChunkFile& chunks,
                                 std::uint64_t (*ticks)()) {
  if (options.hz < 1 || options.hz > kMaxSamplesHz) {
    return input_error("stack samples", std::to_string(options.hz) + " a second",
                       "1 to " + std::to_string(kMaxSamplesHz));
  }
  sample_chunks = &chunks;
  sample_header = &header;
  sample_ticks = ticks;
  sample_bytes = 0;
  period_ns = 1'000'000'000 / static_cast<std::uint64_t>(options.hz);
  return Sampler::current().start(options);
}

void pause_own_stack_samples(bool is_paused) { is_own_paused = is_paused ? 1 : 0; }

void stop_stack_samples() { Sampler::current().stop(); }

void forget_stack_samples() { Sampler::current().forget(); }

}  // namespace steelyard
