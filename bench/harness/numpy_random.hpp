// numpy's RandomState, bit for bit: the stream that PyTorch's fuzzer draws from, so that a seed names the same inputs
// here as there. Standard engines agree everywhere, standard distributions do not; these are our own.
//
//     NumpyRandom random(0);
//     random.uniform(0, 1);  // 0.5488135039273248, as numpy.random.RandomState(0).uniform(0, 1)
//
// Source: NumPy's legacy generators (MT19937; randomkit's double, gauss and interval), whose streams NumPy has frozen
// (NEP 19). Not for cryptography, and not for new designs that need no agreement with numpy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace steelyard {

class NumpyRandom {
 public:
  explicit NumpyRandom(std::uint32_t seed) : engine_(seed) {}

  // In [0, 1), 53 bits.
  double real();
  // low + (high - low) * real().
  double uniform(double low, double high);
  // Marsaglia's polar method; draws pairs and keeps the second for the next call.
  double normal(double mean, double deviation);
  // Any 32 bits; numpy's randint over exactly 2^32 values.
  std::uint32_t bits32() { return static_cast<std::uint32_t>(engine_()); }
  // In [0, 2^63): numpy's randint(0, 2^63 - 1, dtype=int64) as PyTorch's fuzzer seeds its tensors.
  std::int64_t bits63();
  // In [0, most], by masked rejection: 32-bit draws up to 2^32 - 1, 64-bit above.
  std::uint64_t interval(std::uint64_t most);
  // numpy's randint(low, high + 1): both ends included. Precondition: low <= high.
  std::int64_t integer(std::int64_t low, std::int64_t high);
  // 0 .. n-1 shuffled (Fisher and Yates, from the end).
  std::vector<std::size_t> permutation(std::size_t n);
  // Index drawn by probability: the first whose share of the cumulated sum exceeds real().
  // Precondition: not empty, none negative, sum above 0.
  std::size_t choice(std::span<const double> probabilities);

 private:
  std::mt19937 engine_;
  bool has_spare_ = false;
  double spare_ = 0;  // standard normal
};

}  // namespace steelyard
