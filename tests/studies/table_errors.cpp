// How often tables of samples of one process show a difference, where there is none and where there is one, as a
// Markdown table:
//     table_errors [TABLES [SEED]]
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/studies/table_study.hpp"

namespace {

std::string percent(int part, int whole) {
  char text[16];
  std::snprintf(text, sizeof text, "%.1f %%", 100.0 * part / whole);
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  const int tables = argc > 1 ? std::atoi(argv[1]) : 1000;
  const int seed = argc > 2 ? std::atoi(argv[2]) : 1;
  if (argc > 3 || tables < 1 || seed < 0) {
    std::fprintf(stderr, "usage: %s [TABLES [SEED]], both whole numbers, TABLES at least 1\n", argv[0]);
    return 3;
  }
  std::printf("| noise | n | false difference | by a plain test | found: half a deviation | a whole one |\n");
  std::printf("|---|---|---|---|---|---|\n");
  for (const steelyard::SimulatedNoise noise : steelyard::kNoises) {
    if (noise == steelyard::SimulatedNoise::skewed || noise == steelyard::SimulatedNoise::evenly_bimodal) continue;
    for (const std::size_t n : {20, 50, 200}) {
      steelyard::TableStudy study;
      study.noise = noise;
      study.n = n;
      study.tables = tables;
      study.seed = static_cast<std::uint32_t>(seed);
      const steelyard::TableErrors equal = table_errors(study);
      study.shift = 0.5;
      const steelyard::TableErrors half = table_errors(study);
      study.shift = 1;
      const steelyard::TableErrors whole = table_errors(study);
      std::printf("| %s | %zu | %s | %s | %s | %s |\n", std::string(to_text(noise)).c_str(), n,
                  percent(equal.with_difference, tables).c_str(), percent(equal.with_naive_difference, tables).c_str(),
                  percent(half.with_difference, tables).c_str(), percent(whole.with_difference, tables).c_str());
    }
  }
  return 0;
}
