-- What layouts of the code make of a change, where both builds were relinked in several orders.

alter table steelyard.comparison_rows
  add column noise_code_layout float8,
  add column noise_code_layouts integer,
  add column noise_over_code_layouts_low float8,
  add column noise_over_code_layouts_high float8;
comment on column steelyard.comparison_rows.noise_code_layout is
  'Of the change: standard deviation between layouts of the code, without what rounds add. Null: one layout a build.';
comment on column steelyard.comparison_rows.noise_code_layouts is 'How many layouts that was told from.';
comment on column steelyard.comparison_rows.noise_over_code_layouts_low is
  'Of the ratio, were the layouts drawn anew: the lower end of its interval.';
comment on column steelyard.comparison_rows.noise_over_code_layouts_high is
  'Of the ratio, were the layouts drawn anew: the upper end of its interval.';
