-- Comparisons of two runs, with what is needed to repeat them. The runs themselves may be absent: two files can be
-- compared that were never stored.

create table steelyard.comparisons (
  comparison_key bigint generated always as identity primary key,
  id text collate "C" not null unique,
  project text not null,
  baseline_run text collate "C" not null,
  candidate_run text collate "C" not null,
  baseline_commit text collate "C" not null,
  candidate_commit text collate "C" not null,
  branch text not null,
  compared_at_unix_ns bigint not null,
  baseline_fingerprint text not null,
  candidate_fingerprint text not null,
  difference_names text[] not null,
  difference_baselines text[] not null,
  difference_candidates text[] not null,
  difference_decisive boolean[] not null,
  false_alarm_rate float8 not null,
  confidence float8 not null,
  minimum_effect float8 not null,
  margin float8 not null,
  seed numeric(20, 0) not null,
  metrics text[] not null,
  ignored_facts text[] not null,
  rule_version text not null,
  warnings text[] not null,
  recorded_at timestamptz not null default now()
);
create index comparisons_by_candidate on steelyard.comparisons (candidate_run);
comment on table steelyard.comparisons is 'A candidate held against a baseline, with the policy that judged.';
comment on column steelyard.comparisons.id is 'SHA-256 of the comparison''s content: the same comparison twice is one.';
comment on column steelyard.comparisons.baseline_run is 'Id of the run; empty: it came from a file that has none.';
comment on column steelyard.comparisons.branch is 'The candidate''s.';
comment on column steelyard.comparisons.compared_at_unix_ns is
  'When the candidate was measured, nanoseconds since 1970-01-01 UTC: a comparison is the same whenever it is '
  'computed.';
comment on column steelyard.comparisons.difference_names is
  'Facts of the environment that differ; the next three arrays run parallel.';
comment on column steelyard.comparisons.false_alarm_rate is 'Of the whole gate.';
comment on column steelyard.comparisons.minimum_effect is 'Relative, e.g. 0.01.';
comment on column steelyard.comparisons.margin is 'Of equivalence, relative.';
comment on column steelyard.comparisons.metrics is 'Judged; empty: real_time and every counted metric.';
comment on column steelyard.comparisons.ignored_facts is 'Decisive facts the user named as irrelevant.';
comment on column steelyard.comparisons.rule_version is 'Of the engine that judged.';

create table steelyard.comparison_rows (
  comparison_key bigint not null references steelyard.comparisons,
  position integer not null,
  benchmark text collate "C" not null,
  metric_key bigint not null references steelyard.metrics,
  baseline float8,
  candidate float8,
  ratio float8,
  interval_low float8,
  interval_high float8,
  confidence float8 not null,
  test text not null,
  layout text not null,
  p float8,
  p_kind text not null,
  q float8,
  minimum_effect float8 not null,
  margin float8 not null,
  minimum_detectable_effect float8,
  slot_effect float8,
  rounds integer not null,
  jitter float8,
  verdict text not null,
  reason text not null,
  primary key (comparison_key, position)
);
create index comparison_rows_by_verdict on steelyard.comparison_rows (verdict, comparison_key);
comment on table steelyard.comparison_rows is 'One row per benchmark and metric. Null: undefined, never zero.';
comment on column steelyard.comparison_rows.benchmark is 'Canonical text.';
comment on column steelyard.comparison_rows.baseline is 'Level, in the unit of the metric.';
comment on column steelyard.comparison_rows.ratio is 'Candidate over baseline.';
comment on column steelyard.comparison_rows.interval_low is 'Of the ratio, at the confidence beside it.';
comment on column steelyard.comparison_rows.p is 'Two-sided, unadjusted; null hypothesis: ratio = 1.';
comment on column steelyard.comparison_rows.q is 'p adjusted over all noisy comparisons of the gate.';
comment on column steelyard.comparison_rows.jitter is 'Counted metrics: the tolerance, relative.';
comment on column steelyard.comparison_rows.verdict is
  'regression, improvement, unchanged, inconclusive, missing, new, failed or incomparable.';

create table steelyard.comparison_functions (
  comparison_key bigint not null,
  row_position integer not null,
  position integer not null,
  name text not null,
  file text not null,
  line integer not null,
  self_change float8 not null,
  inclusive_change float8 not null,
  calls_change float8 not null,
  share float8 not null,
  own_source boolean not null,
  primary key (comparison_key, row_position, position),
  foreign key (comparison_key, row_position) references steelyard.comparison_rows
);
comment on table steelyard.comparison_functions is
  'Functions whose cost changed, the culprit first. Costs per iteration, candidate minus baseline.';
comment on column steelyard.comparison_functions.line is '0: unknown.';
comment on column steelyard.comparison_functions.share is 'Of the benchmark''s whole change.';
comment on column steelyard.comparison_functions.own_source is 'The function is of the project''s own sources.';
