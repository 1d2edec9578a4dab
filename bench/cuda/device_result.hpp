// The finished result of a device program: Google Benchmark's JSON, and a table for people.
#pragma once

#include <string>
#include <vector>

#include "bench/cuda/worker_report.hpp"

namespace steelyard::cuda {

struct ResultHeader {
  std::string date;  // "2026-11-22T07:30:00+00:00"
  std::string host_name;
  std::string executable;
  int cpus = 0;
};
// Of this moment and machine.
ResultHeader result_header(const std::string& executable);

std::string result_json(const ResultHeader& header, const Facts& facts, const std::vector<FinishedRow>& rows);

// One line a row: cold and hot time, rates, samples; under it why a row has none.
std::string result_table(const std::vector<FinishedRow>& rows);

}  // namespace steelyard::cuda
