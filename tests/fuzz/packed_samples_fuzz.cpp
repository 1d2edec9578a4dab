// The libFuzzer target of packed samples: CONTRIBUTING.md says how it is built and run.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/packed_samples_claims.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(data, data + size);
  if (const auto broken = steelyard::testing::broken_claim_about_packed_samples(bytes)) {
    std::fprintf(stderr, "does not hold: %s\n", broken->c_str());
    std::abort();
  }
  return 0;
}
