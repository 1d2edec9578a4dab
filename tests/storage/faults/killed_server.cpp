#include "tests/storage/faults/killed_server.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <string>
#include <vector>

namespace steelyard::storage_test {
namespace {

namespace fs = std::filesystem;

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> children;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::ifstream stat(entry.path() / "stat");
    std::string text;
    if (!std::getline(stat, text)) continue;
    // PID (NAME) STATE PARENT ...
    const std::size_t end = text.rfind(") ");
    if (end == std::string::npos) continue;
    if (std::stoi(text.substr(end + 4)) == parent) children.push_back(std::stoi(text));
  }
  return children;
}

}  // namespace

void kill_server(const fs::path& data) {
  pid_t postmaster = 0;
  std::ifstream(data / "postmaster.pid") >> postmaster;
  ASSERT_GT(postmaster, 1);
  const std::vector<pid_t> children = children_of(postmaster);
  kill(postmaster, SIGKILL);
  for (const pid_t child : children) kill(child, SIGKILL);
}

}  // namespace steelyard::storage_test
