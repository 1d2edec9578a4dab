// SHA-256 (FIPS 180-4) as lower-case hex, for fingerprints and content identities. OpenSSL's, behind one function and
// one class.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace steelyard {

std::string sha256_hex(std::string_view bytes);  // 64 characters
// HMAC-SHA256 (RFC 2104, FIPS 198-1): who knows the key can tell that the bytes are of somebody who knows it, too.
std::string hmac_sha256_hex(std::string_view key, std::string_view bytes);  // 64 characters

// In a time that depends on the lengths alone.
bool equal_in_constant_time(std::string_view a, std::string_view b);

// SHA-256 in pieces, for what is too large to hold twice.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void add(std::string_view bytes);
  void add(std::span<const std::byte> bytes);
  // Its length first, so that no two lists of texts make the same bytes.
  void add_text(std::string_view text);
  // Of all that was added; call one of them, once, last.
  std::string hex();
  std::string bytes();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace steelyard
