#include "bench/environment/gpu_facts.hpp"

#include <gtest/gtest.h>

#include <map>

namespace steelyard {
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

}  // namespace
}  // namespace steelyard
