// Files of the harness's Timer as sides of a table: the XML and text archives, and .syrun files that hold measurements.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/harness/significance_table.hpp"
#include "bench/model/result.hpp"
#include "bench/model/run.hpp"
#include "bench/model/task_measurement.hpp"

namespace steelyard {

// Absent where `side` is something else (a run's archive, JSON, a folder, a run in the store, nothing at all). Error
// (input): it is such a file, and a bad one.
Result<std::optional<std::vector<TaskMeasurement>>> load_measurement_side(const std::string& side);

struct MeasurementSide {
  std::string name;
  std::vector<TaskMeasurement> measurements;
};

struct JoinedMeasurements {
  std::vector<TaskMeasurement> measurements;
  // As of the reference, columns are descriptions, and rows the contenders. Where a task is in several files the files
  // are the contenders: columns are descriptions and files, compared along the row.
  TableDirection direction = TableDirection::columnwise;
};
JoinedMeasurements join_sides(std::vector<MeasurementSide> sides);

// The times of a side as a run, to stand beside runs of `environments`: benchmarks are named as by to_run(). Where one
// of these machines is the file's, the run is of it. Errors (input): the file is of a machine that none of them is, and
// not `any_machine`; what to_run() refuses.
Result<Run> run_of_side(MeasurementSide side, const std::vector<Environment>& environments, bool any_machine);

// The name under which --ignore-fact lets measurements of several machines into one table: their files keep the
// fingerprint and no facts.
inline constexpr const char* kFingerprintFact = "fingerprint";

}  // namespace steelyard
