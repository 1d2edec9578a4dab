// Messages in the wire format of Protocol Buffers (protobuf.dev, "Encoding"), written field by field: what pprof and
// Perfetto take. There is no schema here; who writes names the numbers and where they come from.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "bench/model/utf8.hpp"

namespace steelyard::bench {

class ProtoMessage {
 public:
  // int32, int64, uint32, uint64, bool, enum; of a negative number the two's complement.
  ProtoMessage& number(unsigned field, std::uint64_t value) {
    add_varint(field << 3U);
    add_varint(value);
    return *this;
  }
  ProtoMessage& fixed(unsigned field, std::uint64_t value) {  // fixed64
    add_varint(field << 3U | 1U);
    for (int i = 0; i < 8; ++i) bytes_ += static_cast<char>(value >> 8 * i & 0xff);
    return *this;
  }
  ProtoMessage& real(unsigned field, double value) { return fixed(field, std::bit_cast<std::uint64_t>(value)); }
  // Bytes that are no UTF-8, which a string may not hold, become U+FFFD.
  ProtoMessage& text(unsigned field, std::string_view value) { return bytes(field, utf8_of(value).text); }
  ProtoMessage& message(unsigned field, const ProtoMessage& value) { return bytes(field, value.bytes_); }
  ProtoMessage& bytes(unsigned field, std::string_view value) {
    add_varint(field << 3U | 2U);
    add_varint(value.size());
    bytes_ += value;
    return *this;
  }

  const std::string& bytes() const { return bytes_; }
  bool empty() const { return bytes_.empty(); }
  void clear() { bytes_.clear(); }

  // Without a field: an element of a packed list.
  void add_varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

 private:
  std::string bytes_;
};

}  // namespace steelyard::bench
