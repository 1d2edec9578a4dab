// The libFuzzer target of the reader of plain series: CONTRIBUTING.md says how it is built and run.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/series_reader_claims.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  if (const auto broken = steelyard::testing::broken_claim_about_series(text)) {
    std::fprintf(stderr, "does not hold: %s\n", broken->c_str());
    std::abort();
  }
  return 0;
}
