#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "bench/harness/measurement_archive.hpp"
#include "bench/model/sha256.hpp"
#include "storage/archive/archive.hpp"
#include "storage/archive/container.hpp"
#include "storage/archive/measurement_file.hpp"
#include "tests/fuzz/claims.hpp"

namespace steelyard::testkit {
namespace {

// A small budget, so that what passes it is seen long before a fuzzer's own limit.
storage::ArchiveLimits small_limits() {
  storage::ArchiveLimits limits;
  limits.memory_bytes = std::int64_t{64} << 20;
  return limits;
}

BrokenClaim broken_claim_about_measurements(const std::vector<TaskMeasurement>& measurements) {
  for (const TaskMeasurement& measurement : measurements) {
    if (std::string flaw = measurement.flaw(); !flaw.empty()) return "no measurement with " + flaw;
    measurement.text();
  }
  const std::string payload = storage::encode_measurement_payload(measurements);
  const auto again = storage::decode_measurement_file(storage::encode_measurement_file(measurements), "file");
  if (!again) return "measurements can be written and read: " + again.error().text();
  if (storage::encode_measurement_payload(*again) != payload)
    return "measurements are the same after they were written";
  return std::nullopt;
}

// As whoever can write archives would have it: of its length, and with the checksum of these bytes.
std::string with_true_frame(std::string bytes) {
  constexpr std::size_t kLength = 16;
  constexpr std::size_t kChecksum = 32;
  constexpr std::size_t kHeader = 64;
  if (bytes.size() < kHeader) return bytes;
  for (std::size_t i = 0; i < 8; ++i) {
    bytes[kLength + i] = static_cast<char>((bytes.size() - kHeader) >> (8 * i) & 0xFFU);
  }
  const std::string hex = sha256_hex(bytes.substr(0, kChecksum) + bytes.substr(kHeader));
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  for (std::size_t i = 0; i < kHeader - kChecksum; ++i) {
    bytes[kChecksum + i] = static_cast<char>(digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]));
  }
  return bytes;
}

BrokenClaim broken_claim_about_frame(const std::string& bytes) {
  const Result<Run> run = storage::decode_run(bytes, "file", small_limits());
  const auto measurements = storage::decode_measurement_file(bytes, "file", small_limits());
  if (run && measurements) return "a file holds a run or measurements";
  if (run && storage::is_from_newer_version(bytes)) return "what can be read is of no newer version";
  if (measurements && !storage::holds_measurements(bytes)) return "a file of measurements says so";
  if (!run) return broken_claim_about_error(run.error());
  const MemoryFile file(bytes);
  const Result<RunHeader> header = storage::read_header(file.path());
  if (!header || *header != run->header) return "the header alone is that of the run";
  const Result<Run> sealed = storage::decode_sealed_run(bytes, "file");
  if (sealed && sealed->header != run->header) return "a sealed run is the run";
  return broken_claim_about_run(*run);
}

}  // namespace

BrokenClaim broken_claim_about_run_payload(const std::string& payload) {
  const std::string bytes = storage::pack_container(payload, storage::PayloadKind::run, storage::payload_version());
  const Result<Run> run = storage::decode_run(bytes, "file", small_limits());
  if (!run) return broken_claim_about_error(run.error());
  const std::optional<RunHeader> header = storage::decode_header(payload);
  if (!header || *header != run->header) return "the header alone is that of the run";
  return broken_claim_about_run(*run);
}

BrokenClaim broken_claim_about_measurement_payload(const std::string& payload) {
  const std::string bytes =
      storage::pack_container(payload, storage::PayloadKind::measurements, storage::measurement_payload_version());
  const auto measurements = storage::decode_measurement_file(bytes, "file", small_limits());
  return measurements ? broken_claim_about_measurements(*measurements) : broken_claim_about_error(measurements.error());
}

BrokenClaim broken_claim_about_container(const std::string& bytes) {
  if (const auto broken = broken_claim_about_frame(bytes)) return broken;
  return broken_claim_about_frame(with_true_frame(bytes));
}

BrokenClaim broken_claim_about_measurement_archive(const std::string& bytes) {
  const auto measurements = decode_measurements(bytes, "file");
  if (!measurements) return broken_claim_about_error(measurements.error());
  if (const auto broken = broken_claim_about_measurements(*measurements)) return broken;
  for (const MeasurementFormat format : {MeasurementFormat::text, MeasurementFormat::xml}) {
    const Result<std::string> written = encode_measurements(*measurements, format);
    if (!written) return "measurements can be written: " + written.error().text();
    const auto again = decode_measurements(*written, "file");
    if (!again) return "measurements that were written can be read: " + again.error().text();
    if (storage::encode_measurement_payload(*again) != storage::encode_measurement_payload(*measurements)) {
      return "measurements are the same after they were written";
    }
  }
  return std::nullopt;
}

}  // namespace steelyard::testkit
