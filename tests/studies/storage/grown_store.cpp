#include "tests/studies/storage/grown_store.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "bench/model/sha256.hpp"

namespace steelyard::storage_study {
namespace {

constexpr int kRunsOfPartition = 8192;
constexpr int kFirstRuns = 2;  // of each machine one, which write the dictionaries
constexpr int kOtherMachineEvery = 20;
constexpr int kReleaseCommits = 200;
constexpr int kFeatureBranches = 20;
constexpr int kFeatureCommits = 10;

std::string replaced(std::string text, const std::string& name, const std::string& value) {
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += value.size()) {
    text.replace(at, name.size(), value);
  }
  return text;
}

// Commit i of main: its hash is the SHA-256 of "grown/main/i", cut to 40 digits; likewise of the other branches.
constexpr const char* kRuns = R"sql(
create function generator.sha(branch text, number integer) returns text language sql immutable as
$$ select case when number < 1 then ''
        else left(encode(sha256(convert_to('grown/' || branch || '/' || number, 'UTF8')), 'hex'), 40) end $$;
-- Branches leave main at commit `base`, one commit an hour.
create table generator.commits as
select branch, number, base,
       generator.sha(branch, number) as sha,
       case when number > 1 then generator.sha(branch, number - 1) else generator.sha('main', base) end as parent,
       {first} + 3600 * (base + number)::bigint as committed
from (select 'main' as branch, number, 0 as base from generate_series(1, {main}) number
      union all select 'release', number, {main} / 2 from generate_series(1, {release}) number
      union all select 'feature/' || f, number, {main} * f / ({features} + 1)
      from generate_series(1, {features}) f, generate_series(1, {feature_commits}) number) commits;
insert into steelyard.commits (identity, sha, parent, subject, committed_at_unix_s)
select steelyard.content_identity(sha, parent, 'Change ' || number || ' of ' || branch, committed::text), sha, parent,
       'Change ' || number || ' of ' || branch, committed
from generator.commits order by committed, sha;
insert into steelyard.commit_parents (project_key, sha, is_complete, parents)
select project_key, sha, true, case when parent = '' then '{}' else array[parent] end
from generator.commits, steelyard.projects where name = '{project}';
insert into steelyard.runs (id, created_at_unix_ns, tool, project_key, program, commit_key, branch, dirty, session,
                            layout, seed, settings, environment_key, measurements, samples)
select encode(sha256(convert_to('grown run ' || g.sha || e.environment_key, 'UTF8')), 'hex'),
       (g.committed + 600) * 1000000000 + e.environment_key, 'generate', p.project_key, './bench', c.commit_key,
       g.branch, false, '', 'separate', {seed}, '{"repetitions": "10"}', e.environment_key,
       case when g.branch = 'main' and g.number > {main} - {compared} and e.facts -> 0 ->> 'value' = '{machine}'
            then {compared_results} else {results} end, 0
from generator.commits g
join steelyard.commits c on c.sha = g.sha
join steelyard.projects p on p.name = '{project}'
join steelyard.environments e
  on e.facts -> 0 ->> 'value' = '{machine}' or (g.branch = 'main' and g.number % {other_every} = 0)
order by g.committed, g.sha, e.environment_key;
update steelyard.runs set samples = measurements * 20 where program = './bench';
insert into steelyard.invocations (run_key, position, round, slot, core, started_at_unix_ns, duration_ns)
select run_key, i, i, 0, -1, created_at_unix_ns + i, 1000000000
from steelyard.runs, generate_series(0, 1) i where program = './bench' order by run_key, i;
-- The series of each machine in the order of the first run's results, each with its level and where that steps up.
create table generator.series as
select e.environment_key, x.series_key, x.position, (hashint8(x.position + {seed}) & 2147483647) % 56 as level,
       case when x.position % 20 = 7 then {main} / 4 + (hashint4(x.position) & 2147483647) % ({main} / 2) end as step_at
from steelyard.measurements x
join steelyard.runs r using (run_key)
join steelyard.environments e using (environment_key);
create index on generator.series (environment_key, position);
create table generator.runs as
select r.run_key, r.environment_key, r.measurements, g.base + g.number as place
from steelyard.runs r
join steelyard.commits c using (commit_key)
join generator.commits g using (sha);
create table generator.first as select x.* from steelyard.measurements x;
analyze generator.series;
analyze generator.payloads;
analyze steelyard.commits;
analyze steelyard.runs;
)sql";

// A table of its own gets the rows, then its indexes, and takes the partition's place: checked as any partition is when
// it is attached. Rows stand run by run, as writers leave them.
constexpr const char* kPartition = R"sql(
do $$
declare
  wanted record;
begin
  if to_regclass('steelyard.measurements_{partition}') is not null then
    alter table steelyard.measurements detach partition steelyard.measurements_{partition};
    drop table steelyard.measurements_{partition};
  end if;
  create table steelyard.measurements_{partition}
    (like steelyard.measurements including defaults including storage including comments,
     constraint bounds check (run_key >= {low} and run_key < {high}));
  insert into steelyard.measurements_{partition}
  select value, run_key, series_key, position, samples, count_basis_key, packed
  from generator.first where run_key >= {low} and run_key < {high};
  for wanted in select * from generator.runs where run_key >= {low} and run_key < {high} order by run_key loop
    insert into steelyard.measurements_{partition} (value, run_key, series_key, position, samples, packed)
    select p.value, wanted.run_key, s.series_key, s.position, 20, p.packed
    from generator.series s
    join generator.payloads p
      on p.number = (s.level + (wanted.place >= coalesce(s.step_at, 1000000000))::integer) * 64
                    + (hashint8(wanted.run_key * 1000003::bigint + s.position + {seed}) & 63)
    where s.environment_key = wanted.environment_key and s.position < wanted.measurements;
  end loop;
  alter table steelyard.measurements_{partition} 
    add primary key (series_key, run_key, position) include (samples, value);
  create index on steelyard.measurements_{partition} using brin (run_key) with (pages_per_range = 16);
  alter table steelyard.measurements attach partition steelyard.measurements_{partition}
    for values from ({low}) to ({high});
  alter table steelyard.measurements_{partition} drop constraint bounds;
end
$$;
)sql";

}  // namespace

GrownStore grown_store(std::int64_t measurements, std::uint64_t seed, int main_commits) {
  GrownStore shape;
  shape.seed = seed;
  shape.main_commits = main_commits;
  if (main_commits < 10 * shape.compared_runs) throw std::runtime_error("at least 1020 commits are needed");
  const std::int64_t others = main_commits - shape.compared_runs + main_commits / kOtherMachineEvery + kReleaseCommits +
                              kFeatureBranches * kFeatureCommits;
  const std::int64_t left = measurements - std::int64_t{shape.compared_runs} * kComparedResults;
  if (left < others) throw std::runtime_error("at least 500000 measurements and 5 for each commit are needed");
  shape.results = static_cast<int>(left / others);
  return shape;
}

GrownStore small_store(int commits, int compared, int results) {
  GrownStore shape;
  shape.main_commits = commits;
  shape.compared_runs = compared;
  shape.results = results;
  return shape;
}

BenchmarkId benchmark_number(int number) {
  constexpr std::array<const char*, 8> kNames{"BM_sort",   "BM_parse", "BM_encode", "BM_find",
                                              "BM_insert", "BM_copy",  "BM_matmul", "BM_hash"};
  BenchmarkId benchmark;
  benchmark.name = kNames[static_cast<std::size_t>(number) % kNames.size()];
  benchmark.parameters = {{"size", std::to_string(1 << (number / 8 % 16))}, {"case", std::to_string(number / 128)}};
  return benchmark;
}

std::string commit_number(int number) { return sha256_hex("grown/main/" + std::to_string(number)).substr(0, 40); }

std::string runs_script(const GrownStore& shape) {
  std::string text = kRuns;
  text = replaced(text, "{first}", std::to_string(kFirstCommitUnixS));
  text = replaced(text, "{main}", std::to_string(shape.main_commits));
  text = replaced(text, "{release}", std::to_string(std::min(kReleaseCommits, shape.main_commits / 10)));
  text = replaced(text, "{features}", std::to_string(std::min(kFeatureBranches, shape.main_commits / 20)));
  text = replaced(text, "{feature_commits}", std::to_string(kFeatureCommits));
  text = replaced(text, "{project}", kProject);
  text = replaced(text, "{machine}", kMachine);
  text = replaced(text, "{other_every}", std::to_string(kOtherMachineEvery));
  text = replaced(text, "{seed}", std::to_string(shape.seed));
  text = replaced(text, "{compared_results}", std::to_string(kComparedResults));
  text = replaced(text, "{compared}", std::to_string(shape.compared_runs));
  return replaced(text, "{results}", std::to_string(shape.results));
}

int partitions(const GrownStore& shape) {
  const int runs = shape.main_commits + shape.main_commits / kOtherMachineEvery + kReleaseCommits +
                   kFeatureBranches * kFeatureCommits + kFirstRuns;
  return std::max(2, runs / kRunsOfPartition + 1);
}

std::string partition_script(const GrownStore& shape, int partition) {
  std::string text = kPartition;
  text = replaced(text, "{partition}", std::to_string(partition));
  text = replaced(text, "{low}", std::to_string(std::max(1, partition * kRunsOfPartition)));
  text = replaced(text, "{high}", std::to_string((partition + 1) * kRunsOfPartition));
  return replaced(text, "{seed}", std::to_string(shape.seed));
}

}  // namespace steelyard::storage_study
