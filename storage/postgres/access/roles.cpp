#include "storage/postgres/access/roles.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>

#include "bench/model/text.hpp"
#include "storage/postgres/access/project_rights.hpp"
#include "storage/postgres/session/cursor.hpp"
#include "storage/postgres/session/sql_fields.hpp"
#include "storage/postgres/sql/migrations.hpp"

namespace steelyard::storage {
namespace {

// Not to be taken for the lock of the migrations: this is the number after the partitions' own.
constexpr const char* kRolesLock = "select pg_advisory_xact_lock(8319395793567867252)";

// So that the next one sees whether these steps were taken for the schema as it is.
constexpr std::string_view kNoteWords = "Rights as of schema version ";
constexpr const char* kNote = R"sql(
do $$ begin
  execute format('comment on schema steelyard is %L',
                 'Rights as of schema version ' || (select max(version) from steelyard.schema_migrations));
end $$
)sql";

// Whether the login may do what follows: be or become the owner, make what is missing of the roles, and give the schema
// away. Since PostgreSQL 16 who may create roles may grant only those that it has created.
constexpr const char* kMayApply = R"sql(
select me.rolsuper
    or ((have.roles = 5 or me.rolcreaterole)
        and (have.member or (me.rolcreaterole and (have.roles = 0 or have.grantable
                                                   or current_setting('server_version_num')::int < 160000)))
        and pg_has_role((select nspowner from pg_namespace where nspname = 'steelyard'), 'USAGE')
        and has_database_privilege(current_database(), 'CREATE'))
from pg_roles me,
     (select count(*) as roles,
             coalesce(bool_and(pg_has_role(oid, 'MEMBER')) filter (where rolname = 'steelyard_owner'), false) as member,
             coalesce(bool_and(pg_has_role(oid, 'MEMBER WITH ADMIN OPTION'))
                      filter (where rolname = 'steelyard_owner'), false) as grantable
      from pg_roles where rolname = any($1::text[])) have
where me.rolname = session_user
)sql";

constexpr const char* kCreateRoles = R"sql(
do $$
declare
  role text;
begin
  foreach role in array array['steelyard_reader', 'steelyard_writer', 'steelyard_owner', 'steelyard_project_reader',
                              'steelyard_project_writer'] loop
    if not exists (select from pg_roles where rolname = role) then
      begin
        execute format('create role %I nologin', role);
      exception when duplicate_object or unique_violation then
        null;  -- another database of the same server was first
      end;
    end if;
  end loop;
end
$$
)sql";

constexpr const char* kJoinRoles = R"sql(
do $$
begin
  if not pg_has_role(session_user, 'steelyard_owner', 'MEMBER') then
    execute format('grant steelyard_owner to %I', session_user);
  end if;
  if not pg_has_role(session_user, 'steelyard_writer', 'MEMBER') then
    execute format('grant steelyard_writer to %I', session_user);
  end if;
end
$$
)sql";

// A run takes rows in the transaction that puts it and never again, whoever writes; verdicts on its targets come later,
// once. The shards of a distributed store cannot ask other tables. Of the statement and not of each row: a run's
// measurements come in one.
constexpr const char* kHoldRuns = R"sql(
do $hold$
declare
  one record;
begin
  if to_regclass('pg_catalog.pg_dist_partition') is not null then return; end if;
  execute $function$
    create or replace function steelyard.check_run_is_new() returns trigger
    language plpgsql set search_path = pg_catalog, pg_temp as $$
    declare
      one record;
    begin
      -- Each run by its own key: a join of new_rows with a large table may be planned as a scan of it.
      for one in select distinct run_key from new_rows loop
        if tg_table_name = 'target_verdicts' then
          perform from steelyard.target_verdicts t
            where t.run_key = one.run_key and t.xmin <> pg_current_xact_id()::xid limit 1;
          continue when not found;
        else
          perform from steelyard.runs r where r.run_key = one.run_key and r.xmin = pg_current_xact_id()::xid;
          continue when found;
        end if;
        raise exception 'run_key % of a new row for relation "%" takes no more rows', one.run_key, tg_table_name
          using errcode = 'check_violation', table = tg_table_name, schema = 'steelyard',
                hint = 'what was measured is put with its run, in one transaction';
      end loop;
      return null;
    end
    $$;
  $function$;
  comment on function steelyard.check_run_is_new is
    'Refuses rows of a run that another transaction put; of verdicts on its targets, after another put some.';
  for one in select c.oid::regclass as name from pg_class c
             join pg_attribute a on a.attrelid = c.oid and a.attname = 'run_key' and not a.attisdropped
             where c.relnamespace = 'steelyard'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
               and c.relname <> 'runs'
               and not exists (select from pg_trigger t where t.tgrelid = c.oid and t.tgname = 'run_check') loop
    execute format('create trigger run_check after insert on %s referencing new table as new_rows '
                   'for each statement execute function steelyard.check_run_is_new()', one.name);
  end loop;
end
$hold$
)sql";

// The owner owns what is there, whoever made it. Indexes, identity sequences and row types go with their tables.
constexpr const char* kOwn = R"sql(
do $$
declare
  one record;
begin
  execute format('grant create on database %I to steelyard_owner', current_database());
  if (select nspowner <> 'steelyard_owner'::regrole from pg_namespace where nspname = 'steelyard') then
    alter schema steelyard owner to steelyard_owner;
  end if;
  for one in select c.oid::regclass as name, c.relkind from pg_class c
             where c.relnamespace = 'steelyard'::regnamespace and c.relkind in ('r', 'p', 'v', 'm')
               and c.relowner <> 'steelyard_owner'::regrole loop
    execute format('alter %s %s owner to steelyard_owner',
                   case one.relkind when 'v' then 'view' when 'm' then 'materialized view' else 'table' end, one.name);
  end loop;
  for one in select p.oid::regprocedure as name from pg_proc p
             where p.pronamespace = 'steelyard'::regnamespace and p.proowner <> 'steelyard_owner'::regrole loop
    execute format('alter function %s owner to steelyard_owner', one.name);
  end loop;
end
$$
)sql";

// Derived rows are the program's to change; everything else is a fact: it is added and never changed. Partitions are
// reached through their table and need no rights of their own. What the server numbers nobody else does: the last
// number, once written, leaves none for the rows of others. The shards of a distributed store know no rights to
// columns.
constexpr const char* kGrant = R"sql(
do $$
declare
  one record;
begin
  grant usage on schema steelyard to steelyard_reader, steelyard_writer;
  for one in select c.oid::regclass as name, c.relname::text as plain, c.relkind,
                    (select '(' || string_agg(quote_ident(a.attname), ', ') filter (where a.attidentity = '') || ')'
                     from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
                     having bool_or(a.attidentity <> '')
                        and to_regclass('pg_catalog.pg_dist_partition') is null) as columns
             from pg_class c
             where c.relnamespace = 'steelyard'::regnamespace and c.relkind in ('r', 'p', 'v', 'm')
               and not c.relispartition loop
    execute format('grant select on %s to steelyard_writer', one.name);
    if one.plain = any('{tokens}'::text[]) then
      execute format('revoke all on %s from steelyard_reader', one.name);
    else
      execute format('grant select on %s to steelyard_reader', one.name);
    end if;
    continue when one.relkind in ('v', 'm');
    if one.plain = any($owners$%OWNERS%$owners$::text[]) then
      execute format('revoke insert, update, delete, truncate on %s from steelyard_writer', one.name);
      continue;
    end if;
    execute format('revoke insert on %s from steelyard_writer', one.name);
    execute format('grant insert %s on %s to steelyard_writer',
                   -- When, and by which login, the server says itself.
                   case one.plain when 'audit_trail' then '(who, action, subject, detail)' else one.columns end,
                   one.name);
    if one.plain = any($derived$%DERIVED%$derived$::text[]) then
      execute format('grant update, delete on %s to steelyard_writer', one.name);
    else
      execute format('revoke update, delete, truncate on %s from steelyard_writer', one.name);
    end if;
  end loop;
  for one in select p.oid::regprocedure as name, p.proname::text as plain from pg_proc p
             where p.pronamespace = 'steelyard'::regnamespace and p.prosecdef loop
    execute format('revoke execute on function %s from public, steelyard_writer, steelyard_project_writer', one.name);
    if one.plain = any($writers${close_small_partition,ensure_partitions}$writers$::text[]) then
      execute format('grant execute on function %s to steelyard_writer', one.name);
    end if;
  end loop;
end
$$
)sql";

// What only an owner may write: who may make a token may do everything that tokens allow, and what is said to be
// dropped is no longer looked for.
constexpr const char* kOwners = "{schema_migrations,project_grants,tokens,prunings}";

std::string with_lists(std::string script) {
  const auto put = [&script](std::string_view mark, const std::string& list) {
    script.replace(script.find(mark), mark.size(), list);
  };
  const std::string derived = joined_text(derived_tables(), ",");
  put("%OWNERS%", kOwners);
  put("%DERIVED%", '{' + derived + '}');
  return script;
}

}  // namespace

std::vector<std::string> all_roles() {
  std::vector<std::string> names;
  for (const std::string_view role : {kReaderRole, kWriterRole, kOwnerRole, kProjectReaderRole, kProjectWriterRole}) {
    names.emplace_back(role);
  }
  return names;
}

const std::vector<std::string>& derived_tables() {
  static const std::vector<std::string> tables{"alert_life", "alert_states",  "branch_positions",
                                               "branches",   "change_points", "derivations"};
  return tables;
}

std::string role_for_work(const std::vector<std::string>& roles) {
  for (const std::string_view role : {kWriterRole, kProjectWriterRole, kReaderRole, kProjectReaderRole}) {
    if (std::find(roles.begin(), roles.end(), role) != roles.end()) return std::string(role);
  }
  return "";
}

int version_of_rights(std::string_view comment) {
  int version = 0;
  if (comment.starts_with(kNoteWords)) {
    std::from_chars(comment.data() + kNoteWords.size(), comment.data() + comment.size(), version);
  }
  return version;
}

Result<void> create_roles(Session& session) {
  const ActingAs login(session, "");
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_CHECK(transaction.run(kRolesLock));
  STEELYARD_TRY(
      const Rows may,
      transaction.run("select rolsuper or rolcreaterole from pg_roles where rolname = session_user", {}, kOneRow));
  if (!may.boolean(0, 0)) return {};
  STEELYARD_CHECK(transaction.run_script(kCreateRoles));
  return transaction.commit();
}

Result<bool> apply_privileges(Session& session) {
  const ActingAs login(session, "");
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_CHECK(transaction.run(kRolesLock));
  STEELYARD_TRY(const Rows may, transaction.run(kMayApply, SqlValues().texts(all_roles()), kOneRow));
  if (!may.boolean(0, 0)) return false;
  STEELYARD_CHECK(transaction.run_script(kCreateRoles));
  STEELYARD_CHECK(transaction.run_script(kJoinRoles));
  STEELYARD_CHECK(transaction.run_script(kHoldRuns));
  STEELYARD_CHECK(transaction.run_script(kOwn));
  STEELYARD_CHECK(transaction.run_script(with_lists(kGrant)));
  // Before the note: who is cut off here begins anew.
  STEELYARD_CHECK(renew_project_limits(transaction));
  STEELYARD_CHECK(transaction.run_script(kNote));
  STEELYARD_CHECK(transaction.commit());
  return true;
}

std::string administrator_sql(std::string_view login, std::string_view database) {
  const std::string to(login);
  std::string sql;
  for (const std::string& role : all_roles()) sql += "create role " + role + " nologin;\n";
  sql += "grant steelyard_owner, steelyard_writer to " + to + ";\n";
  return sql + "grant create on database " + std::string(database) + " to " + to + ";\n";
}

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

Result<Login> query_login(Session& session) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows rows, transaction.run(kLook, SqlValues().texts(all_roles()), kOneRow));
  if (rows.raw(0, 0) != "UTF8") {
    return store_error("store " + session.name(), "a database in encoding " + rows.text(0, 0), "UTF8",
                       "create it with: create database NAME encoding 'UTF8' template template0");
  }
  Login login;
  std::string rights;
  bool has_writer = false;
  read_in_order(rows, 0, 1, login.name, login.database, login.roles, login.owned_by_role, login.may_migrate,
                login.is_distributed, rights, has_writer);
  if (has_writer) login.rights_given_at = version_of_rights(rights);
  return login;
}

Result<Login> prepare_session(Session& session) {
  STEELYARD_TRY(Login login, query_login(session));
  STEELYARD_CHECK(bring_up_to_date(session, login));
  // The first to bring a database up to date has made the roles only now.
  if (login.roles.empty() && login.may_migrate) {
    STEELYARD_TRY(login, query_login(session));
  }
  // A distributed store connects to its other servers as whoever we are, and the roles cannot log in.
  if (!login.is_distributed) session.act_as(role_for_work(login.roles));
  return login;
}

AsOwner::AsOwner(Session& session, const Login& login)
    : ActingAs(session, login.owned_by_role && login.is_in(kOwnerRole) ? std::string(kOwnerRole) : "") {}

Result<void> write_audit(Transaction& transaction, const AuditEntry& entry) {
  STEELYARD_CHECK(
      transaction.run("insert into steelyard.audit_trail (who, action, subject, detail) values ($1, $2, $3, $4)",
                      SqlValues().text(entry.who).text(entry.action).text(entry.subject).text(entry.detail), kOneRow));
  return {};
}

Result<Page<AuditEntry>> read_audit(Session& session, int limit, const std::string& after) {
  constexpr std::string_view kKind = "audit";
  std::int64_t before = std::numeric_limits<std::int64_t>::max();
  if (!after.empty()) {
    STEELYARD_TRY(const std::vector<std::string> place, read_cursor(kKind, 1, after));
    STEELYARD_TRY(before, number_of_cursor(place[0]));
  }
  const std::int64_t most = std::max(limit, 0);
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows rows,
                transaction.run("select audit_key, who, action, subject, detail, "
                                "to_char(happened_at at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'), login "
                                "from steelyard.audit_trail where audit_key < $2 "
                                "order by audit_key desc limit $1",
                                SqlValues().integer(most + 1).integer(before)));
  Page<AuditEntry> page;
  for (std::int64_t row = 0; row < std::min(rows.size(), most); ++row) {
    AuditEntry& entry = page.items.emplace_back();
    read_in_order(rows, row, 1, entry.who, entry.action, entry.subject, entry.detail, entry.at, entry.login);
  }
  if (rows.size() > most && most > 0) page.next = write_cursor(kKind, {rows.text(most - 1, 0)});
  return page;
}

}  // namespace steelyard::storage
