-- Who was told how an alert stands, so that each change of a state is told once; who accepted which change of a
-- comparison, and until when a level is accepted.

create table steelyard.alert_notices (
  alert_notice_key bigint generated always as identity primary key,
  alert text collate "C" not null,
  channel text not null,
  state text not null check (state in ('open', 'acknowledged', 'accepted', 'resolved', 'reopened')),
  event text not null check (event in ('claimed', 'told', 'failed')),
  claim text collate "C" not null,
  happened_at_unix_ns bigint not null,
  recorded_at timestamptz not null default now()
);
create index alert_notices_by_alert on steelyard.alert_notices (alert);
comment on table steelyard.alert_notices is
  'That somebody was told how an alert stands, or is about to be; rows are never changed. Who tells claims first, so '
  'that two who tell at the same time tell it once.';
comment on column steelyard.alert_notices.alert_notice_key is 'In the order of writing.';
comment on column steelyard.alert_notices.alert is 'As in steelyard.alert_states.';
comment on column steelyard.alert_notices.channel is 'webhook, slack, or mail: and an address.';
comment on column steelyard.alert_notices.state is 'That is told.';
comment on column steelyard.alert_notices.event is
  'claimed: somebody is telling it; told; failed: it could not be told, and the next one may try.';
comment on column steelyard.alert_notices.claim is
  'The same for what one call of the program claims and becomes of it.';
comment on column steelyard.alert_notices.happened_at_unix_ns is
  'Nanoseconds since 1970-01-01 UTC, by the clock of the machine that tells.';
comment on column steelyard.alert_notices.recorded_at is 'When this store got it.';

-- In a block: a distributed store takes no change of a table out of a text with more than one statement.
do $$
begin
  alter table steelyard.comparison_policies add column until_day text not null default '';
  alter table steelyard.comparison_policies add column reason text not null default '';
  alter table steelyard.comparison_policies add column accepted_by text not null default '';
  alter table steelyard.comparison_policies add column accepted_commit text collate "C" not null default '';
  alter table steelyard.accepted_levels add column until_day text not null default '';
end
$$;
comment on column steelyard.comparison_policies.until_day is
  'The last day on which the table holds, as 2026-12-31 in UTC; empty: it has none.';
comment on column steelyard.comparison_policies.reason is 'Why; may be empty.';
comment on column steelyard.comparison_policies.accepted_by is
  'The person who said that the change is meant; empty: the table accepts none.';
comment on column steelyard.comparison_policies.accepted_commit is
  'The commit whose message says so; empty: something else does, or nothing.';
comment on column steelyard.accepted_levels.until_day is
  'The last day on which it is accepted, as 2026-12-31 in UTC; then the alert is open again. Empty: for good.';
