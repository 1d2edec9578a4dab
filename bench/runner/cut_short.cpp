#include "bench/runner/cut_short.hpp"

#include <algorithm>
#include <cstddef>
#include <map>

namespace steelyard::bench {
namespace {

// The search aims 40 % above what was asked for, and samples of one process differ by less than that.
constexpr double kHalf = 0.5;
constexpr double kFarBelow = 0.1;

}  // namespace

std::set<std::int32_t> rounds_cut_short(std::span<const std::vector<SearchedProcess>> sides, Nanoseconds min_time) {
  std::map<std::int32_t, std::vector<const SearchedProcess*>> rounds;
  for (const std::vector<SearchedProcess>& side : sides) {
    for (const SearchedProcess& process : side) rounds[process.round].push_back(&process);
  }
  std::erase_if(rounds, [&](const auto& round) { return round.second.size() < sides.size(); });
  std::vector<std::int64_t> iterations;
  for (const auto& [round, processes] : rounds) {
    for (const SearchedProcess* process : processes) iterations.push_back(process->iterations);
  }
  if (iterations.empty()) return {};
  // The lower of the two in the middle: of two sides apart it is of the one that takes fewer.
  const auto middle = iterations.begin() + static_cast<std::ptrdiff_t>((iterations.size() - 1) / 2);
  std::nth_element(iterations.begin(), middle, iterations.end());
  const double few = kFarBelow * static_cast<double>(*middle);
  std::set<std::int32_t> cut;
  for (const auto& [round, processes] : rounds) {
    const bool is_cut = std::ranges::any_of(processes, [&](const SearchedProcess* process) {
      return static_cast<double>(process->iterations) < few && process->shortest < min_time * kHalf;
    });
    if (is_cut) cut.insert(round);
  }
  return cut.size() < rounds.size() ? cut : std::set<std::int32_t>();
}

}  // namespace steelyard::bench
