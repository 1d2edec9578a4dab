#include "storage/postgres/session/benchmark_columns.hpp"

#include <string>
#include <vector>

namespace steelyard {

BenchmarkId benchmark_of(const Rows& rows, std::int64_t row, int first_column) {
  BenchmarkId benchmark;
  benchmark.suite = rows.text(row, first_column);
  benchmark.name = rows.text(row, first_column + 1);
  const std::vector<std::string> names = texts_of_array(rows.raw(row, first_column + 2));
  const std::vector<std::string> values = texts_of_array(rows.raw(row, first_column + 3));
  for (std::size_t i = 0; i < names.size() && i < values.size(); ++i) {
    benchmark.parameters.push_back({names[i], values[i]});
  }
  if (!rows.is_null(row, first_column + 4)) benchmark.threads = static_cast<int>(rows.integer(row, first_column + 4));
  benchmark.device = rows.text(row, first_column + 5);
  benchmark.dtype = rows.text(row, first_column + 6);
  return benchmark;
}

Metric metric_of(const Rows& rows, std::int64_t row, int first_column) {
  // The table's checks allow no other texts.
  return {rows.text(row, first_column), rows.text(row, first_column + 1),
          parse_better(rows.raw(row, first_column + 2)).value_or(Better::undeclared),
          parse_metric_kind(rows.raw(row, first_column + 3)).value_or(MetricKind::noisy)};
}

}  // namespace steelyard
