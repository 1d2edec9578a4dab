// Files of gzip (RFC 1952), as PyTorch and Perfetto take and give traces.
#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>

#include "bench/model/result.hpp"

namespace steelyard::bench {

bool is_gzip(std::string_view bytes);  // by its first two bytes

struct UnpackedGzip {
  std::string text;
  bool is_cut = false;  // the file ends in the middle: what stands before
};
// All its members, one after the other. Error (input): `name`; damaged, or above `max_bytes` when it is unpacked.
Result<UnpackedGzip> unpack_gzip(std::string_view bytes, const std::string& name, std::uint64_t max_bytes);

// What is written to it is packed into `packed`, to which it is whole when this one is destroyed.
class GzipStream : public std::ostream {
 public:
  explicit GzipStream(std::ostream& packed);
  ~GzipStream() override;

 private:
  class Buffer;
  std::unique_ptr<Buffer> buffer_;
};

}  // namespace steelyard::bench
