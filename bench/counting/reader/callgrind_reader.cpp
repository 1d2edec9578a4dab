#include "bench/counting/reader/callgrind_reader.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

#include "bench/counting/reader/callgrind_numbers.hpp"
#include "bench/counting/reader/callgrind_parser.hpp"

namespace steelyard::bench {
namespace {

// A profile of cc1plus with the address of every instruction and functions told apart by two callers is 75 MiB.
constexpr std::uintmax_t kMaximumFileBytes = std::uintmax_t{4} << 30;
// Large enough that a call of read() costs nothing beside it, small enough to stay in the processor's cache.
constexpr std::size_t kReadBlockBytes = std::size_t{256} << 10;
// Demangled names of templates reach 100 KiB.
constexpr std::size_t kMaximumLineBytes = std::size_t{16} << 20;

Error too_long_a_line() { return input_error("", "a line of more than 16 MiB", "a callgrind.out file"); }

// The file in blocks of whole lines: its text is never in memory as a whole.
class LineBlocks {
 public:
  explicit LineBlocks(std::istream& stream) : stream_(stream), buffer_(kReadBlockBytes, '\0') {}

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
  std::error_code absent;
  const std::filesystem::file_status status = std::filesystem::symlink_status(file, absent);
  if (options.is_left && std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    return input_error(file.string(), "no regular file", "the profile that Callgrind left");
  }
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

namespace {

// Digits only, from 1.
std::optional<int> read_index(std::string_view text) {
  std::uint64_t number = 0;
  if (!read_decimal(text, number) || number == 0) return std::nullopt;
  if (number > std::uint64_t{std::numeric_limits<int>::max()}) return std::nullopt;
  return static_cast<int>(number);
}

// ".4", "-02" or ".4-02".
std::optional<CallgrindFile> read_suffix(std::string_view suffix) {
  CallgrindFile file;
  const std::size_t dash = suffix.find('-');
  const std::string_view part = suffix.substr(0, dash);
  if (!part.empty()) {
    const auto number = part.starts_with('.') ? read_index(part.substr(1)) : std::nullopt;
    if (!number) return std::nullopt;
    file.part = *number;
  }
  if (dash != std::string_view::npos) {
    const auto number = read_index(suffix.substr(dash + 1));
    if (!number) return std::nullopt;
    file.thread = *number;
  }
  return file;
}

// The last part has no number in its name.
auto order_of(const CallgrindFile& file) { return std::pair(file.part == 0, std::pair(file.part, file.thread)); }

bool is_named_after(const CallgrindFile& file, const CallgrindPart& part) {
  const bool is_same_part = file.part == 0 || part.part == file.part;
  return is_same_part && (file.thread == 0 ? part.thread.empty() : read_index(part.thread) == file.thread);
}

// Valgrind gives a new thread the lowest number that is free, and Callgrind writes a file for each that there was.
Result<void> check_threads(const std::vector<CallgrindFile>& files) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    const bool goes_on = i > 0 && files[i - 1].part == files[i].part;
    const int expected = goes_on ? files[i - 1].thread + 1 : 1;
    if (files[i].thread > expected) {
      return input_error(files[i].path.string(), "no file of thread " + std::to_string(expected) + " beside it",
                         "one for each thread of the program", "collect it again, or name the files one by one");
    }
  }
  return {};
}

}  // namespace

std::vector<CallgrindFile> find_callgrind_files(const std::filesystem::path& file) {
  const std::string base = file.filename().string();
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  std::vector<CallgrindFile> found;
  std::error_code trouble;
  for (std::filesystem::directory_iterator entry(folder, trouble), end; !trouble && entry != end;
       entry.increment(trouble)) {
    const std::string name = entry->path().filename().string();
    if (name.size() <= base.size() || !name.starts_with(base)) continue;
    std::optional<CallgrindFile> sibling = read_suffix(std::string_view(name).substr(base.size()));
    if (!sibling) continue;
    sibling->path = file.parent_path() / name;
    found.push_back(*std::move(sibling));
  }
  std::sort(found.begin(), found.end(),
            [](const CallgrindFile& a, const CallgrindFile& b) { return order_of(a) < order_of(b); });
  return found;
}

Result<std::vector<CallgrindPart>> read_callgrind_program(const std::filesystem::path& file,
                                                          const CallgrindReadOptions& options) {
  STEELYARD_TRY(std::vector<CallgrindPart> parts, read_callgrind(file, options));
  if (!parts.empty()) return parts;
  std::vector<CallgrindFile> used;
  for (CallgrindFile& sibling : find_callgrind_files(file)) {
    STEELYARD_TRY(std::vector<CallgrindPart> read, read_callgrind(sibling.path, options));
    const bool is_its_own =
        std::all_of(read.begin(), read.end(), [&](const CallgrindPart& part) { return is_named_after(sibling, part); });
    if (read.empty() || !is_its_own) continue;
    std::move(read.begin(), read.end(), std::back_inserter(parts));
    used.push_back(std::move(sibling));
  }
  if (parts.empty()) {
    return input_error(file.string(), "an empty file, and no " + file.filename().string() + "-01 or the like beside it",
                       "a profile", "the program may not have ended yet, or was killed: collect it again");
  }
  STEELYARD_CHECK(check_threads(used));
  return parts;
}

}  // namespace steelyard::bench
