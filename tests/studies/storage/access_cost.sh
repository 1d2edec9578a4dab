#!/usr/bin/env bash
# What row-level security costs: one history of 10,000 points, asked through the view by a reader of every project and
# by a reader of one of two. Fills the database that it is given, which is to be empty, and leaves it so filled.
#   tests/studies/storage/access_cost.sh build/release/bin/steelyard 'postgresql://ADMIN@/EMPTY?host=...'
set -euo pipefail
program=${1:?the program} url=${2:?the address of an empty database, as a superuser}
readonly kRepeats=11
state=$(mktemp -d)
trap 'rm -rf "$state"' EXIT
export STEELYARD_STATE=$state
"$program" db init --quiet --store "$url" > /dev/null
sql() { psql -qAtX -v ON_ERROR_STOP=1 "$@"; }
sql "$url" <<'SQL'
insert into steelyard.projects (name) values ('mine'), ('other');
insert into steelyard.environments (identity, fingerprint, facts) values (encode(sha256(''), 'hex'), '', '[]');
insert into steelyard.metrics (identity, name, unit, better, kind)
  values (steelyard.bytes_identity('real_time', 'ns', 'lower', 'noisy'), 'real_time', 'ns', 'lower', 'noisy');
insert into steelyard.benchmarks (identity, canonical, suite, name, parameter_names, parameter_values, device, dtype)
  select steelyard.bytes_identity('', 'BM_' || i, '', '', ''), 'BM_' || i, '', 'BM_' || i,
         '{}', '{}', '', '' from generate_series(1, 1000) as i;
insert into steelyard.runs (id, created_at_unix_ns, tool, project_key, program, branch, dirty, session, layout, seed,
                            settings, environment_key, measurements, samples)
  select md5(i::text) || md5((-i)::text), i, '', p.project_key, '', 'main', false, '', 'separate', 0, '{}',
         e.environment_key, 10, 200
  from generate_series(1, 20000) as i
  join steelyard.projects p on p.name = case when i % 2 = 0 then 'mine' else 'other' end
  cross join steelyard.environments e;
select steelyard.ensure_partitions(2);
select steelyard.make_partition(n) from generate_series(0, 2) as n;
insert into steelyard.series (identity, project_key, benchmark_key, metric_key, fingerprint, count_key)
  select steelyard.content_identity(p.name, b.identity, m.identity, 'machine', ''), p.project_key, b.benchmark_key,
         m.metric_key, 'machine', ''
  from steelyard.benchmarks b cross join steelyard.projects p cross join steelyard.metrics m;
insert into steelyard.measurements (value, run_key, series_key, position, samples)
  select 100 + r.run_key % 7, r.run_key, s.series_key, row_number() over (partition by r.run_key), 20
  from steelyard.runs r join steelyard.series s on s.project_key = r.project_key
  join steelyard.benchmarks b on b.benchmark_key = s.benchmark_key and b.canonical in
    ('BM_1', 'BM_2', 'BM_3', 'BM_4', 'BM_5', 'BM_6', 'BM_7', 'BM_8', 'BM_9', 'BM_10');
vacuum analyze;
drop role if exists steelyard_cost_all, steelyard_cost_one;
create role steelyard_cost_all login;
create role steelyard_cost_one login;
SQL
as() { sed -E "s#(postgres(ql)?://)[^@/]*@#\1$1@#" <<< "$url"; }
median_ms() {
  for _ in $(seq "$kRepeats"); do
    sql "$(as "$1")" -c "explain (analyze, timing off) select count(*), sum(value) from steelyard.history
      where benchmark = 'BM_7' and metric = 'real_time' and project = 'mine'" |
      sed -n 's/^Execution Time: \(.*\) ms/\1/p'
  done | sort -g | sed -n "$((kRepeats / 2 + 1))p"
}
"$program" db grant steelyard_cost_all --as reader --quiet --store "$url"
printf '%-52s %s ms\n' 'reader of every project, no project granted' "$(median_ms steelyard_cost_all)"
"$program" db grant steelyard_cost_one --as reader --project mine --quiet --store "$url"
printf '%-52s %s ms\n' 'reader of every project, others are limited' "$(median_ms steelyard_cost_all)"
printf '%-52s %s ms\n' 'reader of one project' "$(median_ms steelyard_cost_one)"
sql "$url" -c 'drop owned by steelyard_cost_all, steelyard_cost_one; drop role steelyard_cost_all, steelyard_cost_one'
