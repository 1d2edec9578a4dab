// What a reader can do about a comparison, under every report of it.
#pragma once

#include <string>
#include <vector>

#include "bench/model/comparison.hpp"

namespace steelyard::ci {

struct NextStep {
  std::string advice;   // "2 inconclusive: measure both sides together"
  std::string command;  // to type, or a place to look at; empty where the advice is all
};

// The most useful first; empty when nothing is left to do.
std::vector<NextStep> next_steps(const Comparison& comparison);

}  // namespace steelyard::ci
