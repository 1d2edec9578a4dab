// Reads bytes of unknown origin: nothing is read past the end, and what was read after a failure is zero. Numbers of
// variable length are seven bits a byte, lowest first, the high bit set on all but the last (LEB128); signed ones fold
// the sign into the lowest bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace steelyard {

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}
  std::uint8_t byte();
  std::uint64_t varint();
  std::int64_t signed_varint();
  std::string_view take(std::uint64_t count);
  std::size_t left() const { return bytes_.size() - at_; }
  void fail() { failed_ = true; }
  bool failed() const { return failed_; }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

void append_varint(std::string& bytes, std::uint64_t value);
void append_signed_varint(std::string& bytes, std::int64_t value);
std::size_t varint_size(std::uint64_t value);
inline std::uint64_t fold_sign(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(value >> 63);
}

// Eight bytes, the highest first.
void append_big_endian(std::string& bytes, std::uint64_t value);
std::uint64_t big_endian_at(std::string_view bytes, std::size_t at);

}  // namespace steelyard
