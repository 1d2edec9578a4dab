// The file that a large body went to, as its bytes where they are.
#pragma once

#include <cstdint>
#include <string_view>

namespace steelyard::ci {

// Of JSON that is submitted. As values in memory it takes ten times that.
inline constexpr std::int64_t kMaxSubmittedJsonBytes = std::int64_t{16} << 20;

class SentBody {
 public:
  explicit SentBody(int descriptor);  // -1: none
  ~SentBody();
  SentBody(const SentBody&) = delete;
  SentBody& operator=(const SentBody&) = delete;
  std::string_view bytes() const { return bytes_; }  // empty: it has none, or there is no room for them

 private:
  std::string_view bytes_;
};

}  // namespace steelyard::ci
