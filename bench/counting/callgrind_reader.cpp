#include "bench/counting/callgrind_reader.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>

#include "bench/counting/callgrind_parser.hpp"

namespace steelyard {
namespace {

// A profile of cc1plus with the address of every instruction and functions told apart by two callers is 75 MiB.
constexpr std::uintmax_t kMaximumFileBytes = std::uintmax_t{4} << 30;
// Large enough that a call of read() costs nothing beside it, small enough to stay in the processor's cache.
constexpr std::size_t kBlockBytes = std::size_t{256} << 10;
// Demangled names of templates reach 100 KiB.
constexpr std::size_t kMaximumLineBytes = std::size_t{16} << 20;

Error too_long_a_line() { return input_error("", "a line of more than 16 MiB", "a callgrind.out file"); }

// The file in blocks of whole lines: its text is never in memory as a whole.
class LineBlocks {
 public:
  explicit LineBlocks(std::istream& stream) : stream_(stream), buffer_(kBlockBytes, '\0') {}

  // Reads on; false at the end of the file, or of a line that is too long.
  bool next() {
    std::memmove(buffer_.data(), buffer_.data() + whole_, filled_ - whole_);
    filled_ -= whole_;
    whole_ = 0;
    while (whole_ == 0 && stream_ && filled_ < kMaximumLineBytes) {
      if (filled_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
      stream_.read(buffer_.data() + filled_, static_cast<std::streamsize>(buffer_.size() - filled_));
      const std::size_t before = filled_;
      filled_ += static_cast<std::size_t>(stream_.gcount());
      total_ += filled_ - before;
      const std::size_t newline = std::string_view(buffer_.data() + before, filled_ - before).rfind('\n');
      if (newline != std::string_view::npos) whole_ = before + newline + 1;
    }
    if (whole_ == 0 && !stream_) whole_ = filled_;  // the last line lacks its newline
    return whole_ > 0;
  }

  std::string_view lines() const { return {buffer_.data(), whole_}; }
  bool is_line_too_long() const { return whole_ == 0 && filled_ >= kMaximumLineBytes; }
  std::uintmax_t total() const { return total_; }

 private:
  std::istream& stream_;
  std::string buffer_;
  std::size_t filled_ = 0;
  std::size_t whole_ = 0;  // of what is filled: lines that are complete
  std::uintmax_t total_ = 0;
};

}  // namespace

Result<std::vector<CallgrindPart>> parse_callgrind(std::string_view text, std::string_view name,
                                                   const CallgrindReadOptions& options) {
  CallgrindParser parser(name, options);
  parser.read(text);
  return std::move(parser).finish();
}

Result<std::vector<CallgrindPart>> read_callgrind(const std::filesystem::path& file,
                                                  const CallgrindReadOptions& options) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return input_error(file.string(), std::generic_category().message(errno), "a callgrind.out file");
  CallgrindParser parser(file.string(), options);
  LineBlocks blocks(stream);
  while (blocks.next()) {
    if (blocks.total() > kMaximumFileBytes) return input_error(file.string(), "more than 4 GiB", "a smaller profile");
    if (!parser.read(blocks.lines())) break;
  }
  if (stream.bad()) return input_error(file.string(), "a file that cannot be read", "a callgrind.out file");
  if (blocks.is_line_too_long()) parser.fail(too_long_a_line());
  return std::move(parser).finish();
}

}  // namespace steelyard
