#include "ci/service/workers.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

namespace steelyard::ci {

namespace {

// What a large answer took would stay with the process for good, in holes among what is small, in as many pools as
// there are threads; so the largest blocks are the system's own, and the rest is in few pools. Those of a long history,
// up to a megabyte each, are not: to have their pages for each answer and give them back held answers up
// (docs/measured/service.md).
void keep_little_memory() {
#ifdef __GLIBC__
  constexpr int kLargeBlock = 4 << 20;
  constexpr int kKeptAtTheEnd = 8 << 20;
  constexpr int kPools = 2;
  ::mallopt(M_MMAP_THRESHOLD, kLargeBlock);
  ::mallopt(M_TRIM_THRESHOLD, kKeptAtTheEnd);
  ::mallopt(M_ARENA_MAX, kPools);
#endif
}

void give_back_memory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

}  // namespace

Workers::Workers(std::size_t count, std::size_t most_queued)
    : most_queued_(most_queued), most_large_(std::max<std::size_t>(count / 2, 1)) {
  keep_little_memory();
  for (std::size_t i = 0; i < count; ++i) threads_.emplace_back([this, i] { work(i); });
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool Workers::add(Task task, Length length) {
  {
    const std::lock_guard lock(mutex_);
    if (queue_.size() >= most_queued_) return false;
    queue_.push_back({std::move(task), length});
  }
  wake_.notify_one();
  return true;
}

void Workers::forget() {
  std::deque<Waiting> gone;  // ended without the lock: a task may hold more than itself
  const std::lock_guard lock(mutex_);
  gone.swap(queue_);
}

std::deque<Workers::Waiting>::iterator Workers::next() {
  const auto first = std::find_if(queue_.begin(), queue_.end(), [this](const Waiting& one) {
    return one.length == Length::small || large_now_ < most_large_;
  });
  if (first == queue_.end() || first->length != Length::large_put || !put_was_last_) return first;
  const auto reader = std::find_if(first, queue_.end(), [](const Waiting& one) { return one.length == Length::large; });
  return reader == queue_.end() ? first : reader;
}

void Workers::work(std::size_t worker) {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return next() != queue_.end() || (is_ending_ && queue_.empty()); });
    const auto at = next();
    if (at == queue_.end()) return;
    Waiting mine = std::move(*at);
    queue_.erase(at);
    const std::size_t large = mine.length == Length::small ? 0 : 1;
    large_now_ += large;
    if (large > 0) put_was_last_ = mine.length == Length::large_put;
    lock.unlock();
    mine.task(worker);
    mine.task = nullptr;  // without the lock: it may hold more than itself
    if (large > 0) give_back_memory();
    lock.lock();
    large_now_ -= large;
    if (large > 0 || is_ending_) wake_.notify_all();
  }
}

BodyFile::BodyFile(const std::filesystem::path& folder, BodyBytes& all) : all_(all) {
  std::string name = (folder / "body-XXXXXX").string();
  descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
  // Now, so that none is left of a process that was killed.
  if (descriptor_ >= 0) ::unlink(name.c_str());
}

BodyFile::~BodyFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  all_.now -= bytes_;
}

bool BodyFile::write(std::string_view bytes) {
  const auto more = static_cast<std::int64_t>(bytes.size());
  bytes_ += more;
  if ((all_.now += more) > all_.most) return false;
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace steelyard::ci
