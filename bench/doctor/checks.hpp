// The single checks, by what they look at. Each looks at its facts and adds what is wrong; the order within one
// severity is that of the calls in diagnose.cpp. Internal to this folder.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/doctor/diagnose.hpp"
#include "bench/doctor/noise_probe.hpp"
#include "bench/model/environment.hpp"

namespace steelyard {

// The facts with their numbers read.
class FactReader {
 public:
  explicit FactReader(const Environment& environment) : environment_(environment) {}
  std::string text(std::string_view name) const;  // empty: absent
  std::optional<double> number(std::string_view name) const;
  bool has(std::string_view name) const { return environment_.find(name) != nullptr; }

 private:
  const Environment& environment_;
};

using Findings = std::vector<Finding>;

void check_power(const FactReader& facts, Findings& findings);       // battery
void check_load(const FactReader& facts, Findings& findings);        // load, quota, throttling
void check_hypervisor(const FactReader& facts, Findings& findings);  // steal, hypervisor, container
void check_frequency(const FactReader& facts, Findings& findings);   // governor, turbo, heat, kinds of cores
void check_threads(const FactReader& facts, Findings& findings);     // SMT, a single core
void check_memory(const FactReader& facts, Findings& findings);      // swap, huge pages, nodes
void check_kernel(const FactReader& facts, Findings& findings);      // clock, ASLR, isolation, counters, mitigations
void check_devices(const FactReader& facts, Findings& findings);     // GPU
void check_program(const FactReader& facts, Findings& findings);     // how the program was built
void check_copies(const FactReader& facts, Findings& findings);      // whether rounds can have fresh copies of it
void check_probe(const ProbeResult& probe, Findings& findings);      // what the clock and the spinning loop showed
void list_unseen(const FactReader& facts, std::vector<Unseen>& unseen);

// "12.5 %"
std::string percent(double share);

}  // namespace steelyard
