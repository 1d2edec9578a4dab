// The readers that strangers' bytes reach, one row each: the fuzzer (readers_fuzz.cpp), the command that runs it for
// all of them (fuzz.py) and the tests that replay what it found (corpus_test.cpp) follow from the rows. A reader is
// fuzzed once it has a row, a function that says what holds of it for any bytes, and a folder to begin with,
// tests/fuzz/corpus/NAME.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace steelyard::testkit {

// What does not hold, in words; absent: all does.
using BrokenClaim = std::optional<std::string>;

struct FuzzTarget {
  std::string_view name;  // of its folder, and of its words NAME.dict, where it has any
  std::string_view reads;
  BrokenClaim (*broken_claim)(const std::string& input);
  std::size_t longest = 4096;  // bytes of an input that a fuzzer makes
};

// Of each input, whatever it is and however it is checked: what a fuzzer makes is so short that more is a defect.
inline constexpr int kMaxSeconds = 5;
inline constexpr int kMaxMemoryMiB = 512;

std::span<const FuzzTarget> fuzz_targets();

}  // namespace steelyard::testkit
