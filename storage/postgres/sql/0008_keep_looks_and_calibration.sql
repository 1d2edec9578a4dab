-- What an engine says of a verdict that could stop early, of the noise, of drift and of the machine's calibration.
-- Comparisons of older programs keep the defaults: a fixed number of rounds, no parts of noise known, no calibration.

create table steelyard.calibrations (
  calibration_key bigint generated always as identity primary key,
  id text collate "C" not null unique,
  fingerprint text not null,
  layout text not null,
  measured_at_unix_s bigint not null,
  program text not null,
  rounds integer not null,
  level float8 not null,
  gates bigint not null,
  false_gates bigint not null,
  comparisons bigint not null,
  false_alarms bigint not null,
  drift_sequential float8,
  failed boolean not null,
  reason text not null,
  document jsonb not null,
  recorded_at timestamptz not null default now()
);
create index calibrations_by_fingerprint on steelyard.calibrations (fingerprint, measured_at_unix_s);
comment on table steelyard.calibrations is
  'What A/A runs of a user''s benchmarks showed on a machine, as it was known to comparisons.';
comment on column steelyard.calibrations.id is 'SHA-256 of the document''s text: the same calibration twice is one.';
comment on column steelyard.calibrations.fingerprint is 'Of the machine it holds for.';
comment on column steelyard.calibrations.measured_at_unix_s is 'Seconds since 1970-01-01 UTC.';
comment on column steelyard.calibrations.program is 'As the user named it.';
comment on column steelyard.calibrations.rounds is 'Of each gate.';
comment on column steelyard.calibrations.level is 'The gates'' configured false alarm rate.';
comment on column steelyard.calibrations.gates is 'A/A gates that were judged.';
comment on column steelyard.calibrations.false_gates is 'Of them, those that called any change.';
comment on column steelyard.calibrations.comparisons is 'Comparisons of equal builds that have a p.';
comment on column steelyard.calibrations.false_alarms is 'Of them, those with p at most the nominal .05.';
comment on column steelyard.calibrations.drift_sequential is
  'Standard deviation of log ratios of equal builds measured one after the other. Null: it was not asked for.';
comment on column steelyard.calibrations.failed is 'The A/A runs contradict the level: no verdicts on such a machine.';
comment on column steelyard.calibrations.reason is 'Why it failed, in words; empty: it did not.';
comment on column steelyard.calibrations.document is
  'The whole of it, as steelyard.calibration/1: the floors of single benchmarks are there.';

alter table steelyard.comparisons
  add column calibration_key bigint references steelyard.calibrations;
comment on column steelyard.comparisons.calibration_key is
  'What the engine was told of the machine. Null: nothing.';

alter table steelyard.comparison_rows
  add column discovery_q float8,
  add column equivalence_low float8,
  add column equivalence_high float8,
  add column rounds_wanted integer,
  add column noise_within float8,
  add column noise_between float8,
  add column noise_rounds float8,
  add column look_rounds bigint[] not null default '{}',
  add column look_p float8[] not null default '{}',
  add column look_share float8[] not null default '{}';
comment on column steelyard.comparison_rows.discovery_q is
  'p adjusted for the false discovery rate: it ranks a list, and fails nothing.';
comment on column steelyard.comparison_rows.equivalence_low is
  'Of the ratio, at 90 %: unchanged where both ends lie inside the margin.';
comment on column steelyard.comparison_rows.equivalence_high is 'Likewise, the upper end.';
comment on column steelyard.comparison_rows.rounds_wanted is
  'That would decide an inconclusive row with 80 % power. Null: not known, or it is decided.';
comment on column steelyard.comparison_rows.noise_within is
  'Standard deviation of samples of one invocation, relative. Null: the data cannot tell, which is not 0.';
comment on column steelyard.comparison_rows.noise_between is
  'Of invocations of one side, without what noise_within adds.';
comment on column steelyard.comparison_rows.noise_rounds is 'Of what both sides of a round share.';
comment on column steelyard.comparison_rows.look_rounds is
  'Rounds that had been measured at each look of a design that may stop early; the next two arrays run parallel. '
  'Empty: the number of rounds was fixed beforehand.';
comment on column steelyard.comparison_rows.look_p is 'p of each look, as if it were the only one.';
comment on column steelyard.comparison_rows.look_share is 'Share of the level that each look may spend.';

create table steelyard.comparison_drifts (
  comparison_key bigint not null references steelyard.comparisons,
  position integer not null,
  metric text collate "C" not null,
  ratio float8 not null,
  deviation float8 not null,
  benchmarks bigint not null,
  removed boolean not null,
  primary key (comparison_key, position)
);
comment on table steelyard.comparison_drifts is
  'What all benchmarks of a comparison moved by together: the machine''s doing, or a change that slows everything.';
comment on column steelyard.comparison_drifts.metric is 'Its name.';
comment on column steelyard.comparison_drifts.ratio is 'Median over the benchmarks, candidate over baseline.';
comment on column steelyard.comparison_drifts.deviation is 'Of single benchmarks around it, relative.';
comment on column steelyard.comparison_drifts.benchmarks is 'That it was told from.';
comment on column steelyard.comparison_drifts.removed is
  'True where the sides were not measured together and it was taken off; false: it was only shown.';
