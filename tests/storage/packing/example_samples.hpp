// Samples of every kind that packing has a form for, drawn from a seed; the same on every machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/model/measurement.hpp"

namespace steelyard::storage_test {

struct SampleSections {
  std::vector<InvocationSamples> judged;
  std::vector<InvocationSamples> excluded;
};
SampleSections example_samples(std::uint64_t seed);

// Samples as of a run of `invocations` processes with `samples` samples of about `ns` nanoseconds each would yield;
// noise: relative standard deviation.
struct ClockSamples {
  std::uint32_t invocations = 1;
  int samples = 20;
  double ns = 1e7;
  double noise = 0.01;
  std::int64_t iterations = 1000;
};
std::vector<InvocationSamples> clock_samples(const ClockSamples& wanted, std::uint64_t seed);

// By a packer of its own.
std::string pack_samples(const std::vector<InvocationSamples>& invocations,
                         const std::vector<InvocationSamples>& excluded = {});

}  // namespace steelyard::storage_test
