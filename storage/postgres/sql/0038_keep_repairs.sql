-- By which commit a regression was taken back: its alert ends with that, and is there again where that speaks no more.

-- In a block: a distributed store takes no change of a table out of a text with more than one statement.
do $$
begin
  alter table steelyard.change_points add column taken_back_by text not null default '';
  alter table steelyard.change_point_log add column taken_back_by text not null default '';
  alter table steelyard.change_point_log drop constraint change_point_log_event_check;
  alter table steelyard.change_point_log
    add constraint change_point_log_event_check
      check (event in ('confirmed', 'moved', 'gone', 'back', 'explained', 'taken back', 'stands'));
end
$$;
comment on column steelyard.change_points.taken_back_by is
  'Of a regression: the commit of the change that took it back. Empty: none did.';
comment on column steelyard.change_point_log.taken_back_by is 'As in steelyard.change_points.';
comment on column steelyard.change_point_log.event is
  'confirmed; moved: to another commit; gone: later values spoke against it; back: they spoke for it again; '
  'explained: it has another cause; taken back: by a later change; stands: later values spoke against that.';
