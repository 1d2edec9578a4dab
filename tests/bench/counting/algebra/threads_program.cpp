// Counted by real_builds_test: threads that wait for one lock and for each other, so that what they cost in the lock
// depends on who comes first.
#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace {

std::mutex lock;
std::atomic<int> arrived{0};
std::uint64_t shared_sum = 0;

__attribute__((noinline)) void wait_for_all(int count) {
  ++arrived;
  while (arrived < count) std::this_thread::yield();
}

__attribute__((noinline)) std::uint64_t work_alone(std::uint64_t n) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    sum += i * i;
    asm volatile("" : "+r"(sum));
  }
  return sum;
}

void work(int count) {
  wait_for_all(count);
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t part = work_alone(50);
    const std::lock_guard<std::mutex> held(lock);
    shared_sum += part;
  }
}

}  // namespace

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(work, 3);
  for (std::thread& thread : threads) thread.join();
  return shared_sum == 0 ? 1 : 0;
}
