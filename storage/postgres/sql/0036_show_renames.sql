-- What benchmarks were called before, for people who write SQL: the history of one goes on over its names.

create view steelyard.renames as
select c.project,
       c.branch,
       n.earlier,
       n.later,
       to_timestamp(max(c.compared_at_unix_ns) / 1e9) as said_at
from steelyard.comparisons c
cross join lateral unnest(c.earlier_names, c.earlier_texts) as n(earlier, later)
where c.earlier_names <> '{}' and c.branch <> ''
group by c.project, c.branch, n.earlier, n.later;
comment on view steelyard.renames is
  'What benchmarks were called before, as comparisons say that were judged by a [rename] of steelyard.toml. Names that '
  'rows tie together are of one benchmark.';
comment on column steelyard.renames.project is 'Of the runs.';
comment on column steelyard.renames.branch is 'As the runs name it; of pull and merge requests there are none.';
comment on column steelyard.renames.earlier is 'Canonical text, as steelyard.history has it of older runs.';
comment on column steelyard.renames.later is 'Canonical text: what it was called when that was compared.';
comment on column steelyard.renames.said_at is 'Of the newest comparison that says so.';
