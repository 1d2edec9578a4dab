// Who may do what in a store. A writer adds runs and comparisons and reads everything, a reader only reads, an owner
// changes the schema and may delete; none of them logs in: logins are their members. Raw facts are append-only by
// privilege: a writer can neither change nor delete them. See docs/operations/access.md.
//
//     STEELYARD_CHECK(apply_privileges(session));     // after migrations, as a login that may
//     session.act_as(role_for_work(login.roles));     // every transaction from here on
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/model/access.hpp"
#include "storage/model/history.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard::storage {

// The embedded store's login for daily work: a writer and nothing more. Made by storage/embedded.
inline constexpr std::string_view kDailyLogin = "steelyard_daily";

std::vector<std::string> all_roles();
// The most that the program needs for its daily work and the login may take on: the writer's, else the reader's; empty:
// the roles are not there, or the login is in none, and acts as itself.
std::string role_for_work(const std::vector<std::string>& roles);

// Tables whose rows a writer may change or delete, since they can be made again from facts. All others are facts.
const std::vector<std::string>& derived_tables();

// Creates those that are missing on the server, where the login may; else nothing. For a backup that names them.
Result<void> create_roles(Session& session);
// Creates the roles where they are missing, gives them their rights on every table, view and function that is there
// now, and the schema to the owner, and limits to projects where there are any, and lets no table take rows of a run
// that was put before. False where the login may not: nothing was changed, and the store works for that login as
// before. Running it again changes nothing.
Result<bool> apply_privileges(Session& session);
// What it notes as the schema's comment: the schema's version that the rights were given for; 0: none is named.
int version_of_rights(std::string_view comment);

// What an administrator runs once where the login may not create roles: SQL, one statement a line.
std::string administrator_sql(std::string_view login, std::string_view database);

// What a session's login is and may do in this database, and the steps from a connection to a session that is ready for
// the store's work: the right encoding, a schema of this program's version, and no more rights than the work needs.

struct Login {
  std::string name;
  std::string database;
  std::vector<std::string> roles;  // of ours, that it may take on; sorted
  bool owned_by_role = false;      // the schema belongs to steelyard_owner
  bool may_migrate = false;        // it may change the schema, or create it where there is none
  bool is_distributed = false;     // the database has Citus
  int rights_given_at = 0;         // the version of the schema whose tables the roles have rights on; 0: none
  bool is_in(std::string_view role) const;
};

// Error (store): the database has another encoding than UTF8.
Result<Login> query_login(Session& session);

// Brings the schema up to date where it is not, as the owner, and takes on the role for daily work. Error (store): the
// login may not bring an older schema up to date.
Result<Login> prepare_session(Session& session);

// For the length of a scope: the owner's role where the login has it, else the login itself. For what deletes facts or
// changes the schema.
class AsOwner : public ActingAs {
 public:
  AsOwner(Session& session, const Login& login);
};

// Who did what to the store: written in the transaction of the act itself, so that there is no act without its row.

Result<void> write_audit(Transaction& transaction, const AuditEntry& entry);
// Newest first.
Result<Page<AuditEntry>> read_audit(Session& session, int limit, const std::string& after);

}  // namespace steelyard::storage
