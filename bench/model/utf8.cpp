#include "bench/model/utf8.hpp"

#include "bench/model/text.hpp"

namespace steelyard {

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    if (point.value == kBrokenCodePoint) return false;
    at += point.bytes;
  }
  return true;
}

Utf8Text utf8_of(std::string_view text) {
  Utf8Text valid;
  valid.text.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    const bool is_broken = point.value == kBrokenCodePoint;
    valid.text += is_broken ? std::string_view("\xef\xbf\xbd") : text.substr(at, point.bytes);
    valid.replaced += is_broken ? 1 : 0;
    at += point.bytes;
  }
  return valid;
}

}  // namespace steelyard
