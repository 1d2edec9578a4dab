// What a message of Protocol Buffers holds, for tests of what writes them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard::bench {

// The wire format read again, by its definition alone (protobuf.dev, "Encoding").
struct DecodedMessage {
  std::map<unsigned, std::vector<std::uint64_t>> numbers;
  std::map<unsigned, std::vector<std::string>> parts;

  std::uint64_t number(unsigned field) const { return numbers.contains(field) ? numbers.at(field).at(0) : 0; }
  std::string part(unsigned field) const { return parts.contains(field) ? parts.at(field).at(0) : ""; }
};

inline DecodedMessage decoded_message(std::string_view bytes) {
  DecodedMessage message;
  std::size_t at = 0;
  const auto varint = [&] {
    std::uint64_t value = 0;
    for (unsigned shift = 0; at < bytes.size(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes[at++]);
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
    ADD_FAILURE() << "a number that does not end";
    return value;
  };
  while (at < bytes.size()) {
    const std::uint64_t key = varint();
    const auto field = static_cast<unsigned>(key >> 3);
    if ((key & 7) == 0) {
      message.numbers[field].push_back(varint());
    } else if ((key & 7) == 1) {
      std::uint64_t value = 0;
      for (unsigned i = 0; i < 8 && at < bytes.size(); ++i) {
        value |= std::uint64_t{static_cast<unsigned char>(bytes[at++])} << 8 * i;
      }
      message.numbers[field].push_back(value);
    } else if ((key & 7) == 2) {
      const std::uint64_t size = varint();
      EXPECT_LE(size, bytes.size() - at);
      message.parts[field].emplace_back(bytes.substr(at, size));
      at += size;
    } else {
      ADD_FAILURE() << "wire type " << (key & 7);
      break;
    }
  }
  return message;
}

}  // namespace steelyard::bench
