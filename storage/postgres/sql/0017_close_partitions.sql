-- Partitions that get no more rows are closed by whoever writes, in steps that hold nobody up for long, and sizes are
-- told wherever the rows lie.

create function steelyard.bytes_of(relation regclass, with_indexes boolean) returns bigint
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  is_spread boolean := false;
  bytes bigint;
begin
  if to_regclass('pg_catalog.pg_dist_partition') is not null then
    execute 'select exists (select from pg_catalog.pg_dist_partition where logicalrelid = $1)' into is_spread
      using relation;
  end if;
  if is_spread then
    execute case when with_indexes then 'select pg_catalog.citus_total_relation_size($1)'
                 else 'select pg_catalog.citus_table_size($1)' end into bytes using relation;
    return bytes;
  end if;
  return case when with_indexes then pg_total_relation_size(relation) else pg_table_size(relation) end;
end
$$;
comment on function steelyard.bytes_of is
  'What a table takes on disk, in bytes, with its indexes or without; of a distributed one on all nodes together.';

create function steelyard.is_closed(partition regclass) returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
  select coalesce(bool_and(obj_description(c.oid, 'pg_class') = 'Closed: built without room to grow.'), false)
  from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam
  where i.indrelid = partition and a.amname = 'btree'
$$;
comment on function steelyard.is_closed is
  'Whether the indexes of a partition were built anew since it gets no more rows; their comments say so.';

create function steelyard.was_carried_over(number integer) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select coalesce((select r.recorded_at from steelyard.runs r
                   where r.run_key >= number::bigint * 8192 and r.run_key < (number::bigint + 1) * 8192
                   order by r.run_key limit 1)
                  < (select m.applied_at from steelyard.schema_migrations m where m.version = 10), false)
$$;
comment on function steelyard.was_carried_over is
  'Whether a partition of steelyard.measurements holds rows of a program that did not pack samples.';

create function steelyard.partitions_to_close() returns setof integer
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select substr(c.relname, 14)::integer
  from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = 'steelyard.measurements'::regclass and c.relname ~ '^measurements_[0-9]{1,6}$'
    and substr(c.relname, 14)::integer < (select coalesce(max(run_key), 0) / 8192 from steelyard.runs)
    and not steelyard.is_closed(c.oid)
  order by 1
$$;
comment on function steelyard.partitions_to_close is
  'Partitions of steelyard.measurements that get no more rows and were not closed, oldest first.';

create or replace function steelyard.close_partition(number integer) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '1s' as $$
declare
  partition regclass := ('steelyard.measurements_' || number)::regclass;
  index regclass;
begin
  if number >= (select coalesce(max(run_key), 0) / 8192 from steelyard.runs) then
    raise exception 'partition % is still written to', number using hint = 'close those before the newest run''s';
  end if;
  -- Two numbers after that of the migrations' lock plus one.
  if not pg_try_advisory_xact_lock(8319395793567867253) or steelyard.is_closed(partition) then
    return null;
  end if;
  perform set_config('citus.multi_shard_modify_mode', 'sequential', true);
  for index in select i.indexrelid from pg_index i join pg_class c on c.oid = i.indexrelid
               join pg_am a on a.oid = c.relam
               where i.indrelid = partition and a.amname = 'btree' loop
    execute format('alter index %s set (fillfactor = 100)', index);
    execute format('reindex index %s', index);
    execute format('comment on index %s is %L', index, 'Closed: built without room to grow.');
  end loop;
  -- A distributed store does not tell sizes in a transaction that changed something.
  return pg_total_relation_size(partition);
end
$$;
comment on function steelyard.close_partition is
  'Builds the indexes of a partition that gets no more rows without room to grow; what it takes on this server''s disk '
  'afterwards, in bytes. Null: it is closed, or somebody else is at it. Its readers wait for '
  'the end of the transaction.';

create function steelyard.close_small_partition(most_bytes bigint) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  number integer;
  partition regclass;
begin
  for number in select p from steelyard.partitions_to_close() as p loop
    partition := ('steelyard.measurements_' || number)::regclass;
    if steelyard.bytes_of(partition, true) - steelyard.bytes_of(partition, false) <= most_bytes
       and not steelyard.was_carried_over(number) then
      return case when steelyard.close_partition(number) is not null then number end;
    end if;
  end loop;
  return null;
end
$$;
comment on function steelyard.close_small_partition is
  'Closes one partition that gets no more rows and whose indexes take so few bytes. Its number; null: there is none.';
