// Tokens of programs: their text, made and taken apart, and their rows. A store keeps a token's public id and the
// SHA-256 of the whole, never the token itself.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/model/access.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard::storage {

// `secret`: made by token_from_bytes(), by the caller so that a retry issues the same token.
// Whether the session's role may.
Result<bool> may_issue_tokens(Session& session);
Result<Token> issue_token(Session& session, const TokenRequest& request, const std::string& secret);
// Both tokens in one transaction. Error (input): there is no such token that is good now.
Result<IssuedToken> rotate_token(Session& session, const TokenRotation& rotation, const std::string& secret);
// The token that was sent, where it is good now; absent where it is unknown, expired or revoked, without saying which.
Result<std::optional<Token>> find_token(Session& session, const std::string& text);
// False where today's use was noted before, or the login may not write.
Result<bool> note_token_use(Session& session, const std::string& id);
// False where it was revoked already. Error (input): no such token.
Result<bool> revoke_token(Session& session, const std::string& id, const std::string& who);
// Expired and revoked ones excluded; newest first.
Result<std::vector<Token>> read_tokens(Session& session);

// Error (input): a field that is not as wanted.
Result<void> check_request(const TokenRequest& request);

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

}  // namespace steelyard::storage
