#include "storage/archive/archive.hpp"

#include <array>
#include <cassert>

#include "bench/model/sha256.hpp"
#include "storage/archive/archive_file.hpp"
#include "storage/archive/compression.hpp"
#include "storage/archive/run_payload.hpp"

// The container. Its first 64 bytes keep their meaning in every later version, so that damage and newness can be told
// apart for ever:
//
//    0   8  magic: "SYRUN", and line ends and a stop byte that a transfer as text would change
//    8   4  container version
//   12   4  payload version
//   16   8  length of the compressed payload, which ends the file
//   24   8  length of the payload itself
//   32  32  SHA-256 of bytes 0 to 31 and of the compressed payload
//   64      the payload, compressed by zstd

namespace steelyard {
namespace {

constexpr std::string_view kMagic("SYRUN\r\n\x1a", 8);
constexpr std::uint32_t kContainerVersion = 1;
constexpr std::size_t kChecksumOffset = 32;
constexpr std::size_t kHeaderBytes = 64;

template <class T>
void append_number(std::string& bytes, T number) {
  for (std::size_t i = 0; i < sizeof(T); ++i) bytes += static_cast<char>((number >> (8U * i)) & 0xFFU);
}

template <class T>
T number_at(std::string_view bytes, std::size_t offset) {
  T number = 0;
  for (std::size_t i = sizeof(T); i-- > 0;) {
    number = static_cast<T>((number << 8U) | static_cast<unsigned char>(bytes[offset + i]));
  }
  return number;
}

std::string checksum(std::string_view header, std::string_view compressed) {
  std::string covered(header.substr(0, kChecksumOffset));
  covered += compressed;
  const std::string hex = sha256_hex(covered);
  const auto digit = [](char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10); };
  std::string raw;
  for (std::size_t i = 0; i < hex.size(); i += 2) raw += static_cast<char>(digit(hex[i]) << 4U | digit(hex[i + 1]));
  return raw;
}

Error damaged(std::string_view name, std::size_t offset, std::string found, std::string wanted) {
  return input_error(std::string(name) + ": byte " + std::to_string(offset), std::move(found), std::move(wanted),
                     "the file is damaged or cut; take another copy of it");
}

Error newer(std::string_view name, const char* what, std::uint32_t version, std::uint32_t newest) {
  return input_error(std::string(name), std::string(what) + " version " + std::to_string(version),
                     "at most " + std::to_string(newest), std::string(kUpgrade));
}

Result<void> check_magic(std::string_view bytes, std::string_view name) {
  if (bytes.starts_with(kMagic)) return {};
  if (bytes.size() < kMagic.size() && kMagic.starts_with(bytes)) {
    return damaged(name, bytes.size(), bytes.empty() ? "an empty file" : "the end of the file", "a .syrun archive");
  }
  if (bytes.starts_with(kMagic.substr(0, 5))) {
    return damaged(name, 5, "other bytes than a .syrun archive opens with",
                   "a file transferred as binary, not as text");
  }
  return input_error(std::string(name) + ": byte 0", "something else", "a .syrun archive",
                     "name one that `steelyard run` or `steelyard ab` has written");
}

// The checksum is looked at before the versions: a flipped bit there is damage, not the future.
Result<void> check_container(std::string_view bytes, std::string_view name) {
  STEELYARD_CHECK(check_magic(bytes, name));
  if (bytes.size() < kHeaderBytes) {
    return damaged(name, bytes.size(), "the end of the file",
                   "the header's " + std::to_string(kHeaderBytes) + " bytes");
  }
  const auto claimed = number_at<std::uint64_t>(bytes, 16);
  const std::uint64_t present = bytes.size() - kHeaderBytes;
  if (claimed > present) {
    return damaged(name, bytes.size(), "the end of the file",
                   std::to_string(claimed) + " bytes behind the header, not " + std::to_string(present));
  }
  if (claimed < present) {
    return damaged(name, kHeaderBytes + static_cast<std::size_t>(claimed),
                   std::to_string(present - claimed) + " bytes more", "the end of the file");
  }
  if (checksum(bytes, bytes.substr(kHeaderBytes)) != bytes.substr(kChecksumOffset, kHeaderBytes - kChecksumOffset)) {
    return damaged(name, kChecksumOffset, "a checksum of other bytes", "that of this file");
  }
  return {};
}

std::uint32_t container_version(std::string_view bytes) { return number_at<std::uint32_t>(bytes, 8); }
std::uint32_t version_of_payload(std::string_view bytes) { return number_at<std::uint32_t>(bytes, 12); }
std::uint64_t payload_length(std::string_view bytes) { return number_at<std::uint64_t>(bytes, 24); }

}  // namespace

void seal(Run& run) {
  run.header.id.clear();
  run.header.id = sha256_hex(encode_payload(run));
}

std::string encode_run(const Run& run) {
  assert(!run.header.id.empty() && "seal the run first");
  const std::string payload = encode_payload(run);
  const std::string compressed = compress(payload);
  std::string bytes(kMagic);
  append_number(bytes, kContainerVersion);
  append_number(bytes, payload_version());
  append_number(bytes, static_cast<std::uint64_t>(compressed.size()));
  append_number(bytes, static_cast<std::uint64_t>(payload.size()));
  bytes += checksum(bytes, compressed);
  bytes += compressed;
  return bytes;
}

bool is_from_newer_version(std::string_view bytes) {
  return check_container(bytes, "") &&
         (container_version(bytes) > kContainerVersion || version_of_payload(bytes) > payload_version());
}

Result<Run> decode_run(std::string_view bytes, std::string_view name, const ArchiveLimits& limits) {
  if (bytes.size() > static_cast<std::uint64_t>(limits.file_bytes)) {
    return input_error(std::string(name), std::to_string(bytes.size()) + " bytes",
                       "at most " + std::to_string(limits.file_bytes), "");
  }
  STEELYARD_CHECK(check_container(bytes, name));
  if (const auto version = container_version(bytes); version > kContainerVersion) {
    return newer(name, "archive", version, kContainerVersion);
  }
  if (const auto version = version_of_payload(bytes); version > payload_version()) {
    return newer(name, "payload", version, payload_version());
  }
  const std::uint64_t length = payload_length(bytes);
  if (length > static_cast<std::uint64_t>(limits.payload_bytes)) {
    return input_error(std::string(name) + ": byte 24", "a payload of " + std::to_string(length) + " bytes",
                       "at most " + std::to_string(limits.payload_bytes), "");
  }
  const auto payload = decompress(bytes.substr(kHeaderBytes), static_cast<std::size_t>(length));
  if (!payload) {
    return damaged(name, kHeaderBytes, "compressed data that does not unpack",
                   std::to_string(length) + " bytes packed by zstd");
  }
  return decode_payload(*payload, name);
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

}  // namespace steelyard
