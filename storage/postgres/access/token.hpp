// Tokens with which programs speak to the HTTP service. A store knows a token's public id and the SHA-256 of the whole;
// the token itself is shown once, to whoever asked for it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/model/result.hpp"

namespace steelyard {

struct TokenRequest {
  std::string name;                 // what it is for; not empty
  std::string project;              // the only one it is good for; empty: all
  std::vector<std::string> scopes;  // at least one, of kTokenScopes
  int days = 90;                    // until it expires; 1 to 3660
  std::string who;                  // who asks for it
};
inline constexpr const char* kTokenScopes[] = {"read", "write", "admin"};

struct Token {
  std::string id;  // public
  std::string name;
  std::string project;
  std::vector<std::string> scopes;
  std::string expires_at;  // ISO 8601, UTC
};

struct IssuedToken {
  Token token;
  std::string secret;  // the whole of what the program sends: "steelyard_ID_RANDOM"; never kept, never logged
};

// ID and secret part of a token as it was sent. Error (input): it has another form; the token is not quoted.
struct TokenText {
  std::string id;
  std::string hash;  // SHA-256 of the whole
};
Result<TokenText> take_apart_token(const std::string& text);
inline constexpr std::size_t kTokenBytes = 48;
// From so many random bytes.
std::string token_from_bytes(const std::string& bytes);

// From the system's entropy.
Result<std::string> random_token();

// In a time that depends on the lengths alone.
bool equal_in_constant_time(const std::string& a, const std::string& b);

}  // namespace steelyard
