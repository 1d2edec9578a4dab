// The machine and toolchain as found when a run was taken. The fingerprint hashes the decisive facts: the parts that
// make two runs incomparable (the machine's, not the compiler's: two builds are what we compare).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/model/fields.hpp"

namespace steelyard {

struct Fact {
  std::string name;  // "cpu.model", "memory.bytes", "kernel.release"
  std::string value;
  bool decisive = false;
  auto operator<=>(const Fact&) const = default;
};

struct Environment {
  std::vector<Fact> facts;

  // 16 hex digits over the decisive facts, whatever their order; empty where there is none (an imported file that says
  // nothing of its machine).
  std::string fingerprint() const;
  const std::string* find(std::string_view name) const;
  // Replaces the fact of that name or appends it.
  void set(std::string_view name, std::string value, bool decisive);
  bool operator==(const Environment&) const = default;
};

struct FactDifference {
  std::string name;
  std::string baseline;  // empty: not recorded on that side
  std::string candidate;
  bool decisive = false;
  bool operator==(const FactDifference&) const = default;

  static void fields(auto& visit, auto& self) {
    visit("name", self.name, {.column = "names"});
    visit("baseline", self.baseline, {.null = Null::written, .column = "baselines"});
    visit("candidate", self.candidate, {.null = Null::written, .column = "candidates"});
    visit("decisive", self.decisive);
  }
};

// Facts whose values differ or that only one side has, by name.
std::vector<FactDifference> differences(const Environment& baseline, const Environment& candidate);

}  // namespace steelyard
