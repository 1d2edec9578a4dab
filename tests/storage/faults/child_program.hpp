// The real program as a process of its own, with its own state folder, to be killed or looked at from outside.
//
//     ChildProgram child({"import", "google-benchmark", file, "--store", url}, {{"STEELYARD_STATE", state}});
//     const ProgramEnd end = child.wait();
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace steelyard::storage_test {

struct ProgramEnd {
  int status = -1;  // its exit status; -1: a signal ended it
  std::string out;  // standard output
  std::string err;  // standard error
};

class ChildProgram {
 public:
  // `environment` is added to ours.
  ChildProgram(const std::vector<std::string>& arguments, const std::map<std::string, std::string>& environment);
  ~ChildProgram();  // kills it where it still runs
  ChildProgram(const ChildProgram&) = delete;
  ChildProgram& operator=(const ChildProgram&) = delete;

  pid_t process() const { return process_; }
  void kill_hard();
  ProgramEnd wait();

 private:
  pid_t process_ = -1;
  int out_ = -1;  // files without a name: a pipe could fill
  int err_ = -1;
};

// build/.../bin/steelyard, beside this test.
std::filesystem::path program_file();

// Runs it to its end.
ProgramEnd run_program_apart(const std::vector<std::string>& arguments,
                             const std::map<std::string, std::string>& environment);

}  // namespace steelyard::storage_test
