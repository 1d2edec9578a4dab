// Ceilings of a small machine, round numbers, and of one datasheet; and rates that are held against them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/ceiling.hpp"
#include "regress/targets/declared_target.hpp"
#include "regress/targets/judge_targets.hpp"

namespace steelyard::sample {

inline Ceiling measured(CeilingKind kind, int threads, double value, double spread) {
  Ceiling ceiling;
  ceiling.kind = kind;
  ceiling.threads = threads;
  ceiling.value = value;
  ceiling.low = value * (1 - spread);
  ceiling.high = value * (1 + spread);
  ceiling.source = "measured";
  return ceiling;
}
inline Ceiling bandwidth(std::string level, std::string access, int threads, double value, double spread = 0.01) {
  Ceiling ceiling = measured(CeilingKind::bandwidth, threads, value, spread);
  ceiling.level = std::move(level);
  ceiling.access = std::move(access);
  return ceiling;
}
inline Ceiling arithmetic(std::string dtype, int threads, double value, double spread = 0.01) {
  Ceiling ceiling = measured(CeilingKind::arithmetic, threads, value, spread);
  ceiling.dtype = std::move(dtype);
  return ceiling;
}
inline Ceiling promised(Ceiling ceiling) {
  ceiling.low.reset();
  ceiling.high.reset();
  ceiling.source = "datasheet";
  return ceiling;
}

inline std::vector<DeviceCeilings> ceilings() {
  DeviceCeilings cpu;
  cpu.device = "CPU";
  cpu.fingerprint = "0123456789abcdef";
  cpu.ceilings = {
      arithmetic("f32", 1, 120e9),        arithmetic("f64", 1, 60e9),         arithmetic("f32", 2, 240e9),
      arithmetic("f64", 2, 120e9),        bandwidth("L1", "read", 1, 400e9),  bandwidth("L2", "read", 1, 100e9),
      bandwidth("L2", "read", 2, 200e9),  bandwidth("DRAM", "read", 1, 12e9), bandwidth("DRAM", "triad", 1, 10e9),
      bandwidth("DRAM", "read", 2, 20e9), bandwidth("DRAM", "triad", 2, 18e9)};
  DeviceCeilings gpu;
  gpu.device = "A100 40G";
  gpu.ceilings = {promised(arithmetic("bf16", 0, 312e12)), promised(bandwidth("DRAM", "", 0, 1555e9))};
  return {cpu, gpu};
}

inline regress::BenchmarkRates rates(const std::string& name, std::vector<double> flops,
                                     std::vector<double> bandwidth) {
  regress::BenchmarkRates result{
      parse_google_benchmark_name(name), name, std::move(flops), std::move(bandwidth), {}, ""};
  if (!result.flops.empty() && !result.bandwidth.empty()) {
    result.intensity = result.flops.front() / result.bandwidth.front();
  }
  return result;
}

// Six invocations within half a per cent of `rate`.
inline std::vector<double> about(double rate) {
  return {rate * 0.995, rate * 0.998, rate * 0.999, rate * 1.001, rate * 1.002, rate * 1.005};
}

inline TargetRow judge(const regress::BenchmarkRates& of, const std::string& target) {
  return regress::judge_target(of, regress::parse_target(target, "here").value(), regress::ceiling_choice(of.id, {}),
                               ceilings());
}

}  // namespace steelyard::sample
