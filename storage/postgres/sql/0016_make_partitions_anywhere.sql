-- A distributed store changes a table and those that it points to over one connection to each node, or not at all.

create or replace function steelyard.make_partition(number integer) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  name text := 'measurements_' || number;
begin
  if to_regclass('steelyard.' || name) is not null then
    return false;
  end if;
  -- Elsewhere it means nothing.
  perform set_config('citus.multi_shard_modify_mode', 'sequential', true);
  execute format('create table steelyard.%I (like steelyard.measurements including all)', name);
  -- Often enough that an index holds what is needed to read most rows, however many there are already.
  execute format('alter table steelyard.%I set (autovacuum_vacuum_insert_scale_factor = 0, '
                 'autovacuum_vacuum_insert_threshold = 500000)', name);
  execute format('comment on table steelyard.%I is %L', name,
                 format('Partition of steelyard.measurements: run_key %s to %s.', greatest(number::bigint * 8192, 1),
                        (number::bigint + 1) * 8192 - 1));
  execute format('alter table steelyard.measurements attach partition steelyard.%I for values from (%s) to (%s)', name,
                 greatest(number::bigint * 8192, 1), least((number::bigint + 1) * 8192, 2147483647));
  return true;
end
$$;
