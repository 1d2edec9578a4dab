#include "storage/packing/byte_reader.hpp"

namespace steelyard {
namespace {

constexpr unsigned kBitsPerByte = 7;
constexpr unsigned kMostShift = 63;  // a tenth byte holds the 64th bit

}  // namespace

std::uint8_t ByteReader::byte() {
  if (failed_ || at_ >= bytes_.size()) {
    failed_ = true;
    return 0;
  }
  return static_cast<std::uint8_t>(bytes_[at_++]);
}

std::uint64_t ByteReader::varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift <= kMostShift; shift += kBitsPerByte) {
    const std::uint8_t next = byte();
    if (failed_ || (shift == kMostShift && next > 1)) break;
    value |= static_cast<std::uint64_t>(next & 0x7FU) << shift;
    if (next < 0x80U) return value;
  }
  failed_ = true;
  return 0;
}

std::int64_t ByteReader::signed_varint() {
  const std::uint64_t folded = varint();
  return static_cast<std::int64_t>((folded >> 1U) ^ (0U - (folded & 1U)));
}

std::string_view ByteReader::take(std::uint64_t count) {
  if (failed_ || count > left()) {
    failed_ = true;
    return {};
  }
  const std::string_view taken = bytes_.substr(at_, static_cast<std::size_t>(count));
  at_ += static_cast<std::size_t>(count);
  return taken;
}

void append_varint(std::string& bytes, std::uint64_t value) {
  for (; value >= 0x80U; value >>= kBitsPerByte) bytes += static_cast<char>((value & 0x7FU) | 0x80U);
  bytes += static_cast<char>(value);
}
void append_signed_varint(std::string& bytes, std::int64_t value) { append_varint(bytes, fold_sign(value)); }

std::size_t varint_size(std::uint64_t value) {
  std::size_t size = 1;
  for (; value >= 0x80U; value >>= kBitsPerByte) ++size;
  return size;
}

void append_big_endian(std::string& bytes, std::uint64_t value) {
  for (unsigned shift = 64; shift > 0; shift -= 8) bytes += static_cast<char>((value >> (shift - 8)) & 0xFFU);
}

std::uint64_t big_endian_at(std::string_view bytes, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(value); ++i) value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

}  // namespace steelyard
