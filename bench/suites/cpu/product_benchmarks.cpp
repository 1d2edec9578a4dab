// Dot products, distances and products of matrices.
#include "bench/suites/cpu/agreement.hpp"
#include "bench/suites/cpu/checked_timing.hpp"
#include "bench/suites/cpu/kernel_benchmarks.hpp"
#include "bench/suites/cpu/matrix_product.hpp"

namespace steelyard::cpu_suite {
namespace {

using Values = std::vector<float>;

// Above this a product is checked in n^2 steps: a plain one in double precision would take seconds.
constexpr std::size_t kLargestPlainCheck = 256;

void time_batched_dot_multiply_sum(benchmark::State& state) {
  const BatchedDotShape shape{.batch = size_of(state, 0), .length = size_of(state, 1)};
  const Values left = seeded_values(shape.batch * shape.length, 1);
  const Values right = seeded_values(shape.batch * shape.length, 2);
  Values products(left.size());
  Values results(shape.batch);
  time_checked(
      state, batched_dot_multiply_sum_cost(shape), results,
      [&] { batched_dot_multiply_sum(shape, left, right, products, results); },
      [&] { return disagreement(results, batched_dot_reference(shape, left, right), dot_tolerance(shape.length)); });
}

void time_batched_dot_gemm(benchmark::State& state) {
  const BatchedDotShape shape{.batch = size_of(state, 0), .length = size_of(state, 1)};
  const Values left = seeded_values(shape.batch * shape.length, 1);
  const Values right = seeded_values(shape.batch * shape.length, 2);
  Values results(shape.batch);
  time_checked(
      state, batched_dot_gemm_cost(shape), results, [&] { batched_dot_gemm(shape, left, right, results); },
      [&] { return disagreement(results, batched_dot_reference(shape, left, right), dot_tolerance(shape.length)); });
}

// A square's error becomes half as large a one of a distance of 1 and less of a longer one; the product subtracts three
// sums that round.
double cdist_tolerance(std::size_t dim) { return kElementwiseTolerance + 2 * dot_tolerance(dim); }

void time_cdist_product(benchmark::State& state) {
  const CdistShape shape{.lefts = size_of(state, 0), .rights = size_of(state, 1), .dim = size_of(state, 2)};
  const Values left = seeded_values(shape.lefts * shape.dim, 16);
  const Values right = seeded_values(shape.rights * shape.dim, 17);
  Values norms(shape.rights);
  Values distances(shape.lefts * shape.rights);
  time_checked(
      state, cdist_product_cost(shape), distances, [&] { cdist_product(shape, left, right, norms, distances); },
      [&] { return disagreement(distances, cdist_reference(shape, left, right), cdist_tolerance(shape.dim)); });
}

void time_cdist_direct(benchmark::State& state) {
  const CdistShape shape{.lefts = size_of(state, 0), .rights = size_of(state, 1), .dim = size_of(state, 2)};
  const Values left = seeded_values(shape.lefts * shape.dim, 16);
  const Values right = seeded_values(shape.rights * shape.dim, 17);
  Values distances(shape.lefts * shape.rights);
  time_checked(
      state, cdist_direct_cost(shape), distances, [&] { cdist_direct(shape, left, right, distances); },
      [&] { return disagreement(distances, cdist_reference(shape, left, right), cdist_tolerance(shape.dim)); });
}

void time_gemv(benchmark::State& state) {
  const ProductShape shape{.rows = size_of(state, 0), .inner = size_of(state, 0), .columns = 1};
  const Values matrix = seeded_values(shape.rows * shape.inner, 8);
  const Values vector = seeded_values(shape.inner, 9);
  Values product(shape.rows);
  time_checked(
      state, matmul_cost(shape), product, [&] { gemv(shape, matrix, vector, product); },
      [&] { return disagreement(product, matmul_reference(shape, matrix, vector), dot_tolerance(shape.inner)); });
}

void time_matmul(benchmark::State& state) {
  const ProductShape shape = square(size_of(state, 0));
  const Values left = seeded_values(shape.rows * shape.inner, 10);
  const Values right = seeded_values(shape.inner * shape.columns, 11);
  Values product(shape.rows * shape.columns);
  time_checked(
      state, matmul_cost(shape), product, [&] { matmul(shape, left, right, product); },
      [&] {
        if (shape.inner > kLargestPlainCheck) return product_fault(shape, left, right, product, 18);
        return disagreement(product, matmul_reference(shape, left, right), dot_tolerance(shape.inner));
      });
}

}  // namespace

// Small enough for many short samples; then the sizes that the courses and papers on the subject give.
void add_product_benchmarks(SuiteRegistration& suite) {
  const BatchedDotShape pairs{.batch = 64, .length = 256};
  const Sizes pair_sizes{{"batch", pairs.batch}, {"length", pairs.length}};
  suite.add("batched_dot_multiply_sum/f32", pair_sizes, batched_dot_multiply_sum_cost(pairs),
            &time_batched_dot_multiply_sum);
  suite.add("batched_dot_gemm/f32", pair_sizes, batched_dot_gemm_cost(pairs), &time_batched_dot_gemm);
  const CdistShape points{.lefts = 64, .rights = 64, .dim = 64};
  const Sizes point_sizes{{"lefts", points.lefts}, {"rights", points.rights}, {"dim", points.dim}};
  suite.add("cdist_product/f32", point_sizes, cdist_product_cost(points), &time_cdist_product);
  suite.add("cdist_direct/f32", point_sizes, cdist_direct_cost(points), &time_cdist_direct);
  for (const std::size_t n : {80u, 512u, 4096u, 8192u, 16384u}) {
    suite.add("gemv/f32", {{"n", n}}, matmul_cost({.rows = n, .inner = n}), &time_gemv);
  }
  for (const std::size_t n : {48u, 128u, 1024u, 2048u, 4096u, 8192u, 16384u}) {
    suite.add("matmul/f32", {{"n", n}}, matmul_cost(square(n)), &time_matmul);
  }
}

}  // namespace steelyard::cpu_suite
