#include "ci/service/packing.hpp"

#include <zlib.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "bench/model/parse_number.hpp"
#include "bench/model/sha256.hpp"
#include "bench/model/text.hpp"

namespace steelyard::ci {
namespace {

constexpr int kGzipFrame = 15 + 16;
constexpr int kNoFrame = -15;

// Empty where there is no memory for zlib.
std::string deflated(std::string_view text, int effort, int frame, int flush) {
  z_stream stream{};
  if (deflateInit2(&stream, effort, Z_DEFLATED, frame, 8, Z_DEFAULT_STRATEGY) != Z_OK) return "";
  constexpr std::size_t kOfFlush = 16;
  std::string bytes(deflateBound(&stream, static_cast<uLong>(text.size())) + kOfFlush, '\0');
  // zlib does not write to its input; its interface is older than const.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  const int done = deflate(&stream, flush);
  bytes.resize(done == Z_STREAM_END || (done == Z_OK && stream.avail_in == 0 && stream.avail_out > 0) ? stream.total_out
                                                                                                      : 0);
  deflateEnd(&stream);
  return bytes;
}

void add_little_endian(std::string& text, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
}

// RFC 1952: no name, no time, of an unknown system; then the blocks, and one that is empty and the last.
constexpr std::string_view kGzipHead{"\x1f\x8b\x08\0\0\0\0\0\0\xff", 10};
constexpr std::string_view kLastBlock{"\x03\0", 2};
constexpr std::size_t kPieceBeside = 200;  // bytes in memory

// What stands behind a coding: ";q=0.5" (RFC 9110, 12.4.2). 1 where nothing does; 0 where it is no weight.
double weight_of(std::string_view parameters) {
  if (parameters.empty()) return 1;
  const std::string_view weight = trimmed(parameters.substr(1));
  if (!weight.starts_with("q=") && !weight.starts_with("Q=")) return 0;
  return parse_as<double>(weight.substr(2)).value_or(0);
}

}  // namespace

std::vector<AnswerPiece> pieces_of(std::string_view text, const std::vector<std::size_t>& ends) {
  std::vector<AnswerPiece> pieces;
  std::size_t begin = 0;
  const auto add = [&](std::size_t end) {
    if (end <= begin) return;
    pieces.push_back({end, sha256_hex(text.substr(begin, end - begin))});
    begin = end;
  };
  for (const std::size_t end : ends) add(std::min(end, text.size()));
  add(text.size());
  return pieces;
}

bool takes_gzip(std::string_view accepted) {
  for (std::size_t at = 0; at < accepted.size();) {
    const std::size_t end = std::min(accepted.find(',', at), accepted.size());
    const std::string_view one = accepted.substr(at, end - at);
    at = end + 1;
    const std::size_t semicolon = std::min(one.find(';'), one.size());
    if (trimmed(one.substr(0, semicolon)) == "gzip") return weight_of(one.substr(semicolon)) > 0;
  }
  return false;
}

std::shared_ptr<const std::string> packed(std::string_view text, int effort) {
  std::string bytes = deflated(text, effort, kGzipFrame, Z_FINISH);
  bytes.shrink_to_fit();
  return bytes.empty() ? nullptr : std::make_shared<const std::string>(std::move(bytes));
}

std::shared_ptr<const PackedPieces::Packed> PackedPieces::find(const std::string& digest) {
  const std::lock_guard lock(mutex_);
  const auto found = by_digest_.find(digest);
  if (found == by_digest_.end()) return nullptr;
  kept_.splice(kept_.begin(), kept_, found->second);
  return *found->second;
}

std::shared_ptr<const PackedPieces::Packed> PackedPieces::pack(std::string_view text, const std::string& digest) const {
  std::string bytes = deflated(text, effort_, kNoFrame, Z_FULL_FLUSH);
  if (bytes.empty()) return nullptr;
  bytes.shrink_to_fit();
  const auto* const begin = reinterpret_cast<const Bytef*>(text.data());
  const auto crc = static_cast<std::uint32_t>(crc32(0, begin, static_cast<uInt>(text.size())));
  return std::make_shared<const Packed>(Packed{digest, std::move(bytes), crc});
}

void PackedPieces::keep(std::shared_ptr<const Packed> piece) {
  const std::lock_guard lock(mutex_);
  const std::size_t size = piece->bytes.size() + kPieceBeside;
  if (size > most_bytes_ || by_digest_.contains(piece->digest)) return;
  while (bytes_ + size > most_bytes_) {
    const Packed& last = *kept_.back();
    bytes_ -= last.bytes.size() + kPieceBeside;
    by_digest_.erase(last.digest);
    kept_.pop_back();
  }
  kept_.push_front(std::move(piece));
  by_digest_.emplace(kept_.front()->digest, kept_.begin());
  bytes_ += size;
}

std::shared_ptr<const std::string> PackedPieces::packed(std::string_view text, const std::vector<AnswerPiece>& pieces) {
  std::vector<std::shared_ptr<const Packed>> all;
  std::size_t bytes = 0, begin = 0;
  for (const AnswerPiece& piece : pieces) {
    std::shared_ptr<const Packed> known = find(piece.digest);
    if (!known) {
      known = pack(text.substr(begin, piece.end - begin), piece.digest);
      if (!known) return nullptr;
      keep(known);
    }
    begin = piece.end;
    bytes += known->bytes.size();
    all.push_back(std::move(known));
  }
  constexpr std::size_t kTail = 8;
  std::string whole;
  whole.reserve(kGzipHead.size() + bytes + kLastBlock.size() + kTail);
  whole += kGzipHead;
  uLong crc = crc32(0, nullptr, 0);
  begin = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    whole += all[i]->bytes;
    crc = crc32_combine(crc, all[i]->crc, static_cast<z_off_t>(pieces[i].end - begin));
    begin = pieces[i].end;
  }
  whole += kLastBlock;
  add_little_endian(whole, static_cast<std::uint32_t>(crc));
  add_little_endian(whole, static_cast<std::uint32_t>(text.size()));
  return std::make_shared<const std::string>(std::move(whole));
}

std::size_t PackedPieces::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace steelyard::ci
