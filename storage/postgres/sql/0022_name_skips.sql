-- A benchmark that leaves itself out has a verdict of its own.

comment on column steelyard.comparison_rows.verdict is
  'regression, improvement, unchanged, inconclusive, missing, new, failed, incomparable or skipped.';
