#include "tests/studies/table_study.hpp"

#include "bench/harness/significance_table.hpp"

namespace steelyard {
namespace {

constexpr double kDeviation = 2;  // of simulated_times

TableData simulated_table(const TableStudy& study, NumpyRandom& random) {
  TableData data;
  for (int column = 0; column < study.columns; ++column) data.columns.push_back(std::to_string(column));
  for (int row = 0; row < study.rows; ++row) {
    data.rows.push_back({"", std::to_string(row), {}});
    for (int column = 0; column < study.columns; ++column) {
      std::vector<double> times = simulated_times(study.noise, study.n, random);
      if (column + 1 == study.columns) {
        for (double& time : times) time += study.shift * kDeviation;
      }
      data.rows.back().cells.push_back(std::move(times));
    }
  }
  return data;
}

bool shows_difference(TableData data, ValueKind kind) {
  data.kind = kind;
  const Result<SignificanceTable> table = compare_cells(std::move(data), {TableDirection::rowwise, std::nullopt, 0.05});
  if (!table) return false;
  for (const std::vector<TableCell>& row : table->cells) {
    for (const TableCell& cell : row) {
      if (cell.standing == Standing::worse) return true;
    }
  }
  return false;
}

}  // namespace

TableErrors table_errors(const TableStudy& study) {
  NumpyRandom random(study.seed);
  TableErrors errors;
  for (int i = 0; i < study.tables; ++i) {
    TableData data = simulated_table(study, random);
    // Invocations are what a plain test takes samples for.
    errors.with_naive_difference += shows_difference(data, ValueKind::invocations) ? 1 : 0;
    errors.with_difference += shows_difference(std::move(data), ValueKind::samples) ? 1 : 0;
  }
  return errors;
}

}  // namespace steelyard
