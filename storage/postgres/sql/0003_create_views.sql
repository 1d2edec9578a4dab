-- The views are an interface for people who write SQL: columns are added at the end, never renamed or dropped.

create view steelyard.history as
select b.canonical as benchmark,
       b.suite,
       m.name as metric,
       m.unit,
       m.better,
       m.kind,
       e.fingerprint,
       r.project,
       r.branch,
       r.id as run,
       c.sha as commit,
       c.subject,
       to_timestamp(r.created_at_unix_ns / 1e9) as measured_at,
       x.value,
       x.samples,
       cardinality(x.invocations) as invocations,
       r.dirty
from steelyard.measurements x
join steelyard.runs r using (run_key)
join steelyard.benchmarks b using (benchmark_key)
join steelyard.metrics m using (metric_key)
join steelyard.environments e using (environment_key)
left join steelyard.commits c using (commit_key);
comment on view steelyard.history is
  'One row per measurement. A series is one benchmark, metric, project, branch and fingerprint, ordered by '
  'measured_at.';
comment on column steelyard.history.benchmark is 'Canonical text, e.g. BM_sort/1024 [suite=cpu].';
comment on column steelyard.history.unit is 'Unit of value.';
comment on column steelyard.history.fingerprint is 'Only values of equal fingerprint are comparable.';
comment on column steelyard.history.commit is 'Null: not under version control.';
comment on column steelyard.history.value is 'Median of the invocations'' medians. Null: not defined.';
comment on column steelyard.history.samples is 'Timed blocks in all invocations.';
comment on column steelyard.history.dirty is 'The work tree differed from the commit.';

create view steelyard.samples as
select r.id as run,
       b.canonical as benchmark,
       m.name as metric,
       m.unit,
       x.invocations[i] as invocation,
       s.number as sample,
       x.values_flat[before.samples + s.number] as value,
       case when x.iteration_counts[i] > 0 then x.iterations_flat[before.iterations + s.number] end as iterations
from steelyard.measurements x
join steelyard.runs r using (run_key)
join steelyard.benchmarks b using (benchmark_key)
join steelyard.metrics m using (metric_key)
cross join generate_subscripts(x.invocations, 1) as i
cross join lateral (select coalesce(sum(x.sample_counts[k]), 0)::int as samples,
                           coalesce(sum(x.iteration_counts[k]), 0)::int as iterations
                    from generate_series(1, i - 1) as k) as before
cross join lateral generate_series(1, x.sample_counts[i]) as s(number);
comment on view steelyard.samples is 'Every sample: one row per timed block.';
comment on column steelyard.samples.invocation is '0-based position of the process in its run.';
comment on column steelyard.samples.sample is '1-based within the invocation.';
comment on column steelyard.samples.value is 'Per iteration, in unit.';
comment on column steelyard.samples.iterations is 'Null: the source does not say.';

create view steelyard.alerts as
select c.id as comparison,
       c.project,
       c.branch,
       c.baseline_run,
       c.candidate_run,
       c.baseline_commit,
       c.candidate_commit,
       to_timestamp(c.compared_at_unix_ns / 1e9) as measured_at,
       x.benchmark,
       m.name as metric,
       m.unit,
       x.baseline,
       x.candidate,
       x.ratio,
       x.interval_low,
       x.interval_high,
       x.confidence,
       x.p,
       x.q,
       x.verdict,
       x.reason,
       f.name as culprit,
       f.file as culprit_file,
       c.recorded_at
from steelyard.comparison_rows x
join steelyard.comparisons c using (comparison_key)
join steelyard.metrics m using (metric_key)
left join steelyard.comparison_functions f
  on f.comparison_key = x.comparison_key and f.row_position = x.position and f.position = 0
where x.verdict in ('regression', 'failed', 'missing');
comment on view steelyard.alerts is
  'What somebody should look at: regressions, and benchmarks that failed or disappeared.';
comment on column steelyard.alerts.ratio is 'Candidate over baseline.';
comment on column steelyard.alerts.culprit is
  'The deepest own function that covers at least 90 % of the change. Null: not known.';
comment on column steelyard.alerts.recorded_at is 'When this store got the comparison.';
