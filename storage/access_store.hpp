// Who may use a store: logins of its server, tokens of programs, and the trail of who did what. Not for use after its
// Store.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/model/access.hpp"
#include "storage/model/history.hpp"
#include "storage/store.hpp"

namespace steelyard::storage {

class AccessStore {
 public:
  explicit AccessStore(Store& store) : connection_(store.connection()) {}

  // False where nothing had to be changed.
  Result<bool> grant(const AccessGrant& wanted);
  Result<bool> revoke(const AccessGrant& unwanted);
  Result<std::vector<AccessGrant>> grants();

  // So that Store::see_only() may name that project, which need not have a run yet. Part of issue_token() for one.
  Result<void> prepare_limits(const std::string& project);
  // Whether the login is an owner, as issuing and revoking tokens takes.
  Result<bool> may_issue_tokens();
  // The token itself is in the answer and nowhere else.
  Result<IssuedToken> issue_token(const TokenRequest& request);
  // Error (input): there is no such token that is good now.
  Result<IssuedToken> rotate_token(const TokenRotation& rotation);
  // Absent where what was sent is no token, or one that is unknown, expired or revoked.
  Result<std::optional<Token>> find_token(const std::string& text);
  // That a token was used today. False where that was known, and where the login may only read.
  Result<bool> note_use(const std::string& id);
  // By its public id; false where it was revoked before.
  Result<bool> revoke_token(const std::string& id, const std::string& who);
  Result<std::vector<Token>> tokens();

  // Newest first.
  Result<std::vector<AuditEntry>> audit_trail(int limit);
  Result<Page<AuditEntry>> audit_page(int limit, const std::string& after);

 private:
  StoreConnection& connection_;
};

}  // namespace steelyard::storage
