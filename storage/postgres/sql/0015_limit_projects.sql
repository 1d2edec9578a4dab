-- Which logins see which projects only (steelyard db grant LOGIN --project NAME). Until the first of them is named, no
-- table has a policy and nothing is asked of this table.

create table steelyard.project_grants (
  login text collate "C" not null,
  project_key integer not null references steelyard.projects,
  granted_by text not null default session_user,
  granted_at timestamptz not null default now(),
  primary key (login, project_key)
);
comment on table steelyard.project_grants is 'Projects that a login sees, where it is to see some only.';
comment on column steelyard.project_grants.login is 'Name of a role of the server; its members see the project too.';
comment on column steelyard.project_grants.project_key is 'Of steelyard.projects.';
comment on column steelyard.project_grants.granted_by is 'Login that gave the right.';
comment on column steelyard.project_grants.granted_at is 'When it did.';

-- Asked once for each query. By the login, which SET ROLE does not change.
create function steelyard.my_projects() returns integer[]
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return array(select g.project_key from steelyard.project_grants g
               join pg_roles r on r.rolname = g.login
               where pg_has_role(session_user, r.oid, 'MEMBER'));
end
$$;
comment on function steelyard.my_projects is 'Keys of the projects that were granted to the login of this session.';
