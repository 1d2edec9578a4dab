// The rules of other tools, written anew from their published descriptions (docs/measured/judging_scores.md names the
// sources), to be scored on the same windows as ours. Each takes what its tool takes: where that is every repetition of
// every process, the samples of a side are put together.
#pragma once

#include <vector>

#include "tests/studies/judging/rule.hpp"

namespace steelyard::judging {

Rule google_benchmark_rule();           // U test of all repetitions, p < .05 (tools/compare.py)
Rule benchstat_rule();                  // the same, exact up to 50 values a side
Rule criterion_rule();                  // bootstrapped t test, and the interval of the change beyond 1 %
Rule pinpoint_rule();                   // the smaller p of Kolmogorov-Smirnov and U, at .01
Rule lnt_rule();                        // minima at least 1 % apart, then the U test
Rule threshold_rule(double threshold);  // means further apart than that
Rule paired_t_rule();                   // Student's t on the rounds' differences of log medians
Rule welch_rule();                      // Welch's t on the log medians of processes
Rule rank_sign_flip_rule();             // mean ranks of processes, sides of rounds exchanged in every way

// All of them, in the order of the tables.
std::vector<Rule> peer_rules();

// For the files of this folder.
inline constexpr double kAlpha = 0.05;  // the p below which their tests call a change
std::vector<double> all_values(const std::vector<SideProcess>& side);
std::vector<double> log_medians(const std::vector<SideProcess>& side);
double mean_of(const std::vector<double>& values);
int direction(double change);  // 1, -1 or 0
// A rule that judges benchmarks one by one.
Rule each_alone(std::string name, std::function<Finding(const BenchmarkWindow&)> judge);

}  // namespace steelyard::judging
