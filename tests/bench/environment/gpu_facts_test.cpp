#include <gtest/gtest.h>

#include <map>

#include "bench/environment/gpu_facts.hpp"
#include "tests/bench/environment/elf_builder.hpp"

namespace steelyard::bench::gpu_facts_test {
namespace {

std::map<std::string, std::string> decisive_facts(const std::string& fixture) {
  Environment environment;
  add_gpu_facts(std::filesystem::path(STEELYARD_FIXTURE) / fixture, environment);
  std::map<std::string, std::string> facts;
  for (const Fact& fact : environment.facts) {
    EXPECT_TRUE(fact.decisive) << fact.name;
    facts[fact.name] = fact.value;
  }
  return facts;
}

TEST(GpuFacts, NameTheDevicesAndTheDriverOfNvidia) {
  EXPECT_EQ(decisive_facts("server"), (std::map<std::string, std::string>{{"gpu.device", "2 x NVIDIA A100-SXM4-40GB"},
                                                                          {"gpu.driver", "nvidia 535.129.03"}}));
}

TEST(GpuFacts, NameCardsByVendorWithTheirLimits) {
  EXPECT_EQ(decisive_facts("laptop"), (std::map<std::string, std::string>{{"gpu.device", "AMD 0x73bf"},
                                                                          {"gpu.driver", "amdgpu 6.3.6"},
                                                                          {"gpu.ecc", "on"},
                                                                          {"gpu.power_limit_watts", "203"}}));
}

TEST(GpuFacts, ThoseOfAProgramTakeThePlaceOfThoseOfFiles) {
  Environment machine;
  machine.set("cpu.model", "x", true);
  machine.set(kGpuDevice, "2 x NVIDIA A100-SXM4-40GB", true);
  machine.set("gpu.driver", "nvidia 535.129.03", true);
  Environment told;
  take_device_facts(told, machine);
  EXPECT_EQ(*machine.find(kGpuDevice), "2 x NVIDIA A100-SXM4-40GB") << "nothing was told";
  told.set(kGpuDevice, "NVIDIA A100-SXM4-40GB", false);
  told.set(kGpuUuid, "GPU-1", false);
  told.set("gpu.cublas", "13.0", false);
  told.set("google.date", "today", false);
  take_device_facts(told, machine);
  EXPECT_EQ(machine.facts, (std::vector<Fact>{{"cpu.model", "x", true},
                                              {"gpu.device", "NVIDIA A100-SXM4-40GB", true},
                                              {"gpu.uuid", "GPU-1", true},
                                              {"gpu.cublas", "13.0", false}}));
}

TEST(GpuFacts, TakeAVirtualDisplayForNone) {
  EXPECT_TRUE(decisive_facts("virtual_machine").empty());
  EXPECT_TRUE(decisive_facts("no such machine").empty());
}

using testkit::build_elf;
using testkit::little_endian;

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

}  // namespace steelyard::bench::gpu_facts_test
