#include "storage/postgres/access/token.hpp"

#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstring>

#include "bench/model/sha256.hpp"

namespace steelyard {
namespace {

constexpr std::string_view kPrefix = "steelyard_";
constexpr std::size_t kIdBytes = 16;
constexpr std::size_t kSecretBytes = 32;
constexpr std::size_t kIdDigits = 2 * kIdBytes;
constexpr std::size_t kSecretDigits = 2 * kSecretBytes;

std::string hex_of(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    text += kDigits[value >> 4];
    text += kDigits[value & 15];
  }
  return text;
}

bool is_hex(std::string_view text) { return text.find_first_not_of("0123456789abcdef") == std::string_view::npos; }

}  // namespace

Result<std::string> random_token() {
  std::string bytes(kTokenBytes, '\0');
  if (getentropy(bytes.data(), bytes.size()) == 0) return token_from_bytes(bytes);
  return store_error("the system's entropy", std::strerror(errno), "random bytes for a token");
}

std::string token_from_bytes(const std::string& bytes) {
  assert(bytes.size() == kIdBytes + kSecretBytes);
  const std::string_view all = bytes;
  return std::string(kPrefix) + hex_of(all.substr(0, kIdBytes)) + '_' + hex_of(all.substr(kIdBytes));
}

Result<TokenText> take_apart_token(const std::string& text) {
  const std::string_view all = text;
  const Error other = input_error("token", "a text of another form", "steelyard_ID_SECRET as it was shown when issued");
  if (all.size() != kPrefix.size() + kIdDigits + 1 + kSecretDigits || !all.starts_with(kPrefix)) return other;
  const std::string_view id = all.substr(kPrefix.size(), kIdDigits);
  if (!is_hex(id) || all[kPrefix.size() + kIdDigits] != '_' || !is_hex(all.substr(all.size() - kSecretDigits))) {
    return other;
  }
  return TokenText{std::string(id), sha256_hex(text)};
}

bool equal_in_constant_time(const std::string& a, const std::string& b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  }
  return difference == 0;
}

}  // namespace steelyard
