// What a server owns besides its sockets: threads with a bounded queue before them, and files for what comes in.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

namespace steelyard::ci {

// What waits when they end is still done, unless it was forgotten.
class Workers {
 public:
  using Task = std::function<void(std::size_t worker)>;  // which of them, from 0
  Workers(std::size_t count, std::size_t most_queued);
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers();
  // False: the queue is full.
  bool add(Task task);
  // What waits now is not done: whoever asked for it has gone.
  void forget();

 private:
  void work(std::size_t worker);

  std::size_t most_queued_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Task> queue_;
  bool is_ending_ = false;
  std::vector<std::thread> threads_;
};

// A file for a body while it comes in; gone with its owner. Where it cannot be made, writing says so.
class BodyFile {
 public:
  explicit BodyFile(const std::filesystem::path& folder);
  BodyFile(const BodyFile&) = delete;
  BodyFile& operator=(const BodyFile&) = delete;
  ~BodyFile();
  bool write(std::string_view bytes);
  const std::filesystem::path& path() const { return path_; }

 private:
  int descriptor_ = -1;
  std::filesystem::path path_;
};

}  // namespace steelyard::ci
