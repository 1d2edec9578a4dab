#include "tests/studies/judging/score.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace steelyard::judging {
namespace {

constexpr double kStrict = 0.01;

std::vector<Finding> judged(const Rule& rule, const Window& window) {
  std::vector<Finding> findings = rule.judge(window);
  if (findings.size() != window.benchmarks.size()) {
    std::fprintf(stderr, "scoring: %s has %zu findings for %zu benchmarks\n", rule.name.c_str(), findings.size(),
                 window.benchmarks.size());
    std::exit(70);
  }
  return findings;
}

void add_coverage(const Finding& finding, double ratio, Score& score) {
  if (finding.interval) score.covered.add(finding.interval->low <= ratio && ratio <= finding.interval->high);
}

void add_unchanged(const Finding& finding, Score& score) {
  score.alarm.add(finding.says != 0);
  if (finding.p) score.alarm_strict.add(*finding.p <= kStrict);
  add_coverage(finding, 1, score);
  if (!finding.verdict) return;
  score.called.add(calls_change(finding));
  score.shown_unchanged.add(finding.verdict == Verdict::unchanged);
}

void add_changed(const Finding& finding, std::size_t change, Score& score) {
  score.found[change].add(finding.says > 0);
  score.wrong.add(finding.says < 0);
  add_coverage(finding, kChanges[change], score);
  if (finding.verdict) score.called_right[change].add(finding.verdict == Verdict::regression);
}

bool any_alarm(const std::vector<Finding>& findings, const Window& window) {
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (window.benchmarks[i].ratio != 1) continue;
    if (findings[i].verdict ? calls_change(findings[i]) : findings[i].says != 0) return true;
  }
  return false;
}

void put_change(double ratio, const ScoreOptions& options, BenchmarkWindow& benchmark) {
  options.only_side_by_side ? slow_down_side_by_side(benchmark, ratio) : slow_down(benchmark, ratio);
}

void score_one(const Rule& rule, const Window& window, const ScoreOptions& options, Score& score) {
  const auto unchanged = judged(rule, window);
  score.run_alarm.add(any_alarm(unchanged, window));
  add_unchanged(unchanged.front(), score);
  for (std::size_t change = 0; change < kChanges.size(); ++change) {
    Window changed = window;
    put_change(kChanges[change], options, changed.benchmarks.front());
    add_changed(judged(rule, changed).front(), change, score);
  }
}

void score_suite(const Rule& rule, const Window& window, const ScoreOptions& options, Draw& draw, Score& score) {
  const auto unchanged = judged(rule, window);
  score.run_alarm.add(any_alarm(unchanged, window));
  for (const Finding& finding : unchanged) add_unchanged(finding, score);
  for (std::size_t change = 0; change < kChanges.size(); ++change) {
    Window changed = window;
    for (int done = 0; done < options.changed;) {
      auto& benchmark =
          changed.benchmarks[static_cast<std::size_t>(draw.below(static_cast<int>(changed.benchmarks.size())))];
      if (benchmark.ratio != 1) continue;
      put_change(kChanges[change], options, benchmark);
      ++done;
    }
    const auto findings = judged(rule, changed);
    for (std::size_t i = 0; i < findings.size(); ++i) {
      if (changed.benchmarks[i].ratio != 1) add_changed(findings[i], change, score);
    }
  }
}

std::string cell(const Share& share, int digits) {
  if (share.of == 0) return "  |";
  char text[32];
  std::snprintf(text, sizeof text, " %.*f |", digits, share.value());
  return text;
}

}  // namespace

void Share::add(bool happened) {
  count += happened ? 1 : 0;
  ++of;
}
double Share::value() const { return of == 0 ? 0 : static_cast<double>(count) / static_cast<double>(of); }
double Share::standard_error() const {
  return of == 0 ? 0 : std::sqrt(value() * (1 - value()) / static_cast<double>(of));
}

Score score(const Rule& rule, const WindowSource& source, const ScoreOptions& options) {
  Score score;
  for (int seed = 1; seed <= options.seeds; ++seed) {
    Draw draw(static_cast<std::uint64_t>(seed));
    for (int i = 0; i < options.windows; ++i) {
      const Window window = source(draw);
      if (options.as_suite) {
        score_suite(rule, window, options, draw, score);
      } else {
        for (std::size_t b = 0; b < window.benchmarks.size(); ++b) score_one(rule, alone(window, b), options, score);
      }
    }
  }
  return score;
}

std::string score_table_head() {
  return "| row | rule | pairs | alarm .05 | .01 | found 1 % | 2 % | 5 % | 10 % | wrong | coverage | runs with a false "
         "alarm | called | called 5 % | 10 % | shown unchanged "
         "|\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
         "---|---|\n";
}

std::string score_line(const std::string& row, const std::string& rule, const Score& score) {
  std::string line = "| " + row + " | " + rule + " | " + std::to_string(score.alarm.of) + " |";
  line += cell(score.alarm, 3) + cell(score.alarm_strict, 4);
  for (const Share& found : score.found) line += cell(found, 2);
  line += cell(score.wrong, 4) + cell(score.covered, 3) + cell(score.run_alarm, 3) + cell(score.called, 4);
  line += cell(score.called_right[2], 2) + cell(score.called_right[3], 2) + cell(score.shown_unchanged, 2);
  return line + '\n';
}

}  // namespace steelyard::judging
