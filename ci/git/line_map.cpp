#include "ci/git/line_map.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>

#include "bench/model/text.hpp"

namespace steelyard::ci {
namespace {

constexpr int kMaxLines = 100'000'000;

// "12,3" at the beginning of the text, which is cut off; the second number is 1 where it is left out.
struct HunkRange {
  int first = 0;
  int count = 1;
};
std::optional<HunkRange> take_range(std::string_view& text) {
  const auto take_number = [&text](int& number) {
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (code != std::errc() || number < 0 || number > kMaxLines) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
  };
  HunkRange range;
  if (!take_number(range.first)) return std::nullopt;
  if (!text.starts_with(',')) return range;
  text.remove_prefix(1);
  return take_number(range.count) ? std::optional(range) : std::nullopt;
}

}  // namespace

LineMap LineMap::of_diff(std::string_view diff) {
  constexpr std::string_view kHunk = "@@ -";
  LineMap map;
  while (!diff.empty()) {
    const std::size_t end = std::min(diff.find('\n'), diff.size());
    std::string_view line = diff.substr(0, end);
    diff.remove_prefix(std::min(end + 1, diff.size()));
    // Lines of the file itself begin with a sign.
    if (!line.starts_with(kHunk)) continue;
    line.remove_prefix(kHunk.size());
    const std::optional<HunkRange> before = take_range(line);
    if (!before || !line.starts_with(" +")) continue;
    line.remove_prefix(2);
    if (const auto after = take_range(line)) map.hunks_.push_back({before->first, before->count, after->count});
  }
  return map;
}

int LineMap::line_after(int line) const {
  std::int64_t moved = 0;  // hunks of a file that is none may add up to anything
  for (const Hunk& hunk : hunks_) {
    const bool is_insertion = hunk.removed == 0;
    if (line < hunk.first || (is_insertion && line == hunk.first)) break;
    if (!is_insertion && line - hunk.first < hunk.removed) return 0;
    moved += hunk.added - hunk.removed;
  }
  const std::int64_t after = line + moved;
  return after < 0 || after > std::numeric_limits<int>::max() ? 0 : static_cast<int>(after);
}

Result<LineMap> LineMap::between(const GitRepository& repository, const std::string& from_sha,
                                 const std::string& to_sha, const std::string& path) {
  // What a stranger's archive calls a commit is no option of git's.
  if (!is_full_commit_hash(from_sha) || !is_full_commit_hash(to_sha)) {
    return input_error(path, "no full hash", "that of a commit");
  }
  STEELYARD_TRY(const GitAnswer answer, run_git(repository.root(), {"diff", "--unified=0", "--text", "--no-color",
                                                                    "--no-ext-diff", "--no-textconv", "--no-renames",
                                                                    from_sha, to_sha, "--", ":(top,literal)" + path}));
  if (!answer.succeeded) return input_error(path, answer.trouble, "both commits in the repository");
  return of_diff(answer.output);
}

}  // namespace steelyard::ci
