-- What became of a benchmark, where a count comes from and what is known of a row of a comparison: as words of their
-- own, which until now only sentences told. Rows of older programs have none of them; a reader takes them from the
-- sentences.

alter table steelyard.failures
  add column kind text,
  add column said text;
comment on column steelyard.failures.kind is
  'failed, not reached, bad record, skipped or skipped with an error; null: kept before migration 28, in reason alone.';
comment on column steelyard.failures.said is
  'What the program, its benchmark or the system said of it; null: as of kind.';
comment on column steelyard.failures.reason is 'Kind and what was said, in words.';

alter table steelyard.comparison_rows add column notes text[];
comment on column steelyard.comparison_rows.notes is
  'What is known of the row besides its figures: equal program, equal code, other dispatch, not timed, not confirmed '
  'alone, skipped by the baseline, contradicted alone, drift explains it, scatter explains it, drift and scatter '
  'explain it, too noisy, equal counts, first look only; null: kept before migration 28, in reason alone.';

alter table steelyard.count_bases add column origin text;
comment on column steelyard.count_bases.origin is
  'Where the counts come from: counted, reused or equal program; null: kept before migration 28, in proof alone.';
comment on column steelyard.count_bases.identity is
  'steelyard.content_identity() of scope, jitter (its 64 bits as an integer, or absent), jitter_from, proof and, where '
  'there is one, origin.';

-- In a block: a distributed store takes no change of a table out of a text with more than one statement.
do $$
begin
  alter table steelyard.count_bases drop constraint count_bases_identity_check;
  alter table steelyard.count_bases add constraint count_bases_identity_check
    check (coalesce(identity = case when origin is null
      then steelyard.content_identity(
        scope, coalesce(('x' || encode(float8send(jitter), 'hex'))::bit(64)::bigint::text, 'absent'), jitter_from,
        proof)
      else steelyard.content_identity(
        scope, coalesce(('x' || encode(float8send(jitter), 'hex'))::bit(64)::bigint::text, 'absent'), jitter_from,
        proof, origin) end, false)) not valid;
  -- As migration 27 does: what came before it may have another identity.
  if to_regclass('pg_catalog.pg_dist_partition') is null then
    begin
      alter table steelyard.count_bases validate constraint count_bases_identity_check;
    exception when check_violation then
      null;
    end;
  end if;
end
$$;
