#include "bench/cuda/kernel_name.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace steelyard::bench::kernel_name_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(KernelName, ReadsTheNameThatTheLectureTakesApart) {
  const KernelName name =
      parse_kernel_name("sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize32x32x16_stage3_warpsize2x2x1_ff_main_v1");
  EXPECT_EQ(name.family, "xmma");
  EXPECT_EQ(name.arch, "sm80");
  EXPECT_THAT(name.operands, ElementsAre("f32", "f32", "f32", "f32", "f32"));
  EXPECT_EQ(name.layouts, "tn n");
  EXPECT_EQ(name.tile, "32x32x16");
  EXPECT_EQ(name.stages, "3");
  EXPECT_EQ(name.warps, "2x2x1");
  EXPECT_THAT(name.options, ElementsAre("ff", "main", "v1"));
}

TEST(KernelName, ReadsAnXmmaNameWithInstructionClusterAndMixedTypes) {
  const KernelName name = parse_kernel_name(
      "sm90_xmma_gemm_e4m3bf16_e4m3f32_f32_tn_n_tilesize128x128x128_cgasize1x2x1_stage4_gmmastage2_"
      "warpgroupsize1x1x1_tensor64x128x32");
  EXPECT_THAT(name.operands, ElementsAre("e4m3", "bf16", "e4m3", "f32", "f32"));
  EXPECT_EQ(name.cluster, "1x2x1");
  EXPECT_EQ(name.stages, "4");
  EXPECT_EQ(name.warps, "1x1x1");
  EXPECT_EQ(name.instruction, "64x128x32");
  EXPECT_THAT(name.options, ElementsAre("gmmastage2"));
}

TEST(KernelName, ReadsTheNamesOfAmpere) {
  const KernelName name = parse_kernel_name("ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_tn");
  EXPECT_EQ(name.family, "cublas");
  EXPECT_EQ(name.arch, "sm80");
  EXPECT_THAT(name.operands, ElementsAre("bf16", "bf16"));
  EXPECT_EQ(name.instruction, "16x8x16");
  EXPECT_EQ(name.tile, "128x256x64");
  EXPECT_EQ(name.stages, "3");
  EXPECT_EQ(name.layouts, "tn");
  EXPECT_THAT(name.options, ElementsAre("ldg8", "f2f"));
  EXPECT_EQ(parse_kernel_name("ampere_fp16_s16816gemm_fp16_64x64_sliced1x2_ldg8_relu_f2f_stages_64x6_tn").tile,
            "64x64x64");
  EXPECT_EQ(parse_kernel_name("ampere_sgemm_128x64_tn").instruction, "scalar");
}

TEST(KernelName, ReadsTheNamesOfNvjet) {
  const KernelName name = parse_kernel_name("nvjet_hsh_128x256_64x4_2x1_v_bz_coopA_TNN");
  EXPECT_EQ(name.family, "nvjet");
  EXPECT_THAT(name.operands, ElementsAre("f16", "f32", "f16"));
  EXPECT_EQ(name.tile, "128x256x64");
  EXPECT_EQ(name.stages, "4");
  EXPECT_EQ(name.cluster, "2x1");
  EXPECT_EQ(name.layouts, "tnn");
  EXPECT_THAT(name.options, ElementsAre("v", "bz", "coopA"));
  const KernelName narrow = parse_kernel_name("nvjet_sm90_qqtst_112x128_128x7_2x1_v_bz_coopA_algo2_TNN");
  EXPECT_EQ(narrow.arch, "sm90");
  EXPECT_THAT(narrow.operands, ElementsAre("e4m3", "e4m3", "bf16", "f32", "bf16"));
  EXPECT_EQ(narrow.tile, "112x128x128");
}

TEST(KernelName, ReadsCutlassNamesWithTheirWrapper) {
  const KernelName name =
      parse_kernel_name("void cutlass::Kernel2<cutlass_80_tensorop_s16816gemm_bf16_64x64_32x6_tn_align8>(T1::Params)");
  EXPECT_EQ(name.family, "cutlass");
  EXPECT_EQ(name.arch, "sm80");
  EXPECT_EQ(name.tile, "64x64x32");
  EXPECT_EQ(name.stages, "6");
  EXPECT_THAT(name.options, ElementsAre("align8"));
  const KernelName newer = parse_kernel_name(
      "cutlass3x_sm90_tensorop_s64x256x16gemm_f16_f16_f32_void_f16_128x256x64_2x1x1_0_tnn_align8_warpspecialized_"
      "cooperative_epi_tma");
  EXPECT_EQ(newer.family, "cutlass3x");
  EXPECT_EQ(newer.instruction, "64x256x16");
  EXPECT_THAT(newer.operands, ElementsAre("f16", "f16", "f32", "none", "f16"));
  EXPECT_EQ(newer.tile, "128x256x64");
  EXPECT_EQ(newer.cluster, "2x1x1");
  EXPECT_EQ(newer.stages, "automatic");
  EXPECT_EQ(newer.layouts, "tnn");
}

TEST(KernelName, ReadsOurOwnMangledAndNot) {
  // void steelyard::cuda_suite::rows<float, 8>(float const*)
  const KernelName mangled = parse_kernel_name("_ZN9steelyard10cuda_suite4rowsIfLi8EEEvPKf");
  EXPECT_EQ(mangled.family, "steelyard");
  EXPECT_EQ(mangled.kernel, "rows");
  EXPECT_THAT(mangled.operands, ElementsAre("f32", "8"));
  EXPECT_EQ(short_text(mangled), "rows<f32, 8>");
  const KernelName plain =
      parse_kernel_name("void steelyard::cuda_suite::layer_norm<__nv_bfloat16, (int)4>(__nv_bfloat16 const*, int)");
  EXPECT_EQ(plain.kernel, "layer_norm");
  EXPECT_THAT(plain.operands, ElementsAre("bf16", "4"));
  EXPECT_EQ(parse_kernel_name("steelyard::cuda_suite::add(float*)").kernel, "add");
  EXPECT_EQ(
      short_text(parse_kernel_name("steelyard::cuda_suite::(anonymous namespace)::rows<steelyard::cuda_suite::Bf16>")),
      "rows<bf16>");
}

// The compiler puts a number that stands for the file's content into the name of a kernel without linkage.
TEST(KernelName, OurOwnFromAnotherBuildIsTheSameKernel) {
  const char* one =
      "_ZN9steelyard10cuda_suite50_GLOBAL__N__111a31c6_17_memory_kernels_cu_088f80939read_passEPKNS0_4PackEmPj";
  const char* other =
      "_ZN9steelyard10cuda_suite50_GLOBAL__N__222b42d7_17_memory_kernels_cu_199f91a49read_passEPKNS0_4PackEmPj";
  EXPECT_EQ(short_text(parse_kernel_name(one)), "read_pass");
  EXPECT_THAT(kernel_differences(parse_kernel_name(one), parse_kernel_name(other)), IsEmpty());
  EXPECT_THAT(kernel_changes({one}, {other}), IsEmpty());
}

TEST(KernelName, KeepsTheTextOfWhatItDoesNotKnow) {
  for (const char* text : {"triton_poi_fused_add_mul_silu_23", "memset", "_", "", "_Znonsense", "<", "steelyard",
                           "void at::native::vectorized_elementwise_kernel<4, X>(int, X)"}) {
    const KernelName name = parse_kernel_name(text);
    EXPECT_FALSE(name.is_known()) << text;
    EXPECT_EQ(name.text, text);
    EXPECT_THAT(name.options, IsEmpty());
  }
  const std::string long_text = "nvjet_" + std::string(kLongestKernelName, 'x');
  EXPECT_FALSE(parse_kernel_name(long_text).is_known());
  EXPECT_EQ(short_text(parse_kernel_name(long_text)).size(), 120U);
}

// A name of 300 letters, whose parameters each refer to the one before twice: it would unfold to gigabytes.
TEST(KernelName, AMangledNameThatUnfoldsIsLeftAsItIs) {
  std::string name = "_Z1f1aIiiE";
  for (char part = 'A'; part <= 'Z'; ++part) {
    const std::string before = part < 'K' ? std::string(1, static_cast<char>(part - 'A' + '0'))
                                          : std::string(1, static_cast<char>(part - 'K' + 'A'));
    name += "S_IS" + before + "_S" + before + "_E";
  }
  const KernelName parsed = parse_kernel_name(name);
  EXPECT_FALSE(parsed.is_known());
  EXPECT_TRUE(short_text(parsed).starts_with("_Z1f1aIiiES_IS0_S0_E"));
}

TEST(KernelName, NothingThatIsMadeOfNamesBreaksTheReader) {
  const std::vector<std::string> names{
      "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize32x32x16_stage3_warpsize2x2x1_ff_main_v1",
      "ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_tn",
      "nvjet_sm90_qqtst_112x128_128x7_2x1_v_bz_coopA_algo2_TNN",
      "void cutlass::Kernel2<cutlass_80_tensorop_s16816gemm_bf16_64x64_32x6_tn_align8>(T1::Params)",
      "_ZN9steelyard10cuda_suite4rowsIfLi8EEEvPKf",
      "void steelyard::cuda_suite::(anonymous namespace)::layer_norm<__nv_bfloat16, (int)4>(__nv_bfloat16 const*)"};
  std::mt19937 engine(1);
  const std::string letters = "<>(),:_ x0123456789tnsmSTIE";
  for (int turn = 0; turn < 30000; ++turn) {
    std::string name = names[engine() % names.size()];
    for (auto change = engine() % 4; change < 4; ++change) {
      const std::size_t at = engine() % name.size();
      const auto kind = engine() % 3;
      if (kind == 0) name[at] = letters[engine() % letters.size()];
      if (kind == 1 && name.size() > 1) name.erase(at, 1 + engine() % 5);
      if (kind == 2) name.insert(at, names[engine() % names.size()], engine() % 30, engine() % 10);
      if (name.empty()) name = "_";
    }
    const KernelName parsed = parse_kernel_name(name);
    ASSERT_EQ(parsed.text, name);
    ASSERT_LE(short_text(parsed).size(), 120U);
    ASSERT_THAT(kernel_differences(parsed, parsed), IsEmpty());
    ASSERT_THAT(kernel_changes({name}, {name}), IsEmpty());
    ASSERT_LE(kernel_changes({name}, {names.front()}).size(), 1U);
  }
}

TEST(KernelName, NamesEachFieldThatDiffers) {
  const auto differences = [](const char* before, const char* after) {
    return kernel_differences(parse_kernel_name(before), parse_kernel_name(after));
  };
  EXPECT_THAT(differences("ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_64x3_tn",
                          "ampere_bf16_s16816gemm_bf16_64x64_ldg8_f2f_stages_64x5_tn"),
              ElementsAre("tile 128x128x64 became 64x64x64", "stages 3 became 5"));
  EXPECT_THAT(differences("nvjet_tst_128x256_64x4_2x1_v_bz_coopA_TNN", "nvjet_tst_128x256_64x4_2x1_v_bz_TNN"),
              ElementsAre("options v, bz, coopA became v, bz"));
  EXPECT_THAT(differences("nvjet_tst_1x2_TNN", "nvjet_tst_1x2_TNN"), IsEmpty());
  EXPECT_THAT(differences("one", "other"), ElementsAre("kernel one became other"));
  EXPECT_THAT(differences("one", "nvjet_tst_8x8_64x4_2x1_v_TNN"),
              ElementsAre("kernel one became nvjet_tst_8x8_64x4_2x1_v_TNN"));
  EXPECT_THAT(differences("steelyard::a::f<float>(int)", "steelyard::a::f<double>(int)"),
              ElementsAre("types f32 became f64"));
  // Of our own namespaces and parameters do not count.
  EXPECT_THAT(differences("steelyard::a::f(int)", "steelyard::b::f(int)"), IsEmpty());
}

TEST(KernelName, ChangesOfAListLeaveOutWhatBothRun) {
  using Names = std::vector<std::string>;
  EXPECT_THAT(kernel_changes({"a", "b"}, {"b", "a"}), IsEmpty());
  EXPECT_THAT(kernel_changes({"a", "b"}, {"b", "c"}), ElementsAre("kernel a became c"));
  EXPECT_THAT(kernel_changes({"a", "b"}, {"b"}), ElementsAre("kernel a is gone"));
  EXPECT_THAT(kernel_changes(Names{}, {"b"}), ElementsAre("kernel b is new"));
  EXPECT_THAT(kernel_changes({"a", "a", "a"}, {"a"}), ElementsAre("3 launches became 1 of kernel a"));
  EXPECT_THAT(kernel_changes({"nvjet_tst_64x64_64x4_2x1_TNN"}, {"nvjet_tst_64x128_64x4_2x1_TNN"}),
              ElementsAre("kernel nvjet_tst_64x64_64x4_2x1_TNN became nvjet_tst_64x128_64x4_2x1_TNN: tile 64x64x64 "
                          "became 64x128x64"));
}

}  // namespace
}  // namespace steelyard::bench::kernel_name_test
