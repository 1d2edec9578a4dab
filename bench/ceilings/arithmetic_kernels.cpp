// Compiled with -O3 -ffp-contract=fast whatever the build type: the loops are the measuring device.
#include "bench/ceilings/arithmetic_kernels.hpp"

#include "bench/ceilings/dot_kernels.hpp"
#include "bench/ceilings/float_loops.hpp"

namespace steelyard::bench {
namespace {

using namespace float_loops;

#if defined(__x86_64__)
[[gnu::target("sse2")]] double f64_sse2(std::int64_t passes) { return split<double, 16>(passes); }
[[gnu::target("sse2")]] double f32_sse2(std::int64_t passes) { return split<float, 16>(passes); }
[[gnu::target("avx")]] double f64_avx(std::int64_t passes) { return split<double, 32>(passes); }
[[gnu::target("avx")]] double f32_avx(std::int64_t passes) { return split<float, 32>(passes); }
[[gnu::target("avx2,fma")]] double f64_avx2(std::int64_t passes) { return fused<double, 32>(passes); }
[[gnu::target("avx2,fma")]] double f32_avx2(std::int64_t passes) { return fused<float, 32>(passes); }
[[gnu::target("avx512f")]] double f64_avx512(std::int64_t passes) { return fused<double, 64>(passes); }
[[gnu::target("avx512f")]] double f32_avx512(std::int64_t passes) { return fused<float, 64>(passes); }

template <class Element>
std::vector<ArithmeticKernel> float_kernels(const CpuIdentity& cpu, double (*avx512)(std::int64_t),
                                            double (*avx2)(std::int64_t), double (*avx)(std::int64_t),
                                            double (*sse2)(std::int64_t)) {
  std::vector<ArithmeticKernel> kernels;
  if (cpu.avx512) kernels.push_back({"AVX-512 FMA", 512, true, kFusedOperations<Element, 64>, avx512});
  if (cpu.avx2 && cpu.fma) kernels.push_back({"AVX2 FMA", 256, true, kFusedOperations<Element, 32>, avx2});
  if (cpu.avx) kernels.push_back({"AVX multiply and add", 256, false, kSplitOperations<Element, 32>, avx});
  kernels.push_back({"SSE2 multiply and add", 128, false, kSplitOperations<Element, 16>, sse2});
  return kernels;
}

std::vector<ArithmeticKernel> f64_kernels(const CpuIdentity& cpu) {
  return float_kernels<double>(cpu, f64_avx512, f64_avx2, f64_avx, f64_sse2);
}
std::vector<ArithmeticKernel> f32_kernels(const CpuIdentity& cpu) {
  return float_kernels<float>(cpu, f32_avx512, f32_avx2, f32_avx, f32_sse2);
}
#else
// Vectors of 16 bytes are what every 64-bit architecture has; contraction gives its multiply-add.
double f64_plain(std::int64_t passes) { return fused<double, 16>(passes); }
double f32_plain(std::int64_t passes) { return fused<float, 16>(passes); }

std::vector<ArithmeticKernel> f64_kernels(const CpuIdentity&) {
  return {{"vectors of 128 bits", 128, true, kFusedOperations<double, 16>, f64_plain}};
}
std::vector<ArithmeticKernel> f32_kernels(const CpuIdentity&) {
  return {{"vectors of 128 bits", 128, true, kFusedOperations<float, 16>, f32_plain}};
}
#endif

}  // namespace

std::vector<DtypeKernels> arithmetic_kernels(const CpuIdentity& cpu) {
  std::vector<DtypeKernels> dtypes;
  dtypes.push_back({"f64", 64, f64_kernels(cpu), ""});
  dtypes.push_back({"f32", 32, f32_kernels(cpu), ""});
  dtypes.push_back(f16_kernels(cpu));
  dtypes.push_back(bf16_kernels(cpu));
  dtypes.push_back(i8_kernels(cpu));
  return dtypes;
}

}  // namespace steelyard::bench
