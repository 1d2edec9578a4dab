#include "bench/environment/device_use.hpp"

#include <gtest/gtest.h>

#include "tests/bench/environment/elf_builder.hpp"

namespace steelyard {
namespace {

using testing::build_elf;
using testing::little_endian;

// A program that asks the loader for one library.
std::string linking(const std::string& library) {
  constexpr std::uint64_t kNeeded = 1;
  constexpr std::uint32_t kDynamic = 6;
  constexpr std::uint32_t kStringTable = 3;
  const std::string names = std::string(1, '\0') + library + '\0';
  const std::string entries = little_endian(kNeeded, 8) + little_endian(1, 8) + std::string(16, '\0');
  return build_elf(true, {{".dynstr", names, kStringTable}, {".dynamic", entries, kDynamic, 0, ".dynstr"}});
}

TEST(DeviceUse, IsSeenByTheLibrariesThatAreLinked) {
  EXPECT_EQ(device_use(linking("libcublasLt.so.13")), "it links libcublasLt.so.13");
  EXPECT_EQ(device_use(linking("libcudart.so.12")), "it links libcudart.so.12");
  EXPECT_EQ(device_use(linking("libamdhip64.so.6")), "it links libamdhip64.so.6");
  EXPECT_EQ(device_use(linking("libcudacheckers.so")), "");
  EXPECT_EQ(device_use(linking("libc.so.6")), "");
}

TEST(DeviceUse, IsSeenByTheSectionOfAStaticProgram) {
  EXPECT_EQ(device_use(build_elf(true, {{std::string(kDeviceSection), "cuda"}})),
            "it is marked as a program of a device");
  EXPECT_EQ(device_use(build_elf(true, {{".text", "cuda"}})), "");
}

TEST(DeviceUse, IsUnknownOfWhatIsNoProgram) {
  EXPECT_EQ(device_use("#!/bin/sh\n"), "");
  EXPECT_EQ(device_use(""), "");
  EXPECT_EQ(device_use_of_file("/nowhere/at/all"), "");
}

}  // namespace
}  // namespace steelyard
