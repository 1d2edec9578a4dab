-- The view of histories has no run of a pull or merge request, as no history of the program's has one.

create or replace view steelyard.history as
select b.canonical as benchmark,
       b.suite,
       m.name as metric,
       m.unit,
       m.better,
       m.kind,
       s.fingerprint,
       p.name as project,
       r.branch,
       r.id as run,
       c.sha as commit,
       c.subject,
       to_timestamp(r.created_at_unix_ns / 1e9) as measured_at,
       x.value,
       x.samples,
       steelyard.packed_invocations(x.packed) as invocations,
       r.dirty,
       case when m.kind = 'counted' then coalesce(k.scope, 'timed region') end as count_scope,
       case when m.kind = 'counted' then k.jitter end as count_jitter,
       case when m.kind = 'counted' then coalesce(k.proof, '') end as count_proof
from steelyard.measurements x
join steelyard.series s using (series_key)
join steelyard.runs r using (run_key)
join steelyard.benchmarks b using (benchmark_key)
join steelyard.metrics m using (metric_key)
join steelyard.projects p on p.project_key = s.project_key
left join steelyard.count_bases k using (count_basis_key)
left join steelyard.commits c using (commit_key)
where not exists (select from steelyard.request_runs q where q.run_key = r.run_key);
comment on view steelyard.history is
  'One row per measurement, but of runs that came of a pull or merge request. A series is one benchmark, metric, '
  'project, branch and fingerprint, ordered by measured_at.';
