// Compiled for each of the programs, which share all else.
#include "tests/ci/device/made_up_variant.hpp"

#ifndef MADE_UP_NS
#define MADE_UP_NS 50000
#endif
#ifndef MADE_UP_CLOCK
#define MADE_UP_CLOCK 1.41e9
#endif
#ifndef MADE_UP_UUID
#define MADE_UP_UUID "GPU-11111111-made-up"
#endif
#ifndef MADE_UP_KERNEL
#define MADE_UP_KERNEL "sm80_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_stage3_warpsize2x2x1_tensor16x8x16"
#endif

namespace steelyard::testkit {

const MadeUpVariant kMadeUpVariant{MADE_UP_NS, MADE_UP_CLOCK, MADE_UP_UUID, MADE_UP_KERNEL};

}  // namespace steelyard::testkit
