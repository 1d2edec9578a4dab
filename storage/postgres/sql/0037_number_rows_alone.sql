-- Rows are numbered by the server alone: rights are given anew with this version, and whoever may add rows of a table
-- may no longer say what their numbers are. Somebody who wrote the last one left none for the rows of others.
--
-- Which partition comes next, the numbering says, and no row: a row that is refused takes a number all the same.

create or replace function steelyard.ensure_partitions(ahead integer) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  newest integer;
  made integer := 0;
begin
  -- One at a time; the number is that of the migrations' lock plus one.
  perform pg_advisory_xact_lock(8319395793567867251);
  newest := coalesce(pg_sequence_last_value(pg_get_serial_sequence('steelyard.runs', 'run_key')::regclass), 0) / 8192;
  -- Every partition makes the planning of every statement slower, and writers may call this as often as they like. The
  -- last one is that of the greatest integer.
  for number in newest .. least(newest + least(coalesce(ahead, 0), 64), 262143) loop
    if steelyard.make_partition(number) then
      made := made + 1;
    end if;
  end loop;
  return made;
end
$$;
comment on function steelyard.ensure_partitions is
  'Makes what is missing of the partition that the newest number of a run is in and as many after it, 64 at most. How '
  'many were made.';
