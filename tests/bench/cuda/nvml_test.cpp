#include "bench/cuda/nvml.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace steelyard::cuda::nvml_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kDevice = "0000:18:00.0";

TEST(Nvml, WithoutTheLibraryTheErrorSaysSoAndWhatIsLost) {
  const auto nvml = Nvml::open({"libno-such-thing.so.7"});
  ASSERT_FALSE(nvml);
  EXPECT_THAT(nvml.error().text(), HasSubstr("libno-such-thing.so.7"));
  EXPECT_THAT(nvml.error().text(), HasSubstr("are left out"));
}

TEST(Nvml, TheFirstNameThatOpensIsTaken) { EXPECT_TRUE(Nvml::open({"libno-such-thing.so.7", FAKE_NVML})); }

TEST(Nvml, ALibraryOfAnotherKindIsRefused) {
  const auto nvml = Nvml::open({FAKE_NVML_EMPTY});
  ASSERT_FALSE(nvml);
  EXPECT_THAT(nvml.error().text(), HasSubstr("without nvmlInit_v2"));
}

TEST(Nvml, ADriverThatIsNotLoadedIsSaidInTheLibrarysWords) {
  ASSERT_EQ(setenv("FAKE_NVML", "no_driver", 1), 0);
  const auto nvml = Nvml::open({FAKE_NVML});
  unsetenv("FAKE_NVML");
  ASSERT_FALSE(nvml);
  EXPECT_THAT(nvml.error().text(), HasSubstr("Driver Not Loaded"));
}

TEST(Nvml, ReadsWhatMoves) {
  const auto nvml = Nvml::open({FAKE_NVML});
  ASSERT_TRUE(nvml);
  EXPECT_EQ(nvml->driver_version(), "999.12.34");
  const auto device = nvml->device(kDevice);
  ASSERT_TRUE(device);
  const DeviceState state = device->state();
  EXPECT_EQ(state.sm_clock_hz, 1.755e9);
  EXPECT_EQ(state.power_watts, 412.5);
  EXPECT_EQ(state.temperature_celsius, 61);
  EXPECT_THAT(state.held_back_by, ElementsAre("power cap", "heat (hardware)"));
  EXPECT_EQ(state.protects_itself, true);
}

TEST(Nvml, APowerCapIsNoProtection) {
  ASSERT_EQ(setenv("FAKE_NVML", "power_cap", 1), 0);
  const auto nvml = Nvml::open({FAKE_NVML});
  ASSERT_TRUE(nvml);
  const DeviceState state = nvml->device(kDevice)->state();
  unsetenv("FAKE_NVML");
  EXPECT_THAT(state.held_back_by, ElementsAre("power cap"));
  EXPECT_EQ(state.protects_itself, false);
}

TEST(Nvml, ReadsWhatIsSet) {
  const auto nvml = Nvml::open({FAKE_NVML});
  ASSERT_TRUE(nvml);
  const DeviceSettings settings = nvml->device(kDevice)->settings();
  EXPECT_EQ(settings.uuid, "GPU-00000000-1111-2222-3333-444444444444");
  EXPECT_EQ(settings.ecc, true);
  EXPECT_EQ(settings.mig, std::nullopt);
  EXPECT_EQ(settings.power_limit_watts, 700);
  EXPECT_EQ(settings.max_sm_clock_hz, 1.98e9);
  EXPECT_EQ(settings.clock_policy, "application clocks sm 1410 MHz, memory 2619 MHz");
}

TEST(Nvml, FunctionsThatAreMissingLeaveTheirValuesAbsent) {
  const auto nvml = Nvml::open({FAKE_NVML_BARE});
  ASSERT_TRUE(nvml);
  EXPECT_EQ(nvml->driver_version(), std::nullopt);
  const auto device = nvml->device(kDevice);
  ASSERT_TRUE(device);
  EXPECT_EQ(device->state(), DeviceState{});
  EXPECT_EQ(device->settings(), DeviceSettings{});
}

TEST(Nvml, ADeviceThatIsNotThereIsAnErrorWithItsAddress) {
  const auto nvml = Nvml::open({FAKE_NVML_BARE});
  ASSERT_TRUE(nvml);
  const auto device = nvml->device("0000:99:00.0");
  ASSERT_FALSE(device);
  EXPECT_THAT(device.error().text(), HasSubstr("0000:99:00.0: status 6"));
}

TEST(Nvml, IsShutDownOnceWhenItsLastUserGoes) {
  void* library = dlopen(FAKE_NVML, RTLD_NOW);
  ASSERT_NE(library, nullptr);
  const int* starts = static_cast<const int*>(dlsym(library, "fake_nvml_starts"));
  {
    auto nvml = Nvml::open({FAKE_NVML});
    ASSERT_TRUE(nvml);
    const NvmlDevice device = *nvml->device(kDevice);
    const Nvml moved = std::move(nvml).value();
    EXPECT_EQ(*starts, 1);
  }
  EXPECT_EQ(*starts, 0);
  dlclose(library);
}

}  // namespace
}  // namespace steelyard::cuda::nvml_test
