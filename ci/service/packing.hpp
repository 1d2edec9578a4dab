// Answers as gzip. A long answer is packed in pieces, and what was packed before is not packed again: of a history of
// years all but the newest piece is what it was before the last run, and its commits are those of every other series.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard::ci {

// A part of an answer, up to the next.
struct AnswerPiece {
  std::size_t end = 0;  // in the answer's bytes
  std::string digest;   // of its own bytes
};
// ends: ascending; what follows the last is one more.
std::vector<AnswerPiece> pieces_of(std::string_view text, const std::vector<std::size_t>& ends);

// Whether an Accept-Encoding takes it: "gzip;q=0" says that it does not.
bool takes_gzip(std::string_view accepted);

// Null: there is no memory for it. effort: zlib's, 1 to 9.
std::shared_ptr<const std::string> packed(std::string_view text, int effort);

// Packed pieces by what they are packed of, which is all that tells of them: none is ever out of date, or another
// caller's secret. Bounded by bytes; those that were used least lately go first. From any thread.
class PackedPieces {
 public:
  PackedPieces(std::size_t most_bytes, int effort) : most_bytes_(most_bytes), effort_(effort) {}
  // As packed(), whose text it unpacks to.
  std::shared_ptr<const std::string> packed(std::string_view text, const std::vector<AnswerPiece>& pieces);
  std::size_t bytes() const;

 private:
  struct Packed {
    std::string digest;
    std::string bytes;  // blocks of deflate that refer to nothing before them
    std::uint32_t crc = 0;
  };
  std::shared_ptr<const Packed> find(const std::string& digest);
  std::shared_ptr<const Packed> pack(std::string_view text, const std::string& digest) const;
  void keep(std::shared_ptr<const Packed> piece);

  mutable std::mutex mutex_;
  std::size_t most_bytes_;
  int effort_;
  std::size_t bytes_ = 0;
  std::list<std::shared_ptr<const Packed>> kept_;  // used last first
  std::map<std::string_view, std::list<std::shared_ptr<const Packed>>::iterator> by_digest_;
};

}  // namespace steelyard::ci
