// The file that a large body went to, as its bytes where they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>

namespace steelyard::ci {

// Of JSON that is submitted. As values in memory it takes ten times that.
inline constexpr std::int64_t kMaxSubmittedJsonBytes = std::int64_t{16} << 20;
inline constexpr std::int64_t kMaxSubmittedArchiveBytes = std::int64_t{256} << 20;

// Held while something large is read, put or answered, so that several at once do not need the memory of several.
inline constexpr std::size_t kLargeBody = std::size_t{4} << 20;
inline constexpr std::uint64_t kLargeArchive = std::uint64_t{16} << 20;  // unpacked
std::unique_lock<std::mutex> turn_of(std::mutex& large, bool is_large);

class SentBody {
 public:
  explicit SentBody(int descriptor);  // -1: none
  ~SentBody();
  SentBody(const SentBody&) = delete;
  SentBody& operator=(const SentBody&) = delete;
  bool is_empty() const { return is_empty_; }
  std::string_view bytes() const { return bytes_; }  // empty: it has none, or there is no room for them

 private:
  bool is_empty_ = true;
  std::string_view bytes_;
};

}  // namespace steelyard::ci
