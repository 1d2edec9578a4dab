// A small git repository in a temporary folder, gone with the object.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace steelyard::ci {

class TemporaryRepository {
 public:
  TemporaryRepository() {
    std::string name = (std::filesystem::temp_directory_path() / "steelyard-git-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    folder_ = std::filesystem::canonical(name);
    std::filesystem::create_directory(root());
    git("init --quiet --initial-branch=main");
  }
  ~TemporaryRepository() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  TemporaryRepository(const TemporaryRepository&) = delete;
  TemporaryRepository& operator=(const TemporaryRepository&) = delete;

  std::filesystem::path folder() const { return folder_; }  // holds the repository, and room beside it
  std::filesystem::path root() const { return folder_ / "repository"; }

  void write(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories((root() / file).parent_path());
    std::ofstream(root() / file) << text;
  }
  void commit(const std::string& subject) const {
    git("add --all");
    git("commit --quiet --allow-empty -m '" + subject + "'");
  }
  void git(const std::string& arguments) const { shell("git -C '" + root().string() + "' " + arguments); }
  static void shell(const std::string& command) {
    const std::string identity =
        "export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=A "
        "GIT_COMMITTER_EMAIL=a@example.org GIT_AUTHOR_DATE='2026-01-02T03:04:05Z' "
        "GIT_COMMITTER_DATE='2026-01-02T03:04:05Z'; ";
    ASSERT_EQ(std::system((identity + command).c_str()), 0) << command;
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace steelyard::ci
