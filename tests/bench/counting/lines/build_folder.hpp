// A temporary folder in which a test writes sources and builds them as a user would.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace steelyard::lines_test {

class BuildFolder {
 public:
  BuildFolder();
  BuildFolder(const BuildFolder&) = delete;
  BuildFolder& operator=(const BuildFolder&) = delete;
  ~BuildFolder();

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(const std::string& name, const std::string& text) const;
  // What a shell command in the folder printed; a failure of the test where it fails.
  std::string run(const std::string& command) const;
  // run() of the compiler that built the tests.
  void compile(const std::string& arguments) const;

 private:
  std::filesystem::path path_;
};

// Why nothing can be built here ("g++ is not installed"); empty where it can.
std::string cannot_build();

// 1-based line of `text` that holds `mark`; 0: none.
int line_with(const std::string& text, const std::string& mark);

struct CodeAddresses {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};
// Of the function whose demangled name begins with `name`, from the symbol table of a program in the folder.
CodeAddresses addresses_of(const BuildFolder& folder, const std::string& program, const std::string& name);

}  // namespace steelyard::lines_test
