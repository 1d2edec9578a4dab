// What the own kernels' benchmarks are called, what they are held to and what they refuse: declared, so no device is
// needed.
#include "bench/suites/cuda/suite.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>

namespace steelyard::cuda_suite::own_kernels_test {
namespace {

std::vector<cuda::DeviceCase> cases_of(const cuda::CaseChoice& choice) {
  cuda::DeviceSuite suite;
  add_elementwise(suite);
  add_row_kernels(suite);
  add_gemv(suite);
  add_cdist(suite);
  add_mlp_layer_norm(suite);
  auto cases = suite.cases(choice);
  EXPECT_TRUE(cases) << cases.error().text();
  return cases ? std::move(cases).value() : std::vector<cuda::DeviceCase>{};
}

TEST(OwnKernels, NamesAreIdentities) {
  std::vector<std::string> names;
  for (const auto& one : cases_of({.large = true, .axes = {}})) names.push_back(one.name);
  std::vector<std::string> kept;
  std::ifstream file(STEELYARD_OWN_KERNEL_NAMES);
  for (std::string line; std::getline(file, line);) kept.push_back(line);
  EXPECT_EQ(names, kept) << "a changed name has no history; fix the name, or the file where a benchmark is new";
}

TEST(OwnKernels, WithoutTheLargeOnesAreTheWidthsThatAreCompared) {
  std::vector<std::string> names;
  for (const auto& one : cases_of({})) names.push_back(one.name);
  EXPECT_LT(names.size(), 100u);
  for (const char* name : {"layer_norm/columns:1024/dtype:bf16/form:fused/rows:4096",
                           "softmax/columns:16384/dtype:f32/form:chain/rows:4096", "gemv/dtype:i8/n:16384",
                           "mlp_layer_norm/batch:1/dim:4096/dtype:bf16/hidden:14336"}) {
    EXPECT_THAT(names, ::testing::Contains(name));
  }
}

TEST(OwnKernels, AreHeldToThePublishedSharesOfTheBandwidth) {
  std::map<std::string, std::string> targets;
  for (const auto& one : cases_of({.large = true, .axes = {}})) targets[one.name] = one.target;
  EXPECT_EQ(targets.at("layer_norm/columns:16384/dtype:bf16/form:fused/rows:4096"), "0.61 of bandwidth");
  EXPECT_EQ(targets.at("layer_norm/columns:16384/dtype:bf16/form:chain/rows:4096"), "");
  EXPECT_EQ(targets.at("gemv/dtype:bf16/n:4096"), "0.64 of bandwidth");
  EXPECT_EQ(targets.at("gemv/dtype:i8/n:16384"), "0.56 of bandwidth");
  EXPECT_EQ(targets.at("gather_gemv/dtype:bf16/n:8192"), "0.68 of bandwidth");
  EXPECT_EQ(targets.at("gather_gemv/dtype:i8/n:8192"), "0.64 of bandwidth");
  EXPECT_EQ(targets.at("mlp_layer_norm/batch:1/dim:4096/dtype:bf16/hidden:14336"), "0.75 of bandwidth");
  EXPECT_EQ(targets.at("gemv/dtype:f32/n:16384"), "") << "nothing was published";
  // A launch takes longer than these weights do.
  EXPECT_EQ(targets.at("gemv/dtype:i8/n:1024"), "");
}

std::string unmet(const char* axis, std::int64_t value, const std::string& benchmark) {
  cuda::DeviceProperties device;
  device.capability_major = 9;
  const auto override_of_axis = parse_axis_override(std::string(axis) + "=" + std::to_string(value));
  EXPECT_TRUE(override_of_axis);
  for (const auto& one : cases_of({.large = true, .axes = {*override_of_axis}})) {
    if (one.name.starts_with(benchmark + "/")) return one.unmet_need(device);
  }
  return "no such benchmark";
}

TEST(OwnKernels, RefuseSizesThatTheyCannotHave) {
  EXPECT_EQ(unmet("columns", 40000, "layer_norm"), "columns is 1 to 16384 here, 40000 was asked for");
  EXPECT_EQ(unmet("columns", 0, "softmax"), "columns is 1 to 16384 here, 0 was asked for");
  EXPECT_EQ(unmet("n", -1, "gemv"), "n is 1 to 1073741824 here, -1 was asked for");
  EXPECT_EQ(unmet("n", 4096, "gemv"), "");
  EXPECT_EQ(unmet("batch", 2, "mlp_layer_norm"), "batch is 1 to 1 here, 2 was asked for");
}

}  // namespace
}  // namespace steelyard::cuda_suite::own_kernels_test
