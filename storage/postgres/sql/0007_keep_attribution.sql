-- What a policy says of metrics that gate, and more of what is said of a changed count. Comparisons of older programs
-- keep the defaults: every row gated, and nobody split a change or followed the calls.

alter table steelyard.comparisons
  add column gates text[] not null default '{}',
  add column counted_minimum_effect float8 not null default 0,
  add column witness text not null default 'either' check (witness in ('either', 'time', 'instructions', 'both'));
comment on column steelyard.comparisons.gates is
  'Metrics whose regression fails the gate; empty: those in metrics, else real_time and every counted one but the '
  'extra counters.';
comment on column steelyard.comparisons.counted_minimum_effect is
  'A change of a count below it fails nothing; relative, e.g. 0.01.';
comment on column steelyard.comparisons.witness is
  'Whose regression fails the gate where a benchmark has both time and instructions: either, time, instructions or '
  'both.';

alter table steelyard.comparison_rows
  add column count_scope text
    check (count_scope in ('timed region', 'whole functions', 'whole program')),
  add column gates boolean not null default true,
  add column gate_note text not null default '',
  add column call_path text[] not null default '{}';
comment on column steelyard.comparison_rows.count_scope is
  'What was counted over: timed region, whole functions or whole program. Null: the metric is noisy, or it was not '
  'kept.';
comment on column steelyard.comparison_rows.gates is 'False: a regression of it is told and fails nothing.';
comment on column steelyard.comparison_rows.gate_note is 'Why it fails nothing, in words; empty where it gates.';
comment on column steelyard.comparison_rows.call_path is
  'The calls through which most of the change of a count came: names of functions, the benchmark''s first. Empty: not '
  'known, or the count did not change.';

alter table steelyard.comparison_functions
  add column from_calls float8,
  add column from_cost_per_call float8,
  add column renamed_from text not null default '',
  add column inlined_into text not null default '',
  add column once_inlined_into text not null default '';
comment on column steelyard.comparison_functions.from_calls is
  'The part of inclusive_change that more or fewer calls explain, at the baseline''s cost a call. Null: a side never '
  'called it.';
comment on column steelyard.comparison_functions.from_cost_per_call is
  'The rest of inclusive_change: what each of the candidate''s calls costs more. Null: a side never called it.';
comment on column steelyard.comparison_functions.renamed_from is 'Its name in the baseline; empty: the same.';
comment on column steelyard.comparison_functions.inlined_into is
  'The function it ran in, where the candidate has it inlined; empty: itself.';
comment on column steelyard.comparison_functions.once_inlined_into is
  'The function it ran in in the baseline, while the candidate calls it; empty: it is not so.';

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
       x.gates
from steelyard.comparison_rows x
join steelyard.comparisons c using (comparison_key)
join steelyard.metrics m using (metric_key)
left join steelyard.comparison_functions f
  on f.comparison_key = x.comparison_key and f.row_position = x.position and f.position = 0
where x.verdict in ('regression', 'failed', 'missing');
comment on column steelyard.alerts.culprit_line is 'Line of culprit_file; 0: unknown. Null: no culprit is known.';
comment on column steelyard.alerts.gates is 'False: it was told and failed nothing.';
