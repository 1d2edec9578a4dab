#include "bench/ceilings/clock_reading.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>

namespace steelyard {
namespace {

constexpr int kAdditions = 200;  // in a row; the loop around them runs beside the chain
constexpr int kTurns = 250;
constexpr int kPieces = 21;  // of 50,000 cycles

// By a register, not by a constant: some processors add small constants without a cycle (Golden Cove does).
double additions_per_second() {
  std::uint64_t sum = 1;
  const std::uint64_t summand = 3;
  const auto start = std::chrono::steady_clock::now();
  for (int turn = 0; turn < kTurns; ++turn) {
#if defined(__x86_64__)
    asm volatile(".rept 200\n\tadd %1, %0\n\t.endr" : "+r"(sum) : "r"(summand));
#elif defined(__aarch64__)
    asm volatile(".rept 200\n\tadd %0, %0, %1\n\t.endr" : "+r"(sum) : "r"(summand));
#else
    for (int i = 0; i < kAdditions; ++i) {
      sum += summand;
      asm volatile("" : "+r"(sum));
    }
#endif
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return static_cast<double>(kAdditions) * kTurns / elapsed.count();
}

}  // namespace

double read_clock_hz() {
  std::array<double, kPieces> pieces{};
  for (double& piece : pieces) piece = additions_per_second();
  std::nth_element(pieces.begin(), pieces.begin() + kPieces / 2, pieces.end());
  return pieces[kPieces / 2];
}

}  // namespace steelyard
