// Coverage of the 95 % interval of one measurement's median on simulated noise, as a Markdown table:
//     median_coverage [REPEATS [SEED]]
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/studies/median_study.hpp"

namespace {

std::string percent(int part, int whole) {
  if (whole == 0) return "-";
  char text[16];
  std::snprintf(text, sizeof text, "%.1f %%", 100.0 * part / whole);
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::atoi(argv[1]) : 2000;
  const int seed = argc > 2 ? std::atoi(argv[2]) : 1;
  if (argc > 3 || repeats < 1 || seed < 0) {
    std::fprintf(stderr, "usage: %s [REPEATS [SEED]], both whole numbers, REPEATS at least 1\n", argv[0]);
    return 3;
  }
  std::printf("| noise | n | interval given | covers | claimed | covers | wrong claims of all | mean width |\n");
  std::printf("|---|---|---|---|---|---|---|---|\n");
  for (const steelyard::SimulatedNoise noise : steelyard::kNoises) {
    for (const std::size_t n : {10, 20, 50, 200}) {
      const steelyard::MedianCoverage row =
          steelyard::median_coverage(noise, n, repeats, static_cast<std::uint32_t>(seed));
      std::printf("| %s | %zu | %s | %s | %s | %s | %s | %.2f %% |\n", std::string(to_text(noise)).c_str(), n,
                  percent(row.given, repeats).c_str(), percent(row.covered, row.given).c_str(),
                  percent(row.claimed, repeats).c_str(), percent(row.claimed_covered, row.claimed).c_str(),
                  percent(row.claimed - row.claimed_covered, repeats).c_str(), 100 * row.mean_width);
    }
  }
  return 0;
}
