-- Change points that were confirmed, so that one keeps its identity when later values are looked at, and so that what
-- moved or went is known to have done so.

create table steelyard.change_points (
  change_point_key bigint generated always as identity primary key,
  id text collate "C" not null,
  project text not null,
  benchmark text not null,
  metric text not null,
  fingerprint text not null,
  branch text not null,
  commit text not null,
  last_good text not null,
  level_before float8 not null,
  level_after float8 not null,
  ratio float8,
  p float8 not null,
  verdict text not null check (verdict in ('regression', 'improvement')),
  first_seen_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  gone_at timestamptz,
  unique (project, benchmark, metric, fingerprint, branch, id)
);
create index change_points_by_commit on steelyard.change_points (commit);
comment on table steelyard.change_points is
  'Where the level of a series changed, for each place that steelyard changes has confirmed.';
comment on column steelyard.change_points.id is 'The same however many values come later, and where the place moves.';
comment on column steelyard.change_points.project is 'Of the runs.';
comment on column steelyard.change_points.benchmark is 'Canonical name.';
comment on column steelyard.change_points.metric is 'Its name, e.g. real_time.';
comment on column steelyard.change_points.fingerprint is 'Of the machine: each machine''s values are a series.';
comment on column steelyard.change_points.branch is 'That was looked at; empty: all of them together.';
comment on column steelyard.change_points.commit is 'The first at the new level.';
comment on column steelyard.change_points.last_good is
  'The newest that is known to be at the old level; empty: unknown.';
comment on column steelyard.change_points.level_before is 'In the metric''s unit.';
comment on column steelyard.change_points.level_after is 'In the metric''s unit.';
comment on column steelyard.change_points.ratio is 'After over before. Null: they have none.';
comment on column steelyard.change_points.p is 'When it was confirmed or moved last.';
comment on column steelyard.change_points.verdict is 'regression or improvement.';
comment on column steelyard.change_points.first_seen_at is 'When it was confirmed.';
comment on column steelyard.change_points.changed_at is 'When it was confirmed, moved or went last.';
comment on column steelyard.change_points.gone_at is
  'When later values spoke against it. Null: it stands.';

create table steelyard.change_point_log (
  change_point_log_key bigint generated always as identity primary key,
  change_point_key bigint not null references steelyard.change_points on delete cascade,
  event text not null check (event in ('confirmed', 'moved', 'gone', 'back')),
  from_commit text not null,
  to_commit text not null,
  happened_at timestamptz not null default now()
);
create index change_point_log_by_point on steelyard.change_point_log (change_point_key);
comment on table steelyard.change_point_log is 'What became of each change point, oldest first by its key.';
comment on column steelyard.change_point_log.event is
  'confirmed; moved: to another commit; gone: later values spoke against it; back: they spoke for it again.';
comment on column steelyard.change_point_log.from_commit is 'Where it stood before; empty: nowhere.';
comment on column steelyard.change_point_log.to_commit is 'Where it stands now; empty: nowhere.';
