-- A policy may let time decide where it is decided. The columns keep their defaults: a row that says nothing is of a
-- program that let either decide, at any change of a count.

-- In a block: a distributed store takes no change of a table out of a text with more than one statement. The check
-- keeps the name that it got by itself.
do $$
begin
  alter table steelyard.comparisons drop constraint comparisons_witness_check;
  alter table steelyard.comparisons
    add constraint comparisons_witness_check check (witness in ('decided', 'either', 'time', 'instructions', 'both'));
end
$$;
comment on column steelyard.comparisons.witness is
  'Whose regression fails the gate where a benchmark has both time and instructions: decided (that of time, and that '
  'of instructions unless time is shown unchanged or better), either, time, instructions or both.';
