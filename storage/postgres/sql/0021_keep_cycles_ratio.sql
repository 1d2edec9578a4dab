-- Of a time whose cycles were measured too: whether more was done, or the clock changed.

alter table steelyard.comparison_rows add column cycles_ratio float8;
comment on column steelyard.comparison_rows.cycles_ratio is
  'Of a time: the ratio of the cycles of the same benchmark, candidate over baseline. Null: they were not measured.';
