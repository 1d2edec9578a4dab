#include "bench/suites/cuda/device_needs.hpp"

#include <gtest/gtest.h>

namespace steelyard::cuda_suite {
namespace {

std::string need_of(std::int64_t dim, std::int64_t hidden) {
  const auto points = points_of({*integer_axis("dim", std::vector<std::int64_t>{dim}),
                                 *integer_axis("hidden", std::vector<std::int64_t>{hidden})});
  return size_need(points->front(), {"dim", "hidden"}, 100);
}

TEST(SizeNeed, IsUnmetByTheFirstSizeThatDoesNotFit) {
  EXPECT_EQ(need_of(1, 100), "");
  EXPECT_EQ(need_of(1, 101), "hidden is 1 to 100 here, 101 was asked for");
  EXPECT_EQ(need_of(0, 101), "dim is 1 to 100 here, 0 was asked for");
  EXPECT_EQ(need_of(-5, 1), "dim is 1 to 100 here, -5 was asked for");
}

}  // namespace
}  // namespace steelyard::cuda_suite
