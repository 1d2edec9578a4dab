// Whether the code that a benchmark executes is the same in two builds that differ elsewhere: the functions of its
// profile, machine code against machine code, with the addresses taken out and what they point at compared by name.
//
//     ExecutedCode code(loaded_baseline, loaded_candidate);
//     const std::string why = code.difference(profile);   // empty: equal
//
// It shows less than equal loaded sections do: constants, tables and literals may differ, and where a function lies.
// So nothing is skipped on this ground unless somebody asks for it.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

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

  // Of the first function of the profile whose code differs, or cannot be compared: which and why. Empty: the code of
  // all is equal. Each function is compared once, however many profiles have it.
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

}  // namespace steelyard::bench
