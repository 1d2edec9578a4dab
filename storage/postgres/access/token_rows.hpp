// Tokens as the database keeps them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/postgres/access/token.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard {

// `secret`: made by token_from_bytes(), by the caller so that a retry issues the same token.
Result<Token> issue_token(Session& session, const TokenRequest& request, const std::string& secret);
// The token that was sent, where it is good now; absent where it is unknown, expired or revoked, without saying which.
Result<std::optional<Token>> find_token(Session& session, const std::string& text);
// False where it was revoked already. Error (input): no such token.
Result<bool> revoke_token(Session& session, const std::string& id, const std::string& who);
// Expired and revoked ones left out; newest first.
Result<std::vector<Token>> read_tokens(Session& session);

// Error (input): a field that is not as wanted.
Result<void> check_request(const TokenRequest& request);

}  // namespace steelyard
