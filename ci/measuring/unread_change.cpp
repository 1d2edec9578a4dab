#include "ci/measuring/unread_change.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "bench/model/text.hpp"

namespace steelyard::ci {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFiles = 1000;
constexpr std::time_t kUnread = 1;  // second of 1970: before any time of change, so that the next access is written
constexpr std::string_view kPlainFile = "100644";

bool set_unread(const fs::path& path) {
  const std::array<timespec, 2> times{timespec{kUnread, 0}, timespec{0, UTIME_OMIT}};
  return ::utimensat(AT_FDCWD, path.c_str(), times.data(), AT_SYMLINK_NOFOLLOW) == 0;
}

// What is gone was not left alone either.
bool is_unread(const fs::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && status.st_atim.tv_sec == kUnread;
}

// Whether reading leaves a trace in that folder.
bool keeps_times(const fs::path& folder) {
  std::string name = (folder / ".steelyard-XXXXXX").string();
  const int file = ::mkstemp(name.data());
  if (file < 0) return false;
  char byte = 'x';
  bool keeps = ::write(file, &byte, 1) == 1 && set_unread(name) && is_unread(name);
  keeps = keeps && ::lseek(file, 0, SEEK_SET) == 0 && ::read(file, &byte, 1) == 1 && !is_unread(name);
  ::close(file);
  ::unlink(name.c_str());
  return keeps;
}

// One record of `git diff --raw -z --no-renames`: ":100644 100644 SHA SHA M", and the path.
struct Changed {
  std::string_view before;  // mode
  std::string_view after;
  std::string_view path;
};

std::optional<std::vector<Changed>> changed_files(std::string_view raw) {
  std::vector<Changed> changed;
  while (!raw.empty()) {
    const std::size_t end = raw.find('\0');
    const std::size_t path_end = end == raw.npos ? end : raw.find('\0', end + 1);
    if (path_end == raw.npos || end < 14 || raw.front() != ':' || changed.size() == kMaxFiles) return std::nullopt;
    changed.push_back({raw.substr(1, 6), raw.substr(8, 6), raw.substr(end + 1, path_end - end - 1)});
    raw.remove_prefix(path_end + 1);
  }
  return changed;
}

}  // namespace

bool is_documentation(const std::string& path) {
  static constexpr std::array kTexts{".md", ".mdx", ".rst", ".adoc", ".asciidoc", ".org"};
  static constexpr std::array kInDocs{".txt", ".html", ".css", ".svg",  ".png",
                                      ".jpg", ".jpeg", ".gif", ".webp", ".pdf"};
  static constexpr std::array kNames{"license", "licence",      "copying",   "notice", "authors",
                                     "changes", "contributors", "changelog", "readme", "maintainers"};
  const fs::path name = fs::path(lower_case(path));
  const std::string extension = name.extension().string();
  const auto has = [](const auto& list, const std::string& text) {
    return std::find(list.begin(), list.end(), text) != list.end();
  };
  if (has(kTexts, extension)) return true;
  if (has(kNames, name.stem().string()) && (extension.empty() || extension == ".txt")) return true;
  const bool is_in_docs =
      std::any_of(name.begin(), name.end(), [](const fs::path& part) { return part == "doc" || part == "docs"; });
  return is_in_docs && has(kInDocs, extension);
}

std::optional<UnreadChange> UnreadChange::between(const GitRepository& repository, const std::string& base,
                                                  const std::string& head, const fs::path& tree) {
  const Result<GitAnswer> diff = run_git(repository.root(), {"diff", "--raw", "-z", "--no-renames", "--no-abbrev",
                                                             "--ignore-submodules=none", base, head, "--"});
  if (!diff || !diff->succeeded) return std::nullopt;
  const std::optional<std::vector<Changed>> changed = changed_files(diff->output);
  if (!changed || changed->empty()) return std::nullopt;
  UnreadChange change;
  for (const Changed& one : *changed) {
    // Of one that is added or removed it can be asked without a trace whether it is there.
    const bool is_on_both_sides = one.before == kPlainFile && one.after == kPlainFile;
    const std::string path(one.path);
    if (!is_on_both_sides || !is_documentation(path)) return std::nullopt;
    ++change.files_;
    change.watched_.push_back(tree / path);
  }
  if (!keeps_times(tree.parent_path()) || !change.watch_again()) return std::nullopt;
  return change;
}

bool UnreadChange::was_read() const { return !std::all_of(watched_.begin(), watched_.end(), is_unread); }

bool UnreadChange::watch_again() const { return std::all_of(watched_.begin(), watched_.end(), set_unread); }

}  // namespace steelyard::ci
