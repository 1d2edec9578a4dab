-- What every column is, where an older script said it of others only.

comment on column steelyard.benchmarks.benchmark_key is 'What other tables refer to.';
comment on column steelyard.benchmarks.suite is 'Empty: none.';
comment on column steelyard.benchmarks.name is 'Without parameters; empty: a program as a whole, where it failed.';
comment on column steelyard.benchmarks.parameter_values is 'As many as parameter_names, in the same order.';
comment on column steelyard.calibrations.calibration_key is 'What steelyard.comparisons refers to.';
comment on column steelyard.calibrations.layout is
  'How the sides were measured: interleaved, duet, sequential or separate.';
comment on column steelyard.calibrations.recorded_at is 'When this store got it.';
comment on column steelyard.change_point_log.change_point_log_key is 'In the order of writing.';
comment on column steelyard.change_point_log.change_point_key is 'Of the change point.';
comment on column steelyard.change_point_log.happened_at is 'When this store was told, by the server''s clock.';
comment on column steelyard.change_points.change_point_key is 'What steelyard.change_point_log refers to.';
comment on column steelyard.commits.commit_key is 'What steelyard.runs refers to.';
comment on column steelyard.comparison_drifts.comparison_key is 'Of the comparison.';
comment on column steelyard.comparison_drifts.position is '0-based, in the order of the comparison.';
comment on column steelyard.comparison_functions.comparison_key is 'Of the comparison.';
comment on column steelyard.comparison_functions.row_position is 'Of the row, as in steelyard.comparison_rows.';
comment on column steelyard.comparison_functions.position is '0-based, the culprit first.';
comment on column steelyard.comparison_functions.name is 'Of the function, in the candidate.';
comment on column steelyard.comparison_functions.file is 'Source file; ???: unknown.';
comment on column steelyard.comparison_functions.self_change is
  'Of its own cost an iteration, in the unit of the metric.';
comment on column steelyard.comparison_functions.inclusive_change is
  'Of its cost with all that it calls, an iteration, in the unit of the metric.';
comment on column steelyard.comparison_functions.calls_change is 'Of the number of calls an iteration.';
comment on column steelyard.comparison_rows.comparison_key is 'Of the comparison.';
comment on column steelyard.comparison_rows.position is '0-based, by benchmark and metric.';
comment on column steelyard.comparison_rows.metric_key is 'Of the metric.';
comment on column steelyard.comparison_rows.candidate is 'Level, in the unit of the metric. Null: undefined.';
comment on column steelyard.comparison_rows.interval_high is 'Likewise, the upper end.';
comment on column steelyard.comparison_rows.confidence is 'Of the interval, e.g. 0.95.';
comment on column steelyard.comparison_rows.test is
  'That gave p and the interval: rounds, invocations, exact, ..., or none.';
comment on column steelyard.comparison_rows.layout is 'interleaved, duet, sequential or separate.';
comment on column steelyard.comparison_rows.p_kind is
  'fixed: of a fixed number of rounds; sequential: adjusted for the looks.';
comment on column steelyard.comparison_rows.minimum_effect is 'Smallest change that matters, relative, e.g. 0.01.';
comment on column steelyard.comparison_rows.margin is 'Within which it counts as unchanged, relative.';
comment on column steelyard.comparison_rows.minimum_detectable_effect is
  'Smallest change that this data could have shown, relative. Null: not known.';
comment on column steelyard.comparison_rows.slot_effect is
  'Second slot over first, a ratio; reported, never judged. Null: not known.';
comment on column steelyard.comparison_rows.rounds is 'That entered; unpaired: invocations of the smaller side.';
comment on column steelyard.comparison_rows.reason is 'One sentence for people.';
comment on column steelyard.comparisons.comparison_key is 'What the other tables of comparisons refer to.';
comment on column steelyard.comparisons.project is 'Of the candidate.';
comment on column steelyard.comparisons.candidate_run is 'Id of the run; empty: it came from a file that has none.';
comment on column steelyard.comparisons.baseline_commit is 'Full hash; empty: not known.';
comment on column steelyard.comparisons.candidate_commit is 'Full hash; empty: not known.';
comment on column steelyard.comparisons.baseline_fingerprint is 'Of its machine; empty: nothing is known.';
comment on column steelyard.comparisons.candidate_fingerprint is 'Of its machine; empty: nothing is known.';
comment on column steelyard.comparisons.difference_baselines is 'What the baseline''s environment says of each.';
comment on column steelyard.comparisons.difference_candidates is 'What the candidate''s environment says of each.';
comment on column steelyard.comparisons.difference_decisive is
  'Whether runs that differ in it are comparable: true: they are not.';
comment on column steelyard.comparisons.confidence is 'Of the intervals, e.g. 0.95.';
comment on column steelyard.comparisons.seed is 'Of everything random in the judgement, 0 to 2^64 - 1.';
comment on column steelyard.comparisons.warnings is 'About the whole, in words.';
comment on column steelyard.comparisons.recorded_at is 'When this store got it.';
comment on column steelyard.environments.environment_key is 'What steelyard.runs refers to.';
comment on column steelyard.failures.run_key is 'Of the run.';
comment on column steelyard.failures.position is '0-based, in the order of the run.';
comment on column steelyard.failures.reason is 'In words.';
comment on column steelyard.functions.function_key is 'What steelyard.profiles.function_keys refers to.';
comment on column steelyard.functions.file is 'Source file as the debug information names it; ???: unknown.';
comment on column steelyard.functions.name is 'As the debug information or the symbol table names it.';
comment on column steelyard.invocations.run_key is 'Of the run.';
comment on column steelyard.invocations.started_at_unix_ns is
  'Nanoseconds since 1970-01-01 UTC, by the clock of the measuring machine.';
comment on column steelyard.metrics.metric_key is 'What other tables refer to.';
comment on column steelyard.metrics.name is 'E.g. real_time, instructions.';
comment on column steelyard.metrics.better is 'lower, higher or undeclared.';
comment on column steelyard.metrics.kind is 'noisy: judged by statistics; counted: compared exactly.';
comment on column steelyard.profiles.run_key is 'Of the run.';
comment on column steelyard.profiles.position is '0-based, in the order of the run.';
comment on column steelyard.profiles.benchmark_key is 'Of the benchmark.';
comment on column steelyard.profiles.function_keys is 'Keys in steelyard.functions; the next arrays run parallel.';
comment on column steelyard.profiles.calls is 'Of each function.';
comment on column steelyard.profiles.self_flat is
  'Own cost of each function, one entry per event, in the units of events.';
comment on column steelyard.profiles.inclusive_flat is
  'Cost with all that it calls, one entry per event, in the units of events.';
comment on column steelyard.profiles.arc_calls is 'How often the caller called the callee.';
comment on column steelyard.profiles.arc_inclusive_flat is
  'What these calls cost, one entry per event, in the units of events.';
comment on column steelyard.runs.run_key is 'What other tables refer to; ascending in the order of writing.';
comment on column steelyard.runs.tool is 'That measured: name and version.';
comment on column steelyard.runs.program is 'Command line of what was measured.';
comment on column steelyard.runs.branch is 'Empty: none is known.';
comment on column steelyard.runs.layout is 'interleaved, duet, sequential or separate.';
comment on column steelyard.runs.seed is 'Of everything random in the measuring, 0 to 2^64 - 1.';
comment on column steelyard.runs.environment_key is 'Of the machine and toolchain.';
comment on column steelyard.schema_migrations.version is 'Number of the script, from 1.';
comment on column steelyard.schema_migrations.name is 'Of the script.';
comment on column steelyard.schema_migrations.applied_at is 'By the server''s clock.';
