#include "bench/runner/program_facts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steelyard::bench::program_libraries_test {
namespace {

using ::testing::ElementsAre;

TEST(LoaderList, GivesWhatIsAskedForAndWhereItWasFound) {
  const auto libraries = parse_loader_list(
      "\tlinux-vdso.so.1 (0x00007ffe)\n\tlibx.so.1 => /opt/my libs/libx.so.1 (0x00007f)\n"
      "\tliby.so => not found\n\t/lib64/ld-linux-x86-64.so.2 (0x00007f)\n");
  ASSERT_TRUE(libraries);
  EXPECT_THAT(*libraries,
              ElementsAre(LoadedLibrary{"libx.so.1", "/opt/my libs/libx.so.1"}, LoadedLibrary{"liby.so", ""},
                          LoadedLibrary{"/lib64/ld-linux-x86-64.so.2", "/lib64/ld-linux-x86-64.so.2"}));
}

TEST(LibrariesOf, AreThoseOfThisVeryProgram) {
  const auto libraries = libraries_of("/proc/self/exe", {}, {});
  ASSERT_TRUE(libraries) << libraries.error().text();
  EXPECT_TRUE(std::any_of(libraries->begin(), libraries->end(), [](const LoadedLibrary& library) {
    return library.name == "libc.so.6" && std::filesystem::exists(library.path);
  }));
}

TEST(LibrariesOf, AreNoneOfAFileThatIsNoProgram) {
  const auto libraries = libraries_of("/proc/self/maps", {}, {});
  ASSERT_TRUE(libraries);
  EXPECT_TRUE(libraries->empty());
}

}  // namespace
}  // namespace steelyard::bench::program_libraries_test
