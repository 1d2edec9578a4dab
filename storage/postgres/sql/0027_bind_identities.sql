-- What is found by an identity is what that identity is computed from. Rows that projects share are looked up by a hash
-- which their writer computes: one that was put under the hash of another content would be taken by every project that
-- comes to write that content. The server computes the hash again for each row that is put.
--
-- A constraint is checked as whoever writes, so each function has a search path of its own.

create or replace function steelyard.content_identity(variadic fields text[]) returns text
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  content text := '';
  field text;
begin
  foreach field in array fields loop
    content := content || octet_length(field) || ':' || field;
  end loop;
  return encode(sha256(convert_to(content, 'UTF8')), 'hex');
end
$$;
comment on function steelyard.content_identity is
  'SHA-256 over the fields, each with its length in bytes before it. Null: one of them is.';

create function steelyard.bytes_of_kept(kept text) returns bytea
language sql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
  select coalesce(string_agg(case when ascii(u.c) between 1111808 and 1112063
                                  then set_byte('\x00', 0, ascii(u.c) - 1111808)
                                  else convert_to(u.c, 'UTF8') end, ''::bytea order by u.place), '')
  from regexp_split_to_table(kept, '') with ordinality as u(c, place)
$$;
comment on function steelyard.bytes_of_kept is
  'The bytes that a text was kept for: those that no text may hold stand in it as U+10F700 and the byte.';

create function steelyard.bytes_identity(variadic fields text[]) returns text
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  content text := '';
  field text;
  bytes bytea;
begin
  foreach field in array fields loop
    content := content || octet_length(field) || ':' || field;
  end loop;
  bytes := convert_to(content, 'UTF8');
  if bytes like '%\364\217%'::bytea then  -- as all characters from U+10F000 on begin
    bytes := '';
    foreach field in array fields loop
      bytes := bytes || convert_to(length(steelyard.bytes_of_kept(field)) || ':', 'UTF8')
               || steelyard.bytes_of_kept(field);
    end loop;
  end if;
  return encode(sha256(bytes), 'hex');
end
$$;
comment on function steelyard.bytes_identity is
  'steelyard.content_identity() of the bytes that the texts were kept for.';

create function steelyard.is_benchmark(identity text, canonical text, suite text, name text, parameter_names text[],
                                       parameter_values text[], threads integer, device text, dtype text)
returns boolean language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  written text := name;
  content text := octet_length(suite) || ':' || suite || octet_length(name) || ':' || name
                  || octet_length(device) || ':' || device || octet_length(dtype) || ':' || dtype
                  || coalesce(octet_length(threads::text) || ':' || threads, '0:');
  bytes bytea;
begin
  if array_ndims(parameter_names) > 1 or array_ndims(parameter_values) > 1 or array_lower(parameter_names, 1) <> 1
     or array_lower(parameter_values, 1) <> 1 or cardinality(parameter_names) <> cardinality(parameter_values) then
    return false;
  end if;
  -- As BenchmarkId::canonical().
  for i in 1 .. cardinality(parameter_names) loop
    content := content || octet_length(parameter_names[i]) || ':' || parameter_names[i]
               || octet_length(parameter_values[i]) || ':' || parameter_values[i];
    written := written || '/' || case when parameter_names[i] = '' then '' else parameter_names[i] || ':' end
               || parameter_values[i];
  end loop;
  written := written || coalesce('/threads:' || threads, '');
  if strpos(written, ' %') > 0 or strpos(written, ' [') > 0 then
    written := replace(regexp_replace(written, ' %((25)*5B)', ' %25\1', 'g'), ' [', ' %5B');
  end if;
  if suite <> '' or device <> '' or dtype <> '' then
    written := written || ' [' || concat_ws(',', 'suite=' || nullif(suite, ''), 'device=' || nullif(device, ''),
                                            'dtype=' || nullif(dtype, '')) || ']';
  end if;
  bytes := convert_to(content, 'UTF8');
  if bytes like '%\364\217%'::bytea then  -- as all characters from U+10F000 on begin
    return coalesce(written = canonical and identity = steelyard.bytes_identity(
      variadic array[suite, name, device, dtype, coalesce(threads::text, '')]
               || array(select unnest(array[u.name, u.value])
                        from unnest(parameter_names, parameter_values) with ordinality as u(name, value, place)
                        order by u.place)), false);
  end if;
  return coalesce(written = canonical and identity = encode(sha256(bytes), 'hex'), false);
end
$$;
comment on function steelyard.is_benchmark is
  'Whether identity and canonical text are those of the benchmark that the other columns name.';

create function steelyard.is_environment(identity text, fingerprint text, facts jsonb) returns boolean
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  fact jsonb;
  fields text[] := '{}';
  decisive text;
begin
  if jsonb_typeof(facts) <> 'array' then
    return false;
  end if;
  for fact in select u.fact from jsonb_array_elements(facts) with ordinality as u(fact, place) order by u.place loop
    if jsonb_typeof(fact -> 'name') is distinct from 'string' or jsonb_typeof(fact -> 'value') is distinct from 'string'
       or jsonb_typeof(fact -> 'decisive') is distinct from 'boolean'
       or fact - array['name', 'value', 'decisive'] <> '{}' then
      return false;
    end if;
    fields := fields || (fact ->> 'name') || (fact ->> 'value')
              || case when (fact ->> 'decisive')::boolean then '1' else '0' end;
  end loop;
  -- As Environment::fingerprint().
  select substr(encode(sha256(string_agg(convert_to(length(d.name) || ':', 'UTF8') || d.name
                                         || convert_to(length(d.value) || ':', 'UTF8') || d.value, ''::bytea
                                         order by d.name, d.value)), 'hex'), 1, 16)
  into decisive
  from (select steelyard.bytes_of_kept(u.fact ->> 'name') as name, steelyard.bytes_of_kept(u.fact ->> 'value') as value
        from jsonb_array_elements(facts) as u(fact) where (u.fact ->> 'decisive')::boolean) d;
  return coalesce(steelyard.bytes_identity(variadic fields) = identity and coalesce(decisive, '') = fingerprint, false);
end
$$;
comment on function steelyard.is_environment is 'Whether identity and fingerprint are those of these facts.';

-- Of its document, in the form that the server gives it.
create function steelyard.is_calibration(id text, fingerprint text, layout text, measured_at_unix_s bigint,
                                         program text, rounds integer, level float8, gates bigint, false_gates bigint,
                                         comparisons bigint, false_alarms bigint, drift_sequential float8,
                                         failed boolean, reason text, document jsonb)
returns boolean language sql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
  select coalesce(id = encode(sha256(convert_to(document::text, 'UTF8')), 'hex')
                  and (fingerprint, layout, measured_at_unix_s, program, rounds, level, gates, false_gates, comparisons,
                       false_alarms, failed, reason)
                      = (document ->> 'fingerprint', document ->> 'layout', (document ->> 'at_unix_s')::bigint,
                         document ->> 'program', (document ->> 'rounds')::integer, (document ->> 'level')::float8,
                         (document #>> '{false_gates,tries}')::bigint, (document #>> '{false_gates,count}')::bigint,
                         (document #>> '{false_alarms,tries}')::bigint, (document #>> '{false_alarms,count}')::bigint,
                         (document ->> 'failed')::boolean, coalesce(document ->> 'reason', ''))
                  and drift_sequential is not distinct from (document ->> 'drift_sequential')::float8, false)
$$;
comment on function steelyard.is_calibration is 'Whether id and the other columns are those of this document.';

-- The hash was that of the text that a writer had sent, which is not kept.
update steelyard.calibrations c
set id = encode(sha256(convert_to(c.document::text, 'UTF8')), 'hex')
where not exists (select from steelyard.calibrations o
                  where o.calibration_key < c.calibration_key and o.document::text = c.document::text);

comment on column steelyard.calibrations.id is 'SHA-256 of document as the server writes it.';

-- Rows of before may have come under another identity: those are left as they are, and `steelyard db status` names
-- them. A constraint that all of them keep is marked as valid.
do $$
declare
  one record;
begin
  alter table steelyard.commits add constraint commits_identity_check
    check (coalesce(identity = steelyard.bytes_identity(sha, parent, subject, committed_at_unix_s::text), false))
    not valid;
  alter table steelyard.environments add constraint environments_identity_check
    check (steelyard.is_environment(identity, fingerprint, facts)) not valid;
  alter table steelyard.benchmarks add constraint benchmarks_identity_check
    check (steelyard.is_benchmark(identity, canonical, suite, name, parameter_names, parameter_values, threads, device,
                                  dtype)) not valid;
  alter table steelyard.metrics add constraint metrics_identity_check
    check (coalesce(identity = steelyard.bytes_identity(name, unit, better, kind), false)) not valid;
  alter table steelyard.functions add constraint functions_identity_check
    check (coalesce(identity = steelyard.bytes_identity(object, file, name), false)) not valid;
  alter table steelyard.origins add constraint origins_identity_check
    check (coalesce(identity = steelyard.bytes_identity(file, name), false)) not valid;
  alter table steelyard.count_bases add constraint count_bases_identity_check
    check (coalesce(identity = steelyard.content_identity(
      scope, coalesce(('x' || encode(float8send(jitter), 'hex'))::bit(64)::bigint::text, 'absent'), jitter_from, proof),
      false)) not valid;
  alter table steelyard.targets add constraint targets_identity_check
    check (coalesce(identity = steelyard.bytes_identity(
      target, of_what, ('x' || encode(float8send(least), 'hex'))::bit(64)::bigint::text, metric, level, access, dtype,
      coalesce(threads, -1)::text, declared_by) and coalesce(threads, 0) <> -1, false)) not valid;
  alter table steelyard.calibrations add constraint calibrations_identity_check
    check (steelyard.is_calibration(id, fingerprint, layout, measured_at_unix_s, program, rounds, level, gates,
                                    false_gates, comparisons, false_alarms, drift_sequential, failed, reason, document))
    not valid;
  alter table steelyard.alert_states add constraint alert_states_identity_check
    check (coalesce(alert = steelyard.bytes_identity(project, branch, benchmark, metric, fingerprint, change_point),
                    false)) not valid;
  -- A distributed store looks at them when it is asked for its status.
  for one in select conrelid::regclass as name, conname from pg_constraint
             where connamespace = 'steelyard'::regnamespace and conname like '%\_identity\_check'
               and to_regclass('pg_catalog.pg_dist_partition') is null loop
    begin
      execute format('alter table %s validate constraint %I', one.name, one.conname);
    exception when check_violation then
      null;
    end;
  end loop;
end
$$;

-- The identity of a series is that of names in other tables, where no constraint may look.
create function steelyard.check_new_series() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  forged record;
begin
  select n.identity, c.content into forged
  from new_series n
  cross join lateral (
    select octet_length(p.name) || ':' || p.name || octet_length(b.identity) || ':' || b.identity
           || octet_length(m.identity) || ':' || m.identity || octet_length(n.fingerprint) || ':' || n.fingerprint
           || octet_length(n.count_key) || ':' || n.count_key as content
    from (select 1) as one
    left join steelyard.projects p on p.project_key = n.project_key
    left join steelyard.benchmarks b on b.benchmark_key = n.benchmark_key
    left join steelyard.metrics m on m.metric_key = n.metric_key) c
  where n.identity is distinct from encode(sha256(convert_to(c.content, 'UTF8')), 'hex')
  limit 1;
  if found then
    raise exception 'new row for relation "series" has the identity %, wanted %, that of its content', forged.identity,
      coalesce(encode(sha256(convert_to(forged.content, 'UTF8')), 'hex'), 'none: what it refers to is not there')
      using errcode = 'check_violation', table = 'series', schema = 'steelyard';
  end if;
  return null;
end
$$;
comment on function steelyard.check_new_series is
  'Refuses rows of steelyard.series under an identity that is not that of their content.';
-- The shards of a distributed store cannot ask other tables; all who write there are writers of every project.
do $$
begin
  if to_regclass('pg_catalog.pg_dist_partition') is null then
    create trigger series_identity_check after insert on steelyard.series referencing new table as new_series
      for each statement execute function steelyard.check_new_series();
  end if;
end
$$;
