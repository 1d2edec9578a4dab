#include "storage/archive/compression.hpp"

#include <algorithm>
#include <array>
#include <boost/iostreams/device/array.hpp>
#include <boost/iostreams/device/back_inserter.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_streambuf.hpp>

namespace steelyard {
namespace {

namespace io = boost::iostreams;

// zstd's own default: an archive is written once and mostly holds digits of measurements, which no level packs well.
constexpr unsigned kLevel = 3;
constexpr std::size_t kChunk = std::size_t{64} << 10;

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
  } catch (const std::ios_base::failure&) {
    return std::nullopt;  // zstd_error is one
  }
  return bytes;
}

}  // namespace

std::string compress(std::string_view bytes) {
  std::string packed;
  io::filtering_streambuf<io::output> stream;
  stream.push(io::zstd_compressor(io::zstd_params(kLevel)));
  stream.push(io::back_inserter(packed));
  stream.sputn(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  io::close(stream);
  return packed;
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

}  // namespace steelyard
