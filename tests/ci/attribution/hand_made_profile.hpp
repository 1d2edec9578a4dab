// Counted profiles written down by hand: functions with self costs and calls; totals and inclusive costs follow from
// the arcs for profiles without recursion, or are given.
#pragma once

#include <string>
#include <vector>

#include "bench/model/counted_profile.hpp"

namespace steelyard {

class HandMadeProfile {
 public:
  HandMadeProfile(const std::string& benchmark, std::int64_t iterations);

  // Costs of all iterations together. `inclusive` below 0: self plus what the arcs bring.
  HandMadeProfile& function(const std::string& name, const std::string& file, std::int64_t self,
                            const std::string& object = "/home/a/build/bench", std::int64_t inclusive = -1);
  // By name; the inclusive cost of the arc is the callee's.
  HandMadeProfile& call(const std::string& caller, const std::string& callee, std::int64_t calls);
  CountedProfile build() const;

 private:
  std::uint32_t index_of(const std::string& name) const;
  CountedProfile profile_;
  std::vector<std::int64_t> given_inclusive_;
};

}  // namespace steelyard
