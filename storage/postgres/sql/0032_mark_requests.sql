-- Runs that came of pull and merge requests, as whoever sent them proved: no history has them, and nothing is compared
-- with them unless they are named.

create table steelyard.request_runs (
  run_key integer primary key references steelyard.runs
);
comment on table steelyard.request_runs is
  'Runs that came of a pull or merge request: no baseline and no part of a history, whatever they say of their branch. '
  'A row is written with its run and never changed.';
comment on column steelyard.request_runs.run_key is 'Of steelyard.runs.';
