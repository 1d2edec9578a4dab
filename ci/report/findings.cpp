#include "ci/report/findings.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <set>

#include "ci/attribution/function_name.hpp"
#include "ci/report/number_text.hpp"

namespace steelyard {
namespace {

bool is_significant(const ComparisonRow& row) {
  return row.verdict == Verdict::regression || row.verdict == Verdict::improvement;
}

std::string plural(std::int64_t count, const std::string& one, const std::string& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

// Calls per iteration: "3", "0.5", "1,024".
std::string calls_text(double calls) {
  const double size = std::abs(calls);
  return size == std::floor(size) && size < 1e15 ? grouped_text(static_cast<std::int64_t>(size))
                                                 : decimal_text(size, 2);
}

std::string what_happened(const FunctionChange& function, bool is_culprit) {
  const double cost = is_culprit ? function.inclusive_change : function.self_change;
  // Below this the difference of calls is rounding: a function entered once in 10,000 iterations.
  constexpr double kLeastCalls = 1e-4;
  if (std::abs(function.calls_change) < kLeastCalls) return cost > 0 ? "each call costs more" : "each call costs less";
  const bool more = function.calls_change > 0;
  // Calls that moved against the cost do not explain it.
  if (more != (cost > 0)) return cost > 0 ? "fewer calls, each costs more" : "more calls, each costs less";
  const std::string calls = calls_text(function.calls_change);
  return "called " + calls + (calls == "1" ? " time " : " times ") + (more ? "more" : "less");
}

std::string place_of(const FunctionChange& function) {
  if (function.file.empty() || function.file == "???") return "";
  // A path of the project's own is worth its folders; a system header is known by its name.
  const std::filesystem::path file(function.file);
  const std::string name = file.is_absolute() || !function.own_source ? file.filename().string() : file.string();
  return function.line > 0 ? name + ":" + std::to_string(function.line) : name;
}

}  // namespace

std::string summary_line(const Comparison& comparison) {
  struct Word {
    Verdict verdict;
    const char* one;
    const char* many;
  };
  constexpr std::array kWords{
      Word{Verdict::regression, "regression", "regressions"},
      Word{Verdict::failed, "failed", "failed"},
      Word{Verdict::missing, "missing", "missing"},
      Word{Verdict::incomparable, "incomparable", "incomparable"},
      Word{Verdict::improvement, "improvement", "improvements"},
      Word{Verdict::fresh, "new", "new"},
      Word{Verdict::unchanged, "unchanged", "unchanged"},
      Word{Verdict::inconclusive, "inconclusive", "inconclusive"},
  };
  const auto counts = comparison.count_by_verdict();
  std::string line;
  for (const Word& word : kWords) {
    const std::int64_t count = counts.at(static_cast<std::size_t>(word.verdict));
    if (count == 0) continue;
    if (!line.empty()) line += ", ";
    line += plural(count, word.one, word.many);
  }
  return line.empty() ? "nothing to compare" : line;
}

std::string promise_line(const Comparison& comparison) {
  bool has_noisy = false;
  bool has_concurrent = false;
  bool has_counted = false;
  for (const ComparisonRow& row : comparison.rows) {
    if (row.metric.kind == MetricKind::counted) {
      has_counted = true;
    } else {
      has_noisy = true;
      has_concurrent = has_concurrent || is_concurrent(row.layout);
    }
  }
  const std::string exact = "Counted metrics are compared exactly, within the jitter that was measured.";
  if (!has_noisy) return has_counted ? exact : "";
  if (!has_concurrent) {
    return "The sides were not measured together, so the machine's drift is mixed with the change; only what even "
           "that drift cannot explain is called a change.";
  }
  return "The chance that this gate fails though nothing regressed is at most " +
         percent_text(comparison.policy.false_alarm_rate) + ".";
}

std::string conditions_line(const Comparison& comparison) {
  std::set<std::string> layouts;
  std::int32_t fewest = 0;
  std::int32_t most = 0;
  for (const ComparisonRow& row : comparison.rows) {
    if (row.metric.kind != MetricKind::noisy || row.rounds <= 0) continue;
    layouts.insert(std::string(to_text(row.layout)));
    fewest = fewest == 0 ? row.rounds : std::min(fewest, row.rounds);
    most = std::max(most, row.rounds);
  }
  std::string line;
  for (const std::string& layout : layouts) line += (line.empty() ? "" : " and ") + layout;
  if (line.empty()) line = to_text(comparison.candidate.layout);
  if (most > 0 && fewest == most) line += ", " + plural(most, "round", "rounds");
  if (most > 0 && fewest != most) line += ", " + std::to_string(fewest) + " to " + std::to_string(most) + " rounds";
  // What was imported has no seed of ours.
  if (comparison.candidate.seed != 0) line += ", seed " + std::to_string(comparison.candidate.seed);
  line += "; minimum effect " + percent_text(comparison.policy.minimum_effect);
  line += ", intervals at " + percent_text(comparison.policy.confidence);
  return line;
}

std::vector<std::string> environment_lines(const Comparison& comparison) {
  const auto shown = [](const std::string& value) { return value.empty() ? std::string("not recorded") : value; };
  std::vector<std::string> lines;
  for (const bool decisive : {true, false}) {
    for (const FactDifference& difference : comparison.environment_differences) {
      if (difference.decisive != decisive) continue;
      lines.push_back(difference.name + ": " + shown(difference.baseline) + " -> " + shown(difference.candidate) +
                      (decisive ? " (decisive)" : ""));
    }
  }
  return lines;
}

std::vector<std::string> warning_lines(const Comparison& comparison) {
  std::vector<std::string> lines;
  std::set<std::string> given;
  for (const std::string& warning : comparison.warnings) {
    if (given.insert(warning).second) lines.push_back(warning);
  }
  return lines;
}

std::string fused_story(const RowIndex& index, const std::string& benchmark) {
  const ComparisonRow* time = index.find(benchmark, kRealTime);
  const ComparisonRow* count = index.find(benchmark, kInstructions);
  if (!time || !count || !time->ratio || !count->ratio) return "";
  const auto usable = [](const ComparisonRow& row) {
    return is_significant(row) || row.verdict == Verdict::unchanged || row.verdict == Verdict::inconclusive;
  };
  if (!usable(*time) || !usable(*count) || count->verdict == Verdict::inconclusive) return "";
  for (const ComparisonRow* row : {time, count}) {
    if (row->reason.find("dispatch") != std::string::npos) return "";
  }
  if (!is_significant(*time) && !is_significant(*count)) return "";
  const bool count_equal = count->verdict == Verdict::unchanged;
  const std::string counted = count_equal ? "instructions equal" : "instructions " + per_cent_text(*count->ratio);
  const std::string timed = time->verdict == Verdict::unchanged      ? "time equal"
                            : time->verdict == Verdict::inconclusive ? "time undecided"
                                                                     : "time " + per_cent_text(*time->ratio);
  std::string meaning;
  if (count_equal) {
    meaning = "layout, memory or the machine";
  } else if (time->verdict == Verdict::unchanged) {
    meaning = "not on the critical path";
  } else if (time->verdict == Verdict::inconclusive) {
    meaning = std::string(*count->ratio > 1 ? "more" : "less") + " work for certain, its time not shown";
  } else if (time->verdict == count->verdict) {
    meaning = time->verdict == Verdict::regression ? "real" : "improved";
  } else {
    meaning = *count->ratio > 1 ? "more work in less time" : "less work in more time";
  }
  return counted + ", " + timed + ": " + meaning;
}

VerdictMark mark_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::regression:
      return {"\u2717", "x"};
    case Verdict::improvement:
      return {"\u2713", "v"};
    case Verdict::unchanged:
      return {"=", "="};
    case Verdict::inconclusive:
      return {"?", "?"};
    case Verdict::missing:
      return {"\u2212", "-"};
    case Verdict::fresh:
      return {"+", "+"};
    case Verdict::failed:
      return {"!", "!"};
    case Verdict::incomparable:
      return {"\u2260", "#"};
  }
  return {"?", "?"};
}

std::string metric_label(const Metric& metric) {
  if (metric.name == kRealTime) return "time";
  std::string label = metric.name;
  std::replace(label.begin(), label.end(), '_', ' ');
  return label;
}

std::string interval_cell(const ComparisonRow& row) {
  if (row.test == "exact" && row.ratio) {
    return row.jitter.value_or(0) > 0 ? "exact to " + percent_text(*row.jitter) : "exact";
  }
  return row.interval ? interval_text(*row.interval) : "";
}

std::vector<FunctionLine> function_lines(const RowIndex& index, const ComparisonRow& row) {
  // Functions are attributed from counts; their shares are parts of the change of instructions.
  const ComparisonRow* count = index.find(row.benchmark, kInstructions);
  const bool has_total = count && count->ratio && std::isfinite(*count->ratio);
  std::vector<FunctionLine> lines;
  for (std::size_t i = 0; i < row.functions.size(); ++i) {
    const FunctionChange& function = row.functions[i];
    constexpr double kCulpritShare = 0.9;
    const bool is_culprit = i == 0 && function.own_source && function.share >= kCulpritShare &&
                            std::abs(function.inclusive_change) >= std::abs(function.self_change);
    FunctionLine line;
    line.name = short_function_name(function.name);
    line.change = has_total ? per_cent_text(1 + function.share * (*count->ratio - 1))
                            : decimal_text(function.share * 100, 0) + " % of it";
    line.place = place_of(function);
    line.what = what_happened(function, is_culprit);
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace steelyard
