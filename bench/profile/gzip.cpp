#include "bench/profile/gzip.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <streambuf>
#include <utility>

namespace steelyard::bench {
namespace {

constexpr int kWindowAndGzip = 15 + 16;  // the largest window; 16: gzip's header, not zlib's (zlib.h, deflateInit2)
constexpr int kFastLevel = 1;            // a trace of 207 MB packs into 7 MB at it (docs/measured/spans.md)

}  // namespace

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

Result<UnpackedGzip> unpack_gzip(std::string_view bytes, const std::string& name, std::uint64_t max_bytes) {
  z_stream stream{};
  if (inflateInit2(&stream, kWindowAndGzip) != Z_OK) return bug_error("zlib", "no memory");
  std::string text;
  std::array<char, 256 * 1024> part;
  int state = Z_OK;
  std::size_t taken = 0;
  while (taken < bytes.size() || stream.avail_in > 0) {
    if (stream.avail_in == 0) {
      const std::size_t next = std::min<std::size_t>(bytes.size() - taken, std::numeric_limits<uInt>::max() / 2);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + taken));  // zlib's own cast
      stream.avail_in = static_cast<uInt>(next);
      taken += next;
    }
    if (state == Z_STREAM_END) inflateReset(&stream);  // one member after the other
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = static_cast<uInt>(part.size());
    state = inflate(&stream, Z_NO_FLUSH);
    if (state != Z_OK && state != Z_STREAM_END) break;
    text.append(part.data(), part.size() - stream.avail_out);
    if (text.size() > max_bytes) {
      state = Z_BUF_ERROR;
      break;
    }
  }
  // What is left of the output, where the input came to its end first.
  while (state == Z_OK && text.size() <= max_bytes) {
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = static_cast<uInt>(part.size());
    state = inflate(&stream, Z_NO_FLUSH);
    text.append(part.data(), part.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (text.size() > max_bytes) {
    return input_error(name, "more than " + std::to_string(max_bytes) + " bytes when it is unpacked", "less than that");
  }
  const bool is_cut = state == Z_BUF_ERROR;  // it wants more than there is
  if (state != Z_STREAM_END && !is_cut) return input_error(name, "gzip that is damaged", "a file of gzip");
  return UnpackedGzip{std::move(text), is_cut};
}

class GzipStream::Buffer : public std::streambuf {
 public:
  explicit Buffer(std::ostream& out) : out_(out) {
    is_ready_ = deflateInit2(&stream_, kFastLevel, Z_DEFLATED, kWindowAndGzip, 8, Z_DEFAULT_STRATEGY) == Z_OK;
    setp(input_.data(), input_.data() + input_.size());
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() override {
    if (!is_ready_) return;
    pack(Z_FINISH);
    deflateEnd(&stream_);
  }

 private:
  int_type overflow(int_type c) override {
    if (!is_ready_) return traits_type::eof();
    pack(Z_NO_FLUSH);
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    return sputc(traits_type::to_char_type(c));
  }

  void pack(int flush) {
    stream_.next_in = reinterpret_cast<Bytef*>(pbase());
    stream_.avail_in = static_cast<uInt>(pptr() - pbase());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(output_.data());
      stream_.avail_out = static_cast<uInt>(output_.size());
      deflate(&stream_, flush);
      out_.write(output_.data(), static_cast<std::streamsize>(output_.size() - stream_.avail_out));
    } while (stream_.avail_out == 0);
    setp(input_.data(), input_.data() + input_.size());
  }

  std::ostream& out_;
  z_stream stream_{};
  bool is_ready_ = false;
  std::array<char, 64 * 1024> input_, output_;
};

GzipStream::GzipStream(std::ostream& packed) : std::ostream(nullptr), buffer_(std::make_unique<Buffer>(packed)) {
  rdbuf(buffer_.get());
}
GzipStream::~GzipStream() = default;

}  // namespace steelyard::bench
