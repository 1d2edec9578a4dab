// Which side goes where in which round, and in which order the benchmarks of a round come. Pure: a seed in, a plan out,
// the same on every machine.
//
// Rounds come in pairs whose orders are opposite (AB then BA, or BA then AB; in a duet the cores are swapped), because
// slots are not equal: the second of two runs finds warmer caches, one core shares more with the neighbours. What the
// slot does cancels within each pair, and only the order of the pair is left to chance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace steelyard::bench {

// The baseline's slot in each round, 0 or 1; the candidate has the other. Each benchmark has a plan of its own.
// Precondition: rounds is even and not negative.
std::vector<std::int32_t> plan_baseline_slots(int rounds, std::uint64_t seed, std::string_view benchmark);

// 0 .. count-1, shuffled for this round, so that no benchmark always follows the same one.
std::vector<std::size_t> shuffled_order(std::size_t count, std::uint64_t seed, int round);

// Which layout of its code each round runs (Program::layouts), both sides alike: a pair of rounds shares one, so that
// slots cancel within it, and each layout has a pair before any has the next, in an order drawn from the seed. The same
// for the first rounds, however many there are. Empty: there are no layouts.
std::vector<std::int32_t> plan_code_layouts(int rounds, std::uint64_t seed, std::size_t layouts);

// Bytes by which the environment of one process is longer than it need be, 0 to kMaxPadding - 1: what stands above the
// stack moves the stack, and with it what a benchmark's layout happens to be (T. Mytkowicz, A. Diwan, M. Hauswirth and
// P. F. Sweeney, Producing wrong data without doing anything obviously wrong!, ASPLOS 2009). Drawn for each process, so
// that such luck is noise between processes and no bias of a side. `attempt`: 0 for the first process of the round.
inline constexpr std::size_t kMaxPadding = 4096;
struct PaddedProcess {
  std::string_view benchmark;
  int round = 0;
  int side = 0;
  int attempt = 0;
};
std::size_t draw_padding(std::uint64_t seed, const PaddedProcess& process);

}  // namespace steelyard::bench
