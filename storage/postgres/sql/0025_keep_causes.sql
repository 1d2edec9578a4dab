-- What a change point came with: the code, as far as is known, or the machine. No alert is open for a machine's.

-- In a block: a distributed store takes no change of a table out of a text with more than one statement.
do $$
begin
  alter table steelyard.change_points add column cause text not null default 'commit';
  alter table steelyard.change_points
    add constraint change_points_cause_check check (cause in ('commit', 'machine'));
  alter table steelyard.change_point_log add column cause text;
  alter table steelyard.change_point_log
    add constraint change_point_log_cause_check check (cause in ('commit', 'machine'));
  alter table steelyard.change_point_log drop constraint change_point_log_event_check;
  alter table steelyard.change_point_log
    add constraint change_point_log_event_check
      check (event in ('confirmed', 'moved', 'gone', 'back', 'explained'));
end
$$;
comment on column steelyard.change_points.cause is
  'commit, as far as is known; machine: most of its series moved alike there, and nothing speaks for the code.';
comment on column steelyard.change_point_log.cause is
  'As in steelyard.change_points. Null: an older program wrote the row, which knew of commits alone.';
comment on column steelyard.change_point_log.event is
  'confirmed; moved: to another commit; gone: later values spoke against it; back: they spoke for it again; '
  'explained: it has another cause.';
