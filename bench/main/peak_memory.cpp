#include "bench/main/peak_memory.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

namespace steelyard {

bool forget_peak_memory() {
  const int file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  // 5: set the high-water mark to what is resident now (proc(5)); nothing is walked, so that it costs microseconds.
  const bool is_forgotten = write(file, "5", 1) == 1;
  close(file);
  return is_forgotten;
}

std::optional<std::int64_t> peak_memory() {
  const int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  std::array<char, 8192> text{};
  const ssize_t length = read(file, text.data(), text.size());
  close(file);
  if (length <= 0) return std::nullopt;
  return peak_memory_of({text.data(), static_cast<std::size_t>(length)});
}

std::optional<std::int64_t> peak_memory_of(std::string_view status) {
  constexpr std::string_view kKey = "VmHWM:";
  const std::size_t at = status.find(kKey);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = status.substr(at + kKey.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  std::int64_t kibibytes = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), kibibytes);
  const bool has_unit = std::string_view(end, rest.data() + rest.size()).starts_with(" kB");
  if (error != std::errc() || !has_unit || kibibytes < 0 || kibibytes > INT64_MAX / 1024) return std::nullopt;
  return kibibytes * 1024;
}

}  // namespace steelyard
