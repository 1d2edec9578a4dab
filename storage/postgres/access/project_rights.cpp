#include "storage/postgres/access/project_rights.hpp"

#include <algorithm>

#include "bench/model/text.hpp"
#include "storage/postgres/access/roles.hpp"
#include "storage/postgres/distributed/distribute.hpp"
#include "storage/postgres/session/sql_values.hpp"

namespace steelyard::storage {
namespace {

// Views answer as whoever asks only since then.
constexpr int kFirstServerVersion = 150000;

// A table's rows belong to a project by the first of these columns that it has: what follows is true of the rows that
// may be seen (parent: the table that is asked). One subquery for a query, or a probe of an index for a row, whichever
// is cheaper. A row that is written must be of the writer's projects by all of them: one key of another project would
// put it there.
constexpr const char* kRules = R"sql(
  select * from (values
    (1, 'project_key', '', 'project_key = any ((select steelyard.my_projects())::integer[])'),
    (3, 'series_key', 'series', 'exists (select from steelyard.series s where s.series_key = %1$s.series_key)'),
    (4, 'run_key', 'runs', 'exists (select from steelyard.runs r where r.run_key = %1$s.run_key)'),
    (5, 'comparison_key', 'comparisons',
     'exists (select from steelyard.comparisons c where c.comparison_key = %1$s.comparison_key)'),
    (6, 'change_point_key', 'change_points',
     'exists (select from steelyard.change_points c where c.change_point_key = %1$s.change_point_key)'),
    (2, 'project', 'projects', 'exists (select from steelyard.projects p where p.name = %1$s.project collate "C")'),
    (7, 'alert', 'alert_states', 'exists (select from steelyard.alert_states a where a.alert = %1$s.alert)')
  ) as r(rank, name, parent, visible)
)sql";

// Names in these are of many projects. Readers see those of their projects' runs; a writer has to find any, by its
// hash.
constexpr const char* kNamed = R"sql(
  select * from (values
    ('benchmarks', 'exists (select from steelyard.series s where s.benchmark_key = benchmarks.benchmark_key)'),
    ('calibrations',
     'exists (select from steelyard.comparisons c where c.calibration_key = calibrations.calibration_key)'),
    ('targets', 'exists (select from steelyard.target_verdicts v where v.target_key = targets.target_key)'),
    ('commits', 'exists (select from steelyard.runs r where r.commit_key = commits.commit_key)')
  ) as n(name, visible)
)sql";

// Nobody's secret: hashes, units, machines and code. Everything that is not here and has no rule stays closed.
constexpr const char* kShared =
    "{schema_migrations,derivations,environments,metrics,functions,origins,count_bases,calibrations,benchmarks,"
    "commits,targets}";

// A run has what it was put with: these take rows of a run in the transaction that puts it, and never again.
constexpr const char* kOfARun = "{invocations,measurements,profiles,failures}";

constexpr const char* kLimit = R"sql(
do $$
declare
  one record;
  columns text;
  roles constant text := 'steelyard_project_reader, steelyard_project_writer';
begin
  execute 'grant usage on schema steelyard to ' || roles;
  -- A token is good beyond one project.
  execute 'revoke all on steelyard.tokens from ' || roles;
  execute 'revoke insert on steelyard.audit_trail from steelyard_project_writer';
  execute 'grant insert (who, action, subject, detail) on steelyard.audit_trail to steelyard_project_writer';
  for one in
    select c.relname::text as plain, c.oid::regclass as name,
           case when not c.relname = any('%SHARED%'::text[]) then
             (select format(r.visible, c.relname) from (%RULES%) r
              join pg_attribute a on a.attrelid = c.oid and a.attname = r.name and not a.attisdropped
              -- A comparison is its candidate's project's, whatever its baseline is of.
              where c.relname <> 'comparison_sides' or r.name <> 'project'
              order by r.rank limit 1) end as visible,
           (select string_agg(format(r.visible, c.relname), ' and ' order by r.rank) from (%RULES%) r
            join pg_attribute a on a.attrelid = c.oid and a.attname = r.name and not a.attisdropped
            -- Its own key is no other table's to answer for.
            where r.parent <> c.relname and (c.relname <> 'comparison_sides' or r.name <> 'project'))
           || case when c.relname = any('%OF_A_RUN%'::text[]) then
                format(' and exists (select from steelyard.runs n where n.run_key = %s.run_key'
                       ' and n.xmin = pg_current_xact_id()::xid)', c.relname) else '' end as writable,
           (select n.visible from (%NAMED%) n where n.name = c.relname) as named,
           c.relname = any('%SHARED%'::text[]) as shared
    from pg_class c
    where c.relnamespace = 'steelyard'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname not in ('project_grants', 'tokens') loop
    execute format('drop policy if exists of_my_projects on %s', one.name);
    execute format('drop policy if exists any_to_write on %s', one.name);
    execute format('drop policy if exists of_every_project on %s', one.name);
    continue when one.visible is null and not one.shared;
    -- A member does not inherit bypassrls: who asks in SQL, without taking the role on, needs this.
    if one.visible is not null or one.named is not null then
      execute format('create policy of_every_project on %s to steelyard_reader, steelyard_writer using (true)',
                     one.name);
    end if;
    if one.visible is not null then
      execute format('alter table %s enable row level security', one.name);
      execute format('create policy of_my_projects on %s to %s using (%s) with check (%s)', one.name, roles,
                     one.visible, one.writable);
    elsif one.named is not null then
      execute format('alter table %s enable row level security', one.name);
      execute format('create policy of_my_projects on %s to steelyard_project_reader using (%s)', one.name, one.named);
      execute format('create policy any_to_write on %s to steelyard_project_writer using (true)', one.name);
    end if;
    execute format('grant select on %s to %s', one.name, roles);
    execute format('revoke insert, update, delete, truncate on %s from steelyard_project_writer', one.name);
    -- What was derived for the whole store, only who sees all of it may say.
    continue when one.plain = 'derivations';
    select '(' || string_agg(quote_ident(a.attname), ', ') || ')' into columns
    from pg_attribute a where a.attrelid = one.name and a.attnum > 0 and not a.attisdropped
      and has_column_privilege('steelyard_writer', one.name, a.attnum, 'INSERT');
    if columns is not null then
      execute format('grant insert %s on %s to steelyard_project_writer', columns, one.name);
    end if;
    if has_table_privilege('steelyard_writer', one.name, 'UPDATE') then
      execute format('grant update, delete on %s to steelyard_project_writer', one.name);
    end if;
  end loop;
  for one in select c.oid::regclass as name from pg_class c
             where c.relnamespace = 'steelyard'::regnamespace and c.relkind = 'v' loop
    execute format('alter view %s set (security_invoker = true)', one.name);
    execute format('grant select on %s to %s', one.name, roles);
  end loop;
  execute 'grant execute on function steelyard.my_projects() to ' || roles;
  execute 'grant execute on function steelyard.ensure_partitions(integer) to steelyard_project_writer';
end
$$
)sql";

// Who sees everything may see less: the service does, for a token of one project. Where the login may not arrange it, a
// superuser does it once.
constexpr const char* kJoinProjectRoles = R"sql(
do $$
begin
  if not pg_has_role('steelyard_writer', 'steelyard_project_writer', 'MEMBER') then
    grant steelyard_project_reader, steelyard_project_writer to steelyard_writer;
  end if;
  if not pg_has_role('steelyard_reader', 'steelyard_project_reader', 'MEMBER') then
    grant steelyard_project_reader to steelyard_reader;
  end if;
exception when insufficient_privilege then
  null;
end
$$
)sql";

constexpr const char* kAreLimited =
    "select coalesce((select relrowsecurity from pg_class where oid = to_regclass('steelyard.runs')), false)";

// That, and that who sees everything may see less.
constexpr const char* kMayBeLimited =
    "select coalesce((select relrowsecurity from pg_class where oid = to_regclass('steelyard.runs')), false) "
    "and exists (select from pg_roles w, pg_roles p where w.rolname = 'steelyard_writer' "
    "and p.rolname = 'steelyard_project_writer' and pg_has_role(w.oid, p.oid, 'MEMBER'))";

std::string filled(std::string script) {
  const auto put = [&script](std::string_view mark, std::string_view text) {
    for (std::size_t at = 0; (at = script.find(mark, at)) != std::string::npos; at += text.size()) {
      script.replace(at, mark.size(), text);
    }
  };
  put("%SHARED%", kShared);
  put("%RULES%", kRules);
  put("%OF_A_RUN%", kOfARun);
  put("%NAMED%", kNamed);
  return script;
}

std::string_view role_of(const AccessGrant& grant) {
  if (grant.access == Access::owner) return kOwnerRole;
  const bool writes = grant.access == Access::writer;
  if (grant.some_projects) return writes ? kProjectWriterRole : kProjectReaderRole;
  return writes ? kWriterRole : kReaderRole;
}

// Roles of ours that `login` is a member of.
Result<std::vector<std::string>> roles_of(Transaction& transaction, const std::string& login) {
  STEELYARD_TRY(
      const Rows rows,
      transaction.run("select r.rolname::text from pg_roles r join pg_auth_members m on m.roleid = r.oid "
                      "join pg_roles l on l.oid = m.member where l.rolname = $1 and r.rolname = any($2::text[])",
                      SqlValues().text(login).texts(all_roles())));
  return rows.texts(0);
}

// Who gave `role` to `login`: since PostgreSQL 16 a statement takes away what one grantor gave, and succeeds where that
// is nothing. Empty before that, where it takes away whatever anybody gave.
Result<std::vector<std::string>> grantors_of(Transaction& transaction, const std::string& login,
                                             const std::string& role) {
  STEELYARD_TRY(
      const Rows rows,
      transaction.run("select distinct g.rolname::text from pg_auth_members m join pg_roles r on r.oid = m.roleid "
                      "join pg_roles l on l.oid = m.member join pg_roles g on g.oid = m.grantor "
                      "where l.rolname = $1 and r.rolname = $2 "
                      "and current_setting('server_version_num')::int >= 160000 order by 1",
                      SqlValues().text(login).text(role)));
  return rows.texts(0);
}

Result<void> take_role(Transaction& transaction, const std::string& login, const std::string& role) {
  const std::string revoke = "revoke " + role + " from " + quoted_name(login);
  STEELYARD_TRY(const std::vector<std::string> grantors, grantors_of(transaction, login, role));
  if (grantors.empty()) STEELYARD_CHECK(transaction.run(revoke));
  for (const std::string& grantor : grantors) {
    STEELYARD_CHECK(transaction.run(revoke + " granted by " + quoted_name(grantor)));
  }
  STEELYARD_TRY(const std::vector<std::string> left, roles_of(transaction, login));
  if (std::find(left.begin(), left.end(), role) == left.end()) return {};
  return store_error("steelyard db grant " + login + " --revoke", login + " in " + role + " as before",
                     "a login without that role", "have whoever gave it, or a superuser, run: " + revoke);
}

// Who did it is the login, which the server notes itself.
Result<void> note_given(Transaction& transaction, const AccessGrant& grant) {
  std::string detail(grant.access == Access::owner ? "owner" : grant.access == Access::writer ? "writer" : "reader");
  detail += grant.some_projects ? " to project " + grant.project : " to every project";
  return write_audit(transaction, {"", "access given", "login:" + grant.login, detail});
}

// projects: that the login could see; of one that could see every project there are none.
Result<void> note_taken(Transaction& transaction, const std::string& login, const std::vector<std::string>& projects) {
  const std::string detail = projects.empty() ? "access to every project"
                                              : "access to project " + some_joined(projects, 20, ", project ", " and ");
  return write_audit(transaction, {"", "access taken away", "login:" + login, detail});
}

bool has_role(const std::vector<std::string>& roles, std::string_view role) {
  return std::find(roles.begin(), roles.end(), role) != roles.end();
}

Result<void> check_login(Transaction& transaction, const std::string& login) {
  STEELYARD_TRY(const Rows rows, transaction.run("select rolsuper from pg_roles where rolname = $1",
                                                 SqlValues().text(login), kAtMostOneRow));
  if (rows.size() == 0) {
    return input_error("steelyard db grant", "no login " + login + " on the server", "one that is there",
                       "have an administrator run: create role " + quoted_name(login) + " login");
  }
  if (!rows.boolean(0, 0)) return {};
  return input_error("steelyard db grant", login + ", a superuser", "a login with fewer rights",
                     "a superuser may do everything already, and nothing can limit it");
}

// One login sees either every project or some, and reads or writes all that it sees.
Result<void> check_no_other(const AccessGrant& grant, const std::vector<std::string>& roles) {
  for (const std::string& role : roles) {
    const bool of_projects = role == kProjectReaderRole || role == kProjectWriterRole;
    if (of_projects == grant.some_projects && (!of_projects || role == role_of(grant))) continue;
    return input_error("steelyard db grant", grant.login + ", which is in " + role + " already",
                       "one kind of access for one login",
                       "take that away first: steelyard db grant " + grant.login + " --revoke");
  }
  return {};
}

// Limits work on one server of a version that has what they need.
Result<void> check_server(Transaction& transaction) {
  STEELYARD_TRY(const Rows rows,
                transaction.run("select current_setting('server_version_num')::int, current_setting('server_version')",
                                {}, kOneRow));
  if (rows.integer(0, 0) < kFirstServerVersion) {
    return input_error("steelyard db grant --project", "a server of PostgreSQL " + rows.text(0, 1), "15 or newer",
                       "upgrade the server, or give the project a database of its own");
  }
  // Asked for now: it may have become one since we logged in.
  STEELYARD_TRY(const bool distributed, is_distributed(transaction));
  if (!distributed) return {};
  return input_error("steelyard db grant --project", "a distributed store", "a store on one server",
                     "give the project a database of its own: Citus has no policies with subqueries");
}

Result<void> limit_projects(Transaction& transaction) {
  // Roles that see everything bypass policies: COPY does not work through policies, and they cost nothing then.
  STEELYARD_TRY(const Rows bypassing,
                transaction.run("select bool_and(rolbypassrls) from pg_roles where rolname = any($1::text[])",
                                SqlValues().texts({std::string(kReaderRole), std::string(kWriterRole)}), kOneRow));
  if (!bypassing.boolean(0, 0)) {
    STEELYARD_CHECK(
        transaction.run_script("alter role steelyard_reader bypassrls; alter role steelyard_writer bypassrls"));
  }
  STEELYARD_CHECK(transaction.run_script(kJoinProjectRoles));
  return transaction.run_script(filled(kLimit));
}

// Of a row in steelyard.projects there is one.
Result<void> ensure_project(Transaction& transaction, const std::string& project) {
  STEELYARD_CHECK(transaction.run("insert into steelyard.projects (name) values ($1) on conflict (name) do nothing",
                                  SqlValues().text(project)));
  return {};
}

Result<bool> add_project(Transaction& transaction, const AccessGrant& grant) {
  STEELYARD_CHECK(ensure_project(transaction, grant.project));
  STEELYARD_TRY(
      const Rows added,
      transaction.run("insert into steelyard.project_grants (login, project_key) select $1::text, project_key "
                      "from steelyard.projects where name = $2::text on conflict do nothing",
                      SqlValues().text(grant.login).text(grant.project), kAtMostOneRow));
  return added.affected() == 1;
}

}  // namespace

Result<bool> grant_access(Session& session, const Login& login, const AccessGrant& grant) {
  if (grant.some_projects && grant.access == Access::owner) {
    return input_error("steelyard db grant --as owner", "--project", "an owner of every project",
                       "an owner changes the schema; leave --project out, or give reader or writer");
  }
  STEELYARD_TRY(const bool has_roles, apply_privileges(session));
  if (!has_roles && login.roles.empty()) {
    return store_error("store " + session.name(), "no roles to give, and login " + login.name + " may not create them",
                       "a login that may create roles",
                       "have an administrator run: " + administrator_sql(login.name, login.database));
  }
  const ActingAs itself(session, "");
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_CHECK(check_login(transaction, grant.login));
  STEELYARD_TRY(const std::vector<std::string> roles, roles_of(transaction, grant.login));
  STEELYARD_CHECK(check_no_other(grant, roles));
  bool is_new = !has_role(roles, role_of(grant));
  if (grant.some_projects) {
    STEELYARD_CHECK(check_server(transaction));
    STEELYARD_CHECK(limit_projects(transaction));
    STEELYARD_TRY(const bool added, add_project(transaction, grant));
    is_new = is_new || added;
  }
  STEELYARD_CHECK(transaction.run("grant " + std::string(role_of(grant)) + " to " + quoted_name(grant.login)));
  if (is_new) STEELYARD_CHECK(note_given(transaction, grant));
  STEELYARD_CHECK(transaction.commit());
  return is_new;
}

Result<bool> revoke_access(Session& session, const AccessGrant& grant) {
  const ActingAs itself(session, "");
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const std::vector<std::string> roles, roles_of(transaction, grant.login));
  const SqlValues both = SqlValues().text(grant.login).text(grant.project);
  STEELYARD_TRY(const Rows gone,
                transaction.run("delete from steelyard.project_grants g using steelyard.projects p "
                                "where p.project_key = g.project_key and g.login = $1" +
                                    std::string(grant.some_projects ? " and p.name = $2" : "") + " returning p.name",
                                grant.some_projects ? both : SqlValues().text(grant.login)));
  STEELYARD_TRY(const Rows left, transaction.run("select count(*) from steelyard.project_grants where login = $1",
                                                 SqlValues().text(grant.login), kOneRow));
  std::vector<std::string> projects = gone.texts(0);
  std::sort(projects.begin(), projects.end());
  if (projects.empty() && grant.some_projects) projects.push_back(grant.project);
  bool changed = gone.affected() > 0;
  for (const std::string& role : roles) {
    const bool of_projects = role == kProjectReaderRole || role == kProjectWriterRole;
    if (of_projects ? left.integer(0, 0) > 0 : grant.some_projects) continue;
    STEELYARD_CHECK(take_role(transaction, grant.login, role));
    changed = true;
  }
  if (changed) STEELYARD_CHECK(note_taken(transaction, grant.login, projects));
  STEELYARD_CHECK(transaction.commit());
  return changed;
}

Result<std::vector<AccessGrant>> list_access(Session& session, const Login& login) {
  const AsOwner owner(session, login);
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows rows,
                transaction.run("select l.rolname::text, r.rolname::text, p.name from pg_auth_members m "
                                "join pg_roles r on r.oid = m.roleid join pg_roles l on l.oid = m.member "
                                "left join steelyard.project_grants g "
                                "on g.login = l.rolname and r.rolname like 'steelyard\\_project\\_%' "
                                "left join steelyard.projects p on p.project_key = g.project_key "
                                "where r.rolname = any($1::text[]) and not l.rolsuper and l.rolname <> $2 "
                                "and not l.rolname = any($1::text[]) "
                                "order by 1, 2, 3",
                                SqlValues().texts(all_roles()).text(kDailyLogin)));
  std::vector<AccessGrant> grants;
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    const std::string role = rows.text(row, 1);
    const bool of_projects = role == kProjectReaderRole || role == kProjectWriterRole;
    // A role of projects without one: of another database of the same server.
    if (of_projects && rows.is_null(row, 2)) continue;
    const Access access = role == kOwnerRole                                  ? Access::owner
                          : role == kWriterRole || role == kProjectWriterRole ? Access::writer
                                                                              : Access::reader;
    grants.push_back({rows.text(row, 0), access, of_projects ? rows.text(row, 2) : "", of_projects});
  }
  return grants;
}

Result<void> prepare_limits_to(Session& session, const std::string& project) {
  const ActingAs itself(session, "");
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_CHECK(check_server(transaction));
  // Once: it locks every table, and waits for everybody who reads one.
  STEELYARD_TRY(const Rows ready, transaction.run(kMayBeLimited, {}, kOneRow));
  if (!ready.boolean(0, 0)) STEELYARD_CHECK(limit_projects(transaction));
  STEELYARD_CHECK(ensure_project(transaction, project));
  return transaction.commit();
}

Result<void> check_limits(Session& session) {
  STEELYARD_TRY(Transaction transaction, Transaction::begin(session));
  STEELYARD_TRY(const Rows limited, transaction.run(kAreLimited, {}, kOneRow));
  STEELYARD_TRY(
      const Rows member,
      transaction.run("select coalesce(bool_and(pg_has_role(session_user, oid, 'MEMBER')), false) from "
                      "pg_roles where rolname = any($1::text[])",
                      SqlValues().texts({std::string(kProjectReaderRole), std::string(kProjectWriterRole)}), kOneRow));
  if (limited.boolean(0, 0) && member.boolean(0, 0)) return {};
  return store_error("store " + session.name(),
                     limited.boolean(0, 0) ? "a login that is in no role of projects" : "no limits to projects",
                     "a store that limits who sees one project only",
                     "have an owner issue the token again, on one server of PostgreSQL 15 or newer");
}

Result<void> renew_project_limits(Transaction& transaction) {
  STEELYARD_TRY(const Rows limited, transaction.run(kAreLimited, {}, kOneRow));
  return limited.boolean(0, 0) ? limit_projects(transaction) : Result<void>();
}

}  // namespace steelyard::storage
