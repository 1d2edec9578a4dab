-- Measurements become rows of a series with their samples packed, in partitions by run. What older programs wrote is
-- carried over: the samples as they are, in the raw form of the packing (storage/packing/packed_samples.hpp).

drop view steelyard.history;
drop view steelyard.samples;
alter table steelyard.set_aside rename to old_set_aside;
alter table steelyard.measurements rename to old_measurements;
alter index steelyard.measurements_pkey rename to old_measurements_pkey;
drop index steelyard.measurements_by_series;

-- What the identity of a row in a dictionary is: SHA-256 over its fields, each with its length in bytes before it.
create function steelyard.content_identity(variadic fields text[]) returns text
language sql immutable parallel safe as $$
  select encode(sha256(convert_to(string_agg(octet_length(f.field) || ':' || f.field, '' order by f.number), 'UTF8')),
                'hex')
  from unnest(fields) with ordinality as f(field, number)
$$;
comment on function steelyard.content_identity is 'SHA-256 over the fields, each with its length in bytes before it.';

create table steelyard.projects (
  project_key integer generated always as identity primary key,
  name text collate "C" not null unique
);
comment on table steelyard.projects is 'Dictionary of the projects that runs name.';
comment on column steelyard.projects.project_key is 'What other tables refer to.';
comment on column steelyard.projects.name is 'As the runs name it; empty: runs that name none.';
insert into steelyard.projects (name) select distinct project collate "C" from steelyard.runs order by 1;

alter table steelyard.runs add column project_key integer references steelyard.projects;
update steelyard.runs r set project_key = p.project_key from steelyard.projects p where p.name = r.project;
alter table steelyard.runs alter column project_key set not null;
alter table steelyard.runs drop column project;
comment on column steelyard.runs.project_key is 'Of steelyard.projects.';
alter table steelyard.old_set_aside drop constraint set_aside_run_key_position_fkey;
alter table steelyard.old_measurements drop constraint measurements_run_key_fkey;
alter table steelyard.runs alter column run_key type integer;
alter table steelyard.invocations alter column run_key type integer;
alter table steelyard.profiles alter column run_key type integer;
alter table steelyard.failures alter column run_key type integer;

create table steelyard.series (
  series_key integer generated always as identity primary key,
  identity text collate "C" not null unique,
  project_key integer not null references steelyard.projects,
  benchmark_key bigint not null references steelyard.benchmarks,
  metric_key bigint not null references steelyard.metrics,
  fingerprint text collate "C" not null,
  count_key text not null
);
create index series_by_benchmark on steelyard.series (benchmark_key, metric_key, project_key);
comment on table steelyard.series is
  'What a history is of: one benchmark and metric of one project on one class of machine. A row is never changed.';
comment on column steelyard.series.series_key is 'What steelyard.measurements refers to.';
comment on column steelyard.series.identity is
  'steelyard.content_identity() of the project''s name, the identities of benchmark and metric, fingerprint, '
  'count_key.';
comment on column steelyard.series.project_key is 'Of steelyard.projects.';
comment on column steelyard.series.benchmark_key is 'Of steelyard.benchmarks.';
comment on column steelyard.series.metric_key is 'Of steelyard.metrics.';
comment on column steelyard.series.fingerprint is 'Of the machine, as in steelyard.environments.';
comment on column steelyard.series.count_key is
  'Counted metrics: the conditions under which the count holds; counts under different ones are not comparable. Empty: '
  'noisy.';

create table steelyard.count_bases (
  count_basis_key integer generated always as identity primary key,
  identity text collate "C" not null unique,
  scope text not null check (scope in ('timed region', 'whole functions', 'whole program')),
  jitter float8,
  jitter_from text not null,
  proof text not null
);
comment on table steelyard.count_bases is 'Dictionary of what counts stand on. A row is never changed.';
comment on column steelyard.count_bases.count_basis_key is 'What steelyard.measurements refers to.';
comment on column steelyard.count_bases.identity is
  'steelyard.content_identity() of scope, jitter (its 64 bits as an integer, or absent), jitter_from, proof.';
comment on column steelyard.count_bases.scope is
  'What was counted over: timed region, whole functions or whole program.';
comment on column steelyard.count_bases.jitter is
  'How far counts of one build lie apart, relative (0.001 is 0.1 %). Null: nobody looked.';
comment on column steelyard.count_bases.jitter_from is 'How the jitter is known, in words; empty: it is not.';
comment on column steelyard.count_bases.proof is
  'Why the values hold though this program was not counted, in words; empty: it was counted.';

-- Seven columns on purpose: with at most eight, the bitmap of nulls fits into the row's header of 24 bytes.
create table steelyard.measurements (
  value float8,
  run_key integer not null references steelyard.runs,
  series_key integer not null references steelyard.series,
  position integer not null,
  samples integer not null,
  count_basis_key integer references steelyard.count_bases,
  packed bytea,
  primary key (series_key, run_key, position) include (samples, value)
) partition by range (run_key);
-- Rows come in the order of their runs: a summary of every 32 pages finds one, at a hundredth of a B-tree's size.
create index measurements_by_run on steelyard.measurements using brin (run_key)
  with (pages_per_range = 32, autosummarize = on);
comment on table steelyard.measurements is
  'All samples of one benchmark and metric in one run. Partitions of 8192 runs each, by the order in which runs came: '
  'no clock decides where a row goes. The primary key holds what a history reads.';
comment on column steelyard.measurements.value is
  'Median of the invocations'' medians, in the unit of the metric; derived. Null: not defined for these samples.';
comment on column steelyard.measurements.run_key is 'Of steelyard.runs.';
comment on column steelyard.measurements.series_key is 'Of steelyard.series.';
comment on column steelyard.measurements.position is '0-based order within the run.';
comment on column steelyard.measurements.samples is 'How many there are in all invocations.';
comment on column steelyard.measurements.count_basis_key is
  'Of steelyard.count_bases. Null: the timed region was counted and no more is known, or the metric is noisy.';
comment on column steelyard.measurements.packed is
  'All samples with their iterations by invocation, and what was set aside: read it with steelyard.unpack(), '
  'steelyard.unpack_set_aside() or steelyard.unpacked_values(). Samples are per iteration, in the unit of the metric.';

-- Partitions

-- Built beside the table and attached then: attaching lets readers and writers of the table go on.
create function steelyard.make_partition(number integer) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  name text := 'measurements_' || number;
begin
  if to_regclass('steelyard.' || name) is not null then
    return false;
  end if;
  execute format('create table steelyard.%I (like steelyard.measurements including all)', name);
  -- Often enough that an index holds what is needed to read most rows, however many there are already.
  execute format('alter table steelyard.%I set (autovacuum_vacuum_insert_scale_factor = 0, '
                 'autovacuum_vacuum_insert_threshold = 500000)', name);
  execute format('comment on table steelyard.%I is %L', name,
                 format('Partition of steelyard.measurements: run_key %s to %s.', greatest(number::bigint * 8192, 1),
                        (number::bigint + 1) * 8192 - 1));
  execute format('alter table steelyard.measurements attach partition steelyard.%I for values from (%s) to (%s)', name,
                 greatest(number::bigint * 8192, 1), least((number::bigint + 1) * 8192, 2147483647));
  return true;
end
$$;
comment on function steelyard.make_partition is
  'Makes the partition of steelyard.measurements for run_key 8192 * number to 8192 * number + 8191; false: it was '
  'there.';

create function steelyard.ensure_partitions(ahead integer) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  newest integer;
  made integer := 0;
begin
  -- One at a time; the number is that of the migrations' lock plus one.
  perform pg_advisory_xact_lock(8319395793567867251);
  select coalesce(max(run_key), 0) / 8192 into newest from steelyard.runs;
  for number in newest .. newest + ahead loop
    if steelyard.make_partition(number) then
      made := made + 1;
    end if;
  end loop;
  return made;
end
$$;
comment on function steelyard.ensure_partitions is
  'Makes what is missing of the partition that the newest run is in and as many after it. How many were made.';

create function steelyard.partitions_ahead() returns integer
language sql stable set search_path = pg_catalog, pg_temp as $$
  select count(*)::integer from (select coalesce(max(run_key), 0) / 8192 as number from steelyard.runs) newest
  cross join generate_series(1, 4) as ahead
  where to_regclass('steelyard.measurements_' || (newest.number + ahead)) is not null
$$;
comment on function steelyard.partitions_ahead is
  'How many of the next four partitions of steelyard.measurements are there.';

create function steelyard.close_partition(number integer) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  name text := 'measurements_' || number;
  index regclass;
begin
  if number >= (select coalesce(max(run_key), 0) / 8192 from steelyard.runs) then
    raise exception 'partition % is still written to', number using hint = 'close those before the newest run''s';
  end if;
  for index in select i.indexrelid from pg_index i join pg_class c on c.oid = i.indexrelid
               join pg_am a on a.oid = c.relam
               where i.indrelid = ('steelyard.' || name)::regclass and a.amname = 'btree' loop
    execute format('alter index %s set (fillfactor = 100)', index);
    execute format('reindex index %s', index);
  end loop;
  return pg_total_relation_size(('steelyard.' || name)::regclass);
end
$$;
comment on function steelyard.close_partition is
  'Packs the indexes of a partition that gets no more rows; what it takes on disk afterwards, in bytes.';

-- Packed samples

create function steelyard.packed_varint(packed bytea, at integer, out value bigint, out next integer)
language plpgsql immutable strict parallel safe as $$
declare
  shift integer := 0;
  byte integer;
begin
  value := 0;
  next := at;
  loop
    byte := get_byte(packed, next);
    next := next + 1;
    value := value | ((byte & 127)::bigint << shift);
    exit when byte < 128;
    shift := shift + 7;
    if shift > 63 then
      raise exception 'no number at byte % of packed samples', at;
    end if;
  end loop;
end
$$;
comment on function steelyard.packed_varint is
  'The number of variable length at a byte (0-based), and where the next thing begins.';

create function steelyard.unfold_sign(folded bigint) returns bigint
language sql immutable strict parallel safe as $$
  select ((folded >> 1) & 9223372036854775807) # (-(folded & 1))
$$;
comment on function steelyard.unfold_sign is 'A signed number whose sign was folded into the lowest bit.';

create function steelyard.bits_of_double(number float8) returns bigint
language sql immutable strict parallel safe as $$
  select ('x' || encode(float8send(number), 'hex'))::bit(64)::bigint
$$;
comment on function steelyard.bits_of_double is 'The 64 bits of a double, as an integer.';

-- Only products of a whole number and powers of two whose result is exact. All at once, since a function called for
-- each number costs more than the arithmetic.
create function steelyard.doubles_of_bits(bits bigint[]) returns float8[]
language sql immutable strict parallel safe as $$
  select array(
    select case
      when p.exponent = 2047 and p.fraction <> 0 then 'NaN'::float8
      when p.exponent = 2047 then p.sign * 'Infinity'::float8
      when p.exponent = 0 then p.sign * (p.fraction * power(2::float8, -537) * power(2::float8, -537))
      else p.sign * ((p.fraction + 4503599627370496) * power(2::float8, (p.exponent - 1075) / 2)
                     * power(2::float8, p.exponent - 1075 - (p.exponent - 1075) / 2))
    end
    from (select case when u.b < 0 then -1::float8 else 1::float8 end as sign,
                 ((u.b >> 52) & 2047)::integer as exponent,
                 u.b & 4503599627370495 as fraction
          from unnest(bits) as u(b) offset 0) as p)
$$;
comment on function steelyard.doubles_of_bits is
  'The doubles of these 64 bits each. SQL has one NaN: which one it was is not told.';

create function steelyard.doubles_of_ranks(ranks bigint[]) returns float8[]
language sql immutable strict parallel safe as $$
  select steelyard.doubles_of_bits(array(
    select case when u.r < 0 then u.r # 9223372036854775807 else u.r end from unnest(ranks) as u(r)))
$$;
comment on function steelyard.doubles_of_ranks is
  'The doubles of these places in the order of doubles; 0 is that of 0.';

create function steelyard.packed_integers(packed bytea, at integer, count integer, out numbers bigint[],
                                          out next integer)
language plpgsql immutable strict parallel safe as $$
declare
  head integer;
  width integer;
  smallest bigint;
  exceptions bigint := 0;
  size integer;
  bits bit varying;
  place integer := 0;
  gap bigint;
  rest bigint;
begin
  numbers := '{}';
  next := at;
  if count = 0 then
    return;
  end if;
  head := get_byte(packed, at);
  if head = 255 then
    numbers := array(select ('x' || encode(substr(packed, at + 2 + 8 * i, 8), 'hex'))::bit(64)::bigint
                     from generate_series(0, count - 1) as i);
    next := at + 1 + 8 * count;
    return;
  end if;
  width := head & 127;
  if width > 62 then
    raise exception 'no numbers at byte % of packed samples', at;
  end if;
  select steelyard.unfold_sign(v.value), v.next into smallest, next from steelyard.packed_varint(packed, at + 1) as v;
  if head > 127 then
    select v.value, v.next into exceptions, next from steelyard.packed_varint(packed, next) as v;
  end if;
  if width = 0 then
    numbers := array_fill(smallest, array[count]);
  else
    size := ((count::bigint * width + 7) / 8)::integer;
    bits := ('x' || encode(substr(packed, next + 1, size), 'hex'))::bit varying;
    numbers := array(select smallest + ((substring(bits from i * width + 1 for width)::bit(64)::bigint >> (64 - width))
                                        & ((1::bigint << width) - 1))
                     from generate_series(0, count - 1) as i);
    next := next + size;
  end if;
  for i in 1 .. exceptions loop
    select v.value, v.next into gap, next from steelyard.packed_varint(packed, next) as v;
    select v.value, v.next into rest, next from steelyard.packed_varint(packed, next) as v;
    place := place + gap + 1;
    numbers[place] := numbers[place] + (rest << width);
  end loop;
end
$$;
comment on function steelyard.packed_integers is
  'The whole numbers packed from a byte (0-based) on, and where the next thing begins.';

create function steelyard.packed_doubles(packed bytea, at integer, count integer, iterations bigint[],
                                         out numbers float8[], out next integer)
language plpgsql immutable strict parallel safe as $$
declare
  form integer;
  parameter integer;
  scale float8;
  firsts bigint[];
  seconds bigint[];
begin
  numbers := '{}';
  next := at;
  if count = 0 then
    return;
  end if;
  form := get_byte(packed, at);
  next := at + 1;
  if form = 0 then
    numbers := steelyard.doubles_of_bits(array(
      select ('x' || encode(substr(packed, at + 2 + 8 * i, 8), 'hex'))::bit(64)::bigint
      from generate_series(0, count - 1) as i));
    next := next + 8 * count;
    return;
  end if;
  if form in (1, 4, 5) then
    parameter := get_byte(packed, next);
    next := next + 1;
  end if;
  select b.numbers, b.next into firsts, next from steelyard.packed_integers(packed, next, count) as b;
  if form in (3, 4) then
    select b.numbers, b.next into seconds, next from steelyard.packed_integers(packed, next, count) as b;
  end if;
  if form = 1 then
    scale := (array[1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
                    1e17]::float8[])[parameter + 1];
    numbers := array(select u.m::float8 / scale from unnest(firsts) as u(m));
  elsif form = 2 then
    numbers := array(select u.t::float8 / u.n::float8 from unnest(firsts, iterations) as u(t, n));
  elsif form = 3 then
    numbers := steelyard.doubles_of_ranks(array(
      select case when q.b < 0 then q.b # 9223372036854775807 else q.b end + q.places
      from (select steelyard.bits_of_double(u.t::float8 / u.n::float8) as b, u.places
            from unnest(firsts, iterations, seconds) as u(t, n, places) offset 0) as q));
  elsif form = 4 then
    scale := power(2::float8, parameter);
    numbers := array(select (round(u.t::float8 * scale / 1e9::float8) + u.c::float8) * (1 / scale) * 1e9::float8
                            / u.n::float8
                     from unnest(firsts, iterations, seconds) as u(t, n, c));
  elsif form = 5 then
    numbers := steelyard.doubles_of_ranks(array(select u.r << parameter from unnest(firsts) as u(r)));
  else
    raise exception 'samples packed in form % at byte %', form, at
      using hint = 'a newer steelyard wrote them: bring this database up to date';
  end if;
end
$$;
comment on function steelyard.packed_doubles is
  'The samples packed from a byte (0-based) on, and where the next thing begins.';

create function steelyard.packed_structure(packed bytea, at integer, regular boolean, with_iterations boolean,
                                           out invocations integer[], out sample_counts integer[],
                                           out iteration_counts integer[], out next integer)
language plpgsql immutable strict parallel safe as $$
declare
  count bigint;
  number bigint;
  expected bigint := 0;
begin
  select v.value, v.next into count, next from steelyard.packed_varint(packed, at) as v;
  if regular then
    select v.value, v.next into number, next from steelyard.packed_varint(packed, next) as v;
    invocations := array(select generate_series(0, count - 1));
    sample_counts := array_fill(number::integer, array[count::integer]);
    iteration_counts := array_fill(case when with_iterations then number::integer else 0 end, array[count::integer]);
    return;
  end if;
  invocations := '{}';
  sample_counts := '{}';
  iteration_counts := '{}';
  for i in 1 .. count loop
    select expected + steelyard.unfold_sign(v.value), v.next into expected, next
    from steelyard.packed_varint(packed, next) as v;
    invocations := invocations || expected::integer;
    expected := expected + 1;
    select v.value, v.next into number, next from steelyard.packed_varint(packed, next) as v;
    sample_counts := sample_counts || number::integer;
    select v.value, v.next into number, next from steelyard.packed_varint(packed, next) as v;
    iteration_counts := iteration_counts || number::integer;
  end loop;
end
$$;
comment on function steelyard.packed_structure is
  'Which invocations packed samples are of, how many samples and iterations each has, and where the next thing begins.';

create function steelyard.packed_section(packed bytea, set_aside boolean, out invocations integer[],
                                         out sample_counts integer[], out iteration_counts integer[],
                                         out numbers float8[], out iterations bigint[], out structure_end integer)
language plpgsql immutable strict parallel safe as $$
declare
  head integer := get_byte(packed, 0);
  judged record;
  aside record;
  at integer;
begin
  if (head & 135) <> 1 then
    raise exception 'packed samples of an unknown version'
      using hint = 'a newer steelyard wrote them: bring this database up to date';
  end if;
  judged := steelyard.packed_structure(packed, 1, (head & 32) <> 0, (head & 64) <> 0);
  structure_end := judged.next;
  if (head & 16) <> 0 then
    aside := steelyard.packed_structure(packed, structure_end, false, false);
    structure_end := aside.next;
  end if;
  invocations := '{}';
  sample_counts := '{}';
  iteration_counts := '{}';
  numbers := '{}';
  iterations := '{}';
  if (head & 8) <> 0 or (set_aside and (head & 16) = 0) then
    return;
  end if;
  select b.numbers, b.next into iterations, at from steelyard.packed_integers(
    packed, structure_end, (select coalesce(sum(u.c), 0) from unnest(judged.iteration_counts) as u(c))::integer) as b;
  select b.numbers, b.next into numbers, at from steelyard.packed_doubles(
    packed, at, (select coalesce(sum(u.c), 0) from unnest(judged.sample_counts) as u(c))::integer, iterations) as b;
  if set_aside then
    judged := aside;
    select b.numbers, b.next into iterations, at from steelyard.packed_integers(
      packed, at, (select coalesce(sum(u.c), 0) from unnest(judged.iteration_counts) as u(c))::integer) as b;
    select b.numbers, b.next into numbers, at from steelyard.packed_doubles(
      packed, at, (select coalesce(sum(u.c), 0) from unnest(judged.sample_counts) as u(c))::integer, iterations) as b;
  end if;
  invocations := judged.invocations;
  sample_counts := judged.sample_counts;
  iteration_counts := judged.iteration_counts;
end
$$;
comment on function steelyard.packed_section is
  'The samples that are judged, or those set aside: arrays over invocations, then over samples. structure_end: where '
  'the samples begin, in bytes.';

create function steelyard.unpack_section(packed bytea, set_aside boolean)
returns table (invocation integer, sample integer, value float8, iterations bigint)
language sql immutable strict parallel safe as $$
  select t.invocation, s.number, p.numbers[t.samples_before + s.number],
         case when t.iteration_count > 0 then p.iterations[t.iterations_before + s.number] end
  from steelyard.packed_section(packed, set_aside) as p
  cross join lateral (
    select u.invocation, u.sample_count, u.iteration_count,
           (sum(u.sample_count) over before)::integer - u.sample_count as samples_before,
           (sum(u.iteration_count) over before)::integer - u.iteration_count as iterations_before
    from unnest(p.invocations, p.sample_counts, p.iteration_counts)
         with ordinality as u(invocation, sample_count, iteration_count, place)
    window before as (order by u.place rows unbounded preceding)) as t
  cross join lateral generate_series(1, t.sample_count) as s(number)
$$;
comment on function steelyard.unpack_section is 'One row a sample, of those that are judged or of those set aside.';

create function steelyard.unpack(packed bytea)
returns table (invocation integer, sample integer, value float8, iterations bigint)
language sql immutable strict parallel safe as $$
  select u.invocation, u.sample, u.value, u.iterations from steelyard.unpack_section(packed, false) as u
$$;
comment on function steelyard.unpack is
  'The samples of a measurement: 0-based invocation, 1-based sample within it, value per iteration in the unit of the '
  'metric, iterations (null: not told). No row where retention dropped them.';

create function steelyard.unpack_set_aside(packed bytea)
returns table (invocation integer, sample integer, value float8, iterations bigint)
language sql immutable strict parallel safe as $$
  select u.invocation, u.sample, u.value, u.iterations from steelyard.unpack_section(packed, true) as u
$$;
comment on function steelyard.unpack_set_aside is
  'As steelyard.unpack(), of the samples that are kept and never judged: those of left-out invocations.';

create function steelyard.unpacked_values(packed bytea) returns float8[]
language sql immutable strict parallel safe as $$
  select (steelyard.packed_section(packed, false)).numbers
$$;
comment on function steelyard.unpacked_values is
  'All samples of a measurement, invocation by invocation, in the unit of the metric. Empty where retention dropped '
  'them.';

create function steelyard.packed_invocations(packed bytea) returns integer
language sql immutable strict parallel safe as $$
  select case when get_byte(packed, 1) < 128 then get_byte(packed, 1)
              else (steelyard.packed_varint(packed, 1)).value::integer end
$$;
comment on function steelyard.packed_invocations is 'How many invocations the samples of a measurement are of.';

create function steelyard.has_samples(packed bytea) returns boolean
language sql immutable strict parallel safe as $$
  select (get_byte(packed, 0) & 8) = 0
$$;
comment on function steelyard.has_samples is 'False where retention dropped the samples.';

create function steelyard.without_samples(packed bytea) returns bytea
language sql immutable strict parallel safe as $$
  select substr(marked, 1, (steelyard.packed_section(marked, false)).structure_end)
  from (select set_byte(packed, 0, get_byte(packed, 0) | 8)) as m(marked)
$$;
comment on function steelyard.without_samples is
  'What retention leaves of packed samples: their structure, a few bytes.';

-- What was there

create function steelyard.old_varint(number bigint) returns bytea
language plpgsql immutable strict as $$
declare
  bytes bytea := '';
begin
  while number >= 128 loop
    bytes := bytes || set_byte('\x00', 0, ((number & 127) | 128)::integer);
    number := number >> 7;
  end loop;
  return bytes || set_byte('\x00', 0, number::integer);
end
$$;

create function steelyard.old_structure(invocations integer[], sample_counts integer[], iteration_counts integer[])
returns bytea language sql immutable as $$
  select steelyard.old_varint(cardinality(invocations))
         || coalesce(string_agg(
              steelyard.old_varint(case when t.gap < 0 then -2 * t.gap - 1 else 2 * t.gap end)
              || steelyard.old_varint(t.samples) || steelyard.old_varint(t.iterations), ''::bytea order by t.place), '')
  from (select u.place, u.samples, u.iterations,
               u.invocation::bigint - coalesce(lag(u.invocation::bigint) over (order by u.place) + 1, 0) as gap
        from unnest(invocations, sample_counts, iteration_counts)
             with ordinality as u(invocation, samples, iterations, place)) as t
$$;

create function steelyard.old_contents(numbers float8[], iterations bigint[]) returns bytea
language sql immutable as $$
  select coalesce((select '\xff'::bytea || string_agg(int8send(u.n), ''::bytea order by u.place)
                   from unnest(iterations) with ordinality as u(n, place) having count(*) > 0), '')
         || coalesce((select '\x00'::bytea || string_agg(float8send(u.v), ''::bytea order by u.place)
                      from unnest(numbers) with ordinality as u(v, place) having count(*) > 0), '')
$$;

insert into steelyard.count_bases (identity, scope, jitter, jitter_from, proof)
select distinct steelyard.content_identity(x.count_scope,
                                           coalesce(steelyard.bits_of_double(x.count_jitter)::text, 'absent'),
                                           x.count_jitter_from, x.count_proof),
       x.count_scope, x.count_jitter, x.count_jitter_from, x.count_proof
from steelyard.old_measurements x
where (x.count_scope, x.count_jitter_from, x.count_proof) <> ('timed region', '', '') or x.count_jitter is not null;

create temporary table old_rows on commit drop as
select x.run_key, x.position,
       steelyard.content_identity(p.name, b.identity, m.identity, e.fingerprint, x.count_key) as series,
       case when (x.count_scope, x.count_jitter_from, x.count_proof) <> ('timed region', '', '')
                 or x.count_jitter is not null
            then steelyard.content_identity(x.count_scope,
                                            coalesce(steelyard.bits_of_double(x.count_jitter)::text, 'absent'),
                                            x.count_jitter_from, x.count_proof) end as count_basis,
       r.project_key, x.benchmark_key, x.metric_key, e.fingerprint, x.count_key
from steelyard.old_measurements x
join steelyard.runs r using (run_key)
join steelyard.projects p using (project_key)
join steelyard.environments e using (environment_key)
join steelyard.benchmarks b using (benchmark_key)
join steelyard.metrics m using (metric_key);

insert into steelyard.series (identity, project_key, benchmark_key, metric_key, fingerprint, count_key)
select distinct on (series) series, project_key, benchmark_key, metric_key, fingerprint, count_key
from old_rows order by series;

select steelyard.make_partition(number) from (select distinct run_key / 8192 as number from steelyard.runs) as n;
select steelyard.ensure_partitions(1);

insert into steelyard.measurements (value, run_key, series_key, position, samples, count_basis_key, packed)
select x.value, x.run_key, s.series_key, x.position, x.samples, c.count_basis_key,
       set_byte('\x00', 0, case when a.run_key is null then 1 else 17 end)
       || steelyard.old_structure(x.invocations, x.sample_counts, x.iteration_counts)
       || case when a.run_key is null then ''
               else steelyard.old_structure(a.invocations, a.sample_counts, a.iteration_counts) end
       || steelyard.old_contents(x.values_flat, x.iterations_flat)
       || case when a.run_key is null then '' else steelyard.old_contents(a.values_flat, a.iterations_flat) end
from steelyard.old_measurements x
join old_rows o using (run_key, position)
join steelyard.series s on s.identity = o.series
left join steelyard.count_bases c on c.identity = o.count_basis
left join steelyard.old_set_aside a using (run_key, position)
order by x.run_key, x.position;

drop table old_rows;
drop table steelyard.old_set_aside;
drop table steelyard.old_measurements;
drop function steelyard.old_contents, steelyard.old_structure, steelyard.old_varint;
comment on column steelyard.invocations.left_out is
  'Not judged: its round was measured twice and the other taking counts. Its samples: steelyard.unpack_set_aside().';

-- Views

create view steelyard.history as
select b.canonical as benchmark,
       b.suite,
       m.name as metric,
       m.unit,
       m.better,
       m.kind,
       s.fingerprint,
       p.name as project,
       r.branch,
       r.id as run,
       c.sha as commit,
       c.subject,
       to_timestamp(r.created_at_unix_ns / 1e9) as measured_at,
       x.value,
       x.samples,
       steelyard.packed_invocations(x.packed) as invocations,
       r.dirty,
       case when m.kind = 'counted' then coalesce(k.scope, 'timed region') end as count_scope,
       case when m.kind = 'counted' then k.jitter end as count_jitter,
       case when m.kind = 'counted' then coalesce(k.proof, '') end as count_proof
from steelyard.measurements x
join steelyard.series s using (series_key)
join steelyard.runs r using (run_key)
join steelyard.benchmarks b using (benchmark_key)
join steelyard.metrics m using (metric_key)
join steelyard.projects p on p.project_key = s.project_key
left join steelyard.count_bases k using (count_basis_key)
left join steelyard.commits c using (commit_key);
comment on view steelyard.history is
  'One row per measurement. A series is one benchmark, metric, project, branch and fingerprint, ordered by '
  'measured_at.';
comment on column steelyard.history.benchmark is 'Canonical text, e.g. BM_sort/1024 [suite=cpu].';
comment on column steelyard.history.unit is 'Unit of value.';
comment on column steelyard.history.fingerprint is 'Only values of equal fingerprint are comparable.';
comment on column steelyard.history.commit is 'Null: not under version control.';
comment on column steelyard.history.value is 'Median of the invocations'' medians. Null: not defined.';
comment on column steelyard.history.samples is 'Timed blocks in all invocations.';
comment on column steelyard.history.invocations is 'Processes that took them.';
comment on column steelyard.history.dirty is 'The work tree differed from the commit.';
comment on column steelyard.history.count_scope is
  'What was counted over: timed region, whole functions or whole program. Null: the metric is noisy.';
comment on column steelyard.history.count_jitter is
  'How far counts of one build lie apart, relative. Null: the metric is noisy, or nobody looked.';
comment on column steelyard.history.count_proof is
  'Why the value holds though the program was not counted; empty: it was. Null: the metric is noisy.';

create view steelyard.samples as
select r.id as run,
       b.canonical as benchmark,
       m.name as metric,
       m.unit,
       u.invocation,
       u.sample,
       u.value,
       u.iterations
from steelyard.measurements x
join steelyard.series s using (series_key)
join steelyard.runs r using (run_key)
join steelyard.benchmarks b using (benchmark_key)
join steelyard.metrics m using (metric_key)
cross join lateral steelyard.unpack(x.packed) as u;
comment on view steelyard.samples is
  'Every sample: one row per timed block. None of measurements whose samples retention dropped.';
comment on column steelyard.samples.invocation is '0-based position of the process in its run.';
comment on column steelyard.samples.sample is '1-based within the invocation.';
comment on column steelyard.samples.value is 'Per iteration, in unit.';
comment on column steelyard.samples.iterations is 'Null: the source does not say.';
