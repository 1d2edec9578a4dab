// Who may use a store: logins of its server, tokens of programs, and the trail of who did what. Not for use after its
// Store.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/model/access.hpp"
#include "storage/store.hpp"

namespace steelyard::storage {

class AccessStore {
 public:
  explicit AccessStore(Store& store) : connection_(store.connection()) {}

  // False where nothing had to be changed.
  Result<bool> grant(const AccessGrant& wanted);
  Result<bool> revoke(const AccessGrant& unwanted);
  Result<std::vector<AccessGrant>> grants();

  // The token itself is in the answer and nowhere else.
  Result<IssuedToken> issue_token(const TokenRequest& request);
  // Absent where what was sent is no token, or one that is unknown, expired or revoked.
  Result<std::optional<Token>> find_token(const std::string& text);
  // By its public id; false where it was revoked before.
  Result<bool> revoke_token(const std::string& id, const std::string& who);
  Result<std::vector<Token>> tokens();

  // Newest first.
  Result<std::vector<AuditEntry>> audit_trail(int limit);

 private:
  StoreConnection& connection_;
};

}  // namespace steelyard::storage
