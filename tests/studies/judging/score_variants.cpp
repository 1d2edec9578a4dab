#include "tests/studies/judging/score_variants.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bench/model/quantile.hpp"
#include "regress/ab/permutations.hpp"
#include "regress/ab/sample_scores.hpp"
#include "tests/studies/judging/peers/rules.hpp"

namespace steelyard::judging {
namespace {

struct Variant {
  std::string name;
  double (*curve)(double u) = nullptr;  // of a relative rank in (0, 1)
  double share = 0;                     // of the view in the round
  bool centred = false;                 // each round's own centre is taken off before ranking
};

struct RoundLogs {
  std::vector<double> baseline;  // ascending
  std::vector<double> candidate;
};

std::vector<double> ascending_logs(const SideProcess& process, double centre) {
  std::vector<double> logs;
  for (const double value : process.values) logs.push_back(std::log(value) - centre);
  std::sort(logs.begin(), logs.end());
  return logs;
}

std::vector<RoundLogs> logs_of(const BenchmarkWindow& window, bool centred) {
  std::vector<RoundLogs> rounds;
  for (std::size_t r = 0; r < window.baseline.size(); ++r) {
    double centre = 0;
    if (centred) {
      centre = 0.5 * (median(ascending_logs(window.baseline[r], 0)) + median(ascending_logs(window.candidate[r], 0)));
    }
    rounds.push_back({ascending_logs(window.baseline[r], centre), ascending_logs(window.candidate[r], centre)});
  }
  return rounds;
}

// Candidate minus baseline, a round each: mean scores of all samples ranked together.
std::vector<double> pooled_view(const std::vector<RoundLogs>& rounds, double (*curve)(double)) {
  std::vector<regress::GroupedValue> values;
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    const auto group = static_cast<std::uint32_t>(2 * r);
    for (const double value : rounds[r].baseline) values.push_back({value, group});
    for (const double value : rounds[r].candidate) values.push_back({value, group + 1});
  }
  std::sort(values.begin(), values.end(), [](const regress::GroupedValue& a, const regress::GroupedValue& b) {
    return std::pair(a.value, a.group) < std::pair(b.value, b.group);
  });
  std::vector<double> sums(2 * rounds.size(), 0.0);
  for (std::size_t begin = 0; begin < values.size();) {
    std::size_t end = begin + 1;
    while (end < values.size() && values[end].value == values[begin].value) ++end;
    const double u = 0.5 * static_cast<double>(begin + 1 + end) / static_cast<double>(values.size() + 1);
    for (; begin < end; ++begin) sums[values[begin].group] += curve(u);
  }
  std::vector<double> view;
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    view.push_back(sums[2 * r + 1] / static_cast<double>(rounds[r].candidate.size()) -
                   sums[2 * r] / static_cast<double>(rounds[r].baseline.size()));
  }
  return view;
}

double root_of_squares(const std::vector<double>& values) {
  double squares = 0;
  for (const double value : values) squares += value * value;
  return std::sqrt(squares);
}

void add_share(const std::vector<double>& view, double share, std::vector<double>& scores) {
  const double size = root_of_squares(view);
  if (size == 0) return;
  for (std::size_t r = 0; r < scores.size(); ++r) scores[r] += share * view[r] / size;
}

Finding judge(const BenchmarkWindow& window, const Variant& variant) {
  const std::vector<RoundLogs> rounds = logs_of(window, variant.centred);
  std::vector<double> in_round;
  for (const RoundLogs& round : rounds)
    in_round.push_back(regress::preference({round.baseline, 0}, {round.candidate, 0}));
  std::vector<double> scores(rounds.size(), 0.0);
  add_share(pooled_view(rounds, variant.curve), 1, scores);
  add_share(in_round, variant.share, scores);
  double sum = 0;
  for (const double score : scores) sum += score;
  Finding finding;
  finding.p = regress::sign_flip_p(scores);
  if (*finding.p <= kAlpha) finding.says = direction(sum);
  return finding;
}

double plain(double u) { return u; }
double logarithm(double u) { return std::log(u + 0.02); }
double steep(double u) { return -1 / (u + 0.05); }
double chosen(double u) { return -1 / (u + 0.1); }

}  // namespace

std::vector<Rule> score_variants() {
  const Variant variants[] = {{"u, none", plain},
                              {"log(u + .02), none", logarithm},
                              {"-1 / (u + .05), none", steep},
                              {"-1 / (u + .1), none", chosen},
                              {"-1 / (u + .1), a quarter", chosen, 0.25},
                              {"-1 / (u + .1), a half", chosen, 0.5},
                              {"-1 / (u + .1), three quarters", chosen, 0.75},
                              {"u, each round's own centre taken off before", plain, 0, true}};
  std::vector<Rule> rules;
  for (const Variant& variant : variants) {
    rules.push_back(
        each_alone(variant.name, [variant](const BenchmarkWindow& window) { return judge(window, variant); }));
  }
  return rules;
}

}  // namespace steelyard::judging
