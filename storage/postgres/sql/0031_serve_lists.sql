-- What the service asks: lists of runs, machines and comparisons by their indexes, transactions that see one project,
-- and when a token was used.

-- A session of a login that sees every project may limit a transaction to one:
-- set_config('steelyard.only_project', NAME, true) and a role that policies hold for. To whoever sees some projects
-- only, the setting means nothing.
create or replace function steelyard.my_projects() returns integer[]
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  if coalesce(current_setting('steelyard.only_project', true), '') <> ''
     and exists (select from pg_roles r where r.rolname in ('steelyard_reader', 'steelyard_writer')
                 and pg_has_role(session_user, r.oid, 'MEMBER')) then
    return array(select p.project_key from steelyard.projects p
                 where p.name = current_setting('steelyard.only_project'));
  end if;
  return array(select g.project_key from steelyard.project_grants g
               join pg_roles r on r.rolname = g.login
               where pg_has_role(session_user, r.oid, 'MEMBER'));
end
$$;

create index runs_by_project_and_time on steelyard.runs (project_key, created_at_unix_ns, run_key);
create index runs_by_environment on steelyard.runs (environment_key, project_key, created_at_unix_ns);
create index comparisons_by_time on steelyard.comparisons (compared_at_unix_ns, comparison_key);
create index comparisons_by_machine on steelyard.comparisons (candidate_fingerprint, compared_at_unix_ns);

create table steelyard.token_uses (
  token text collate "C" not null,
  used_on date not null default current_date,
  primary key (token, used_on)
);
comment on table steelyard.token_uses is
  'On which days a token was used; rows are never changed. One row a day, so that reading with a token is no writing.';
comment on column steelyard.token_uses.token is 'Public id, as in steelyard.tokens.';
comment on column steelyard.token_uses.used_on is 'In UTC.';
