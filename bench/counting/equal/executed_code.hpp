// Whether the code that a benchmark executes is the same in two builds that differ elsewhere: the functions of its
// profile, machine code against machine code, with the addresses taken out and what they point at compared by name.
//
//     ExecutedCode code(loaded_baseline, loaded_candidate);
//     const std::string why = code.difference(profile);                  // empty: equal
//     const std::string where = count_difference(profile, of_candidate);  // empty: they cost the same, too
//
// It shows less than equal loaded sections do: constants, tables and literals may differ, and where a function lies. So
// may what sets the benchmark up: of a timed region the profile has no more than what ran within. Where each function
// costs the same on both sides, none of that led the code another way.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "bench/counting/equal/counted_inputs.hpp"
#include "bench/model/counted_profile.hpp"
#include "bench/model/quantity.hpp"

namespace steelyard::bench {

struct ExecutedCodeLimits {
  std::size_t functions = 20000;
  std::size_t bytes = std::size_t{64} << 20;  // of machine code, both sides together
  Nanoseconds time = seconds(10);             // of all calls together
};

class ExecutedCode {
 public:
  // Files are opened when they are first needed. Both outlive this.
  ExecutedCode(const LoadedProgram& baseline, const LoadedProgram& candidate, ExecutedCodeLimits limits = {});
  ExecutedCode(const ExecutedCode&) = delete;
  ExecutedCode& operator=(const ExecutedCode&) = delete;
  ~ExecutedCode();

  // Why no function of the program can be compared: it has no symbols, or this was built without Capstone. Empty: some
  // can.
  std::string obstacle();
  // Of the first function of the profile whose code differs, or cannot be compared: which and why. Empty: the code of
  // all is equal. Each function is compared once, however many profiles have it. Functions that cost nothing and were
  // not called are left out: they stand above the timed region, and wait for it to return.
  std::string difference(const CountedProfile& profile);

 private:
  struct ObjectPair;
  ObjectPair& pair_of(const std::string& object);
  std::string compare(ObjectPair& pair, const std::string& function);

  const LoadedProgram& baseline_;
  const LoadedProgram& candidate_;
  ExecutedCodeLimits limits_;
  std::chrono::nanoseconds spent_{0};
  std::size_t bytes_ = 0;
  std::map<std::string, std::unique_ptr<ObjectPair>> pairs_;  // by the path that the profile has
};

// The first function that costs another number of instructions in an iteration, is called more or less often, or is on
// one side alone: which. Empty: none. Also where the profiles are not of one kind.
std::string count_difference(const CountedProfile& baseline, const CountedProfile& candidate);

}  // namespace steelyard::bench
