#include "tests/studies/judging/look_alternatives.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "bench/model/quantile.hpp"
#include "regress/ab/sample_scores.hpp"
#include "tests/studies/judging/mean_ranks.hpp"

namespace steelyard::judging {
namespace {

// Candidate's mean rank less the baseline's, for each of the first `count` rounds.
std::vector<double> rank_differences(const std::vector<regress::PairedRound>& rounds, std::size_t count) {
  std::vector<regress::GroupedValue> values;
  for (std::size_t r = 0; r < count; ++r) {
    for (const double log : rounds[r].baseline.logs) values.push_back({log, static_cast<std::uint32_t>(2 * r)});
    for (const double log : rounds[r].candidate.logs) values.push_back({log, static_cast<std::uint32_t>(2 * r + 1)});
  }
  const std::vector<double> ranks = mean_ranks(values, 2 * count);
  std::vector<double> differences;
  for (std::size_t r = 0; r < count; ++r) differences.push_back(ranks[2 * r + 1] - ranks[2 * r]);
  return differences;
}

// Share of the statistics that are at least each of them.
std::vector<double> p_of_each(const std::vector<double>& statistics) {
  std::vector<double> sorted = statistics;
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> p;
  for (const double statistic : statistics) {
    const auto below = std::lower_bound(sorted.begin(), sorted.end(), statistic - 1e-9) - sorted.begin();
    p.push_back(static_cast<double>(static_cast<std::ptrdiff_t>(sorted.size()) - below) /
                static_cast<double>(sorted.size()));
  }
  return p;
}

}  // namespace

ExchangedSides exchange_sides(const std::vector<regress::PairedRound>& rounds, const regress::LookPlan& plan, int draws,
                              Draw& draw) {
  // The first labels are those that were measured.
  const auto arrangements = static_cast<std::size_t>(draws) + 1;
  std::vector<std::vector<double>> signs(arrangements, std::vector<double>(rounds.size(), 1));
  for (std::size_t i = 1; i < arrangements; ++i) {
    for (double& sign : signs[i]) sign = draw.coin() ? 1 : -1;
  }
  std::vector<double> least(arrangements, 1);
  for (const regress::PlannedLook& look : plan.looks) {
    const std::vector<double> differences = rank_differences(rounds, static_cast<std::size_t>(look.rounds));
    std::vector<double> statistics;
    for (const std::vector<double>& of_arrangement : signs) {
      double sum = 0;
      for (std::size_t r = 0; r < differences.size(); ++r) sum += of_arrangement[r] * differences[r];
      statistics.push_back(std::fabs(sum));
    }
    const std::vector<double> p = p_of_each(statistics);
    for (std::size_t i = 0; i < arrangements; ++i) least[i] = std::min(least[i], p[i] / look.share);
  }
  std::vector<double> strength;
  for (const double value : least) strength.push_back(-value);
  return {least.front(), p_of_each(strength).front()};
}

std::vector<double> e_process_p(const std::vector<regress::PairedRound>& rounds) {
  constexpr std::array<double, 6> kLambdas{0.1, 0.2, 0.4, 0.8, 1.6, 3.2};
  std::array<double, 2 * kLambdas.size()> log_evidence{};
  std::vector<double> sizes;
  std::vector<double> p;
  double best = 1;
  for (const regress::PairedRound& round : rounds) {
    const double difference = round.difference();
    // The first round has no scale of its own and is spent on giving one.
    if (!sizes.empty()) {
      const double scale = std::max(median(sizes), 1e-9);
      const double x = std::clamp(difference / scale, -5.0, 5.0);
      double evidence = 0;
      for (std::size_t i = 0; i < log_evidence.size(); ++i) {
        const double lambda = kLambdas[i / 2] * (i % 2 == 0 ? 1 : -1);
        log_evidence[i] += lambda * x - std::log(std::cosh(lambda * x));
        evidence += std::exp(log_evidence[i]) / static_cast<double>(log_evidence.size());
      }
      best = std::max(best, evidence);
    }
    sizes.push_back(std::fabs(difference));
    p.push_back(1 / best);
  }
  return p;
}

}  // namespace steelyard::judging
