#include "bench/ceilings/worker_team.hpp"

#include <pthread.h>
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <system_error>

#include "bench/environment/core_clock.hpp"

namespace steelyard::bench {
namespace {

std::int64_t now_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

bool pin_to(int core) {
  if (core < 0) return false;
  // As many bits as the core's number needs: machines have more cores than cpu_set_t.
  cpu_set_t* const set = CPU_ALLOC(static_cast<std::size_t>(core) + 1);
  if (set == nullptr) return false;
  const std::size_t size = CPU_ALLOC_SIZE(static_cast<std::size_t>(core) + 1);
  CPU_ZERO_S(size, set);
  CPU_SET_S(static_cast<std::size_t>(core), size, set);
  const bool is_pinned = pthread_setaffinity_np(pthread_self(), size, set) == 0;
  CPU_FREE(set);
  return is_pinned;
}

}  // namespace

Result<std::unique_ptr<WorkerTeam>> WorkerTeam::start(const std::vector<int>& cores) {
  std::unique_ptr<WorkerTeam> team(new WorkerTeam(cores.size()));
  team->threads_.reserve(cores.size());
  for (std::size_t i = 0; i < cores.size(); ++i) {
    try {
      team->threads_.emplace_back(&WorkerTeam::work, team.get(), static_cast<int>(i), cores[i]);
    } catch (const std::system_error& error) {
      return program_error("measuring ceilings",
                           "no thread for core " + std::to_string(cores[i]) + ": " + error.what());
    }
  }
  return team;
}

WorkerTeam::~WorkerTeam() {
  job_ = nullptr;
  jobs_.fetch_add(1);
  jobs_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerTeam::work(int thread, int core) {
  if (!pin_to(core)) unpinned_.fetch_add(1);
  for (std::uint32_t seen = 0;;) {
    jobs_.wait(seen);
    seen = jobs_.load();
    if (job_ == nullptr) return;
    do_job(thread);
    if (done_.fetch_add(1) + 1 == times_.size()) done_.notify_one();
  }
}

void WorkerTeam::do_job(int thread) {
  // All are awake before any begins. Where cores are fewer than threads, whoever waits lets the others run.
  ready_.fetch_add(1);
  while (ready_.load() < times_.size()) sched_yield();
  Times& times = times_[static_cast<std::size_t>(thread)];
  const std::int64_t on_core_before = now_ns(CLOCK_THREAD_CPUTIME_ID);
  times.start_ns = now_ns(CLOCK_MONOTONIC);
  (*job_)(thread);
  times.end_ns = now_ns(CLOCK_MONOTONIC);
  times.on_core_ns = now_ns(CLOCK_THREAD_CPUTIME_ID) - on_core_before;
}

TeamTiming WorkerTeam::run(const std::function<void(int)>& job) {
  job_ = &job;
  ready_.store(0);
  done_.store(0);
  jobs_.fetch_add(1);
  jobs_.notify_all();
  for (std::uint32_t done = 0; (done = done_.load()) < times_.size();) done_.wait(done);
  TeamTiming timing;
  std::int64_t start = times_.front().start_ns;
  std::int64_t end = times_.front().end_ns;
  std::int64_t worked = 0;
  for (const Times& times : times_) {
    start = std::min(start, times.start_ns);
    end = std::max(end, times.end_ns);
    worked = std::max(worked, times.on_core_ns);
    const std::int64_t own = std::max<std::int64_t>(times.end_ns - times.start_ns, 1);
    timing.on_core = std::min(timing.on_core, static_cast<double>(times.on_core_ns) / static_cast<double>(own));
  }
  timing.elapsed = nanoseconds(static_cast<double>(std::max<std::int64_t>(end - start, 1)));
  timing.worked = nanoseconds(static_cast<double>(worked));
  return timing;
}

namespace {

constexpr std::int64_t kMaxTeamPasses = std::int64_t{1} << 40;
constexpr std::int64_t kWarmUpPart = 8;

TeamTiming run(const CeilingItem& item, std::int64_t passes) {
  return item.team->run([&](int thread) { item.work(thread, passes); });
}

// Of a few tries, since a thread that shared its core for a moment would leave too few passes for good; one where it is
// short of what is sought anyway. What threads worked and not what passed: where others run too, a thread waits for its
// core a thousand times longer than a pass takes.
Nanoseconds min_worked(const CeilingItem& item, std::int64_t passes, Nanoseconds sought, Nanoseconds& spent) {
  constexpr int kTries = 3;
  Nanoseconds least;
  for (int i = 0; i < kTries && (i == 0 || (least >= sought * 0.25 && least < sought * 4)); ++i) {
    const TeamTiming timing = run(item, passes);
    spent += timing.elapsed;
    least = i == 0 ? timing.worked : std::min(least, timing.worked);
  }
  return least;
}

// Mean over the team's cores; absent where a clock cannot be read.
std::optional<double> team_clock_hz(WorkerTeam& team) {
  std::vector<std::optional<double>> mhz(static_cast<std::size_t>(team.size()));
  team.run([&](int thread) { mhz[static_cast<std::size_t>(thread)] = clock_mhz_here(); });
  double sum = 0;
  for (const std::optional<double>& one : mhz) {
    if (!one) return std::nullopt;
    sum += *one * 1e6;
  }
  return sum / static_cast<double>(mhz.size());
}

}  // namespace

void calibrate(CeilingItem& item, Nanoseconds repetition) {
  // Work that sleeps, or a system that does not count what a thread works.
  constexpr Nanoseconds kLongest = seconds(5);
  std::int64_t passes = 1;
  Nanoseconds spent;
  Nanoseconds worked = min_worked(item, passes, repetition, spent);
  while (worked < repetition * 0.25 && passes < kMaxTeamPasses && spent < kLongest) {
    passes *= 2;
    worked = min_worked(item, passes, repetition, spent);
  }
  const double wanted = std::round(static_cast<double>(passes) * std::min(repetition / worked, 4.0));
  item.passes = std::max<std::int64_t>(1, static_cast<std::int64_t>(wanted));
}

double repeat(CeilingItem& item) {
  const bool reads_clock = item.ceiling.kind == CeilingKind::arithmetic;
  if (item.is_warmed_up) run(item, std::max<std::int64_t>(1, item.passes / kWarmUpPart));
  const std::optional<double> before = reads_clock ? team_clock_hz(*item.team) : std::nullopt;
  const TeamTiming timing = run(item, item.passes);
  const std::optional<double> after = before ? team_clock_hz(*item.team) : std::nullopt;
  if (after) item.ceiling.clock_samples.push_back((*before + *after) / 2);
  const double amount = item.amount_per_pass * static_cast<double>(item.passes);
  item.ceiling.samples.push_back(amount / in_seconds(timing.elapsed));
  return timing.on_core;
}

}  // namespace steelyard::bench
