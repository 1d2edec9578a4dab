// One run on a terminal: levels and their two spreads, counts, what failed.
#include <algorithm>

#include "bench/model/disturbance_summary.hpp"
#include "ci/app/terminal_text.hpp"
#include "ci/report/findings.hpp"
#include "ci/report/number_text.hpp"
#include "ci/report/report.hpp"
#include "ci/report/sample_summary.hpp"
#include "ci/report/target_report.hpp"
#include "ci/report/terminal_counters.hpp"

namespace steelyard {
namespace {

std::string head_text(const Run& run, const TerminalStyle& style) {
  std::string line = printable(run.header.program.empty() ? run.header.tool : run.header.program, style.unicode);
  if (!run.header.commit.sha.empty()) {
    line += "  " + run.header.commit.sha.substr(0, 9) + (run.header.commit.dirty ? "+" : "");
    if (!run.header.commit.subject.empty()) line += " " + printable(run.header.commit.subject, style.unicode);
  }
  line = shortened(line, static_cast<std::size_t>(std::max(style.width, 40)), style.unicode);
  std::string facts;
  const auto add = [&](const std::string& fact) { facts += (facts.empty() ? "" : ", ") + fact; };
  if (!run.header.id.empty()) add("run " + run.header.id.substr(0, 12));
  const std::string fingerprint = run.environment.fingerprint();
  if (!fingerprint.empty()) add("machine " + fingerprint.substr(0, 8));
  if (const std::string* model = run.environment.find("cpu.model")) add(printable(*model, style.unicode));
  return paint(line, Tone::strong, style.color) + "\n" +
         (facts.empty() ? "" : paint(facts, Tone::dim, style.color) + "\n") + "\n";
}

std::string spread_text(const std::optional<double>& spread) {
  return spread ? (*spread == 0 ? "0 %" : decimal_text(*spread * 100, *spread < 0.001 ? 2 : 1) + " %") : "";
}

// "20 x 3": samples of each invocation times invocations, as far as they are equal; else the sum.
std::string samples_text(const SampleSummary& summary) {
  if (summary.invocations == 0) return "none";
  if (summary.samples % summary.invocations == 0) {
    return grouped_text(summary.invocations) + " x " + grouped_text(summary.samples / summary.invocations);
  }
  return grouped_text(summary.samples) + " in " + grouped_text(summary.invocations);
}

std::string failures_text(const Run& run, const TerminalStyle& style) {
  std::string text;
  for (const Failure& failure : run.failures) {
    std::string what = failure.benchmark.name.empty() ? "the program" : failure.benchmark.canonical();
    if (!failure.metric.empty()) what += ", " + failure.metric;
    if (failure.round >= 0) what += ", round " + std::to_string(failure.round + 1);
    const std::vector<std::string> lines = wrapped(printable(what + ": " + failure.reason, style.unicode),
                                                   static_cast<std::size_t>(std::max(style.width - 10, 30)));
    for (std::size_t i = 0; i < lines.size(); ++i) {
      text += (i == 0 ? paint("! failed  ", Tone::bad, style.color) : std::string(10, ' ')) + lines[i] + "\n";
    }
  }
  return text;
}

}  // namespace

std::string terminal_run(const Run& run, const TerminalStyle& style, const TargetReport& targets) {
  constexpr std::size_t kOtherColumns = 62;  // what the columns beside the name take at most
  const std::size_t width = static_cast<std::size_t>(std::max(style.width, 40));
  const std::size_t most_name = std::max<std::size_t>(width > kOtherColumns ? width - kOtherColumns : 0, 16);
  std::vector<std::vector<std::string>> rows{
      {"benchmark", "metric", "level", "within", "between", "invocations x samples"}};
  for (const Measurement& measurement : run.measurements) {
    if (is_extra_counter(measurement.metric.name)) continue;  // in tables of their own
    const SampleSummary summary = summarize(measurement);
    rows.push_back({shortened(printable(without_device(measurement.benchmark.canonical()), style.unicode), most_name,
                              style.unicode),
                    printable(metric_label(measurement.metric), style.unicode),
                    summary.level ? level_text(*summary.level, measurement.metric.unit) : "-",
                    spread_text(summary.within), spread_text(summary.between), samples_text(summary)});
  }
  std::string text = head_text(run, style);
  if (run.measurements.empty()) text += "nothing was measured\n";
  if (!run.measurements.empty()) {
    const std::string table =
        aligned_rows(rows, {Align::left, Align::left, Align::right, Align::right, Align::right, Align::right}, "");
    const std::size_t end_of_head = table.find('\n');
    text += paint(table.substr(0, end_of_head), Tone::dim, style.color) + table.substr(end_of_head);
    text += "\n" +
            paint("within, between: standard deviation inside an invocation and from one to the next", Tone::dim,
                  style.color) +
            "\n";
  }
  const Run* const runs[] = {&run};
  if (const std::string disturbances = to_text(summarize_disturbances(runs)); !disturbances.empty()) {
    for (const std::string& line :
         wrapped(disturbances + "; `steelyard doctor` says what disturbs this machine", width)) {
      text += line + "\n";
    }
  }
  text += terminal_counters(run, style);
  for (const std::string& part : {terminal_targets(targets, style), failures_text(run, style)}) {
    if (!part.empty()) text += "\n" + part;
  }
  return text;
}

}  // namespace steelyard
