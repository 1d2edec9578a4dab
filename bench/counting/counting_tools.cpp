#include "bench/counting/counting_tools.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <system_error>

#include "bench/counting/net_profile.hpp"
#include "bench/runner/child_process.hpp"

namespace steelyard {
namespace {

// The options that make a count what it is: --fair-sched came with 3.8.0 (August 2012), the others before it.
constexpr std::array<int, 2> kLeastValgrind = {3, 8};

constexpr Nanoseconds kVersionTimeout = seconds(20);  // a loaded machine included

std::filesystem::path default_shim() {
  std::error_code ignored;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", ignored);
  return self.parent_path().parent_path() / "lib" / "steelyard" / kShimFile;
}

// Debian's `valgrind` is a script that adds variables to the environment (a folder of debug libraries among them) and
// then runs valgrind.bin beside it; the environment has to be ours alone.
std::filesystem::path without_wrapper(const std::filesystem::path& valgrind) {
  std::filesystem::path binary = valgrind;
  binary += ".bin";
  std::error_code ignored;
  return std::filesystem::is_regular_file(binary, ignored) ? binary : valgrind;
}

}  // namespace

bool is_old_valgrind(const std::string& version) {
  std::array<int, 2> numbers{};
  if (std::sscanf(version.c_str(), "valgrind-%d.%d", &numbers[0], &numbers[1]) != 2) return false;
  return numbers < kLeastValgrind;
}

Result<CountingTools> find_counting_tools(const CountOptions& options) {
  CountingTools tools;
  const auto found = find_in_path("valgrind");
  if (!found)
    return input_error("", "valgrind was not found", "", "install the package valgrind to count instructions");
  tools.valgrind = without_wrapper(*found);
  std::error_code ignored;
  tools.shim = options.shim.empty() ? default_shim() : std::filesystem::absolute(options.shim, ignored);
  if (!std::filesystem::is_regular_file(tools.shim, ignored)) {
    return input_error("", "the counting library " + tools.shim.string() + " is missing", "",
                       "install Valgrind's headers (package valgrind) and build steelyard again");
  }
  ChildCommand command;
  command.executable = tools.valgrind;
  command.arguments = {"--version"};
  command.timeout = kVersionTimeout;
  const Result<ChildResult> child = run_child(command);
  if (!child) return child.error();
  if (!child->succeeded()) return input_error("", "valgrind --version " + child->describe());
  tools.valgrind_version = last_line(child->output);
  if (is_old_valgrind(tools.valgrind_version)) {
    return input_error("", tools.valgrind.string() + " is " + tools.valgrind_version, "valgrind-3.8 or newer",
                       "install a newer Valgrind to count instructions");
  }
  return tools;
}

}  // namespace steelyard
