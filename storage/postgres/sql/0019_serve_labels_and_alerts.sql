-- Indexes for questions about labels and for what alerts stand on, so that neither costs more with what other projects
-- and branches keep; and a bound on how many partitions a writer may ask for.

-- In a block: a distributed store takes no change of a table out of a text with more than one statement.
do $$
begin
  create index runs_with_labels on steelyard.runs (project_key, run_key) where labels <> '{}';
  -- By the hashes of names, since an index row is too short for the longest ones.
  create index runs_with_labels_by_branch on steelyard.runs (project_key, hashtextextended(branch, 0), run_key)
    where labels <> '{}';
  create index comparisons_by_branch on steelyard.comparisons
    (hashtextextended(project, 0), hashtextextended(branch, 0));
  -- The one that it replaces led to a benchmark's rows in all branches of all projects.
  create index comparison_rows_by_benchmark_of_comparison on steelyard.comparison_rows
    (comparison_key, hashtextextended(benchmark, 0));
  drop index steelyard.comparison_rows_by_benchmark;
end
$$;

create or replace function steelyard.ensure_partitions(ahead integer) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  newest integer;
  made integer := 0;
begin
  -- One at a time; the number is that of the migrations' lock plus one.
  perform pg_advisory_xact_lock(8319395793567867251);
  select coalesce(max(run_key), 0) / 8192 into newest from steelyard.runs;
  -- Every partition makes the planning of every statement slower, and writers may call this as often as they like.
  for number in newest .. newest + least(coalesce(ahead, 0), 64) loop
    if steelyard.make_partition(number) then
      made := made + 1;
    end if;
  end loop;
  return made;
end
$$;
comment on function steelyard.ensure_partitions is
  'Makes what is missing of the partition that the newest run is in and as many after it, 64 at most. How many were '
  'made.';
