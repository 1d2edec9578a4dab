// Counted profiles written down by hand: functions with self costs and calls; totals and inclusive costs follow from
// the arcs for profiles without recursion, or are given.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/model/counted_profile.hpp"
#include "ci/attribution/attribute.hpp"

namespace steelyard::ci {

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

namespace attribution_test {

// The row that the totals of two profiles make.
ComparisonRow row_of(const CountedProfile& baseline, const CountedProfile& candidate, std::string_view metric);
steelyard::Run run_of(const std::vector<CountedProfile>& profiles);
// What attribute() says of the instructions of two profiles.
std::vector<FunctionChange> behind(const CountedProfile& baseline, const CountedProfile& candidate,
                                   const ci::AttributionOptions& options = {});
std::vector<std::string> names(const std::vector<FunctionChange>& functions);

}  // namespace attribution_test
}  // namespace steelyard::ci
