// One line of the audit trail: what was done to a store, and by whom.
#pragma once

#include <string>

namespace steelyard {

struct AuditEntry {
  std::string who;      // the person, as the program knows them
  std::string action;   // "alert accepted", "token issued", "samples pruned", ...
  std::string subject;  // "alert:ID", "token:ID", ...
  std::string detail;   // the rest in words; no secrets
  std::string at{};     // ISO 8601, UTC, by the server's clock; filled by reading
  std::string login{};  // of the database session; likewise
};

}  // namespace steelyard
