-- What the small changes of a count came to since its level was accepted or released, and a creep as a change point of
-- its own: several commits made it, and no single one of them.

create table steelyard.comparison_creeps (
  comparison_key bigint not null references steelyard.comparisons on delete cascade,
  row_position integer not null,
  origin text not null,
  commit text collate "C" not null,
  release text not null,
  at_unix_s bigint not null,
  accepted float8 not null,
  level float8 not null,
  ratio float8 not null,
  effect float8 not null,
  beyond boolean not null,
  step_commit text[] not null,
  step_level float8[] not null,
  step_ratio float8[] not null,
  primary key (comparison_key, row_position)
);
comment on table steelyard.comparison_creeps is
  'Counts that got worse by less than what fails a gate, with what such changes came to. Most rows of a comparison '
  'have none.';
comment on column steelyard.comparison_creeps.comparison_key is 'Of steelyard.comparisons.';
comment on column steelyard.comparison_creeps.row_position is 'Of the row in steelyard.comparison_rows.';
comment on column steelyard.comparison_creeps.origin is
  'Where the level comes from that it is added up from: first known, accepted, released.';
comment on column steelyard.comparison_creeps.commit is 'Of that level; empty: unknown.';
comment on column steelyard.comparison_creeps.release is 'The tag''s name; empty: it is no release.';
comment on column steelyard.comparison_creeps.at_unix_s is
  'When it was accepted or released, seconds since 1970-01-01 UTC; 0: unknown.';
comment on column steelyard.comparison_creeps.accepted is 'That level, in the metric''s unit.';
comment on column steelyard.comparison_creeps.level is 'The candidate''s, in the metric''s unit.';
comment on column steelyard.comparison_creeps.ratio is 'Of all steps together.';
comment on column steelyard.comparison_creeps.effect is 'From which on it fails, relative; every step is smaller.';
comment on column steelyard.comparison_creeps.beyond is 'It does.';
comment on column steelyard.comparison_creeps.step_commit is
  'The first commit that was measured at each step''s new level, oldest first; the next two arrays run parallel.';
comment on column steelyard.comparison_creeps.step_level is 'The new level, in the metric''s unit.';
comment on column steelyard.comparison_creeps.step_ratio is 'Over the level before.';

-- In a block: a distributed store takes no change of a table out of a text with more than one statement.
do $$
begin
  alter table steelyard.change_points drop constraint change_points_cause_check;
  alter table steelyard.change_points
    add constraint change_points_cause_check check (cause in ('commit', 'machine', 'creep'));
  alter table steelyard.change_point_log drop constraint change_point_log_cause_check;
  alter table steelyard.change_point_log
    add constraint change_point_log_cause_check check (cause in ('commit', 'machine', 'creep'));
end
$$;
comment on column steelyard.change_points.cause is
  'commit, as far as is known; machine: most of its series moved alike there, and nothing speaks for the code; creep: '
  'several commits from last_good on, of which commit is the newest, each with a step too small to be told by itself.';
