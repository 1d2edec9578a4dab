#include "bench/counting/callgrind_files.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "bench/counting/callgrind_numbers.hpp"

namespace steelyard {
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

}  // namespace steelyard
