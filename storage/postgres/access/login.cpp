#include "storage/postgres/access/login.hpp"

#include <algorithm>

#include "storage/postgres/access/roles.hpp"
#include "storage/postgres/sql/migrations.hpp"

namespace steelyard {
namespace {

// Since PostgreSQL 16 a member may lack the right to take the role on.
constexpr const char* kLook = R"sql(
select current_setting('server_encoding'), session_user::text, current_database()::text,
       array(select rolname::text from pg_roles
             where rolname = any($1::text[])
               and pg_has_role(oid, case when current_setting('server_version_num')::int >= 160000 then 'SET'
                                         else 'MEMBER' end)
             order by 1),
       coalesce(pg_get_userbyid(n.nspowner) = 'steelyard_owner', false),
       coalesce(pg_has_role(n.nspowner, 'MEMBER'), has_database_privilege(current_database(), 'CREATE')),
       exists (select from pg_extension where extname = 'citus'),
       coalesce(obj_description(n.oid, 'pg_namespace'), ''),
       coalesce((select has_schema_privilege(r.oid, n.oid, 'USAGE') from pg_roles r
                 where r.rolname = 'steelyard_writer'), false)
from (select 1) one left join pg_namespace n on n.nspname = 'steelyard'
)sql";

Error may_not_migrate(const Session& session, const Login& login, const MigrationPlan& plan) {
  const std::string newest = std::to_string(plan.missing.back().version);
  return store_error(
      "store " + session.name(),
      "schema version " + std::to_string(plan.version) + ", which login " + login.name + " may not bring to version " +
          newest,
      "an owner of the schema",
      plan.version == 0 ? "have an administrator run: steelyard db init" : "have an owner run: steelyard db migrate");
}

// Rights are given after the migrations, in a transaction of their own, and a restored database has none: whoever was
// killed in between leaves a schema that only its owner may read.
Result<void> bring_up_to_date(Session& session, const Login& login) {
  STEELYARD_TRY(const MigrationPlan plan, plan_migrations(session, known_migrations()));
  if (plan.missing.empty() && (login.rights_given_at == plan.version || !login.may_migrate)) return {};
  if (!login.may_migrate) return may_not_migrate(session, login, plan);
  if (!plan.missing.empty()) {
    const AsOwner owner(session, login);
    STEELYARD_CHECK(migrate(session, known_migrations()));
  }
  // As the login: the owner cannot create roles.
  STEELYARD_CHECK(apply_privileges(session));
  return {};
}

}  // namespace

bool Login::is_in(std::string_view role) const { return std::find(roles.begin(), roles.end(), role) != roles.end(); }

Result<Login> look_at_login(Session& session) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows rows, transaction.run(kLook, SqlValues().texts(all_roles()), kOneRow));
  if (rows.raw(0, 0) != "UTF8") {
    return store_error("store " + session.name(), "a database in encoding " + rows.text(0, 0), "UTF8",
                       "create it with: create database NAME encoding 'UTF8' template template0");
  }
  const int given_at = rows.boolean(0, 8) ? version_of_rights(rows.text(0, 7)) : 0;
  return Login{
      rows.text(0, 1),    rows.text(0, 2), texts_of_array(rows.raw(0, 3)), rows.boolean(0, 4), rows.boolean(0, 5),
      rows.boolean(0, 6), given_at};
}

Result<Login> make_ready(Session& session) {
  STEELYARD_TRY(Login login, look_at_login(session));
  STEELYARD_CHECK(bring_up_to_date(session, login));
  // The first to bring a database up to date has made the roles only now.
  if (login.roles.empty() && login.may_migrate) {
    STEELYARD_TRY(login, look_at_login(session));
  }
  // A distributed store connects to its other servers as whoever we are, and the roles cannot log in.
  if (!login.is_distributed) session.act_as(role_for_work(login.roles));
  return login;
}

AsOwner::AsOwner(Session& session, const Login& login)
    : ActingAs(session, login.owned_by_role && login.is_in(kOwnerRole) ? std::string(kOwnerRole) : "") {}

}  // namespace steelyard
