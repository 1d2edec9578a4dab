-- Policies of benchmarks by pattern: what each row was judged by, and whose benchmark it is.

create table steelyard.comparison_policies (
  comparison_key bigint not null references steelyard.comparisons on delete cascade,
  position integer not null,
  match text not null,
  minimum_effect float8,
  margin float8,
  counted_minimum_effect float8,
  gates text[],
  budget_ns bigint,
  owner text not null,
  place text not null,
  primary key (comparison_key, position)
);
comment on table steelyard.comparison_policies is
  'The [[policy]] tables of a comparison that hold for benchmarks of a pattern. Of each key the first that matches and '
  'says it holds, in place of the column of steelyard.comparisons. Most comparisons have none.';
comment on column steelyard.comparison_policies.comparison_key is 'Of steelyard.comparisons.';
comment on column steelyard.comparison_policies.position is '0-based, in the order of the file.';
comment on column steelyard.comparison_policies.match is
  'Pattern of benchmarks: * stands for any characters, ? for one.';
comment on column steelyard.comparison_policies.minimum_effect is
  'Smallest change that matters; null: this table does not say it, as of the columns that follow.';
comment on column steelyard.comparison_policies.margin is 'Within which a benchmark counts as unchanged.';
comment on column steelyard.comparison_policies.counted_minimum_effect is 'Smallest change of a count that gates.';
comment on column steelyard.comparison_policies.gates is 'Metrics whose regression gates; empty: none does.';
comment on column steelyard.comparison_policies.budget_ns is
  'Nanoseconds that timing the matching benchmarks together might take.';
comment on column steelyard.comparison_policies.owner is 'Whose benchmarks they are; empty: nobody is named.';
comment on column steelyard.comparison_policies.place is 'File and line of the table.';

alter table steelyard.comparison_rows add column policies text[] not null default '{}';
comment on column steelyard.comparison_rows.policies is
  'Patterns of the tables of steelyard.comparison_policies that it was judged by; empty: by what holds for all.';

alter table steelyard.comparison_rows add column owner text not null default '';
comment on column steelyard.comparison_rows.owner is 'Of the benchmark, as such a table says; empty: nobody is named.';
