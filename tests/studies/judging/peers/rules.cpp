#include "tests/studies/judging/peers/rules.hpp"

#include <cmath>
#include <numeric>
#include <utility>

#include "bench/model/quantile.hpp"

namespace steelyard::judging {

std::vector<Rule> peer_rules() {
  return {rank_sign_flip_rule(), paired_t_rule(), welch_rule(), google_benchmark_rule(), benchstat_rule(),
          criterion_rule(),      pinpoint_rule(), lnt_rule(),   threshold_rule(0.05),    threshold_rule(0.10)};
}

std::vector<double> all_values(const std::vector<SideProcess>& side) {
  std::vector<double> values;
  for (const SideProcess& process : side) values.insert(values.end(), process.values.begin(), process.values.end());
  return values;
}

std::vector<double> log_medians(const std::vector<SideProcess>& side) {
  std::vector<double> levels;
  for (const SideProcess& process : side) levels.push_back(std::log(median(process.values)));
  return levels;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

int direction(double change) { return change > 0 ? 1 : change < 0 ? -1 : 0; }

Rule each_alone(std::string name, std::function<Finding(const BenchmarkWindow&)> judge) {
  return {std::move(name), [judge = std::move(judge)](const Window& window) {
            std::vector<Finding> findings;
            for (const BenchmarkWindow& benchmark : window.benchmarks) findings.push_back(judge(benchmark));
            return findings;
          }};
}

}  // namespace steelyard::judging
