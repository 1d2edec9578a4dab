// Takes little-endian numbers and texts off a run of bytes, one after the other. Going past the end is never read: it
// marks the reader as failed, and every later answer is 0 or empty. Not for big-endian files.
//
//     SectionReader reader(section);
//     const std::uint64_t length = reader.number(4);
//     if (!reader.ok()) ...  // the section ends within it
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace steelyard {

class SectionReader {
 public:
  explicit SectionReader(std::string_view bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  std::size_t left() const { return bytes_.size(); }

  // Precondition: bytes from 1 to 8.
  std::uint64_t number(std::size_t bytes) {
    const std::string_view taken = text(bytes);
    std::uint64_t value = 0;
    for (std::size_t i = taken.size(); i > 0; --i) value = value << 8 | static_cast<unsigned char>(taken[i - 1]);
    return value;
  }

  std::string_view text(std::uint64_t bytes) {
    if (!ok_ || bytes > bytes_.size()) return fail();
    const std::string_view taken = bytes_.substr(0, static_cast<std::size_t>(bytes));
    bytes_.remove_prefix(taken.size());
    return taken;
  }

  // Up to and without its zero byte, which is taken too.
  std::string_view zero_ended() {
    const std::size_t end = bytes_.find('\0');
    if (!ok_ || end == std::string_view::npos) return fail();
    const std::string_view taken = bytes_.substr(0, end);
    bytes_.remove_prefix(end + 1);
    return taken;
  }

  // LEB128 (DWARF 5, section 7.6). Above 64 bits is a failure.
  std::uint64_t unsigned_leb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint64_t byte = number(1);
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    fail();
    return 0;
  }

 private:
  std::string_view fail() {
    ok_ = false;
    bytes_ = {};
    return {};
  }

  std::string_view bytes_;
  bool ok_ = true;
};

}  // namespace steelyard
