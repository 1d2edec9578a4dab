#include "bench/formats/repetition_log.hpp"

#include <cmath>
#include <optional>

#include "bench/model/parse_number.hpp"

namespace steelyard::bench {
namespace {

// What follows the mark of a line and these words; absent: it is another line.
std::optional<std::string_view> after(std::string_view line, std::string_view words) {
  if (!line.starts_with(kPassLogMark)) return std::nullopt;
  const std::size_t at = line.find(words);
  if (at == std::string_view::npos) return std::nullopt;
  return line.substr(at + words.size());
}

}  // namespace

std::map<std::string, std::vector<LoggedPass>> read_pass_log(std::string_view text) {
  constexpr std::string_view kFor = " for ";
  std::map<std::string, std::vector<LoggedPass>> passes;
  std::string running;
  LoggedPass pass;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (const auto of = after(line, "Running ")) {
      const std::size_t at = of->rfind(kFor);
      const auto iterations =
          at == std::string_view::npos ? std::nullopt : parse_as<std::int64_t>(of->substr(at + kFor.size()));
      running = iterations ? std::string(of->substr(0, at)) : std::string();
      pass = {iterations.value_or(0), 0, 0};
    } else if (const auto took = after(line, "Ran in "); took && !running.empty()) {
      const std::size_t slash = took->find('/');
      const auto cpu = parse_as<double>(took->substr(0, slash));
      const auto real = slash == std::string_view::npos ? std::nullopt : parse_as<double>(took->substr(slash + 1));
      if (cpu && real) passes[running].push_back({pass.iterations, *cpu, *real});
      running.clear();
    }
  }
  return passes;
}

std::vector<double> repetitions_by_log(std::span<const double> logged, const MeanAndSpread& summary) {
  // Six digits are good to 5e-6; the standard deviation of values that far off is off by no more than about twice that.
  constexpr double kRounding = 2e-5;
  double sum = 0;
  for (const double value : logged) sum += value;
  const auto n = static_cast<double>(logged.size());
  if (logged.size() < 2 || !std::isfinite(sum) || !(sum > 0) || !(summary.mean > 0)) return {};
  std::vector<double> values;
  double squares = 0;
  for (const double value : logged) {
    values.push_back(value / sum * n * summary.mean);
    squares += (values.back() - summary.mean) * (values.back() - summary.mean);
  }
  const double stddev = std::sqrt(squares / (n - 1));
  // Not "> rounding": a deviation that is no number must not pass.
  if (!(std::fabs(stddev - summary.stddev) <= kRounding * summary.mean)) return {};
  return values;
}

}  // namespace steelyard::bench
