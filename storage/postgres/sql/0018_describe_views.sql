-- What the columns of the views are, where their names alone do not say it, and what a change point was found to be at
-- each event of its life, so that it can be derived again.

-- In a block: a distributed store takes no change of a table out of a text with more than one statement. The check has
-- the name that it would get by itself, which is wanted there, too.
do $$
begin
  alter table steelyard.change_point_log
    add column at_commit text,
    add column last_good text,
    add column level_before float8,
    add column level_after float8,
    add column ratio float8,
    add column p float8,
    add column verdict text;
  alter table steelyard.change_point_log
    add constraint change_point_log_verdict_check check (verdict in ('regression', 'improvement'));
end
$$;
comment on column steelyard.change_point_log.at_commit is
  'As commit in steelyard.change_points. Null: an older program wrote the row.';
comment on column steelyard.change_point_log.last_good is
  'The newest that is known to be at the old level; empty: unknown. Null: an older program wrote the row.';
comment on column steelyard.change_point_log.level_before is
  'In the metric''s unit. Null: an older program wrote the row.';
comment on column steelyard.change_point_log.level_after is
  'In the metric''s unit. Null: an older program wrote the row.';
comment on column steelyard.change_point_log.ratio is
  'After over before. Null: they have none, or an older program wrote the row.';
comment on column steelyard.change_point_log.p is
  'Of the change, as it was found then. Null: an older program wrote the row.';
comment on column steelyard.change_point_log.verdict is
  'regression or improvement. Null: an older program wrote the row.';

comment on column steelyard.alerts.comparison is 'Id of the comparison, as steelyard verify takes it.';
comment on column steelyard.alerts.project is 'Of the runs.';
comment on column steelyard.alerts.branch is 'Of the candidate; empty: unknown.';
comment on column steelyard.alerts.baseline_run is 'Id of the run; empty: it was a file.';
comment on column steelyard.alerts.candidate_run is 'Id of the run; empty: it was a file.';
comment on column steelyard.alerts.baseline_commit is 'Full hash; empty: not under version control.';
comment on column steelyard.alerts.candidate_commit is 'Full hash; empty: not under version control.';
comment on column steelyard.alerts.measured_at is 'When the two were compared.';
comment on column steelyard.alerts.benchmark is 'Canonical text, e.g. BM_sort/1024 [suite=cpu].';
comment on column steelyard.alerts.metric is 'Its name, e.g. real_time.';
comment on column steelyard.alerts.unit is 'Of baseline and candidate.';
comment on column steelyard.alerts.baseline is 'Its value, in unit.';
comment on column steelyard.alerts.candidate is 'Its value, in unit.';
comment on column steelyard.alerts.interval_low is 'Lower end of the confidence interval of the ratio.';
comment on column steelyard.alerts.interval_high is 'Upper end of the confidence interval of the ratio.';
comment on column steelyard.alerts.confidence is 'Level of the interval, e.g. 0.95.';
comment on column steelyard.alerts.p is 'Of the test for a change. Null: counted metrics have none.';
comment on column steelyard.alerts.q is 'p corrected for the number of benchmarks.';
comment on column steelyard.alerts.verdict is 'regression, failed or missing.';
comment on column steelyard.alerts.reason is 'Why, in one sentence.';
comment on column steelyard.alerts.culprit_file is
  'Source file of the culprit; ???: unknown. Null: no culprit is known.';
comment on column steelyard.history.suite is 'Of the benchmark; empty: none.';
comment on column steelyard.history.metric is 'Its name, e.g. real_time.';
comment on column steelyard.history.better is 'Which direction is better: lower or higher.';
comment on column steelyard.history.kind is 'noisy or counted.';
comment on column steelyard.history.project is 'As the run names it; empty: it names none.';
comment on column steelyard.history.branch is 'That the run was taken on; empty: unknown.';
comment on column steelyard.history.run is 'Id of the run.';
comment on column steelyard.history.subject is 'First line of the commit''s message.';
comment on column steelyard.history.measured_at is 'When the run was taken, by its machine''s clock.';
comment on column steelyard.samples.run is 'Id of the run.';
comment on column steelyard.samples.benchmark is 'Canonical text, e.g. BM_sort/1024 [suite=cpu].';
comment on column steelyard.samples.metric is 'Its name, e.g. real_time.';
comment on column steelyard.samples.unit is 'Of value.';
