// Room in a file of spans, a chunk at a time, for the recorder of spans and for the handler of signals that takes
// samples: add() takes no lock and no memory.
#pragma once

#include <atomic>
#include <cstdint>

#include "bench/profile/spans/span_file.hpp"

namespace steelyard {

class ChunkFile {
 public:
  // `file`: open for reading and writing, of this class's no longer than until close(). Chunks begin behind the header.
  // `chunks`, which counts them, lives as long.
  void open(int file, std::uint64_t max_bytes, std::uint32_t& chunks);
  // Closes the file; what is mapped stays so.
  void close();

  // The next chunk, mapped, zeroed behind its SpanChunk; nullptr: no room, in the file or on its disk.
  char* add(SpanChunkKind kind);
  std::uint64_t max_bytes() const { return max_bytes_; }

 private:
  int file_ = -1;
  std::uint64_t max_bytes_ = 0;
  std::uint32_t* chunks_ = nullptr;
  std::atomic<std::uint64_t> bytes_ = 0;
};

}  // namespace steelyard
