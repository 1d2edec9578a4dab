#include "storage/archive/measurement_file.hpp"

#include "storage/archive/container.hpp"
#include "storage/archive/portable_archive.hpp"
#include "storage/archive/task_serialization.hpp"
#include "storage/place/files.hpp"

namespace steelyard::storage {

std::string encode_measurement_file(const std::vector<TaskMeasurement>& measurements) {
  return pack_container(encode_measurement_payload(measurements), PayloadKind::measurements,
                        measurement_payload_version());
}

Result<std::vector<TaskMeasurement>> decode_measurement_file(std::string_view bytes, std::string_view name,
                                                             const ArchiveLimits& limits) {
  STEELYARD_TRY(const std::string payload,
                unpack_container(bytes, name, PayloadKind::measurements, measurement_payload_version(), limits));
  return decode_measurement_payload(payload, name, limits);
}

bool holds_measurements(std::string_view bytes) { return payload_kind(bytes) == PayloadKind::measurements; }

Result<void> write_measurement_file(const std::filesystem::path& path,
                                    const std::vector<TaskMeasurement>& measurements) {
  for (const TaskMeasurement& measurement : measurements) {
    if (std::string flaw = measurement.flaw(); !flaw.empty()) {
      return input_error(path.string() + ": \"" + measurement.task.title() + '"', std::move(flaw),
                         "what could be measured");
    }
  }
  const std::string bytes = encode_measurement_file(measurements);
  const ArchiveLimits limits;
  if (bytes.size() > static_cast<std::uint64_t>(limits.file_bytes) ||
      payload_length(bytes) > static_cast<std::uint64_t>(limits.payload_bytes)) {
    return input_error(path.string(), "measurements of " + std::to_string(payload_length(bytes)) + " bytes",
                       "at most " + std::to_string(limits.payload_bytes), "write them to several files");
  }
  return write_file(path, bytes);
}

Result<std::vector<TaskMeasurement>> read_measurement_file(const std::filesystem::path& path,
                                                           const ArchiveLimits& limits) {
  STEELYARD_TRY(const std::string bytes, read_file(path, limits.file_bytes));
  return decode_measurement_file(bytes, path.string(), limits);
}

namespace {

using MeasurementTypes = PayloadTypes<ThroughBoost, TaskMeasurement, TaskSpec>;

}  // namespace

std::uint32_t measurement_payload_version() { return MeasurementTypes::payload_version(); }

std::string encode_measurement_payload(const std::vector<TaskMeasurement>& measurements) {
  PayloadWriter<MeasurementTypes> writer;
  writer& measurements;
  return std::move(writer).bytes();
}

Result<std::vector<TaskMeasurement>> decode_measurement_payload(std::string_view payload, std::string_view name,
                                                                const ArchiveLimits& limits) {
  std::vector<TaskMeasurement> measurements;
  try {
    PayloadReader<MeasurementTypes> reader(payload, memory_for_objects(payload, limits));
    reader& measurements;
    reader.expect_end();
  } catch (const PayloadDefect& defect) {
    return defect_error(name, defect, limits);
  }
  for (const TaskMeasurement& measurement : measurements) {
    if (std::string flaw = measurement.flaw(); !flaw.empty()) {
      return input_error(std::string(name) + ": \"" + measurement.task.title() + '"', std::move(flaw),
                         "what could be measured", "the file is damaged; measure again");
    }
  }
  return measurements;
}

}  // namespace steelyard::storage
