// The .syrun archive: one file per run. Magic, format version, payload length and checksum, then a zstd-compressed
// payload that reads the same on every supported platform. Reading is bounded before anything is allocated; a bad file
// yields one error that names the file, the offset and what was wrong, and no half-read object.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "bench/model/result.hpp"
#include "bench/model/run.hpp"
#include "storage/place/files.hpp"

namespace steelyard::storage {

// What reading an archive may take of memory: $STEELYARD_ARCHIVE_MEMORY_MIB, else 512 MiB. A file of kilobytes can hold
// what needs gigabytes.
std::int64_t archive_memory_bytes();

// A file of an archive has no more; it holds some 60 million samples with all their digits.
inline constexpr std::int64_t kMaxArchiveBytes = std::int64_t{512} << 20;
// What is read of a file, before anything is unpacked: 256 MiB, and more where half of archive_memory_bytes() is more,
// as the payload is no smaller.
std::int64_t archive_file_bytes();

struct ArchiveLimits {
  std::int64_t file_bytes = archive_file_bytes();
  std::int64_t payload_bytes = std::int64_t{1} << 30;  // uncompressed
  // Of the payload, which has half of it at most, and of what is read from it.
  std::int64_t memory_bytes = archive_memory_bytes();
};

// Sets header.id to the hash of the run's content (its payload with an empty id): the same run twice is one run.
void seal(Run& run);

std::string encode_run(const Run& run);  // the whole file's bytes; the run is sealed
Result<Run> decode_run(std::string_view bytes, std::string_view name, const ArchiveLimits& limits = {});
// What the bytes of an archive come to unpacked, as it says itself and is held to; 0 where it is none, or damaged.
std::uint64_t unpacked_length(std::string_view bytes);

// decode_run() of what is to be kept: an archive whose id is not that of its content is refused, since it would pass
// for the run that the id is of. Error (input): as decode_run().
Result<Run> decode_sealed_run(std::string_view bytes, std::string_view name);

// True for an undamaged archive that decode_run() refuses only because a later version wrote it.
bool is_from_newer_version(std::string_view bytes);
// Of an error of decode_run() within the usual limits: a later version, or this one with more memory, may read it.
bool may_be_read_elsewhere(std::string_view bytes, const Error& error);

// Written beside the target and renamed into place, flushed to the disk first: a full disk or a kill leaves no part of
// a file under `path`.
Result<void> write_archive(const std::filesystem::path& path, const Run& run);
// The same of a place that a person names: through a device or a pipe, which stay (storage/place/files.hpp).
Result<void> write_named_archive(const std::filesystem::path& path, const Run& run, LinkInPlace link);
Result<Run> read_archive(const std::filesystem::path& path);
// The bytes of its file. Error (input): it cannot be read, or has more than the limits allow; of an archive it says how
// to allow that.
Result<std::string> read_archive_bytes(const std::filesystem::path& path);
Result<Run> read_sealed_archive(const std::filesystem::path& path);  // decode_sealed_run() of a file
// The run's header alone, from the beginning of the file, however long that is: for putting archives in order. Damage
// behind it is found by whoever reads the run. Error (input): as read_archive().
Result<RunHeader> read_header(const std::filesystem::path& path);

// In the settings of counts that are kept to be taken over into later runs (STATE/counts): the archive of such is that
// of no run, and no store and no history takes it for one.
inline constexpr const char* kKeptCountSetting = "count_cache.inputs";
bool is_kept_count(const RunHeader& header);

// A run as the bytes of an archive's payload, and back. Not compressed, not checksummed: that is the container's.
// Internal to storage/archive.

// Of what encode_payload() writes. Rises with every change of what is archived.
std::uint32_t payload_version();

std::string encode_payload(const Run& run);
// The bytes of encode_payload() in pieces, for what need not be in memory twice.
void write_payload(const Run& run, const std::function<void(std::string_view piece)>& take);

// Error (input): damaged, written by a newer version, larger than allowed, or with parts that point nowhere; `name` is
// the file's, the offset counts the bytes of the payload.
Result<Run> decode_payload(std::string_view payload, std::string_view name, const ArchiveLimits& limits = {});

// The header of a payload of which only the beginning is there. Absent where decode_payload() has to say what is wrong,
// or where the beginning is too short.
std::optional<RunHeader> decode_header(std::string_view beginning);

// Error (bug) where some part of the run points to another that is not there, or lacks what every reader may rely on: a
// run that decode_payload() would refuse.
Result<void> check_run(const Run& run, std::string_view name);

}  // namespace steelyard::storage
