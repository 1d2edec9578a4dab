// Small profiles for the tests of pictures and exports, and the golden corpus as such.
#pragma once

#include <string>
#include <vector>

#include "ci/report/flame/stack_tree.hpp"

namespace steelyard::testkit {

struct SampleArc {
  std::string caller;
  std::string callee;
  std::int64_t inclusive = 0;
  std::int64_t calls = 1;
};
struct SampleFunction {
  std::string name;
  std::int64_t self = 0;
};
// Inclusive costs are those of set_inclusive_costs.
CountedProfile sample_profile(const std::vector<SampleFunction>& functions, const std::vector<SampleArc>& arcs,
                              std::int64_t iterations = 1);

// main -> left -> shared, main -> right -> shared: 10 + 20 + 30 of their own, shared 100 of which left caused 75.
CountedProfile diamond();

ci::JoinedProfile joined(const CountedProfile& candidate);
ci::JoinedProfile joined(const CountedProfile& baseline, const CountedProfile& candidate);

// The parts of tests/golden/callgrind/FILE.
std::vector<CountedProfile> corpus(const std::string& file);

// The frame's stack as folded_stacks writes it: "main;left;shared"; frame 0 is "".
std::string stack_of(const ci::JoinedProfile& profile, const ci::StackTree& tree, std::size_t frame);

}  // namespace steelyard::testkit
