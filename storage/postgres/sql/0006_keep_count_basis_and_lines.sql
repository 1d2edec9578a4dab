-- What a count stands on, and which source line its cost is of. Rows of older programs keep the defaults: they counted
-- the timed region and knew neither jitter nor lines.

alter table steelyard.measurements
  add column count_scope text not null default 'timed region'
    check (count_scope in ('timed region', 'whole functions', 'whole program')),
  add column count_jitter float8,
  add column count_jitter_from text not null default '',
  add column count_proof text not null default '';
comment on column steelyard.measurements.count_scope is
  'Counted metrics: what was counted over: timed region, whole functions or whole program. Noisy ones: no meaning.';
comment on column steelyard.measurements.count_jitter is
  'How far counts of one build lie apart, relative (0.001 is 0.1 %). Null: nobody looked.';
comment on column steelyard.measurements.count_jitter_from is 'How the jitter is known, in words; empty: it is not.';
comment on column steelyard.measurements.count_proof is
  'Why the values hold though this program was not counted, in words; empty: it was counted.';

create table steelyard.origins (
  origin_key bigint generated always as identity primary key,
  identity text collate "C" not null unique,
  file text not null,
  name text not null
);
comment on table steelyard.origins is
  'Dictionary of the source files, and functions in them, whose lines profiles name: where the compiler inlined a '
  'function, its own and not that of the function it ran in.';
comment on column steelyard.origins.origin_key is 'What steelyard.profiles.source_origins refers to.';
comment on column steelyard.origins.identity is 'SHA-256 of file and name.';
comment on column steelyard.origins.file is 'Source file as the debug information names it; ???: unknown.';
comment on column steelyard.origins.name is 'The function whose line it is; empty: unknown.';

alter table steelyard.profiles
  add column source_functions integer[] not null default '{}',
  add column source_origins bigint[] not null default '{}',
  add column source_lines integer[] not null default '{}',
  add column source_self_flat bigint[] not null default '{}';
comment on column steelyard.profiles.source_functions is
  'One entry a piece of self cost, as in the next two arrays: 0-based position in function_keys of the function it '
  'ran in. Empty: lines were not kept.';
comment on column steelyard.profiles.source_origins is 'Keys in steelyard.origins.';
comment on column steelyard.profiles.source_lines is 'Line of the origin''s file, from 1; 0: unknown.';
comment on column steelyard.profiles.source_self_flat is
  'Self cost of each piece, one entry per event, in the units of events; those of a function add up to its self.';

create or replace view steelyard.history as
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
       r.dirty,
       case when m.kind = 'counted' then x.count_scope end as count_scope,
       case when m.kind = 'counted' then x.count_jitter end as count_jitter,
       case when m.kind = 'counted' then x.count_proof end as count_proof
from steelyard.measurements x
join steelyard.runs r using (run_key)
join steelyard.benchmarks b using (benchmark_key)
join steelyard.metrics m using (metric_key)
join steelyard.environments e using (environment_key)
left join steelyard.commits c using (commit_key);
comment on column steelyard.history.count_scope is
  'What was counted over: timed region, whole functions or whole program. Null: the metric is noisy.';
comment on column steelyard.history.count_jitter is
  'How far counts of one build lie apart, relative. Null: the metric is noisy, or nobody looked.';
comment on column steelyard.history.count_proof is
  'Why the value holds though the program was not counted; empty: it was. Null: the metric is noisy.';
