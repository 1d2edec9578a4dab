#include "storage/postgres/access/tokens.hpp"

#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <string_view>

#include "bench/model/number_text.hpp"
#include "bench/model/sha256.hpp"
#include "bench/model/text.hpp"
#include "storage/postgres/access/roles.hpp"
#include "storage/postgres/session/sql_fields.hpp"

namespace steelyard::storage {
namespace {

constexpr std::string_view kPrefix = "steelyard_";
constexpr std::size_t kIdBytes = 16;
constexpr std::size_t kSecretBytes = 32;
constexpr std::size_t kIdDigits = 2 * kIdBytes;
constexpr std::size_t kSecretDigits = 2 * kSecretBytes;

constexpr std::size_t kLongestName = 200;
constexpr int kMaxTokens = 10'000;  // that are listed

constexpr const char* kTokenColumns =
    "id, name, project, scopes, to_char(expires_at at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')";

Token token_at(const Rows& rows, std::int64_t row, int first_column = 0) {
  Token token;
  read_in_order(rows, row, first_column, token.id, token.name, token.project, token.scopes, token.expires_at);
  return token;
}

Result<void> check_days(int days) {
  if (days >= 1 && days <= kMaxTokenDays) return {};
  return input_error("token days", std::to_string(days), "1 to " + std::to_string(kMaxTokenDays));
}

bool is_scope(const std::string& scope) {
  return std::find(std::begin(kTokenScopes), std::end(kTokenScopes), scope) != std::end(kTokenScopes);
}

}  // namespace

Result<std::string> random_token() {
  std::string bytes(kTokenBytes, '\0');
  if (getentropy(bytes.data(), bytes.size()) == 0) return token_from_bytes(bytes);
  return store_error("the system's entropy", std::strerror(errno), "random bytes for a token");
}

std::string token_from_bytes(const std::string& bytes) {
  assert(bytes.size() == kIdBytes + kSecretBytes);
  const std::string_view all = bytes;
  return std::string(kPrefix) + hex_text(all.substr(0, kIdBytes)) + '_' + hex_text(all.substr(kIdBytes));
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

Result<void> check_request(const TokenRequest& request) {
  if (request.name.empty() || request.name.size() > kLongestName) {
    return input_error("token name", std::to_string(request.name.size()) + " bytes",
                       "1 to " + std::to_string(kLongestName) + ": what the token is for");
  }
  if (const std::string shown = printable_line(request.name, true); shown != request.name) {
    return input_error("token name", "characters that cannot be shown, as ? in " + shown, "a line of text");
  }
  STEELYARD_CHECK(check_days(request.days));
  if (request.scopes.empty()) return input_error("token scopes", "none", "read, submit, report or admin");
  for (const std::string& scope : request.scopes) {
    if (!is_scope(scope)) return input_error("token scopes", '"' + scope + '"', "read, submit, report or admin");
  }
  return {};
}

Result<bool> may_issue_tokens(Session& session) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows rows,
                transaction.run("select has_table_privilege('steelyard.tokens', 'INSERT')", {}, kOneRow));
  return rows.boolean(0, 0);
}

Result<Token> issue_token(Session& session, const TokenRequest& request, const std::string& secret) {
  STEELYARD_CHECK(check_request(request));
  STEELYARD_TRY(const TokenText text, take_apart_token(secret));
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  SqlValues values;
  values.text(text.id).text(text.hash).text(request.name).text(request.project).texts(request.scopes);
  values.text(request.who).integer(request.days);
  STEELYARD_TRY(const Rows added, transaction.run("insert into steelyard.tokens (id, hash, name, project, scopes, "
                                                  "issued_by, expires_at) values ($1, $2, $3, $4, $5, $6, "
                                                  "now() + $7::integer * interval '1 day') on conflict do nothing",
                                                  values, kAtMostOneRow));
  STEELYARD_TRY(const Rows rows,
                transaction.run(std::string("select ") + kTokenColumns + " from steelyard.tokens where id = $1",
                                SqlValues().text(text.id), kOneRow));
  if (added.affected() == 1) {
    STEELYARD_CHECK(write_audit(transaction, {request.who, "token issued", "token:" + text.id,
                                              request.name + (request.project.empty() ? "" : ", project ") +
                                                  request.project + ", until " + rows.text(0, 4)}));
  }
  STEELYARD_CHECK(transaction.commit());
  return token_at(rows, 0);
}

Result<IssuedToken> rotate_token(Session& session, const TokenRotation& rotation, const std::string& secret) {
  STEELYARD_CHECK(check_days(rotation.days));
  if (rotation.grace_hours < 0 || rotation.grace_hours > kMaxGraceHours) {
    return input_error("grace", std::to_string(rotation.grace_hours) + " hours",
                       "0 to " + std::to_string(kMaxGraceHours));
  }
  STEELYARD_TRY(const TokenText text, take_apart_token(secret));
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  const auto read = [&](const std::string& id) -> Result<Rows> {
    return transaction.run(std::string("select ") + kTokenColumns + " from steelyard.tokens where id = $1",
                           SqlValues().text(id), kAtMostOneRow);
  };
  const auto issued = [&](const Rows& made) -> Result<IssuedToken> {
    STEELYARD_TRY(const Rows old, read(rotation.id));
    const bool is_good_yet = old.size() == 1 && rotation.grace_hours > 0;
    return IssuedToken{token_at(made, 0), secret, is_good_yet ? token_at(old, 0).expires_at : ""};
  };
  STEELYARD_TRY(const Rows there, read(text.id));
  if (there.size() == 1) return issued(there);  // the answer to the first try got lost
  // Held until the end: a rotation beside a revocation, or beside another rotation, finds what that left.
  STEELYARD_TRY(const Rows held,
                transaction.run("select 1 from steelyard.tokens where id = $1 and revoked_at is null and "
                                "expires_at > now() for update",
                                SqlValues().text(rotation.id), kAtMostOneRow));
  const Error none = input_error("token:" + rotation.id, "no token that is good now", "the public id of one",
                                 "steelyard serve tokens lists them");
  if (held.size() == 0) return none;
  // Its successor would be one of two, and nobody would miss the one that was lost. No grace is longer than is looked.
  STEELYARD_TRY(const Rows rotated,
                transaction.run("select exists (select from steelyard.audit_trail where action = 'token rotated' and "
                                "subject = $1::text and happened_at > now() - $2::integer * interval '1 hour')",
                                SqlValues().text("token:" + rotation.id).integer(kMaxGraceHours + 1), kOneRow));
  if (rotated.boolean(0, 0)) {
    return input_error("token:" + rotation.id, "one that was rotated, and is good for its grace alone",
                       "the public id of the token that took its place",
                       "steelyard serve tokens lists them; where that one is lost, revoke it and issue another");
  }
  SqlValues values;
  values.text(rotation.id).text(text.id).text(text.hash).text(rotation.who).integer(rotation.days);
  STEELYARD_TRY(const Rows added,
                transaction.run("insert into steelyard.tokens (id, hash, name, project, scopes, issued_by, expires_at) "
                                "select $2, $3, name, project, scopes, $4, now() + $5::integer * interval '1 day' "
                                "from steelyard.tokens where id = $1 and revoked_at is null and expires_at > now()",
                                values, kAtMostOneRow));
  if (added.affected() == 0) return none;
  if (rotation.grace_hours == 0) {
    STEELYARD_CHECK(transaction.run("update steelyard.tokens set revoked_at = now(), revoked_by = $2 where id = $1",
                                    SqlValues().text(rotation.id).text(rotation.who), kAtMostOneRow));
  } else {
    STEELYARD_CHECK(
        transaction.run("update steelyard.tokens set expires_at = least(expires_at, now() + $2::integer * "
                        "interval '1 hour') where id = $1",
                        SqlValues().text(rotation.id).integer(rotation.grace_hours), kAtMostOneRow));
  }
  STEELYARD_CHECK(write_audit(
      transaction, {rotation.who, "token rotated", "token:" + rotation.id,
                    "into token:" + text.id + ", the old one good for " + plural_text(rotation.grace_hours, "hour")}));
  STEELYARD_TRY(const Rows rows, read(text.id));
  STEELYARD_TRY(IssuedToken made, issued(rows));
  STEELYARD_CHECK(transaction.commit());
  return made;
}

Result<std::optional<Token>> find_token(Session& session, const std::string& text) {
  const Result<TokenText> sent = take_apart_token(text);
  if (!sent) return std::optional<Token>();
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows rows, transaction.run(std::string("select hash, ") + kTokenColumns +
                                                     " from steelyard.tokens "
                                                     "where id = $1 and revoked_at is null and expires_at > now()",
                                                 SqlValues().text(sent->id), kAtMostOneRow));
  if (rows.size() == 0 || !equal_in_constant_time(rows.text(0, 0), sent->hash)) return std::optional<Token>();
  return std::optional(token_at(rows, 0, 1));
}

Result<bool> note_token_use(Session& session, const std::string& id) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  // Asked first: reading is the usual case, and takes no number of a transaction.
  STEELYARD_TRY(const Rows known,
                transaction.run("select exists (select from steelyard.token_uses where token = $1 and used_on = "
                                "current_date), has_table_privilege('steelyard.token_uses', 'INSERT')",
                                SqlValues().text(id), kOneRow));
  if (known.boolean(0, 0) || !known.boolean(0, 1)) return false;
  STEELYARD_CHECK(transaction.run("insert into steelyard.token_uses (token) values ($1) on conflict do nothing",
                                  SqlValues().text(id)));
  STEELYARD_CHECK(transaction.commit());
  return true;
}

Result<bool> revoke_token(Session& session, const std::string& id, const std::string& who) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows revoked, transaction.run("update steelyard.tokens set revoked_at = now(), revoked_by = $2 "
                                                    "where id = $1 and revoked_at is null",
                                                    SqlValues().text(id).text(who), kAtMostOneRow));
  if (revoked.affected() == 0) {
    STEELYARD_TRY(const Rows known,
                  transaction.run("select 1 from steelyard.tokens where id = $1", SqlValues().text(id), kAtMostOneRow));
    if (known.size() == 0) return input_error("token:" + id, "no such token", "the public id of one");
    return false;
  }
  STEELYARD_CHECK(write_audit(transaction, {who, "token revoked", "token:" + id, ""}));
  STEELYARD_CHECK(transaction.commit());
  return true;
}

Result<std::vector<Token>> read_tokens(Session& session) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows rows,
                transaction.run("select coalesce((select max(u.used_on)::text from steelyard.token_uses u "
                                "where u.token = t.id), ''), " +
                                    std::string(kTokenColumns) +
                                    " from steelyard.tokens t where revoked_at is null "
                                    "and expires_at > now() order by token_key desc limit $1",
                                SqlValues().integer(kMaxTokens)));
  std::vector<Token> tokens;
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    tokens.push_back(token_at(rows, row, 1));
    tokens.back().last_used = rows.text(row, 0);
  }
  return tokens;
}

}  // namespace steelyard::storage
