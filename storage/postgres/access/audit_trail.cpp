#include "storage/postgres/access/audit_trail.hpp"

#include <algorithm>

namespace steelyard {

Result<void> write_audit(Transaction& transaction, const AuditEntry& entry) {
  STEELYARD_CHECK(
      transaction.run("insert into steelyard.audit_trail (who, action, subject, detail) values ($1, $2, $3, $4)",
                      SqlValues().text(entry.who).text(entry.action).text(entry.subject).text(entry.detail), kOneRow));
  return {};
}

Result<std::vector<AuditEntry>> read_audit(Session& session, int limit) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows rows,
                transaction.run("select who, action, subject, detail, "
                                "to_char(happened_at at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'), login "
                                "from steelyard.audit_trail order by audit_key desc limit $1",
                                SqlValues().integer(std::max(limit, 0))));
  std::vector<AuditEntry> entries;
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    entries.push_back({rows.text(row, 0), rows.text(row, 1), rows.text(row, 2), rows.text(row, 3), rows.text(row, 4),
                       rows.text(row, 5)});
  }
  return entries;
}

}  // namespace steelyard
