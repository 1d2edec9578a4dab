#include "ci/service/sent_body.hpp"

#include <sys/mman.h>
#include <sys/stat.h>

namespace steelyard::ci {

std::unique_lock<std::mutex> turn_of(std::mutex& large, bool is_large) {
  std::unique_lock turn(large, std::defer_lock);
  if (is_large) turn.lock();
  return turn;
}

SentBody::SentBody(int descriptor) {
  struct stat known {};
  if (descriptor < 0 || ::fstat(descriptor, &known) != 0 || known.st_size <= 0) return;
  is_empty_ = false;
  const auto size = static_cast<std::size_t>(known.st_size);
  void* const at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (at != MAP_FAILED) bytes_ = {static_cast<const char*>(at), size};
}

SentBody::~SentBody() {
  if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

}  // namespace steelyard::ci
