#include "tests/bench/counting/lines/build_folder.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace steelyard::lines_test {
namespace {

std::string shell_quoted(const std::string& text) { return "'" + text + "'"; }  // paths of ours hold no quote

}  // namespace

BuildFolder::BuildFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "steelyard-lines-XXXXXX").string();
  const char* made = ::mkdtemp(pattern.data());
  EXPECT_NE(made, nullptr);
  if (made != nullptr) path_ = std::filesystem::canonical(made);
}

BuildFolder::~BuildFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path BuildFolder::write(const std::string& name, const std::string& text) const {
  const std::filesystem::path file = path_ / name;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text;
  return file;
}

std::string BuildFolder::run(const std::string& command) const {
  FILE* pipe = ::popen(("cd " + shell_quoted(path_.string()) + " && { " + command + "; } 2>&1").c_str(), "r");
  if (pipe == nullptr) {
    ADD_FAILURE() << "no shell for " << command;
    return "";
  }
  std::string output;
  std::array<char, 4096> block{};
  while (const std::size_t length = std::fread(block.data(), 1, block.size(), pipe))
    output.append(block.data(), length);
  EXPECT_EQ(::pclose(pipe), 0) << command << '\n' << output;
  return output;
}

void BuildFolder::compile(const std::string& arguments) const {
  run(shell_quoted(STEELYARD_TEST_COMPILER) + " " + arguments);
}

std::string cannot_build() {
  const bool is_here =
      std::system((shell_quoted(STEELYARD_TEST_COMPILER) + " --version > /dev/null 2>&1").c_str()) == 0;
  return is_here ? "" : std::string(STEELYARD_TEST_COMPILER) + " is not installed";
}

int line_with(const std::string& text, const std::string& mark) {
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (line.find(mark) != std::string::npos) return number;
  }
  return 0;
}

CodeAddresses addresses_of(const BuildFolder& folder, const std::string& program, const std::string& name) {
  std::istringstream lines(folder.run("nm -SC --defined-only " + program));
  std::string line;
  while (std::getline(lines, line)) {
    // ADDRESS SIZE KIND NAME
    std::istringstream fields(line);
    std::uint64_t begin = 0, size = 0;
    std::string kind, rest;
    if (!(fields >> std::hex >> begin >> size >> kind) || !std::getline(fields >> std::ws, rest)) continue;
    if (rest.starts_with(name)) return {begin, begin + size};
  }
  ADD_FAILURE() << "no " << name << " in " << program;
  return {};
}

}  // namespace steelyard::lines_test
