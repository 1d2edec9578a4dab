#include "ci/app/measurement_sides.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>

#include "bench/harness/measurement_archive.hpp"
#include "bench/harness/to_run.hpp"
#include "storage/archive/measurement_file.hpp"

namespace steelyard {
namespace {

constexpr std::size_t kOpening = 4096;  // bytes by which a file is recognised

std::string opening_of(const std::string& side) {
  std::error_code code;
  if (!std::filesystem::is_regular_file(side, code)) return "";
  std::ifstream stream(side, std::ios::binary);
  std::string bytes(kOpening, '\0');
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(stream.gcount()));
  return bytes;
}

bool is_measurement_archive(const std::string& side, const std::string& opening) {
  if (!opening.starts_with("SYRUN")) return false;
  std::error_code code;
  const auto size = std::filesystem::file_size(side, code);
  if (code || size > static_cast<std::uintmax_t>(ArchiveLimits{}.file_bytes)) return false;
  std::ifstream stream(side, std::ios::binary);
  return holds_measurements(std::string((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>()));
}

}  // namespace

Result<std::optional<std::vector<TaskMeasurement>>> load_measurement_side(const std::string& side) {
  using Loaded = std::optional<std::vector<TaskMeasurement>>;
  const std::string opening = opening_of(side);
  if (opening.empty()) return Loaded();
  if (opens_like_measurements(opening)) {
    STEELYARD_TRY(std::vector<TaskMeasurement> measurements, read_measurements(side));
    return Loaded(std::move(measurements));
  }
  if (!is_measurement_archive(side, opening)) return Loaded();
  STEELYARD_TRY(std::vector<TaskMeasurement> measurements, read_measurement_file(side));
  return Loaded(std::move(measurements));
}

JoinedMeasurements join_sides(std::vector<MeasurementSide> sides) {
  std::set<TaskSpec> seen;
  bool is_repeated = false;
  for (const MeasurementSide& side : sides) {
    std::set<TaskSpec> of_side;
    for (const TaskMeasurement& measurement : side.measurements) of_side.insert(measurement.task);
    for (const TaskSpec& task : of_side) is_repeated = !seen.insert(task).second || is_repeated;
  }
  JoinedMeasurements joined;
  if (is_repeated) joined.direction = TableDirection::rowwise;
  for (MeasurementSide& side : sides) {
    for (TaskMeasurement& measurement : side.measurements) {
      std::string& description = measurement.task.description;
      if (is_repeated) description = description.empty() ? side.name : description + " (" + side.name + ")";
      joined.measurements.push_back(std::move(measurement));
    }
  }
  return joined;
}

Result<Run> run_of_side(MeasurementSide side, const std::vector<Environment>& environments, bool any_machine) {
  const std::string machine = side.measurements.empty() ? "" : side.measurements.front().fingerprint;
  ToRunOptions options;
  const Environment* other = nullptr;  // of another machine
  for (const Environment& environment : environments) {
    const std::string fingerprint = environment.fingerprint();
    if (!machine.empty() && fingerprint == machine) options.environment = environment;
    if (!fingerprint.empty() && fingerprint != machine) other = &environment;
  }
  if (any_machine) {
    options.environment = {};
    for (TaskMeasurement& measurement : side.measurements) measurement.fingerprint.clear();
  } else if (!machine.empty() && options.environment.facts.empty() && other) {
    return input_error("steelyard compare --table",
                       side.name + " has times of machine " + machine + ", other sides are of " + other->fingerprint(),
                       "one machine", "--ignore-fact " + std::string(kFingerprintFact) + " sets the difference aside");
  }
  Result<Run> run = to_run(side.measurements, options);
  if (run) return run;
  Error error = std::move(run).error();
  error.where = side.name + " beside runs: " + error.where;
  return error;
}

}  // namespace steelyard
