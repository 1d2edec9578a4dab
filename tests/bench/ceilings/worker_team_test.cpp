#include "bench/ceilings/worker_team.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <array>
#include <chrono>
#include <set>

#include "bench/runner/core_choice.hpp"

namespace steelyard::bench::worker_team_test {
namespace {

std::vector<int> some_cores() {
  std::vector<int> cores;
  for (const Core& core : read_allowed_cores()) {
    if (cores.size() < 3) cores.push_back(core.number);
  }
  return cores;
}

TEST(WorkerTeam, EveryThreadDoesEveryJobOnceOnItsCore) {
  const std::vector<int> cores = some_cores();
  if (cores.empty()) GTEST_SKIP() << "the system does not say which cores there are";
  auto team = WorkerTeam::start(cores);
  ASSERT_TRUE(team) << team.error().text();
  std::array<std::atomic<int>, 3> done{};
  std::array<std::atomic<int>, 3> where{};
  for (int job = 0; job < 100; ++job) {
    (*team)->run([&](int thread) {
      done[static_cast<std::size_t>(thread)].fetch_add(1);
      where[static_cast<std::size_t>(thread)] = sched_getcpu();
    });
  }
  ASSERT_TRUE((*team)->pinned());
  for (std::size_t i = 0; i < cores.size(); ++i) {
    EXPECT_EQ(done[i], 100);
    EXPECT_EQ(where[i], cores[i]);
  }
}

TEST(WorkerTeam, AllThreadsRunAtOnce) {
  auto team = WorkerTeam::start({-1, -1, -1});
  ASSERT_TRUE(team);
  std::atomic<int> inside{0};
  // Would never end if one waited for another to finish.
  (*team)->run([&](int) {
    inside.fetch_add(1);
    while (inside.load() < 3) sched_yield();
  });
  EXPECT_EQ(inside, 3);
}

TEST(WorkerTeam, TheTimeIsThatOfTheSlowestThread) {
  auto team = WorkerTeam::start({-1, -1});
  ASSERT_TRUE(team);
  const TeamTiming timing = (*team)->run([](int thread) {
    if (thread == 1) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  });
  EXPECT_GE(timing.elapsed, milliseconds(20));
  EXPECT_LT(timing.on_core, 0.9);  // asleep is not on a core
}

TEST(WorkerTeam, ACoreThatIsNotThereIsSaidAndTheWorkDoneElsewhere) {
  auto team = WorkerTeam::start({65000});
  ASSERT_TRUE(team);
  int done = 0;
  (*team)->run([&](int) { ++done; });
  EXPECT_EQ(done, 1);
  EXPECT_FALSE((*team)->pinned());
}

}  // namespace
}  // namespace steelyard::bench::worker_team_test
