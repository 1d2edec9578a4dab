// Values of some series in some runs: what every question about levels comes down to. The index of
// steelyard.measurements by series and run holds all of it but the invocations, which lie in the packed samples.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/model/result.hpp"
#include "storage/postgres/session/session.hpp"

namespace steelyard {

struct ValuesQuery {
  std::vector<std::int64_t> series;  // keys, each once
  std::vector<std::int64_t> runs;    // keys, each once
  bool with_invocations = false;
};
struct SeriesValue {
  std::size_t run = 0;  // index in ValuesQuery::runs
  std::int64_t position = 0;
  double value = 0;
  std::int64_t samples = 0;
  std::int64_t invocations = 0;  // 0 where they were not asked for
};
// In the order of the runs; where a run has a series twice, the later one first.
bool comes_before(const SeriesValue& a, const SeriesValue& b);

// For each series, in order, what it has in these runs, by comes_before; values that are not defined are left out.
Result<std::vector<std::vector<SeriesValue>>> read_series_values(Transaction& transaction, const ValuesQuery& query);

}  // namespace steelyard
