// A change of documentation that building does not read: the candidate's build would be the baseline's, and is not
// made. That the change is documentation says its files' names; that building and measuring read none of it, the time
// of last access that the file system keeps of each (utimensat(2), mount(8): relatime). Whoever reads a file without
// leaving that trace (O_NOATIME) is not seen; where the file system leaves none, nothing is claimed.
//
//     const std::optional<UnreadChange> change = UnreadChange::between(repository, base, head, tree_of_base);
//     ... build the baseline ...
//     if (change && !change->was_read()) ... the candidate's build is a copy ...
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ci/git/repository.hpp"

namespace steelyard::ci {

// By its name: Markdown and its like, LICENSE and its like, and what lies in a folder doc or docs and is no source.
bool is_documentation(const std::string& path);

class UnreadChange {
 public:
  // No change of that kind where something else differs between the commits, a file's mode too, where a file was added
  // or removed, or where the file system keeps no such times. `tree`: a fresh checkout of `base`, whose times of access
  // are set.
  static std::optional<UnreadChange> between(const GitRepository& repository, const std::string& base,
                                             const std::string& head, const std::filesystem::path& tree);

  // Whether a file that the candidate changes was read since.
  bool was_read() const;
  // Once more, from here on.
  bool watch_again() const;

  std::size_t files() const { return files_; }

 private:
  std::vector<std::filesystem::path> watched_;
  std::size_t files_ = 0;
};

}  // namespace steelyard::ci
