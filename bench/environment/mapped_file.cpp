#include "bench/environment/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace steelyard {

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  constexpr off_t kLargest = off_t{4} << 30;
  // Not blocking: a pipe without a writer is found out below, and must not be waited for.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return input_error(path.string(), std::strerror(errno), "a file that can be read");
  struct stat status = {};
  const bool usable = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= kLargest;
  const auto size = static_cast<std::size_t>(usable ? status.st_size : 0);
  void* const bytes = size > 0 ? ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0) : nullptr;
  ::close(file);
  if (!usable) return input_error(path.string(), "no regular file, or one above 4 GiB", "a file");
  if (bytes == MAP_FAILED) return input_error(path.string(), std::strerror(errno), "a file that can be mapped");
  return MappedFile(std::string_view(static_cast<const char*>(bytes), size));
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile::~MappedFile() {
  if (bytes_.empty()) return;
  // The mapping was made from a pointer to void; the view is only how it is read.
  ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

}  // namespace steelyard
