-- What went on around each process while it ran, and the samples that are kept without being judged.

alter table steelyard.invocations
  add column voluntary_switches bigint,
  add column involuntary_switches bigint,
  add column migrations bigint,
  add column minor_faults bigint,
  add column major_faults bigint,
  add column user_ns bigint,
  add column system_ns bigint,
  add column steal_ns bigint,
  add column other_busy_ns bigint,
  add column mhz_before float8,
  add column mhz_after float8,
  add column disturbed_by text[] not null default '{}',
  add column left_out boolean not null default false;
comment on column steelyard.invocations.voluntary_switches is 'Times it waited. Null here and below: not told.';
comment on column steelyard.invocations.involuntary_switches is 'Times something else wanted its core.';
comment on column steelyard.invocations.migrations is 'Times its first thread moved to another core.';
comment on column steelyard.invocations.minor_faults is 'Pages that were in memory.';
comment on column steelyard.invocations.major_faults is 'Pages that came from a disk.';
comment on column steelyard.invocations.user_ns is 'Processor time of its own code, in ns.';
comment on column steelyard.invocations.system_ns is 'Processor time of the kernel on its behalf, in ns.';
comment on column steelyard.invocations.steal_ns is
  'Time that a hypervisor took from its core (not pinned: from all cores) while it ran, in ns; in the ticks of the '
  'kernel''s accounting.';
comment on column steelyard.invocations.other_busy_ns is
  'Time that its core worked for others while it ran, in ns. Null where it was not pinned.';
comment on column steelyard.invocations.mhz_before is 'Clock of its core before it ran, in MHz.';
comment on column steelyard.invocations.mhz_after is 'Clock of its core after it ran, in MHz.';
comment on column steelyard.invocations.disturbed_by is 'What was unusual while it ran, in words; empty: nothing seen.';
comment on column steelyard.invocations.left_out is
  'Not judged: its round was measured twice and the other taking counts. Its samples: steelyard.set_aside.';

create table steelyard.set_aside (
  run_key bigint not null,
  position integer not null,
  invocations integer[] not null,
  sample_counts integer[] not null,
  values_flat float8[] not null,
  iteration_counts integer[] not null,
  iterations_flat bigint[] not null,
  primary key (run_key, position),
  foreign key (run_key, position) references steelyard.measurements
);
comment on table steelyard.set_aside is
  'Samples of left-out invocations: kept, never judged. One row per measurement that has any; columns as in '
  'steelyard.measurements.';
comment on column steelyard.set_aside.position is 'Of the measurement in its run.';
comment on column steelyard.set_aside.values_flat is 'The samples, per iteration, in the unit of the metric.';
