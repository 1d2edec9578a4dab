-- For which machines a table of the policy was written.

-- In a block: a distributed store takes no change of a table out of a text with more than one statement.
do $$
begin
  alter table steelyard.comparison_policies add column machine text not null default '';
end
$$;
comment on column steelyard.comparison_policies.machine is
  'Pattern of the machines that the table is for: processor, devices, maker or fingerprint; empty: any.';
