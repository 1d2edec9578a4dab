-- An alert goes on where its benchmark is called something else.

-- In a block: a distributed store takes no change of a table out of a text with more than one statement.
do $$
begin
  alter table steelyard.comparisons add column earlier_names text[] not null default '{}';
  alter table steelyard.comparisons add column earlier_texts text[] not null default '{}';
  alter table steelyard.alert_states add column other_names text[] not null default '{}';
  create index comparisons_that_rename on steelyard.comparisons
    (hashtextextended(project, 0), hashtextextended(branch, 0)) where earlier_names <> '{}';
end
$$;
comment on column steelyard.comparisons.earlier_names is
  'What benchmarks of its rows were called before, as [rename] of steelyard.toml says.';
comment on column steelyard.comparisons.earlier_texts is
  'What those are called in its rows, in the order of earlier_names.';
comment on column steelyard.alert_states.other_names is
  'What its benchmark was and is called besides, as comparisons of the branch say.';
comment on column steelyard.alert_states.benchmark is
  'Canonical text. Of one that was renamed the name that people spoke of it by first, else that it was opened under.';

create or replace view steelyard.alerts as
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
       c.recorded_at,
       f.line as culprit_line,
       x.gates,
       coalesce(s.alert, r.alert) as alert,
       coalesce(s.state, r.state) as state,
       to_timestamp(coalesce(s.changed_at_unix_ns, r.changed_at_unix_ns) / 1e9) as state_since,
       coalesce(s.changed_by, r.changed_by) as state_by,
       nullif(coalesce(s.accepted_commit, r.accepted_commit), '') as accepted_commit
from steelyard.comparison_rows x
join steelyard.comparisons c using (comparison_key)
join steelyard.metrics m using (metric_key)
left join steelyard.comparison_functions f
  on f.comparison_key = x.comparison_key and f.row_position = x.position and f.position = 0
left join steelyard.alert_states s
  on x.gates and s.source = 'comparison' and s.project = c.project and s.branch = c.branch
     and s.benchmark = x.benchmark and s.metric = m.name
left join steelyard.alert_states r
  on x.gates and r.source = 'comparison' and r.project = c.project and r.branch = c.branch
     and r.other_names <> '{}' and x.benchmark = any(r.other_names) and r.metric = m.name
where x.verdict in ('regression', 'failed', 'missing');
