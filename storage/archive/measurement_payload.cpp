#include "storage/archive/measurement_payload.hpp"

#include "storage/archive/container.hpp"
#include "storage/archive/task_serialization.hpp"
#include "storage/archive/through_boost.hpp"

namespace steelyard {
namespace {

using MeasurementTypes = PayloadTypes<ThroughBoost, TaskMeasurement, TaskSpec>;

}  // namespace

std::uint32_t measurement_payload_version() { return MeasurementTypes::payload_version(); }

std::string encode_measurement_payload(const std::vector<TaskMeasurement>& measurements) {
  PayloadWriter<MeasurementTypes> writer;
  writer& measurements;
  return std::move(writer).bytes();
}

Result<std::vector<TaskMeasurement>> decode_measurement_payload(std::string_view payload, std::string_view name) {
  std::vector<TaskMeasurement> measurements;
  try {
    PayloadReader<MeasurementTypes> reader(payload);
    reader& measurements;
    reader.expect_end();
  } catch (PayloadDefect& defect) {
    return input_error(std::string(name) + ": payload byte " + std::to_string(defect.offset), std::move(defect.found),
                       std::move(defect.wanted),
                       defect.newer ? std::string(kUpgrade) : "the file is damaged; take another copy of it");
  }
  for (const TaskMeasurement& measurement : measurements) {
    if (std::string flaw = measurement.flaw(); !flaw.empty()) {
      return input_error(std::string(name) + ": \"" + measurement.task.title() + '"', std::move(flaw),
                         "what could be measured", "the file is damaged; measure again");
    }
  }
  return measurements;
}

}  // namespace steelyard
