// Who may use a store, and who did: logins of its server, as readers, writers or owners, of every project or of some;
// tokens of programs; the audit trail. docs/operations/access.md says what each may do.
#pragma once

#include <string>
#include <vector>

namespace steelyard::storage {

enum class Access { reader, writer, owner };

struct AccessGrant {
  std::string login;  // a role of the server
  Access access = Access::reader;
  std::string project{};       // with some_projects: which
  bool some_projects = false;  // false: every project
  bool operator==(const AccessGrant&) const = default;
};

inline constexpr int kMaxTokenDays = 3660;
inline constexpr int kMaxGraceHours = 720;

// A program speaks to the HTTP service with a token. A store knows its public id and the SHA-256 of the whole; the
// token itself is shown once, to whoever asked for it.
struct TokenRequest {
  std::string name;                 // what it is for; not empty
  std::string project;              // the only one it is good for; empty: all
  std::vector<std::string> scopes;  // at least one, of kTokenScopes
  int days = 90;                    // until it expires; 1 to kMaxTokenDays
  std::string who;                  // who asks for it
};
// read: see; submit: put runs; report: say what becomes of alerts; admin: issue and revoke tokens, read the audit
// trail. None of them holds another.
inline constexpr const char* kTokenScopes[] = {"read", "submit", "report", "admin"};

struct Token {
  std::string id;  // public
  std::string name;
  std::string project;
  std::vector<std::string> scopes;
  std::string expires_at;   // ISO 8601, UTC
  std::string last_used{};  // day, "2026-12-31"; empty: never. Filled by reading the list
};

struct IssuedToken {
  Token token;
  std::string secret;            // the whole of what the program sends: "steelyard_ID_RANDOM"; never kept, never logged
  std::string old_expires_at{};  // of a rotation: until when the old one is good; empty: no more
};

// A new token in the place of one, with its name, project and scopes; the old one is good for so long yet.
struct TokenRotation {
  std::string id;  // public, of the old one
  int days = 90;   // until the new one expires; 1 to kMaxTokenDays
  int grace_hours =
      0;            // of the old one; 0: it is revoked at once; at most kMaxGraceHours, and never longer than it was
  std::string who;  // who asks for it
};

// One line of the audit trail: what was done to a store, and by whom.
struct AuditEntry {
  std::string who;      // the person, as the program knows them
  std::string action;   // "alert accepted", "token issued", "samples pruned", ...
  std::string subject;  // "alert:ID", "token:ID", ...
  std::string detail;   // the rest in words; no secrets
  std::string at{};     // ISO 8601, UTC, by the server's clock; filled by reading
  std::string login{};  // of the database session; filled by reading
};

// What a run in the store counts as.
struct RunOrigin {
  std::string branch;
  bool of_request = false;
};

// A comparison that came by the service.
struct ComparisonSubmission {
  AuditEntry note;          // written in the transaction that puts it
  bool of_request = false;  // it comes of a pull or merge request, and is no branch's, whatever it says
  bool may_accept = false;  // its policy's tables accept alerts, in their names and the sender's
};

}  // namespace steelyard::storage
