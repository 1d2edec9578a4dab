// The demo's repository made by ci/demo/make_repository.sh in a temporary folder, removed at the end.
//
//     DemoRepository demo;
//     ASSERT_EQ(demo.commits().size(), 4u);
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace steelyard::demo {

struct CommandOutcome {
  int status = -1;     // exit status; -1 where it ended by a signal
  std::string output;  // both streams
};

// Runs a line of sh.
CommandOutcome run_shell(const std::string& line);

class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

class DemoRepository {
 public:
  // `before` is put in front of the script's call, e.g. "umask 077;".
  explicit DemoRepository(const std::string& before = "");

  const CommandOutcome& made() const { return made_; }
  std::filesystem::path path() const { return folder_.path() / "textkit"; }
  std::vector<std::string> commits() const;  // ids, oldest first
  std::vector<std::string> git_lines(const std::string& arguments) const;

 private:
  TemporaryFolder folder_;
  CommandOutcome made_;
};

}  // namespace steelyard::demo
