-- What becomes of alerts, what was accepted, what was declared and reached, who may speak to the service, and what was
-- done to the store. alert_events, accepted_levels and audit_trail are facts and only grow. alert_states and alert_life
-- are derived from the facts, the comparisons and the change points; `steelyard db rebuild` makes them again.

create table steelyard.alert_events (
  alert_event_key bigint generated always as identity primary key,
  alert text collate "C" not null,
  event text not null check (event in ('acknowledged', 'accepted', 'resolved', 'reopened')),
  who text not null,
  note text not null,
  commit text collate "C" not null,
  happened_at_unix_ns bigint not null,
  recorded_at timestamptz not null default now()
);
create index alert_events_by_alert on steelyard.alert_events (alert);
comment on table steelyard.alert_events is
  'What people said of alerts; rows are never changed. What opened and ended them by itself stands in '
  'steelyard.comparison_rows and steelyard.change_point_log.';
comment on column steelyard.alert_events.alert_event_key is 'In the order of writing.';
comment on column steelyard.alert_events.alert is 'As in steelyard.alert_states.';
comment on column steelyard.alert_events.event is 'acknowledged, accepted, resolved or reopened.';
comment on column steelyard.alert_events.who is 'The person, as the program was told.';
comment on column steelyard.alert_events.note is 'Their words; may be empty.';
comment on column steelyard.alert_events.commit is 'accepted: the commit that it was accepted by; else empty.';
comment on column steelyard.alert_events.happened_at_unix_ns is
  'Nanoseconds since 1970-01-01 UTC, by the clock of the machine where it was said.';
comment on column steelyard.alert_events.recorded_at is 'When this store got it.';

create table steelyard.alert_states (
  alert text collate "C" primary key,
  source text not null check (source in ('comparison', 'change point')),
  project text not null,
  branch text not null,
  benchmark text collate "C" not null,
  metric text collate "C" not null,
  unit text not null,
  fingerprint text not null,
  change_point text not null,
  comparison text collate "C" not null,
  commit text collate "C" not null,
  verdict text not null check (verdict in ('regression', 'failed', 'missing')),
  state text not null check (state in ('open', 'acknowledged', 'accepted', 'resolved', 'reopened')),
  baseline float8,
  candidate float8,
  ratio float8,
  opened_at_unix_ns bigint not null,
  changed_at_unix_ns bigint not null,
  changed_by text not null,
  accepted_commit text collate "C" not null,
  note text not null
);
create index alert_states_by_branch on steelyard.alert_states (project, branch);
comment on table steelyard.alert_states is
  'Derived: how each alert stands. An alert is about one benchmark and metric on one branch of a project, as long as '
  'these are; change points have one each.';
comment on column steelyard.alert_states.alert is
  'SHA-256 of source, project, branch, benchmark, metric, fingerprint and change_point.';
comment on column steelyard.alert_states.source is 'What opens it: comparison or change point.';
comment on column steelyard.alert_states.project is 'Of the candidate, or of the series.';
comment on column steelyard.alert_states.branch is 'Of the candidate; of a change point, the one looked at.';
comment on column steelyard.alert_states.benchmark is 'Canonical text.';
comment on column steelyard.alert_states.metric is 'Its name.';
comment on column steelyard.alert_states.unit is 'Of baseline and candidate; empty: not known.';
comment on column steelyard.alert_states.fingerprint is 'Change points: of the machine. Comparisons: empty.';
comment on column steelyard.alert_states.change_point is 'Its id; empty: a comparison opened it.';
comment on column steelyard.alert_states.comparison is
  'The newest comparison that showed it; empty: a change point opened it.';
comment on column steelyard.alert_states.commit is
  'The candidate''s of that comparison, or the first at the new level.';
comment on column steelyard.alert_states.verdict is 'regression, failed or missing.';
comment on column steelyard.alert_states.state is
  'open; acknowledged: somebody knows; accepted: by a named commit; resolved; reopened: resolved or accepted once, and '
  'there again.';
comment on column steelyard.alert_states.baseline is 'Level before it, in unit. Null: not known.';
comment on column steelyard.alert_states.candidate is 'Level when it was shown last, in unit. Null: not known.';
comment on column steelyard.alert_states.ratio is
  'Level now over level before it, the changes of later comparisons included. Null: not known.';
comment on column steelyard.alert_states.opened_at_unix_ns is
  'When what opened it first was measured, nanoseconds since 1970-01-01 UTC.';
comment on column steelyard.alert_states.changed_at_unix_ns is
  'When it came into its state, nanoseconds since 1970-01-01 UTC.';
comment on column steelyard.alert_states.changed_by is
  'Who or what brought it there: a person, comparison:ID or "change point".';
comment on column steelyard.alert_states.accepted_commit is 'That it was accepted by last; empty: it never was.';
comment on column steelyard.alert_states.note is 'The words of whoever spoke last; may be empty.';

create table steelyard.alert_life (
  alert text collate "C" not null,
  position integer not null,
  transition text not null check (transition in ('opened', 'acknowledged', 'accepted', 'resolved', 'reopened')),
  at_unix_ns bigint not null,
  changed_by text not null,
  commit text collate "C" not null,
  note text not null,
  primary key (alert, position)
);
comment on table steelyard.alert_life is 'Derived: through which states each alert went.';
comment on column steelyard.alert_life.alert is 'As in steelyard.alert_states.';
comment on column steelyard.alert_life.position is '0-based, oldest first.';
comment on column steelyard.alert_life.transition is 'opened, acknowledged, accepted, resolved or reopened.';
comment on column steelyard.alert_life.at_unix_ns is 'Nanoseconds since 1970-01-01 UTC.';
comment on column steelyard.alert_life.changed_by is 'A person, comparison:ID or "change point".';
comment on column steelyard.alert_life.commit is
  'The candidate''s or the first at the new level; accepted: the commit it was accepted by. Empty: not known.';
comment on column steelyard.alert_life.note is 'The person''s words; may be empty.';

create table steelyard.accepted_levels (
  accepted_level_key bigint generated always as identity primary key,
  alert text collate "C" not null,
  project text not null,
  branch text not null,
  benchmark text collate "C" not null,
  metric text collate "C" not null,
  unit text not null,
  fingerprint text not null,
  commit text collate "C" not null,
  level float8,
  ratio float8,
  who text not null,
  note text not null,
  accepted_at_unix_ns bigint not null,
  recorded_at timestamptz not null default now()
);
create index accepted_levels_by_alert on steelyard.accepted_levels (alert);
comment on table steelyard.accepted_levels is
  'Levels that somebody accepted as the new ones; rows are never changed. A later comparison that shows no more than '
  'the accepted change does not open the alert again.';
comment on column steelyard.accepted_levels.accepted_level_key is 'In the order of writing.';
comment on column steelyard.accepted_levels.alert is 'As in steelyard.alert_states.';
comment on column steelyard.accepted_levels.project is 'Of the alert.';
comment on column steelyard.accepted_levels.branch is 'Of the alert.';
comment on column steelyard.accepted_levels.benchmark is 'Canonical text.';
comment on column steelyard.accepted_levels.metric is 'Its name.';
comment on column steelyard.accepted_levels.unit is 'Of level; empty: not known.';
comment on column steelyard.accepted_levels.fingerprint is 'Of the machine that the level holds for; empty: not known.';
comment on column steelyard.accepted_levels.commit is 'The commit that it was accepted by.';
comment on column steelyard.accepted_levels.level is 'The accepted level, in unit. Null: not known.';
comment on column steelyard.accepted_levels.ratio is 'That level over the one before the alert. Null: not known.';
comment on column steelyard.accepted_levels.who is 'The person, as the program was told.';
comment on column steelyard.accepted_levels.note is 'Their words; may be empty.';
comment on column steelyard.accepted_levels.accepted_at_unix_ns is 'Nanoseconds since 1970-01-01 UTC.';
comment on column steelyard.accepted_levels.recorded_at is 'When this store got it.';

create table steelyard.targets (
  target_key bigint generated always as identity primary key,
  identity text collate "C" not null unique,
  target text not null,
  of_what text not null check (of_what in ('bandwidth', 'flops', 'roofline', 'rate')),
  least float8 not null,
  metric text not null,
  level text not null,
  access text not null,
  dtype text not null,
  threads integer,
  declared_by text not null
);
comment on table steelyard.targets is 'Dictionary of the targets that benchmarks were held to.';
comment on column steelyard.targets.target_key is 'What steelyard.target_verdicts refers to.';
comment on column steelyard.targets.identity is 'SHA-256 of the other columns.';
comment on column steelyard.targets.target is 'As it was written, e.g. 0.6 of bandwidth.';
comment on column steelyard.targets.of_what is 'What it is a share of, or rate: an absolute one.';
comment on column steelyard.targets.least is 'Share of the ceiling (0.6 is 60 %); of a rate: bytes/s or flop/s.';
comment on column steelyard.targets.metric is 'That is held: bandwidth or flops; empty: the machine decides.';
comment on column steelyard.targets.level is 'Memory level of the ceiling; empty: DRAM.';
comment on column steelyard.targets.access is 'Access of the ceiling; empty: the fastest.';
comment on column steelyard.targets.dtype is 'Type of the ceiling; empty: the benchmark''s.';
comment on column steelyard.targets.threads is 'Threads of the ceiling. Null: the benchmark''s.';
comment on column steelyard.targets.declared_by is 'E.g. steelyard.toml:14, or the program.';

create table steelyard.target_verdicts (
  run_key integer not null references steelyard.runs,
  position integer not null,
  target_key bigint not null references steelyard.targets,
  benchmark text collate "C" not null,
  metric text not null,
  achieved float8,
  achieved_low float8,
  achieved_high float8,
  ceiling float8,
  utilization float8,
  utilization_low float8,
  utilization_high float8,
  intensity float8,
  bound text not null,
  invocations bigint not null,
  verdict text not null check (verdict in ('met', 'missed', 'undecided')),
  reason text not null,
  recorded_at timestamptz not null default now(),
  primary key (run_key, position)
);
comment on table steelyard.target_verdicts is
  'How a run came out against its targets when it was kept. Judged with the ceilings that were known of its machine '
  'then; `steelyard targets check` judges again.';
comment on column steelyard.target_verdicts.run_key is 'Of the run that was held to them.';
comment on column steelyard.target_verdicts.position is '0-based, worst first.';
comment on column steelyard.target_verdicts.target_key is 'What was promised.';
comment on column steelyard.target_verdicts.benchmark is 'Canonical text.';
comment on column steelyard.target_verdicts.metric is 'That was held: bandwidth or flops; empty: it could not be told.';
comment on column steelyard.target_verdicts.achieved is 'Rate, in bytes/s or flop/s. Null: not measured.';
comment on column steelyard.target_verdicts.achieved_low is 'Of its confidence interval. Null: there is none.';
comment on column steelyard.target_verdicts.achieved_high is 'Likewise, the upper end.';
comment on column steelyard.target_verdicts.ceiling is 'In bytes/s or flop/s. Null: not known.';
comment on column steelyard.target_verdicts.utilization is 'Achieved over ceiling (0.6 is 60 %). Null: not known.';
comment on column steelyard.target_verdicts.utilization_low is 'Of its confidence interval. Null: there is none.';
comment on column steelyard.target_verdicts.utilization_high is 'Likewise, the upper end.';
comment on column steelyard.target_verdicts.intensity is 'Flop per byte. Null: the benchmark does not report both.';
comment on column steelyard.target_verdicts.bound is 'What bounds it: memory or arithmetic; empty: not known.';
comment on column steelyard.target_verdicts.invocations is 'Processes that the interval is over.';
comment on column steelyard.target_verdicts.verdict is 'met, missed or undecided.';
comment on column steelyard.target_verdicts.reason is 'In words.';
comment on column steelyard.target_verdicts.recorded_at is 'When this store got it.';

create table steelyard.tokens (
  token_key bigint generated always as identity primary key,
  id text collate "C" not null unique,
  hash text collate "C" not null,
  name text not null,
  project text not null,
  scopes text[] not null,
  issued_at timestamptz not null default now(),
  issued_by text not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  revoked_by text
);
comment on table steelyard.tokens is 'Who may speak to the HTTP service. The secrets themselves are nowhere.';
comment on column steelyard.tokens.token_key is 'In the order of issuing.';
comment on column steelyard.tokens.id is 'The token''s public part, by which it is found.';
comment on column steelyard.tokens.hash is 'SHA-256 of the whole token, which holds 256 random bits.';
comment on column steelyard.tokens.name is 'What it was issued for.';
comment on column steelyard.tokens.project is 'The only project it is good for; empty: all.';
comment on column steelyard.tokens.scopes is 'What it allows, e.g. read, write, admin.';
comment on column steelyard.tokens.issued_at is 'By the server''s clock.';
comment on column steelyard.tokens.issued_by is 'The person, as the program was told.';
comment on column steelyard.tokens.expires_at is 'From then on it is good for nothing, by the server''s clock.';
comment on column steelyard.tokens.revoked_at is 'Since when it is good for nothing. Null: it is not revoked.';
comment on column steelyard.tokens.revoked_by is 'Null: it is not revoked.';

create table steelyard.audit_trail (
  audit_key bigint generated always as identity primary key,
  happened_at timestamptz not null default now(),
  login text not null default session_user,
  who text not null,
  action text not null,
  subject text not null,
  detail text not null
);
create index audit_trail_by_time on steelyard.audit_trail (happened_at);
comment on table steelyard.audit_trail is
  'What was done to the store and by whom; rows are never changed. Written in the transaction of the act itself.';
comment on column steelyard.audit_trail.audit_key is 'In the order of writing.';
comment on column steelyard.audit_trail.happened_at is 'By the server''s clock.';
comment on column steelyard.audit_trail.login is 'The database login.';
comment on column steelyard.audit_trail.who is 'The person, as the program was told.';
comment on column steelyard.audit_trail.action is 'E.g. alert accepted, token issued, samples pruned, restored.';
comment on column steelyard.audit_trail.subject is 'What it was done to, e.g. run:ID, alert:ID, token:ID.';
comment on column steelyard.audit_trail.detail is 'The rest, in words; holds no secret.';

create table steelyard.prunings (
  run text collate "C" not null,
  what text not null check (what in ('samples', 'profiles', 'run')),
  pruned_at timestamptz not null default now(),
  policy text not null,
  who text not null,
  archive text not null,
  primary key (run, what)
);
comment on table steelyard.prunings is
  'What retention dropped; rows are never changed. Written in the transaction that dropped it.';
comment on column steelyard.prunings.run is 'Id of the run.';
comment on column steelyard.prunings.what is
  'samples: values and summaries stay; profiles; run: all of it but this row.';
comment on column steelyard.prunings.pruned_at is 'By the server''s clock.';
comment on column steelyard.prunings.policy is 'That said so, e.g. keep samples 6 months.';
comment on column steelyard.prunings.who is 'The person, as the program was told.';
comment on column steelyard.prunings.archive is 'Name of the run''s archive in the folder runs of the state folder.';

create table steelyard.derivations (
  name text collate "C" primary key,
  rule integer not null,
  derived_at timestamptz not null default now()
);
comment on table steelyard.derivations is
  'Derived data, and the version of the rule that all of it was made by; a program with a newer rule makes it again.';
comment on column steelyard.derivations.name is 'alerts: steelyard.alert_states and steelyard.alert_life.';
comment on column steelyard.derivations.rule is 'Counted from 1.';
comment on column steelyard.derivations.derived_at is 'When all of it was made last.';

-- By a hash, since an index row is too short for the longest names.
create index comparison_rows_by_benchmark on steelyard.comparison_rows (hashtextextended(benchmark, 0));

create or replace view steelyard.alerts as
select c.id as comparison,
       c.project,
       c.branch,
       c.baseline_run,
       c.candidate_run,
       c.baseline_commit,
       c.candidate_commit,
       to_timestamp(c.compared_at_unix_ns / 1e9) as measured_at,
       x.benchmark,
       m.name as metric,
       m.unit,
       x.baseline,
       x.candidate,
       x.ratio,
       x.interval_low,
       x.interval_high,
       x.confidence,
       x.p,
       x.q,
       x.verdict,
       x.reason,
       f.name as culprit,
       f.file as culprit_file,
       c.recorded_at,
       f.line as culprit_line,
       x.gates,
       s.alert,
       s.state,
       to_timestamp(s.changed_at_unix_ns / 1e9) as state_since,
       s.changed_by as state_by,
       nullif(s.accepted_commit, '') as accepted_commit
from steelyard.comparison_rows x
join steelyard.comparisons c using (comparison_key)
join steelyard.metrics m using (metric_key)
left join steelyard.comparison_functions f
  on f.comparison_key = x.comparison_key and f.row_position = x.position and f.position = 0
left join steelyard.alert_states s
  on x.gates and s.source = 'comparison' and s.project = c.project and s.branch = c.branch
     and s.benchmark = x.benchmark and s.metric = m.name
where x.verdict in ('regression', 'failed', 'missing');
comment on column steelyard.alerts.alert is
  'Id of the alert that this row belongs to; several rows may belong to one. Null: it failed nothing, so it is none.';
comment on column steelyard.alerts.state is
  'How the alert stands now: open, acknowledged, accepted, resolved or reopened. Null: there is none.';
comment on column steelyard.alerts.state_since is 'When it came into that state.';
comment on column steelyard.alerts.state_by is 'Who or what brought it there: a person or comparison:ID.';
comment on column steelyard.alerts.accepted_commit is 'The commit that accepted it. Null: none did.';
