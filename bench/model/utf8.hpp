// What of a text is UTF-8, for formats that hold nothing else: JSON and Protocol Buffers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace steelyard {

bool is_utf8(std::string_view text);
// UTF-8, in which each byte of `text` that is of none is U+FFFD.
struct Utf8Text {
  std::string text;
  std::size_t replaced = 0;  // bytes
};
Utf8Text utf8_of(std::string_view text);

}  // namespace steelyard
