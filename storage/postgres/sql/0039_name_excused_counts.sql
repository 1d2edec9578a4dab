-- That a count failed and nobody had asked for it is a note of its row, which until now its gate note alone told.

comment on column steelyard.comparison_rows.notes is
  'What is known of the row besides its figures: equal program, equal code, other dispatch, not timed, not confirmed '
  'alone, skipped by the baseline, contradicted alone, drift explains it, scatter explains it, drift and scatter '
  'explain it, too noisy, equal counts, first look only, not asked for (before migration 39 in gate_note alone); null: '
  'kept before migration 28, in reason alone.';
