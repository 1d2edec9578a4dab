#include "bench/harness/timer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace steelyard::thread_count_test {
namespace {

using testing::ElementsAre;

// A library with a count of threads and a memory of what it was told.
struct Library {
  int threads = 8;
  std::vector<int> told;
  ThreadCount count(std::string name = "library") {
    return {std::move(name), [this] { return threads; },
            [this](int n) {
              threads = n;
              told.push_back(n);
            }};
  }
};

TEST(ThreadCount, IsSetAndRestored) {
  Library library;
  {
    const ScopedThreadCount scope({library.count()}, 3);
    EXPECT_EQ(library.threads, 3);
  }
  EXPECT_EQ(library.threads, 8);
}

// An OpenBLAS may be built on OpenMP: setting one sets the other.
TEST(ThreadCount, IsRestoredWhereOneLibraryFollowsAnother) {
  Library leader;
  Library follower;
  follower.threads = 5;
  ThreadCount leading = leader.count();
  leading.set = [&](int n) { leader.threads = follower.threads = n; };
  {
    const ScopedThreadCount scope({leading, follower.count()}, 2);
    EXPECT_EQ(follower.threads, 2);
  }
  EXPECT_EQ(leader.threads, 8);
}

TEST(ThreadCount, TimerSetsItForTheCallOnly) {
  Library library;
  int seen = 0;
  TimerOptions options;
  options.task.threads = 4;
  options.thread_counts = std::vector{library.count("tbb")};
  const auto measured = Timer([&] { seen = library.threads; }, options).timeit(2);
  ASSERT_TRUE(measured);
  EXPECT_EQ(seen, 4);
  EXPECT_EQ(library.threads, 8);
  EXPECT_EQ(measured->metadata.at("threads_set_in"), "tbb");
  EXPECT_THAT(library.told, ElementsAre(4, 8));
}

TEST(ThreadCount, TimerRestoresItWhenTheStatementThrows) {
  Library library;
  TimerOptions options;
  options.task.threads = 4;
  options.thread_counts = std::vector{library.count()};
  EXPECT_FALSE(Timer([] { throw std::runtime_error("gone"); }, options).blocked_autorange());
  EXPECT_EQ(library.threads, 8);
}

TEST(ThreadCount, EveryLibraryFoundCanBeReadAndSet) {
  for (const ThreadCount& count : loaded_thread_counts()) {
    const int before = count.get();
    EXPECT_GE(before, 1) << count.name;
    { const ScopedThreadCount scope({count}, 1); }
    EXPECT_EQ(count.get(), before) << count.name;
  }
}

}  // namespace
}  // namespace steelyard::thread_count_test
