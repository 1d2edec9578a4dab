#include "storage/embedded/server_use.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "bench/model/quantity.hpp"

namespace steelyard {
namespace {

constexpr mode_t kMode = S_IRUSR | S_IWUSR;
// Every text of it is as long as the others, so that one write replaces it.
constexpr std::size_t kDigits = 19;

}  // namespace

Result<std::chrono::milliseconds> allowed_idle_time() {
  const char* const value = std::getenv(kIdleVariable);
  if (value == nullptr || *value == '\0') return kUsualIdleTime;
  const std::string text(value);
  if (text == "0") return std::chrono::milliseconds(0);
  const Result<Nanoseconds> duration = parse_duration(text, kIdleVariable);
  if (!duration) {
    Error why = duration.error();
    return store_error(why.where, why.found, why.wanted + ", or 0 for a server that does not end by itself", why.mend);
  }
  if (duration->count() <= 0) return std::chrono::milliseconds(0);
  return std::chrono::milliseconds(std::max<std::int64_t>(1, static_cast<std::int64_t>(duration->count() / 1e6)));
}

void note_use(const ClusterLayout& layout, std::chrono::milliseconds allowed) {
  const FileDescriptor file(::open(layout.use_note().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kMode));
  if (!file) return;
  const std::string number = std::to_string(allowed.count());
  const std::string text = std::string(kDigits - std::min(number.size(), kDigits), '0') + number + '\n';
  [[maybe_unused]] const ssize_t written = ::pwrite(file.number(), text.data(), text.size(), 0);
}

FileDescriptor open_keeper_program() {
  std::error_code trouble;
  const std::filesystem::path ourselves = std::filesystem::read_symlink("/proc/self/exe", trouble);
  if (trouble) return FileDescriptor();
  const std::filesystem::path program = ourselves.parent_path() / "../lib/steelyard/steelyard_keeper";
  return FileDescriptor(::open(program.c_str(), O_RDONLY | O_CLOEXEC));
}

}  // namespace steelyard
