#include "storage/postgres/history/series_values.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace steelyard {
namespace {

// $1 series, $2 and $3 the lowest and highest run, $4 the runs. The range is what the index is read by: a look-up for
// each pair of series and run would cost more than the runs in between, and the sum keeps the planner from that.
constexpr const char* kBegin =
    "select x.series_key, array_agg(x.run_key), array_agg(x.position), array_agg(x.value), array_agg(x.samples)";
constexpr const char* kInvocations = ", array_agg(steelyard.packed_invocations(x.packed))";
constexpr const char* kFrom =
    " from steelyard.measurements x where x.series_key = any($1::integer[]) and x.run_key between $2 and $3 "
    "and x.value is not null";
constexpr const char* kOnlyRuns = " and x.run_key + 0 = any($4::integer[])";
constexpr const char* kEnd = " group by x.series_key";

// Where so many of the runs in the range are wanted, the others are let go here and not there.
constexpr std::int64_t kDense = 2;

}  // namespace

bool comes_before(const SeriesValue& a, const SeriesValue& b) {
  return a.run != b.run ? a.run < b.run : a.position > b.position;
}

Result<std::vector<std::vector<SeriesValue>>> read_series_values(Transaction& transaction, const ValuesQuery& query) {
  std::vector<std::vector<SeriesValue>> all(query.series.size());
  if (query.series.empty() || query.runs.empty()) return all;
  const auto [lowest, highest] = std::minmax_element(query.runs.begin(), query.runs.end());
  std::unordered_map<std::int64_t, std::size_t> index_of_run;
  for (std::size_t i = 0; i < query.runs.size(); ++i) index_of_run.emplace(query.runs[i], i);
  std::unordered_map<std::int64_t, std::size_t> index_of_series;
  for (std::size_t i = 0; i < query.series.size(); ++i) index_of_series.emplace(query.series[i], i);

  const bool is_dense = *highest - *lowest < kDense * static_cast<std::int64_t>(query.runs.size());
  SqlValues values;
  values.integers(query.series).integer(*lowest).integer(*highest);
  if (!is_dense) values.integers(query.runs);
  STEELYARD_TRY(const Rows rows, transaction.run(std::string(kBegin) + (query.with_invocations ? kInvocations : "") +
                                                     kFrom + (is_dense ? "" : kOnlyRuns) + kEnd,
                                                 values, {0, static_cast<std::int64_t>(query.series.size())}));
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    const auto runs = integers_of_array(rows.raw(row, 1));
    const auto positions = integers_of_array(rows.raw(row, 2));
    const auto numbers = numbers_of_array(rows.raw(row, 3));
    const auto samples = integers_of_array(rows.raw(row, 4));
    const auto invocations =
        query.with_invocations ? integers_of_array(rows.raw(row, 5)) : std::vector<std::int64_t>(runs.size());
    std::vector<SeriesValue>& of_series = all[index_of_series.at(rows.integer(row, 0))];
    for (std::size_t i = 0; i < runs.size() && i < numbers.size() && i < invocations.size(); ++i) {
      const auto run = index_of_run.find(runs[i]);
      if (run == index_of_run.end()) continue;
      of_series.push_back({run->second, positions[i], numbers[i], samples[i], invocations[i]});
    }
    std::sort(of_series.begin(), of_series.end(), comes_before);
  }
  return all;
}

}  // namespace steelyard
