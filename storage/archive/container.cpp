#include "storage/archive/container.hpp"

#include <algorithm>
#include <array>
#include <boost/iostreams/device/array.hpp>
#include <boost/iostreams/device/back_inserter.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_streambuf.hpp>
#include <ios>
#include <limits>
#include <new>

#include "bench/model/sha256.hpp"
#include "storage/archive/portable_archive.hpp"

namespace steelyard::storage {

// The container. Its first 64 bytes keep their meaning in every later version, so that damage and newness can be told
// apart for ever:
//
//    0   8  magic: "SYRUN", and line ends and a stop byte that a transfer as text would change
//    8   4  container version
//   12   3  payload version
//   15   1  kind of payload: 0 a run, 128 measurements of the harness
//   16   8  length of the compressed payload, which ends the file
//   24   8  length of the payload itself
//   32  32  SHA-256 of bytes 0 to 31 and of the compressed payload
//   64      the payload, compressed by zstd

namespace {

constexpr std::string_view kMagic("SYRUN\r\n\x1a", 8);
constexpr std::uint32_t kContainerVersion = 1;
constexpr std::size_t kChecksumOffset = 32;
constexpr std::size_t kHeaderBytes = 64;

template <class T>
void append_bytes_of(std::string& bytes, T number) {
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
  Sha256 hash;
  hash.add(header.substr(0, kChecksumOffset));
  hash.add(compressed);
  const std::string hex = hash.hex();
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
std::uint32_t payload_field(std::string_view bytes) { return number_at<std::uint32_t>(bytes, 12); }

constexpr std::uint32_t kMeasurementsFlag = 0x8000'0000U;
std::uint32_t flag_of(PayloadKind kind) { return kind == PayloadKind::run ? 0 : kMeasurementsFlag; }
PayloadKind kind_in(std::string_view bytes) {
  return (payload_field(bytes) & kMeasurementsFlag) == 0 ? PayloadKind::run : PayloadKind::measurements;
}
std::uint32_t version_in(std::string_view bytes) { return payload_field(bytes) & ~kMeasurementsFlag; }

Error other_kind(std::string_view name, PayloadKind found) {
  const char* words[] = {"a run", "measurements of the harness"};
  const bool is_run = found == PayloadKind::run;
  return input_error(std::string(name), words[is_run ? 0 : 1], words[is_run ? 1 : 0]);
}

}  // namespace

std::string pack_container(std::string_view payload, PayloadKind kind, std::uint32_t version) {
  ContainerWriter writer(kind, version, std::numeric_limits<std::int64_t>::max());
  writer.add(payload);
  writer.end();
  return writer.take_bytes();
}

bool is_newer_container(std::string_view bytes, PayloadKind kind, std::uint32_t newest_version) {
  if (!check_container(bytes, "")) return false;
  return container_version(bytes) > kContainerVersion || (kind_in(bytes) == kind && version_in(bytes) > newest_version);
}

bool begins_container(std::string_view beginning) { return beginning.starts_with(kMagic); }

std::optional<PayloadKind> payload_kind(std::string_view bytes) {
  if (!check_container(bytes, "")) return std::nullopt;
  return kind_in(bytes);
}

std::uint64_t payload_length(std::string_view bytes) { return number_at<std::uint64_t>(bytes, 24); }

Result<std::string> unpack_container(std::string_view bytes, std::string_view name, PayloadKind kind,
                                     std::uint32_t newest_version, const ArchiveLimits& limits) {
  if (bytes.size() > static_cast<std::uint64_t>(limits.file_bytes)) {
    return input_error(std::string(name), std::to_string(bytes.size()) + " bytes",
                       "at most " + std::to_string(limits.file_bytes), "");
  }
  STEELYARD_CHECK(check_container(bytes, name));
  if (const auto version = container_version(bytes); version > kContainerVersion) {
    return newer(name, "archive", version, kContainerVersion);
  }
  if (kind_in(bytes) != kind) return other_kind(name, kind_in(bytes));
  if (const auto version = version_in(bytes); version > newest_version) {
    return newer(name, "payload", version, newest_version);
  }
  const std::uint64_t length = payload_length(bytes);
  if (length > static_cast<std::uint64_t>(limits.payload_bytes)) {
    return input_error(std::string(name) + ": byte 24", "a payload of " + std::to_string(length) + " bytes",
                       "at most " + std::to_string(limits.payload_bytes), "");
  }
  if (length > static_cast<std::uint64_t>(limits.memory_bytes) / 2) {
    return too_large(std::string(name) + ": byte 24", limits);
  }
  auto payload = decompress(bytes.substr(kHeaderBytes), static_cast<std::size_t>(length));
  if (!payload) {
    return damaged(name, kHeaderBytes, "compressed data that does not unpack",
                   std::to_string(length) + " bytes packed by zstd");
  }
  return std::move(*payload);
}

std::uint64_t memory_for_objects(std::string_view payload, const ArchiveLimits& limits) {
  const auto all = static_cast<std::uint64_t>(limits.memory_bytes);
  return all - std::min<std::uint64_t>(all, payload.size());
}

Error too_large(std::string where, const ArchiveLimits& limits) {
  constexpr std::int64_t kMiB = std::int64_t{1} << 20;
  return input_error(std::move(where),
                     "content that needs more memory than the " + std::to_string(limits.memory_bytes / kMiB) +
                         " MiB that an archive may have",
                     "",
                     "where you know who wrote the file, STEELYARD_ARCHIVE_MEMORY_MIB=" +
                         std::to_string(4 * limits.memory_bytes / kMiB) + " allows more");
}

Error defect_error(std::string_view name, const PayloadDefect& defect, const ArchiveLimits& limits) {
  std::string where = std::string(name) + ": payload byte " + std::to_string(defect.offset);
  if (defect.too_large) return too_large(std::move(where), limits);
  return input_error(std::move(where), defect.found, defect.wanted,
                     defect.newer ? std::string(kUpgrade) : "the file is damaged; take another copy of it");
}

std::optional<std::string> unpack_beginning(std::string_view bytes, PayloadKind kind, std::uint32_t newest_version,
                                            std::size_t most) {
  if (bytes.size() < kHeaderBytes || !bytes.starts_with(kMagic)) return std::nullopt;
  if (container_version(bytes) > kContainerVersion || kind_in(bytes) != kind || version_in(bytes) > newest_version) {
    return std::nullopt;
  }
  return decompress_beginning(bytes.substr(kHeaderBytes),
                              static_cast<std::size_t>(std::min<std::uint64_t>(payload_length(bytes), most)));
}

namespace {

namespace io = boost::iostreams;

// zstd's own default: an archive is written once and mostly holds digits of measurements, which no level packs well.
constexpr unsigned kLevel = 3;
constexpr std::size_t kChunk = std::size_t{64} << 10;

// A file is not damaged where memory is short. The number is part of zstd's stable interface (zstd_errors.h), whose
// header nothing else here needs.
bool is_out_of_memory(const io::zstd_error& error) {
  constexpr std::size_t kNoMemory = 64;
  return std::size_t{0} - static_cast<std::size_t>(error.error()) == kNoMemory;
}

// At most so many bytes of what is unpacked. Absent where a frame is damaged or cut before that.
std::optional<std::string> unpack(std::string_view compressed, std::size_t most) {
  std::string bytes;
  try {
    io::filtering_streambuf<io::input> stream;
    stream.push(io::zstd_decompressor());
    stream.push(io::array_source(compressed.data(), compressed.size()));
    std::array<char, kChunk> chunk{};
    while (bytes.size() < most) {
      const std::size_t wanted = std::min(chunk.size(), most - bytes.size());
      const std::streamsize got = stream.sgetn(chunk.data(), static_cast<std::streamsize>(wanted));
      if (got <= 0) break;
      bytes.append(chunk.data(), static_cast<std::size_t>(got));
    }
  } catch (const io::zstd_error& error) {
    if (is_out_of_memory(error)) throw std::bad_alloc();
    return std::nullopt;
  } catch (const std::ios_base::failure&) {
    return std::nullopt;
  }
  return bytes;
}

// Appends to a text, and counts what comes behind `most` bytes.
struct BoundedText {
  using char_type = char;
  using category = io::sink_tag;
  std::string* text;
  std::uint64_t* written;
  std::uint64_t most;

  std::streamsize write(const char* bytes, std::streamsize count) {
    const std::uint64_t room = most - std::min<std::uint64_t>(most, *written);
    text->append(bytes, static_cast<std::size_t>(std::min<std::uint64_t>(room, static_cast<std::uint64_t>(count))));
    *written += static_cast<std::uint64_t>(count);
    return count;
  }
};

}  // namespace

// zstd over what is added, behind room for the container's header.
struct ContainerWriter::Stream {
  Stream(std::string& bytes, std::uint64_t most) {
    buffer.push(io::zstd_compressor(io::zstd_params(kLevel)));
    buffer.push(BoundedText{&bytes, &compressed_bytes, most});
  }
  std::uint64_t compressed_bytes = 0;
  io::filtering_streambuf<io::output> buffer;
};

ContainerWriter::ContainerWriter(PayloadKind kind, std::uint32_t version, std::int64_t most)
    : bytes_(kHeaderBytes, '\0'), kind_(kind), version_(version) {
  stream_ = std::make_unique<Stream>(bytes_, static_cast<std::uint64_t>(most) - kHeaderBytes);
}

ContainerWriter::~ContainerWriter() = default;

void ContainerWriter::add(std::string_view piece) try {
  payload_bytes_ += piece.size();
  stream_->buffer.sputn(piece.data(), static_cast<std::streamsize>(piece.size()));
} catch (const io::zstd_error& error) {
  if (is_out_of_memory(error)) throw std::bad_alloc();
  throw;
}

void ContainerWriter::end() try { io::close(stream_->buffer); } catch (const io::zstd_error& error) {
  if (is_out_of_memory(error)) throw std::bad_alloc();
  throw;
}

std::uint64_t ContainerWriter::file_bytes() const { return kHeaderBytes + stream_->compressed_bytes; }

std::string ContainerWriter::take_bytes() {
  std::string header(kMagic);
  append_bytes_of(header, kContainerVersion);
  append_bytes_of(header, version_ | flag_of(kind_));
  append_bytes_of(header, stream_->compressed_bytes);
  append_bytes_of(header, payload_bytes_);
  header += checksum(header, std::string_view(bytes_).substr(kHeaderBytes));
  bytes_.replace(0, kHeaderBytes, header);
  return std::move(bytes_);
}

std::string compress(std::string_view bytes) try {
  std::string packed;
  io::filtering_streambuf<io::output> stream;
  stream.push(io::zstd_compressor(io::zstd_params(kLevel)));
  stream.push(io::back_inserter(packed));
  stream.sputn(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  io::close(stream);
  return packed;
} catch (const io::zstd_error& error) {
  if (is_out_of_memory(error)) throw std::bad_alloc();
  throw;
}

std::optional<std::string> decompress(std::string_view compressed, std::size_t size) {
  // One byte beyond `size` is asked for, to see that there is none.
  std::optional<std::string> bytes = unpack(compressed, size + 1);
  if (bytes && bytes->size() != size) return std::nullopt;
  return bytes;
}

std::optional<std::string> decompress_beginning(std::string_view compressed, std::size_t size) {
  std::optional<std::string> bytes = unpack(compressed, size);
  if (bytes && bytes->size() != size) return std::nullopt;
  return bytes;
}

}  // namespace steelyard::storage
