#include <gtest/gtest.h>

#include <cmath>

#include "bench/suites/cuda/cdist/cdist_reference.hpp"
#include "tests/bench/suites/cuda_kernels/played_kernels.hpp"

namespace steelyard::cuda_suite::cuda_cdist_test {
namespace {

template <class T>
class Cdist : public testing::Test {};
using ValueTypes = testing::Types<float, F16, Bf16>;
TYPED_TEST_SUITE(Cdist, ValueTypes);

const std::vector<CdistShape> kShapes{{1, 1, 1},    {64, 64, 64}, {65, 63, 33}, {3, 130, 8},
                                      {130, 2, 40}, {70, 70, 7},  {5, 6, 100},  {64, 1, 256}};

template <class T>
std::vector<double> row_of(const PlayedArray<T>& matrix, std::size_t row, std::size_t dim) {
  return to_doubles(matrix.values().subspan(row * dim, dim));
}

TYPED_TEST(Cdist, FusedIsWithinItsBound) {
  using T = TypeParam;
  for (const CdistShape& shape : kShapes) {
    const auto left = seeded_array<T>(shape.lefts * shape.dim, 31);
    const auto right = seeded_array<T>(shape.rights * shape.dim, 32);
    PlayedArray<T> results(shape.lefts * shape.rights);
    play_cdist(shape, left.data(), right.data(), results.data());
    std::vector<Wanted> wanted;
    for (std::size_t i = 0; i < shape.lefts; ++i) {
      for (std::size_t j = 0; j < shape.rights; ++j) {
        wanted.push_back(cdist_wanted<T>(row_of(left, i, shape.dim), row_of(right, j, shape.dim)));
      }
    }
    const auto agreed = agreement("cdist", to_doubles(results.values()), wanted, {.columns = shape.rights});
    EXPECT_TRUE(agreed) << agreed.error().text();
    EXPECT_TRUE(results.guards_hold());
  }
}

// What a library may make of it: sums of eight terms, each cut to the fraction of a partial sum, as tensor cores do.
template <class T>
float library_product(const T* left, const T* right, std::size_t dim) {
  double sum = 0;
  for (std::size_t first = 0; first < dim; first += 8) {
    for (std::size_t i = first; i < dim && i < first + 8; ++i) {
      sum += static_cast<double>(widened(left[i])) * static_cast<double>(widened(right[i]));
    }
    const double unit = std::ldexp(1.0, std::ilogb(std::fabs(sum) + 1e-30) - 23);
    sum = std::trunc(sum / unit) * unit;
  }
  return static_cast<float>(sum);
}

template <class T>
std::vector<double> by_products(const CdistShape& shape, const PlayedArray<T>& left, const PlayedArray<T>& right) {
  PlayedArray<float> left_norms(shape.lefts);
  PlayedArray<float> right_norms(shape.rights);
  PlayedArray<T> unused(1);
  using Norm = RowReduction<RowStatistic::sum_of_squares>;
  play_rows(Norm{left_norms.data()}, {shape.lefts, shape.dim}, left.data(), unused.data());
  play_rows(Norm{right_norms.data()}, {shape.rights, shape.dim}, right.data(), unused.data());
  std::vector<double> distances;
  for (std::size_t i = 0; i < shape.lefts; ++i) {
    for (std::size_t j = 0; j < shape.rights; ++j) {
      const float product = library_product(left.data() + i * shape.dim, right.data() + j * shape.dim, shape.dim);
      const float root = root_of_product(left_norms.data()[i], right_norms.data()[j], product);
      distances.push_back(static_cast<double>(widened(narrowed<T>(root))));
    }
  }
  return distances;
}

TYPED_TEST(Cdist, ByProductsIsWithinItsBound) {
  using T = TypeParam;
  for (const CdistShape& shape : kShapes) {
    const auto left = seeded_array<T>(shape.lefts * shape.dim, 31);
    const auto right = seeded_array<T>(shape.rights * shape.dim, 32);
    std::vector<Wanted> wanted;
    for (std::size_t i = 0; i < shape.lefts; ++i) {
      for (std::size_t j = 0; j < shape.rights; ++j) {
        wanted.push_back(cdist_chain_wanted<T>(row_of(left, i, shape.dim), row_of(right, j, shape.dim)));
      }
    }
    const auto agreed = agreement("cdist chain", by_products(shape, left, right), wanted, {.columns = shape.rights});
    EXPECT_TRUE(agreed) << agreed.error().text();
  }
}

TYPED_TEST(Cdist, OfARowWithItselfIsNothingFusedAndWithinTheBoundByProducts) {
  using T = TypeParam;
  const CdistShape shape{3, 3, 64};
  const auto rows = seeded_array<T>(3 * 64, 33);
  PlayedArray<T> results(9);
  play_cdist(shape, rows.data(), rows.data(), results.data());
  const auto distances = by_products(shape, rows, rows);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(widened(results.data()[4 * i]), 0.0f);
    const Wanted wanted = cdist_chain_wanted<T>(row_of(rows, i, 64), row_of(rows, i, 64));
    EXPECT_LE(distances[4 * i], wanted.bound);
    EXPECT_GE(distances[4 * i], 0.0);
  }
}

TYPED_TEST(Cdist, WritesOfAWarpFallOnDifferentBanks) {
  using T = TypeParam;
  constexpr int kBanks = 32;
  constexpr int kL = kLanes<T>;
  for (int warp = 0; warp < kCdistThreads / kWarp; ++warp) {
    for (int lane = 0; lane < kL; ++lane) {
      std::vector<int> met(kBanks);
      for (int thread = warp * kWarp; thread < (warp + 1) * kWarp; ++thread) {
        const int column = thread % 4 * kL + lane;
        ++met[static_cast<std::size_t>((column * kCdistTile + tile_place<T>(column, thread / 4)) % kBanks)];
      }
      EXPECT_EQ(met, std::vector<int>(kBanks, 1)) << "warp " << warp << ", lane " << lane;
    }
  }
}

TYPED_TEST(Cdist, EachRowHasItsPlaceInAColumnAndFoursStaySideBySide) {
  using T = TypeParam;
  for (int column = 0; column < kCdistDepth<T>; ++column) {
    std::vector<int> met(kCdistTile);
    for (int row = 0; row < kCdistTile; ++row) {
      ++met[static_cast<std::size_t>(tile_place<T>(column, row))];
      EXPECT_EQ(tile_place<T>(column, row), tile_place<T>(column, row / 4 * 4) + row % 4);
    }
    EXPECT_EQ(met, std::vector<int>(kCdistTile, 1));
  }
}

TEST(CdistRoot, OfASmallNegativeSquareIsNothingAndOfNoNumberNone) {
  EXPECT_EQ(root_of_product(1.0f, 1.0f, 1.0000001f), 0.0f);
  EXPECT_TRUE(std::isnan(root_of_product(std::nanf(""), 1.0f, 1.0f)));
}

TEST(CdistCost, IsThatOfAWorkedShape) {
  constexpr CdistShape shape{.lefts = 2, .rights = 3, .dim = 5};
  static_assert(cdist_cost(shape, 2) == OperatorCost{Flops(6 * 16), Bytes(2 * 25), Bytes(12)});
  // Norms 2 * 5 * 5, products 2 * 6 * 5, roots 3 * 6.
  static_assert(cdist_chain_cost(shape, 2).flops == Flops(50 + 60 + 18));
  static_assert(cdist_chain_cost(shape, 2).read == Bytes(50 + 50 + 4 * (6 + 5)));
  EXPECT_EQ(cdist_chain_cost(shape, 2).written, Bytes(4 * 5 + 4 * 6 + 2 * 6));
}

}  // namespace
}  // namespace steelyard::cuda_suite::cuda_cdist_test
