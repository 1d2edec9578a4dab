// Measurements of the Timer as tables whose marks are tested: one for each label, rows by sub-label within threads and
// environment, columns by description.
//
//     STEELYARD_TRY(std::vector<SignificanceTable> tables, task_tables(measurements, {}));
//     std::cout << render_text(tables, {.color = true});
#pragma once

#include <vector>

#include "bench/harness/significance_table.hpp"
#include "bench/model/task_measurement.hpp"

namespace steelyard {

// Errors (input): those of CompareTable::text(), and a reference that names nothing.
Result<std::vector<SignificanceTable>> task_tables(const std::vector<TaskMeasurement>& measurements,
                                                   const TableQuestion& question, MergeOptions merging = {});

}  // namespace steelyard
