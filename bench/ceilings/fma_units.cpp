#include "bench/ceilings/fma_units.hpp"

#include <algorithm>
#include <array>

namespace steelyard {
namespace {

struct Models {
  std::string_view vendor;
  int family;
  int first;
  int last;
  FmaUnits units;
};

// Widths of the units, from Agner Fog, "The microarchitecture of Intel, AMD and VIA CPUs", and the makers' optimization
// guides. Model numbers as the Linux kernel has them (arch/x86/include/asm/intel-family.h, amd.c). A processor that
// takes a wide instruction in two halves has the units of the halves.
constexpr std::array kModels{
    Models{"GenuineIntel", 6, 0x3C, 0x3D, {"Haswell or Broadwell", 2, 256}},  // 0x3E is Ivy Bridge: none
    Models{"GenuineIntel", 6, 0x3F, 0x3F, {"Haswell", 2, 256}},
    Models{"GenuineIntel", 6, 0x45, 0x47, {"Haswell or Broadwell", 2, 256}},
    Models{"GenuineIntel", 6, 0x4E, 0x4F, {"Skylake or Broadwell", 2, 256}},
    Models{"GenuineIntel", 6, 0x55, 0x55, {"Skylake server (some models have one unit of 512 bits)", 2, 512}},
    Models{"GenuineIntel", 6, 0x56, 0x56, {"Broadwell", 2, 256}},
    Models{"GenuineIntel", 6, 0x5E, 0x5E, {"Skylake", 2, 256}},
    Models{"GenuineIntel", 6, 0x6A, 0x6C, {"Ice Lake server", 2, 512}},
    Models{"GenuineIntel", 6, 0x7D, 0x7E, {"Ice Lake client", 2, 256}},
    Models{"GenuineIntel", 6, 0x8C, 0x8D, {"Tiger Lake", 2, 256}},
    Models{"GenuineIntel", 6, 0x8E, 0x8E, {"Kaby Lake", 2, 256}},
    Models{"GenuineIntel", 6, 0x8F, 0x8F, {"Sapphire Rapids", 2, 512}},
    Models{"GenuineIntel", 6, 0x97, 0x97, {"Alder Lake", 2, 256}},
    Models{"GenuineIntel", 6, 0x9A, 0x9A, {"Alder Lake", 2, 256}},
    Models{"GenuineIntel", 6, 0x9E, 0x9E, {"Kaby Lake or Coffee Lake", 2, 256}},
    Models{"GenuineIntel", 6, 0xA5, 0xA6, {"Comet Lake", 2, 256}},
    Models{"GenuineIntel", 6, 0xA7, 0xA7, {"Rocket Lake", 2, 256}},
    Models{"GenuineIntel", 6, 0xAD, 0xAE, {"Granite Rapids", 2, 512}},
    Models{"GenuineIntel", 6, 0xB7, 0xB7, {"Raptor Lake", 2, 256}},
    Models{"GenuineIntel", 6, 0xBA, 0xBA, {"Raptor Lake", 2, 256}},
    Models{"GenuineIntel", 6, 0xCF, 0xCF, {"Emerald Rapids", 2, 512}},
    Models{"AuthenticAMD", 0x17, 0x00, 0x2F, {"Zen", 2, 128}},
    Models{"AuthenticAMD", 0x17, 0x30, 0xAF, {"Zen 2", 2, 256}},
    Models{"AuthenticAMD", 0x19, 0x00, 0x0F, {"Zen 3", 2, 256}},
    Models{"AuthenticAMD", 0x19, 0x10, 0x1F, {"Zen 4", 2, 256}},
    Models{"AuthenticAMD", 0x19, 0x20, 0x5F, {"Zen 3", 2, 256}},
    Models{"AuthenticAMD", 0x19, 0x60, 0x7F, {"Zen 4", 2, 256}},
    Models{"AuthenticAMD", 0x19, 0xA0, 0xAF, {"Zen 4", 2, 256}},
    Models{"AuthenticAMD", 0x1A, 0x00, 0x1F, {"Zen 5 server", 2, 512}},
    Models{"AuthenticAMD", 0x1A, 0x40, 0x4F, {"Zen 5 desktop", 2, 512}},
};

}  // namespace

std::optional<FmaUnits> fma_units(const CpuIdentity& cpu) {
  for (const Models& models : kModels) {
    if (cpu.vendor == models.vendor && cpu.family == models.family && cpu.model >= models.first &&
        cpu.model <= models.last) {
      return models.units;
    }
  }
  return std::nullopt;
}

double fma_operations_per_cycle(const FmaUnits& units, int element_bits, int instruction_bits) {
  return 2.0 * units.units * std::min(units.width_bits, instruction_bits) / element_bits;
}

}  // namespace steelyard
