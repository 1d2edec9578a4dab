-- What each benchmark said of itself. In the run's own row: few benchmarks have one, and it is read with the run.
alter table steelyard.runs add column labels jsonb not null default '{}';
comment on column steelyard.runs.labels is
  'Object of texts: what a benchmark says of itself (Google Benchmark''s SetLabel), by its canonical name.';
