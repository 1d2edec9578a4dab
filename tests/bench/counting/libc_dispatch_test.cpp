// Whether the pinned tunables make glibc choose the same routines on different CPUs. This machine has one; Valgrind
// shows its programs another, which has neither AVX-512 nor ERMS.
#include <filesystem>

#include "bench/counting/collection.hpp"
#include "bench/runner/child_process.hpp"
#include "tests/promised.hpp"

namespace steelyard::bench::libc_dispatch_test {
namespace {

std::string choices(std::vector<std::string> before) {
  const auto program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "counting_libc_dispatch";
  before.push_back(program.string());
  ChildCommand command;
  command.executable = before.front();
  command.arguments.assign(before.begin() + 1, before.end());
  command.environment["GLIBC_TUNABLES"] = counting_environment({}, {}, {"program"}).at("GLIBC_TUNABLES");
  const Result<ChildResult> child = run_child(command);
  if (!child) return child.error().text();
  return child->succeeded() ? child->output : child->describe();
}

TEST(LibcDispatch, IsTheSameOnThisCpuAndOnTheOneThatValgrindShows) {
  const auto valgrind = find_in_path("valgrind");
  STEELYARD_SKIP_WITHOUT("valgrind", valgrind.has_value(), "valgrind is not installed");
  const std::string here = choices({});
  EXPECT_THAT(here, ::testing::HasSubstr("memcpy "));
  EXPECT_EQ(here, choices({valgrind->string(), "-q", "--tool=none"}));
}

}  // namespace
}  // namespace steelyard::bench::libc_dispatch_test
