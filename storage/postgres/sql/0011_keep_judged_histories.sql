-- What is needed to compute any verdict again, from the database alone: the whole headers of both sides, what a change
-- was when it was measured alone, and the history that a run was held against. Comparisons of older programs have none
-- of it; what they have stays as it is.

create table steelyard.comparison_sides (
  comparison_key bigint not null references steelyard.comparisons on delete cascade,
  side text collate "C" not null check (side in ('baseline', 'candidate')),
  run text collate "C" not null,
  created_at_unix_ns bigint not null,
  tool text not null,
  project text not null,
  program text not null,
  commit text collate "C" not null,
  parent text collate "C" not null,
  branch text not null,
  subject text not null,
  committed_at_unix_s bigint not null,
  dirty boolean not null,
  session text not null,
  layout text not null,
  seed numeric(20, 0) not null,
  setting_names text[] not null,
  setting_texts text[] not null,
  primary key (comparison_key, side)
);
comment on table steelyard.comparison_sides is
  'The headers of the two runs that a comparison is of, which may be in no store: two files can be compared. A '
  'comparison of an older program has no rows here.';
comment on column steelyard.comparison_sides.comparison_key is 'Of steelyard.comparisons.';
comment on column steelyard.comparison_sides.side is 'baseline or candidate.';
comment on column steelyard.comparison_sides.run is 'Id of the run; empty: it came from a file that has none.';
comment on column steelyard.comparison_sides.created_at_unix_ns is
  'When it was measured, nanoseconds since 1970-01-01 UTC.';
comment on column steelyard.comparison_sides.tool is 'That measured it, with its version.';
comment on column steelyard.comparison_sides.project is 'As the run names it.';
comment on column steelyard.comparison_sides.program is 'What was run, as the user named it.';
comment on column steelyard.comparison_sides.commit is 'Whole; empty: not under version control.';
comment on column steelyard.comparison_sides.parent is 'First parent; empty: none or unknown.';
comment on column steelyard.comparison_sides.branch is 'Of the commit; empty: unknown.';
comment on column steelyard.comparison_sides.subject is 'First line of the commit''s message.';
comment on column steelyard.comparison_sides.committed_at_unix_s is 'Seconds since 1970-01-01 UTC; 0: unknown.';
comment on column steelyard.comparison_sides.dirty is 'The work tree differed from the commit.';
comment on column steelyard.comparison_sides.session is 'Runs measured together share it; empty: alone.';
comment on column steelyard.comparison_sides.layout is 'interleaved, duet, sequential or separate.';
comment on column steelyard.comparison_sides.seed is 'Of the order in which it was measured.';
comment on column steelyard.comparison_sides.setting_names is
  'How it was measured, by name; the next array runs parallel.';
comment on column steelyard.comparison_sides.setting_texts is 'The value of each, as text.';

create table steelyard.comparison_histories (
  comparison_key bigint primary key references steelyard.comparisons on delete cascade,
  branch text not null,
  series integer not null,
  points bigint not null,
  document_bytes bigint not null check (document_bytes between 0 and 268435456),
  document bytea not null
);
alter table steelyard.comparison_histories alter column document set storage external;
comment on table steelyard.comparison_histories is
  'What a run that was measured alone was judged by. Only comparisons against a history have a row.';
comment on column steelyard.comparison_histories.comparison_key is 'Of steelyard.comparisons.';
comment on column steelyard.comparison_histories.branch is 'Whose history it is; empty: all branches.';
comment on column steelyard.comparison_histories.series is 'Number of series: benchmark and metric.';
comment on column steelyard.comparison_histories.points is 'Number of points of all series.';
comment on column steelyard.comparison_histories.document_bytes is 'Size of the document before it was compressed.';
comment on column steelyard.comparison_histories.document is
  'steelyard.judged_history/1, JSON compressed by zstd: each series with its values, the runs and commits that they '
  'are of, in order, and the change points that were used.';

create table steelyard.comparison_solo_checks (
  comparison_key bigint not null references steelyard.comparisons on delete cascade,
  row_position integer not null,
  ratio float8 not null,
  interval_low float8,
  interval_high float8,
  rounds integer not null,
  agrees boolean,
  primary key (comparison_key, row_position)
);
comment on table steelyard.comparison_solo_checks is
  'Changes that a duet found, measured again with nothing beside them. Most rows of a comparison have none.';
comment on column steelyard.comparison_solo_checks.comparison_key is 'Of steelyard.comparisons.';
comment on column steelyard.comparison_solo_checks.row_position is 'Of the row in steelyard.comparison_rows.';
comment on column steelyard.comparison_solo_checks.ratio is 'Candidate over baseline.';
comment on column steelyard.comparison_solo_checks.interval_low is
  'Of that ratio, at the row''s confidence. Null: no interval could be told.';
comment on column steelyard.comparison_solo_checks.interval_high is 'Likewise, the upper end.';
comment on column steelyard.comparison_solo_checks.rounds is 'That entered.';
comment on column steelyard.comparison_solo_checks.agrees is
  'The change is there alone too. Null: too few rounds to tell.';
