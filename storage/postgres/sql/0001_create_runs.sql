-- Runs with every sample. Texts that are looked up by prefix or range sort by bytes (collate "C") whatever the
-- database's own collation is. Dictionary tables are keyed by a hash of their content, since an index row is too short
-- for the longest names, and are append-only: a row is never changed, so that writers need no locks on them.

create table steelyard.commits (
  commit_key bigint generated always as identity primary key,
  identity text collate "C" not null unique,
  sha text collate "C" not null,
  parent text collate "C" not null,
  subject text not null,
  committed_at_unix_s bigint not null
);
create index commits_by_sha on steelyard.commits (sha);
comment on table steelyard.commits is
  'Commits as a run saw them; the same sha twice where two runs knew different things of it (a shallow clone '
  'knows no parent).';
comment on column steelyard.commits.identity is 'SHA-256 of the other columns.';
comment on column steelyard.commits.sha is 'Full hash; empty: not under version control.';
comment on column steelyard.commits.parent is 'First parent; empty: none or unknown.';
comment on column steelyard.commits.subject is 'First line of the message.';
comment on column steelyard.commits.committed_at_unix_s is 'Seconds since 1970-01-01 UTC.';

create table steelyard.environments (
  environment_key bigint generated always as identity primary key,
  identity text collate "C" not null unique,
  fingerprint text collate "C" not null,
  facts jsonb not null
);
create index environments_by_fingerprint on steelyard.environments (fingerprint);
comment on table steelyard.environments is 'Machines and toolchains as found.';
comment on column steelyard.environments.identity is 'SHA-256 of all facts in their order.';
comment on column steelyard.environments.fingerprint is
  'Hash of the decisive facts: runs of different fingerprints are not comparable. Empty: nothing is known.';
comment on column steelyard.environments.facts is
  'Array of {"name", "value", "decisive"}, in the order they were read.';

create table steelyard.benchmarks (
  benchmark_key bigint generated always as identity primary key,
  identity text collate "C" not null unique,
  canonical text collate "C" not null,
  suite text not null,
  name text not null,
  parameter_names text[] not null,
  parameter_values text[] not null,
  threads integer,
  device text not null,
  dtype text not null
);
create index benchmarks_by_canonical on steelyard.benchmarks using hash (canonical);
comment on table steelyard.benchmarks is 'What is measured. Equal canonical text: the same benchmark.';
comment on column steelyard.benchmarks.identity is 'SHA-256 of the parts.';
comment on column steelyard.benchmarks.canonical is 'The name people use, e.g. BM_sort/1024 [suite=cpu].';
comment on column steelyard.benchmarks.parameter_names is 'In the order of the name; empty text: positional.';
comment on column steelyard.benchmarks.threads is 'Null: the program does not say, so one.';
comment on column steelyard.benchmarks.device is 'Empty: the CPU.';
comment on column steelyard.benchmarks.dtype is 'Empty: not declared.';

create table steelyard.metrics (
  metric_key bigint generated always as identity primary key,
  identity text collate "C" not null unique,
  name text collate "C" not null,
  unit text not null,
  better text not null check (better in ('lower', 'higher', 'undeclared')),
  kind text not null check (kind in ('noisy', 'counted'))
);
comment on table steelyard.metrics is 'What is read of a benchmark.';
comment on column steelyard.metrics.identity is 'SHA-256 of the other columns.';
comment on column steelyard.metrics.unit is 'Base unit: ns, count, bytes, bytes/s, flop/s, 1/s, 1.';

create table steelyard.functions (
  function_key bigint generated always as identity primary key,
  identity text collate "C" not null unique,
  object text not null,
  file text not null,
  name text not null
);
comment on table steelyard.functions is 'Dictionary of the functions that profiles name.';
comment on column steelyard.functions.identity is 'SHA-256 of the other columns.';
comment on column steelyard.functions.object is 'Executable or library; empty or ???: unknown.';

create table steelyard.runs (
  run_key bigint generated always as identity primary key,
  id text collate "C" not null unique,
  created_at_unix_ns bigint not null,
  tool text not null,
  project text not null,
  program text not null,
  commit_key bigint references steelyard.commits,
  branch text not null,
  dirty boolean not null,
  session text not null,
  layout text not null check (layout in ('interleaved', 'duet', 'sequential', 'separate')),
  seed numeric(20, 0) not null,
  settings jsonb not null,
  environment_key bigint not null references steelyard.environments,
  measurements bigint not null,
  samples bigint not null,
  recorded_at timestamptz not null default now()
);
create index runs_by_commit on steelyard.runs (commit_key);
create index runs_by_time on steelyard.runs (created_at_unix_ns);
comment on table steelyard.runs is 'What one archive holds; written in one transaction, never changed.';
comment on column steelyard.runs.id is 'Hash of the run''s content, as in its archive: the same run twice is one run.';
comment on column steelyard.runs.created_at_unix_ns is
  'Nanoseconds since 1970-01-01 UTC, by the clock of the measuring machine.';
comment on column steelyard.runs.commit_key is 'Null: not under version control.';
comment on column steelyard.runs.dirty is 'The work tree differed from the commit.';
comment on column steelyard.runs.session is 'Runs measured together share it; empty: alone.';
comment on column steelyard.runs.settings is 'How it was taken: object of texts.';
comment on column steelyard.runs.measurements is 'Rows in steelyard.measurements.';
comment on column steelyard.runs.samples is 'Samples in all of them.';
comment on column steelyard.runs.recorded_at is 'When this store got it.';

create table steelyard.invocations (
  run_key bigint not null references steelyard.runs,
  position integer not null,
  round integer not null,
  slot integer not null,
  core integer not null,
  started_at_unix_ns bigint not null,
  duration_ns bigint not null,
  primary key (run_key, position)
);
comment on table steelyard.invocations is 'Processes of the measured program, the unit of inference.';
comment on column steelyard.invocations.position is '0-based; steelyard.measurements refers to it.';
comment on column steelyard.invocations.round is '0-based; equal in both runs of a session: measured together.';
comment on column steelyard.invocations.slot is '0: first in its round or on the first core; 1: the other.';
comment on column steelyard.invocations.core is '-1: not pinned.';
comment on column steelyard.invocations.duration_ns is 'Wall time of the whole process; 0: unknown.';

create table steelyard.measurements (
  run_key bigint not null references steelyard.runs,
  position integer not null,
  benchmark_key bigint not null references steelyard.benchmarks,
  metric_key bigint not null references steelyard.metrics,
  count_key text not null,
  invocations integer[] not null,
  sample_counts integer[] not null,
  values_flat float8[] not null,
  iteration_counts integer[] not null,
  iterations_flat bigint[] not null,
  value float8,
  samples integer not null,
  primary key (run_key, position)
);
create index measurements_by_series on steelyard.measurements (benchmark_key, metric_key, run_key);
comment on table steelyard.measurements is
  'All samples of one benchmark and metric in one run. The arrays of all invocations stand end to end: a row '
  'per sample would cost several times the space.';
comment on column steelyard.measurements.count_key is 'Counted metrics: the conditions under which the count holds.';
comment on column steelyard.measurements.invocations is 'Positions in steelyard.invocations.';
comment on column steelyard.measurements.sample_counts is 'Samples of each of these invocations, in the same order.';
comment on column steelyard.measurements.values_flat is
  'The samples, per iteration, in the unit of the metric, invocation by invocation.';
comment on column steelyard.measurements.iteration_counts is
  'How many entries of iterations_flat belong to each invocation: as many as samples, or 0 where the source '
  'does not say.';
comment on column steelyard.measurements.iterations_flat is 'Iterations of each sample''s timed block.';
comment on column steelyard.measurements.value is
  'Median of the invocations'' medians, in the unit of the metric; derived. Null: not defined for these '
  'samples.';

create table steelyard.profiles (
  run_key bigint not null references steelyard.runs,
  position integer not null,
  benchmark_key bigint not null references steelyard.benchmarks,
  iterations bigint not null,
  events text[] not null,
  totals bigint[] not null,
  function_keys bigint[] not null,
  lines integer[] not null,
  calls bigint[] not null,
  self_flat bigint[] not null,
  inclusive_flat bigint[] not null,
  arc_callers bigint[] not null,
  arc_callees bigint[] not null,
  arc_calls bigint[] not null,
  arc_inclusive_flat bigint[] not null,
  primary key (run_key, position)
);
comment on table steelyard.profiles is
  'Where the counted instructions of a benchmark went. Parallel arrays, one entry a function or call arc; the '
  'flat ones hold one entry per event for each.';
comment on column steelyard.profiles.iterations is 'That the costs cover; 0: a whole program.';
comment on column steelyard.profiles.events is 'Names of what was counted, e.g. Ir.';
comment on column steelyard.profiles.totals is 'One per event.';
comment on column steelyard.profiles.lines is 'Where the function was first seen; 0: unknown.';
comment on column steelyard.profiles.arc_callers is '0-based positions in function_keys.';
comment on column steelyard.profiles.arc_callees is '0-based positions in function_keys.';

create table steelyard.failures (
  run_key bigint not null references steelyard.runs,
  position integer not null,
  benchmark_key bigint not null references steelyard.benchmarks,
  metric text not null,
  round integer not null,
  reason text not null,
  primary key (run_key, position)
);
comment on table steelyard.failures is 'What should have been measured and was not.';
comment on column steelyard.failures.benchmark_key is 'A benchmark of empty name: the program as a whole.';
comment on column steelyard.failures.metric is 'Empty: all of them.';
comment on column steelyard.failures.round is '-1: not tied to a round.';
