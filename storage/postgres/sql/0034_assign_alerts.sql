-- Who is to see to an alert.

create table steelyard.alert_assignments (
  alert_assignment_key bigint generated always as identity primary key,
  alert text collate "C" not null,
  assignee text not null check (octet_length(assignee) <= 200),
  who text not null,
  note text not null,
  assigned_at_unix_ns bigint not null,
  recorded_at timestamptz not null default now()
);
create index alert_assignments_by_alert on steelyard.alert_assignments (alert);
comment on table steelyard.alert_assignments is
  'Who was to see to an alert; rows are never changed, and the newest of an alert holds. It changes no state.';
comment on column steelyard.alert_assignments.alert_assignment_key is 'In the order of writing.';
comment on column steelyard.alert_assignments.alert is 'As in steelyard.alert_states.';
comment on column steelyard.alert_assignments.assignee is
  'The person, as the program was told; empty: nobody any more.';
comment on column steelyard.alert_assignments.who is 'Who said so, as the program was told.';
comment on column steelyard.alert_assignments.note is 'Their words; may be empty.';
comment on column steelyard.alert_assignments.assigned_at_unix_ns is
  'Nanoseconds since 1970-01-01 UTC, by the clock of the machine where it was said.';
comment on column steelyard.alert_assignments.recorded_at is 'When this store got it.';
