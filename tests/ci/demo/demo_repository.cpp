#include "tests/ci/demo/demo_repository.hpp"

#include <stdlib.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <sstream>
#include <stdexcept>
#include <system_error>

namespace steelyard::demo {

CommandOutcome run_shell(const std::string& line) {
  CommandOutcome outcome;
  FILE* pipe = ::popen(("( " + line + " ) 2>&1").c_str(), "r");
  if (pipe == nullptr) return outcome;
  std::array<char, 4096> buffer{};
  for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    outcome.output.append(buffer.data(), n);
  }
  const int status = ::pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "steelyard-demo.XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder: " + name);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;  // a leftover in /tmp is no reason to fail a test
  std::filesystem::remove_all(path_, ignored);
}

DemoRepository::DemoRepository(const std::string& before)
    : made_(run_shell(before + " '" STEELYARD_SOURCE_FOLDER "/ci/demo/make_repository.sh' '" + path().string() + "'")) {
}

std::vector<std::string> DemoRepository::git_lines(const std::string& arguments) const {
  const CommandOutcome outcome = run_shell("git -C '" + path().string() + "' " + arguments);
  std::vector<std::string> lines;
  std::istringstream text(outcome.output);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> DemoRepository::commits() const { return git_lines("rev-list --reverse HEAD"); }

}  // namespace steelyard::demo
