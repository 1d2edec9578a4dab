#include "storage/archive/archive.hpp"

#include <cassert>
#include <optional>
#include <utility>

#include "bench/model/sha256.hpp"
#include "storage/archive/container.hpp"
#include "storage/archive/run_payload.hpp"
#include "storage/place/files.hpp"

namespace steelyard {
namespace {

// Of a file: holds the first block of its zstd frame, which is 128 KiB at most, packed or not.
constexpr std::size_t kBeginningBytes = std::size_t{192} << 10;
// Of the payload: some hundred times what a header takes.
constexpr std::size_t kHeaderBytes = std::size_t{64} << 10;

}  // namespace

void seal(Run& run) {
  run.header.id.clear();
  run.header.id = sha256_hex(encode_payload(run));
}

std::string encode_run(const Run& run) {
  assert(!run.header.id.empty() && "seal the run first");
  return pack_container(encode_payload(run), PayloadKind::run, payload_version());
}

bool is_from_newer_version(std::string_view bytes) {
  return is_newer_container(bytes, PayloadKind::run, payload_version());
}

Result<Run> decode_run(std::string_view bytes, std::string_view name, const ArchiveLimits& limits) {
  STEELYARD_TRY(const std::string payload, unpack_container(bytes, name, PayloadKind::run, payload_version(), limits));
  return decode_payload(payload, name);
}

Result<void> write_archive(const std::filesystem::path& path, const Run& run) {
  STEELYARD_CHECK(check_run(run, path.string()));
  const std::string bytes = encode_run(run);
  const ArchiveLimits limits;
  if (bytes.size() > static_cast<std::uint64_t>(limits.file_bytes) ||
      payload_length(bytes) > static_cast<std::uint64_t>(limits.payload_bytes)) {
    return input_error(path.string(), "a run of " + std::to_string(payload_length(bytes)) + " bytes",
                       "at most " + std::to_string(limits.payload_bytes), "measure fewer benchmarks in one run");
  }
  return write_file(path, bytes);
}

Result<Run> read_archive(const std::filesystem::path& path, const ArchiveLimits& limits) {
  STEELYARD_TRY(const std::string bytes, read_file(path, limits.file_bytes));
  return decode_run(bytes, path.string(), limits);
}

Result<RunHeader> read_header(const std::filesystem::path& path) {
  STEELYARD_TRY(const std::string bytes, read_beginning(path, kBeginningBytes));
  if (const auto payload = unpack_beginning(bytes, PayloadKind::run, payload_version(), kHeaderBytes)) {
    if (std::optional<RunHeader> header = decode_header(*payload)) return std::move(*header);
  }
  STEELYARD_TRY(Run run, read_archive(path));
  return std::move(run.header);
}

}  // namespace steelyard
