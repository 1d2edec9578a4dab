// What a reader can do about a comparison, the most useful first; empty when nothing is left to do.
#pragma once

#include <string>
#include <vector>

#include "bench/model/comparison.hpp"

namespace steelyard {

struct NextStep {
  std::string advice;   // "2 inconclusive: measure both sides together"
  std::string command;  // to type, or a place to look at; empty where the advice is all
};
std::vector<NextStep> next_steps(const Comparison& comparison);

}  // namespace steelyard
