#include "ci/report/calibration.hpp"

#include <algorithm>

#include "ci/app/terminal_text.hpp"
#include "bench/model/number_text.hpp"

namespace steelyard {
namespace {

constexpr std::size_t kMostNameColumns = 48;

std::string rate_text(const ObservedRate& rate, const std::string& noun) {
  return std::to_string(rate.count) + " of " + plural_text(rate.tries, noun) + " (" + share_text(rate.interval.low) +
         " to " + share_text(rate.interval.high) + ')';
}

std::string or_dash(const std::optional<double>& value) { return value ? share_text(*value) : "-"; }

std::vector<CalibratedBenchmark> noisiest_first(const Calibration& calibration) {
  std::vector<CalibratedBenchmark> benchmarks = calibration.benchmarks;
  std::stable_sort(benchmarks.begin(), benchmarks.end(),
                   [](const CalibratedBenchmark& a, const CalibratedBenchmark& b) { return a.floor > b.floor; });
  return benchmarks;
}

std::string table_of(const std::vector<CalibratedBenchmark>& benchmarks, const TerminalStyle& style) {
  const bool has_copies = std::any_of(benchmarks.begin(), benchmarks.end(),
                                      [](const CalibratedBenchmark& benchmark) { return benchmark.copies; });
  std::vector<std::vector<std::string>> rows{{"benchmark", "metric", "noise floor", "detects", "within", "between"}};
  if (has_copies) rows.front().insert(rows.front().end(), {"copies", "processes"});
  rows.front().push_back("p <= .05");
  for (const CalibratedBenchmark& benchmark : benchmarks) {
    std::vector<std::string>& row = rows.emplace_back();
    row = {shortened(printable(benchmark.benchmark, style.unicode), kMostNameColumns, style.unicode),
           benchmark.metric,
           share_text(benchmark.floor),
           or_dash(benchmark.minimum_detectable_effect),
           or_dash(benchmark.within),
           or_dash(benchmark.between)};
    if (has_copies) row.insert(row.end(), {or_dash(benchmark.copies), or_dash(benchmark.processes)});
    row.push_back(std::to_string(benchmark.alarms.count) + " of " + std::to_string(benchmark.alarms.tries));
  }
  std::vector<Align> aligns(rows.front().size(), Align::right);
  aligns[0] = aligns[1] = Align::left;
  return aligned_rows(rows, aligns, "");
}

std::string advice_of(const std::vector<CalibratedBenchmark>& benchmarks, const TerminalStyle& style) {
  const std::size_t room = static_cast<std::size_t>(std::max(style.width, 40)) - 4;
  std::string text;
  for (const CalibratedBenchmark& benchmark : benchmarks) {
    if (benchmark.advice.empty()) continue;
    text += printable(benchmark.benchmark, style.unicode) + '\n';
    for (const std::string& line : wrapped(benchmark.advice, room)) {
      text += "    " + paint(line, Tone::dim, style.color) + '\n';
    }
  }
  return text;
}

std::string verdict_of(const Calibration& calibration, const TerminalStyle& style) {
  std::string text = "false gates   " + rate_text(calibration.false_gates, "A/A gate") + ", where at most " +
                     share_text(calibration.level) + " are promised\n";
  text += "false alarms  " + rate_text(calibration.false_alarms, "comparison") +
          " with p at most .05, where at most 5 % are expected\n";
  if (calibration.drift_sequential) {
    text += "drift         " + share_text(*calibration.drift_sequential) +
            " (standard deviation) between sides measured one after the other\n";
  }
  if (calibration.failed) {
    const std::string words =
        "failed: " + calibration.reason +
        "; comparisons on this machine give no verdicts until a calibration passes. Run steelyard "
        "doctor and mend what it names first.";
    for (const std::string& line : wrapped(words, static_cast<std::size_t>(std::max(style.width, 40)))) {
      text += paint(line, Tone::bad, style.color) + '\n';
    }
  }
  return text;
}

}  // namespace

std::string terminal_calibration(const Calibration& calibration, const CalibrationCircumstances& circumstances,
                                 const TerminalStyle& style) {
  const std::vector<CalibratedBenchmark> benchmarks = noisiest_first(calibration);
  std::string text = table_of(benchmarks, style) + '\n';
  const std::string advice = advice_of(benchmarks, style);
  if (!advice.empty()) text += advice + '\n';
  text += verdict_of(calibration, style);
  text += std::string(to_text(calibration.layout)) + ", " + plural_text(calibration.rounds, "round") +
          " a gate, seed " + std::to_string(calibration.seed) + ", machine " + calibration.fingerprint + '\n';
  if (circumstances.budget_spent) {
    text += "the budget of " + circumstances.budget + " was enough for " +
            plural_text(calibration.false_gates.tries, "gate") + " of " + std::to_string(circumstances.gates_asked) +
            "; ask for more with --budget\n";
  }
  if (circumstances.no_time_for_copies) {
    text += "the budget of " + circumstances.budget +
            " left too little time for what copies of the program differ by; ask for more with --budget\n";
  }
  for (const auto& [program, why] : circumstances.kept_pages) {
    text += program + ": what copies of it differ by was not measured: " + why + '\n';
  }
  if (!circumstances.kept_in.empty()) text += "kept in " + circumstances.kept_in + '\n';
  return text;
}

}  // namespace steelyard
