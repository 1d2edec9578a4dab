// What a server owns besides its sockets: threads with a bounded queue before them, and files for what comes in.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

namespace steelyard::ci {

// What waits when they end is still done, unless it was forgotten. In the order of coming, but for what is long: half
// of the threads at most do that at once, and what is short goes past what waits for them. Of what is long none that
// puts follows one that puts while another waits: a reader waits for one writer, however many there are.
class Workers {
 public:
  using Task = std::function<void(std::size_t worker)>;  // which of them, from 0
  enum class Length { small, large, large_put };         // how long it may take
  Workers(std::size_t count, std::size_t most_queued);
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers();
  // False: the queue is full.
  bool add(Task task, Length length = Length::small);
  // What waits now is not done: whoever asked for it has gone.
  void forget();

 private:
  struct Waiting {
    Task task;
    Length length = Length::small;
  };
  void work(std::size_t worker);
  std::deque<Waiting>::iterator next();  // that may begin now; with the lock

  std::size_t most_queued_;
  std::size_t most_large_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Waiting> queue_;
  std::size_t large_now_ = 0;
  bool put_was_last_ = false;  // of what is long
  bool is_ending_ = false;
  std::vector<std::thread> threads_;
};

// How many bytes of bodies there may be at once, and are. Outlives them.
struct BodyBytes {
  std::int64_t most = 0;
  std::atomic<std::int64_t> now{0};
};

// A file for a body while it comes in, which no folder names; gone with its owner, or the process. Where it cannot be
// made, or all bodies together would be too many bytes, writing says so.
class BodyFile {
 public:
  BodyFile(const std::filesystem::path& folder, BodyBytes& all);
  BodyFile(const BodyFile&) = delete;
  BodyFile& operator=(const BodyFile&) = delete;
  ~BodyFile();
  bool write(std::string_view bytes);
  int descriptor() const { return descriptor_; }

 private:
  BodyBytes& all_;
  std::int64_t bytes_ = 0;
  int descriptor_ = -1;
};

}  // namespace steelyard::ci
