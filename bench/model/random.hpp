// Bits that look random and are the same on every machine.
#pragma once

#include <cstdint>
#include <string_view>

namespace steelyard {

// The finalizer of SplitMix64 (G. L. Steele, D. Lea and C. H. Flood, Fast splittable pseudorandom number generators,
// 2014, figure 14): numbers that differ in one bit give unrelated ones.
constexpr std::uint64_t mixed_bits(std::uint64_t z) {
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

// SplitMix64's next number; its state goes on.
constexpr std::uint64_t next_split_mix(std::uint64_t& state) { return mixed_bits(state += 0x9e3779b97f4a7c15U); }

// Its number at `index`, from 0, without those before it.
constexpr std::uint64_t split_mix_at(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t state = seed + index * 0x9e3779b97f4a7c15U;
  return next_split_mix(state);
}

// FNV-1a, 64 bits (G. Fowler, L. C. Noll and K.-P. Vo), from its own beginning or going on from another hash.
constexpr std::uint64_t fnv1a(std::string_view text, std::uint64_t hash = 14695981039346656037U) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash;
}

}  // namespace steelyard
