#include "ci/attribution/culprit.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>

#include "ci/attribution/own_source.hpp"

namespace steelyard {
namespace {

// The contract of a verdict, "Which function".
constexpr double kCoverage = 0.9;

// The larger, the narrower an answer.
using Narrowness = std::tuple<int, bool, int, double>;

struct Candidate {
  Culprit culprit;
  Narrowness narrowness;
};

double inclusive_of(const FunctionDifference& function) {
  return function.is_in_candidate ? function.candidate.inclusive : function.baseline.inclusive;
}

std::optional<Candidate> as_candidate(std::uint32_t i, const ProfileDifference& difference,
                                      const FunctionStanding& standing) {
  const FunctionDifference& function = difference.functions[i];
  const double total = difference.total_change;
  if (!(standing.reached_share >= kCoverage)) return std::nullopt;
  const bool does_it_itself = standing.is_in_cycle && standing.leaving_change / total >= kCoverage;
  if (!does_it_itself && !(function.inclusive_change / total >= kCoverage)) return std::nullopt;
  const double change = does_it_itself ? standing.leaving_change : function.inclusive_change;
  return Candidate{{i, std::nullopt, change},
                   {standing.depth, does_it_itself, function.depth, -inclusive_of(function)}};
}

// What one origin costs in all functions that it was inlined into.
struct Origin {
  double change = 0;
  double reached_share = 0;
  int depth = 0;
  std::size_t largest = 0;  // index of the piece that changed most
};

std::optional<Candidate> inlined_candidate(const ProfileDifference& difference,
                                           const std::vector<FunctionStanding>& standings,
                                           const LineDifference& lines) {
  std::map<std::string, Origin> origins;
  for (std::size_t i = 0; i < lines.pieces.size(); ++i) {
    const InlinedPiece& piece = lines.pieces[i];
    if (!piece.own_source) continue;
    const FunctionStanding& host = standings[piece.function];
    const auto [at, is_new] = origins.try_emplace(piece.origin);
    Origin& origin = at->second;
    if (is_new || std::fabs(piece.change()) > std::fabs(lines.pieces[origin.largest].change())) origin.largest = i;
    origin.change += piece.change();
    origin.reached_share += host.reached_share;
    origin.depth = std::max(origin.depth, host.depth + 1);
  }
  std::optional<Candidate> best;
  for (const auto& [name, origin] : origins) {
    if (!(origin.change / difference.total_change >= kCoverage) || !(origin.reached_share >= kCoverage)) continue;
    const Culprit culprit{lines.pieces[origin.largest].function, origin.largest, origin.change};
    const Candidate candidate{culprit, {origin.depth, false, 0, -std::fabs(origin.change)}};
    if (!best || candidate.narrowness > best->narrowness) best = candidate;
  }
  return best;
}

}  // namespace

std::optional<Culprit> find_culprit(const ProfileDifference& difference, const std::vector<FunctionStanding>& standings,
                                    const LineDifference& lines,
                                    const std::vector<std::filesystem::path>& own_sources) {
  std::optional<Candidate> best = inlined_candidate(difference, standings, lines);
  for (std::uint32_t i = 0; i < difference.functions.size(); ++i) {
    const auto candidate = as_candidate(i, difference, standings[i]);
    if (!candidate || !is_own_source(*difference.functions[i].shown, own_sources)) continue;
    if (!best || candidate->narrowness > best->narrowness) best = candidate;
  }
  if (!best) return std::nullopt;
  return best->culprit;
}

}  // namespace steelyard
