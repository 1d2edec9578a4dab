#include "tests/storage/faults/child_program.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

extern char** environ;

namespace steelyard::storage_test {
namespace {

std::string all_of(int file) {
  std::string text;
  std::array<char, 4096> buffer{};
  lseek(file, 0, SEEK_SET);
  for (ssize_t n = 0; (n = read(file, buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
  close(file);
  return text;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

}  // namespace

std::filesystem::path program_file() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "steelyard";
}

ChildProgram::ChildProgram(const std::vector<std::string>& arguments,
                           const std::map<std::string, std::string>& environment)
    : out_(memfd_create("out", MFD_CLOEXEC)), err_(memfd_create("err", MFD_CLOEXEC)) {
  std::vector<std::string> words{program_file().string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string text = *at;
    if (environment.count(text.substr(0, text.find('='))) == 0) variables.push_back(text);
  }
  for (const auto& [name, text] : environment) variables.push_back(name + '=' + text);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out_, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err_, STDERR_FILENO);
  const int trouble =
      posix_spawn(&process_, words[0].c_str(), &actions, nullptr, pointers(words).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  if (trouble != 0) throw std::runtime_error("cannot start " + words[0]);
}

ChildProgram::~ChildProgram() {
  if (process_ < 0) return;
  kill_hard();
  wait();
}

void ChildProgram::kill_hard() { kill(process_, SIGKILL); }

ProgramEnd ChildProgram::wait() {
  int status = 0;
  waitpid(process_, &status, 0);
  process_ = -1;
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, all_of(out_), all_of(err_)};
}

ProgramEnd run_program_apart(const std::vector<std::string>& arguments,
                             const std::map<std::string, std::string>& environment) {
  return ChildProgram(arguments, environment).wait();
}

}  // namespace steelyard::storage_test
