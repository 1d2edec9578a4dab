-- What retention dropped of a run is told to those who see its project, and not to readers of others.

-- In a block: a distributed store takes no change of a table out of a text with more than one statement. It has no
-- readers of one project, and need not know of the rows of before.
do $$
begin
  alter table steelyard.prunings add column project_key integer;
  begin
    update steelyard.prunings p set project_key = r.project_key from steelyard.runs r where r.id = p.run;
  exception when feature_not_supported then
    null;
  end;
end
$$;
comment on column steelyard.prunings.project_key is
  'Of the run, in steelyard.projects. Null: it was dropped before migration 40, and who sees some projects only is not '
  'told of it.';
