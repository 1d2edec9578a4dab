// From two runs to what the tests of one (benchmark, metric) take: the invocations of each side as logarithms of their
// samples, and the rounds in which both sides have one. Logarithms, because an effect is a ratio and noise grows with
// the level.
//
// A round that lacks a side is dropped and counted. Values that have no logarithm are a defect; nothing is excluded in
// silence.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/run.hpp"

namespace steelyard::regress {

struct LogInvocation {
  std::int32_t round = 0;
  std::int32_t slot = 0;
  std::vector<double> logs;  // of its samples, at least one
  double level = 0;          // their median
  bool operator==(const LogInvocation&) const = default;
};

inline constexpr std::int32_t kRoundsLimit = 1'000'000;  // as many as an imported file may name

// Why a side cannot be judged.
enum class DefectKind { no_samples, unknown_invocation, impossible_round, no_logarithm };
struct Defect {
  DefectKind kind = DefectKind::no_samples;
  std::size_t invocation = 0;   // of an unknown one or an impossible round: that samples name
  std::size_t invocations = 0;  // of an unknown one: that there are
  std::int32_t round = 0;       // of an impossible one, and of the value without a logarithm
  double value = 0;             // that has no logarithm
  std::string unit = {};
};

// All invocations of a side, by round. `measurements` are those of one benchmark and metric (one, unless the run has
// them in pieces). Invocations that are not in the run, or of an impossible round, are a defect.
std::variant<std::vector<LogInvocation>, Defect> log_invocations(const Run& run,
                                                                 std::span<const Measurement* const> measurements);

struct PairedRound {
  LogInvocation baseline;
  LogInvocation candidate;
  double difference() const { return candidate.level - baseline.level; }
  bool operator==(const PairedRound&) const = default;
};
struct PairedRounds {
  std::vector<PairedRound> rounds;
  int dropped = 0;  // rounds that only one side has
};
// Several invocations of a side in one round count as one: their samples are put together.
PairedRounds pair_rounds(std::span<const LogInvocation> baseline, std::span<const LogInvocation> candidate);

// The layout two runs have towards each other: what their headers say, the less trusted of the two, where they are of
// one session or neither names one; otherwise separate.
Layout mutual_layout(const RunHeader& baseline, const RunHeader& candidate);

// Benchmarks, canonical, that were measured in a duet though their run calls itself interleaved, as the machines that
// shared it chose different layouts: kept among the settings as "in_duet", one a line. Nothing where there are none.
void keep_in_duet(const std::set<std::string>& benchmarks, std::map<std::string, std::string>& settings);
bool is_in_duet(const RunHeader& header, std::string_view benchmark);

// Where the noise of a comparison comes from, as variance components: samples inside an invocation, invocations of one
// side, and what both sides of a round share. A level is taken as
//
//     level of (round, side) = round + side + slot + invocation + error of its samples
//
// and each spread is told from absolute differences of pairs, by their median, so that a burst or a second mode moves
// it little. The median of |x - y| of two independent normal values is 0.9539 standard deviations; no mean has to be
// estimated, so few values give no bias (the idea of P. J. Rousseeuw and C. Croux, Alternatives to the median absolute
// deviation, 1993).

// Of fewer rounds (or invocations a side) nothing is said about what lies between them.
inline constexpr std::size_t kMinRoundsForNoise = 4;

NoiseParts noise_of_rounds(std::span<const PairedRound> rounds);
// Sides without rounds: `rounds` stays absent, and what rounds would share is counted in `between`.
NoiseParts noise_of_invocations(std::span<const LogInvocation> baseline, std::span<const LogInvocation> candidate);

// What the pages a program lies in make of its noise. Copies of a program lie in different pages; processes of one copy
// in the same.
struct CopyNoise {
  std::optional<double> copies;     // standard deviation between copies, without what processes add
  std::optional<double> processes;  // between levels of processes of one copy, with what their samples add
};
inline constexpr int kRoundsOfCopy = 2;
inline constexpr std::size_t kMinCopies = 4;

// Of one program, measured alone, whose rounds 2j and 2j + 1 share copy j. With level x of a round and med a median:
//
//     processes = med |x_2j - x_2j+1| / 0.9539                          over the copies j
//     copies^2  = (med |x_a - x_b| / 0.9539)^2 - processes^2, at least 0
//                 over rounds a and b of different copies, at most two copies apart
//
// Neighbours only, because a machine drifts: a random walk of half of `processes` a round makes equal copies differ by
// 0.8 of it over all pairs, by 0.5 over neighbours (medians). With 12 copies the estimate is right within a factor of 2
// in 9 of 10 tries where copies differ by twice `processes`; where they do not differ it is above `processes` in 1 of 6
// and above twice that in 1 of 50. A round without its other half takes no part; with fewer than kMinCopies whole
// copies both are absent.
CopyNoise noise_of_copies(std::span<const LogInvocation> invocations);

// The standard deviation that the pairs of `values` up to 100 places apart show; absent for fewer than two values.
// Cost: that of the median of so many pairs, 100 a value at most.
std::optional<double> spread_of_pairs(std::span<const double> values);

}  // namespace steelyard::regress
