// Tables made of seeded times, with a cell of each kind.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bench/harness/numpy_random.hpp"
#include "bench/harness/significance_table.hpp"

namespace steelyard {

inline std::vector<double> noisy_times(double level, double deviation, std::size_t n, NumpyRandom& random) {
  std::vector<double> times(n);
  for (double& time : times) time = level * (1 + deviation * random.normal(0, 1));
  return times;
}

// Two groups; equal, different by much and by 0.3 %, noisy, drifting, of three times only, and missing cells.
inline TableData sample_data() {
  NumpyRandom random(0);
  const auto times = [&](double level, double deviation = 0.01, std::size_t n = 50) {
    return noisy_times(level, deviation, n, random);
  };
  TableData data;
  data.title = "batched dot";
  data.columns = {"(16, 16)", "(128, 128)", "(2048, 2048)"};
  data.rows.push_back({"1 thread", "multiply and sum", {times(1.26e-6), times(17.4e-6), times(4.17e-3, 0.001)}});
  data.rows.push_back({"1 thread", "bmm", {times(3.11e-6), times(17.4e-6), times(4.18e-3, 0.001)}});
  data.rows.push_back({"1 thread", "einsum", {times(1.31e-6, 0.2), {}, times(4.5e-3, 0.01, 3)}});
  data.rows.push_back({"4 threads", "multiply and sum", {times(1.4e-6), times(6.1e-6), times(1.21e-3)}});
  std::vector<double> drifting = times(6.4e-6);
  for (std::size_t i = 0; i < drifting.size(); ++i) drifting[i] *= 1 + 0.002 * static_cast<double>(i);
  data.rows.push_back({"4 threads", "bmm", {times(1.4e-6), std::move(drifting), times(1.29e-3)}});
  return data;
}

}  // namespace steelyard
