// The readers that strangers' bytes reach, one row each: the fuzzer (readers_fuzz.cpp), the command that runs it for
// all of them (fuzz.py) and the tests that replay what it found (corpus_test.cpp) follow from the rows. A reader is
// fuzzed once it has a row, a function that says what holds of it for any bytes, and a folder to begin with,
// tests/fuzz/corpus/NAME. The formats of `steelyard import` have a row each by the table of formats.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace steelyard::testkit {

// What does not hold, in words; absent: all does.
using BrokenClaim = std::optional<std::string>;

struct FuzzTarget {
  std::string name;  // of its folder, and of its words NAME.dict, where it has any
  std::string reads;
  std::function<BrokenClaim(const std::string& input)> broken_claim;
  std::size_t longest = 4096;  // bytes of an input that a fuzzer makes
  int mutants = 1000;          // that every test run tries
};

// Of each input, whatever it is and however it is checked: what a fuzzer makes is so short that more is a defect.
inline constexpr int kMaxSeconds = 5;
inline constexpr int kMaxMemoryMiB = 512;

std::span<const FuzzTarget> fuzz_targets();

// "import_google_benchmark" of the format "google-benchmark".
std::string name_of_import_target(std::string_view format);

}  // namespace steelyard::testkit
