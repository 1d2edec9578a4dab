// How the sides of a measurement are laid out in time and on cores, and why: the one place that says "duet" or not.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/model/run.hpp"
#include "bench/runner/core_choice.hpp"
#include "bench/runner/pilot.hpp"

namespace steelyard::bench {

struct LayoutChoice {
  Layout layout = Layout::interleaved;
  std::vector<int> cores;  // to pin to; empty: nothing is pinned
  std::string reason;      // one clause a person can read
};

// `wanted` absent: duet where it can be. A duet that cannot be is interleaved, and the reason says why. `device_use`:
// how a program shows that it uses a device (bench/environment/gpu_facts.hpp), which two at once would share.
LayoutChoice choose_layout(std::optional<Layout> wanted, const CoreChoice& cores, bool all_have_several_threads,
                           const std::string& device_use = {});

// The choice of a duet held against a trial of both layouts.
LayoutChoice choose_layout(LayoutChoice duet, const LayoutTrial& trial);

}  // namespace steelyard::bench
