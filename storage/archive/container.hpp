// The container that every .syrun file is: magic, versions, lengths, a checksum, and one payload compressed by zstd.
// Knows what kind of payload it holds and nothing of what is in it. Internal to storage/archive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "bench/model/result.hpp"
#include "storage/archive/archive.hpp"

namespace steelyard::storage {

// Programs that know only runs take the version of any other payload for one of the future, and say so.
enum class PayloadKind { run, measurements };

// Makes one of a payload that comes in pieces. Of a file above `most` bytes, which nobody keeps, no more is held, and
// its length is told.
class ContainerWriter {
 public:
  ContainerWriter(PayloadKind kind, std::uint32_t version, std::int64_t most);
  ~ContainerWriter();
  ContainerWriter(const ContainerWriter&) = delete;
  ContainerWriter& operator=(const ContainerWriter&) = delete;

  void add(std::string_view piece);
  void end();  // call once, behind the last piece; then the rest
  std::uint64_t payload_bytes() const { return payload_bytes_; }
  std::uint64_t file_bytes() const;
  std::string take_bytes();  // the whole file where file_bytes() is at most `most`

 private:
  struct Stream;
  std::string bytes_;
  std::unique_ptr<Stream> stream_;  // writes into bytes_
  std::uint64_t payload_bytes_ = 0;
  PayloadKind kind_;
  std::uint32_t version_;
};

// The whole file's bytes. version: of the payload, below 2^24.
std::string pack_container(std::string_view payload, PayloadKind kind, std::uint32_t version);

// The payload. Error (input): damaged, cut, above a limit, of another kind, or newer than `newest_version`.
Result<std::string> unpack_container(std::string_view bytes, std::string_view name, PayloadKind kind,
                                     std::uint32_t newest_version, const ArchiveLimits& limits);

// The payload's first `most` bytes, or all where it has fewer, from the beginning of a container that is not read to
// its end: what stands there is not held to the checksum. Absent where unpack_container() has to say what is wrong, or
// where too little of the file is given.
std::optional<std::string> unpack_beginning(std::string_view bytes, PayloadKind kind, std::uint32_t newest_version,
                                            std::size_t most);

// True for an undamaged container of this kind that is refused only because a later version wrote it.
bool is_newer_container(std::string_view bytes, PayloadKind kind, std::uint32_t newest_version);

// Whether a file that begins with these bytes can be a container.
bool begins_container(std::string_view beginning);
// What the header of an undamaged container says; absent for other bytes.
std::optional<PayloadKind> payload_kind(std::string_view bytes);
// Precondition: bytes are a container's.
std::uint64_t payload_length(std::string_view bytes);

// The fix that goes with an archive of the future.
inline constexpr std::string_view kUpgrade = "it was written by a newer Steelyard; upgrade this one";

// Error (input) of an archive that needs more memory than it may have.
Error too_large(std::string where, const ArchiveLimits& limits);
// What its payload, which stays while it is read, leaves of that memory.
std::uint64_t memory_for_objects(std::string_view payload, const ArchiveLimits& limits);
struct PayloadDefect;
// Error (input) of what the reader of a payload stopped at.
Error defect_error(std::string_view name, const PayloadDefect& defect, const ArchiveLimits& limits);

// zstd over bytes in memory, by Boost.Iostreams. Internal to storage/archive.

std::string compress(std::string_view bytes);

// Absent where the bytes are no zstd frame, are cut, or do not unpack to exactly `size` bytes. Memory grows with what
// is unpacked, not with what `size` claims, and stops there.
std::optional<std::string> decompress(std::string_view compressed, std::size_t size);

// The first `size` bytes, from the beginning of a frame that may be cut behind them. Absent where there are not so
// many.
std::optional<std::string> decompress_beginning(std::string_view compressed, std::size_t size);

}  // namespace steelyard::storage
