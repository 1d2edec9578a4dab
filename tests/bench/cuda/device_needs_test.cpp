#include "bench/suites/cuda/device_needs.hpp"

#include <gtest/gtest.h>

namespace steelyard::cuda_suite::device_needs_test {
namespace {

cuda::DeviceProperties device_of(int major, int minor) {
  cuda::DeviceProperties device;
  device.capability_major = major;
  device.capability_minor = minor;
  return device;
}

TEST(DeviceNeeds, ADtypeThatTheDeviceLacksIsSaidInWords) {
  EXPECT_EQ(dtype_need_of(device_of(8, 0), "f8"), "f8 needs compute capability 8.9, this device has 8.0");
  EXPECT_EQ(dtype_need_of(device_of(7, 5), "bf16"), "bf16 needs compute capability 8.0, this device has 7.5");
}

TEST(DeviceNeeds, ADtypeThatTheDeviceHasIsNoReason) {
  EXPECT_EQ(dtype_need_of(device_of(8, 9), "f8"), "");
  EXPECT_EQ(dtype_need_of(device_of(10, 0), "f8"), "");
  EXPECT_EQ(dtype_need_of(device_of(8, 0), "tf32"), "");
}

}  // namespace
}  // namespace steelyard::cuda_suite::device_needs_test
