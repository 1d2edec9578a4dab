#include "ci/report/machine.hpp"

#include <algorithm>
#include <cmath>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"
#include "ci/app/terminal_text.hpp"
#include "ci/report/judgement_text.hpp"
#include "regress/ab/calibrated.hpp"

namespace steelyard::ci {
namespace {

constexpr std::size_t kLabelIndent = 2;
constexpr std::size_t kNameColumns = 16;

Tone tone_of_severity(bench::Severity severity) {
  return severity == bench::Severity::severe    ? Tone::bad
         : severity == bench::Severity::warning ? Tone::doubtful
                                                : Tone::plain;
}

// A label in its column, then the text, wrapped under itself.
std::string labelled(const std::string& label, const std::string& text, Tone tone, const TerminalStyle& style) {
  const std::size_t column = kLabelIndent + kNameColumns;
  const auto width = static_cast<std::size_t>(style.width);
  const std::vector<std::string> lines = wrapped(printable(text, style.unicode), width > column ? width - column : 1);
  std::string block;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string shown = i == 0 ? padded(label, kNameColumns) : std::string(kNameColumns, ' ');
    block += std::string(kLabelIndent, ' ') + paint(shown, tone, style.color && i == 0) + lines[i] + '\n';
  }
  return block;
}

// A command stays on one line, whatever the width: it is there to be copied.
std::string fix_block(const bench::Finding& finding, const TerminalStyle& style) {
  std::string who = finding.needs_root ? "as root" : "";
  if (finding.fixable) who += std::string(who.empty() ? "" : ", ") + "or for one command: --fix";
  if (!finding.fix_is_command) return labelled("  fix", finding.fix, Tone::dim, style);
  const std::string head =
      std::string(kLabelIndent, ' ') + paint(padded("  fix", kNameColumns), Tone::dim, style.color);
  return head + printable(finding.fix, style.unicode) + '\n' +
         (who.empty()
              ? ""
              : std::string(kLabelIndent + kNameColumns, ' ') + paint("(" + who + ")", Tone::dim, style.color) + '\n');
}

std::string finding_block(const bench::Finding& finding, const TerminalStyle& style) {
  return labelled(finding.id, finding.found, tone_of_severity(finding.severity), style) +
         labelled("  costs", finding.cost, Tone::dim, style) + fix_block(finding, style);
}

std::string fact(const Environment& environment, const char* name, const char* unit = "") {
  const std::string* value = environment.find(name);
  return value == nullptr ? "" : *value + unit;
}

std::string joined_known(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) {
    if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
  }
  return text;
}

std::string machine_line(const Environment& environment) {
  const std::string hypervisor = fact(environment, "hypervisor");
  return joined_known(
      {fact(environment, "cpu.model"), fact(environment, "cpu.threads", " threads"),
       fact(environment, "cpu.mhz", " MHz now"),
       hypervisor.empty() || hypervisor == "none" ? hypervisor.empty() ? "" : "no hypervisor"
                                                  : "hypervisor: " + hypervisor,
       fact(environment, "kernel.release_line").empty() ? "" : "Linux " + fact(environment, "kernel.release_line")});
}

std::string program_line(const DoctorReport& report) {
  const Environment& environment = report.environment;
  const std::string optimization = fact(environment, "program.optimization");
  return joined_known({report.program, fact(environment, "program.compiler"), optimization,
                       fact(environment, "program.linkage"),
                       fact(environment, "program.symbols") == "stripped" ? "stripped" : "",
                       "debug information: " + fact(environment, "program.debug_info")});
}

// How a program would come by fresh pages; empty: that was not looked at.
std::string copies_line(const Environment& environment) {
  const std::string pages = fact(environment, "program.pages");
  const std::string reason = fact(environment, "program.pages_reason");
  if (pages == "copied") {
    return "each round runs a fresh copy of the program, " + fact(environment, "program.copy") + " in " +
           fact(environment, "program.renewal");
  }
  if (pages == "reread") {
    return "each round reads the program's pages anew, in " + fact(environment, "program.renewal") + " (" + reason +
           ')';
  }
  if (pages == "kept") return "none: the program keeps its pages (" + reason + ')';
  const std::string folder = fact(environment, "copies.folder");
  if (folder.empty()) return "";
  return fact(environment, "copies.execution") == "allowed"
             ? "each round can run fresh copies of a program from " + folder
             : "none can be run from " + folder;
}

std::string calibration_line(const Calibration& calibration) {
  std::string text = date_text(calibration.at_unix_s) + ", " + std::string(to_text(calibration.layout));
  if (!regress::is_used(calibration)) return text + ", not used: " + too_few_gates_text(calibration.false_gates);
  text += calibration.failed ? ", failed: " : ": ";
  const CalibratedBenchmark* largest = largest_copies(calibration);
  if (largest == nullptr) return text + "what copies of a program differ by is not known";
  text += "copies of a program differ most in " + name_as_given(largest->benchmark) + ", by " +
          share_text(*largest->copies);
  return largest->processes ? text + " (processes of one copy by " + share_text(*largest->processes) + ')' : text;
}

std::string probe_line(const bench::ProbeResult& probe) {
  const auto per_cent = [](double share) { return share_text(share, 1); };
  std::vector<std::string> parts{"steps of " + decimals_text(probe.clock.step_ns, 0) + " ns",
                                 decimals_text(probe.clock.read_ns, 0) + " ns a reading",
                                 "in " + significant_text(probe.seconds, 2) + " s of equal work a spread of " +
                                     per_cent(probe.slices.spread) + " and " + per_cent(probe.slices.lost) + " lost",
                                 std::to_string(probe.involuntary_switches) + " involuntary switches"};
  if (probe.steal) parts.push_back(per_cent(*probe.steal) + " steal time");
  return joined_known(parts);
}

std::size_t count_of(const bench::Diagnosis& diagnosis, bench::Severity severity) {
  return static_cast<std::size_t>(std::count_if(diagnosis.findings.begin(), diagnosis.findings.end(),
                                                [&](const bench::Finding& f) { return f.severity == severity; }));
}

std::string counted(std::size_t count, const std::string& noun) {
  return count == 0 ? "" : std::to_string(count) + " " + noun + (count > 1 ? "s" : "");
}

std::string judgement(const bench::Diagnosis& diagnosis, const TerminalStyle& style) {
  const char* words = "fit to time on";
  Tone tone = Tone::good;
  if (diagnosis.fitness == bench::Fitness::unknown) {
    words = "too little is visible to call it fit to time on";
    tone = Tone::doubtful;
  } else if (diagnosis.fitness == bench::Fitness::with_care) {
    words = "usable with care";
    tone = Tone::doubtful;
  } else if (diagnosis.fitness == bench::Fitness::not_fit) {
    words = "not fit to time on";
    tone = Tone::bad;
  }
  const std::size_t severe = count_of(diagnosis, bench::Severity::severe);
  const std::string counts = joined_known({severe == 0 ? "" : std::to_string(severe) + " severe",
                                           counted(count_of(diagnosis, bench::Severity::warning), "warning"),
                                           counted(count_of(diagnosis, bench::Severity::note), "note")});
  return paint(words, tone, style.color) + (counts.empty() ? "" : ": " + counts) +
         ". Counting instructions is fine on any machine.\n";
}

// Broken UTF-8 from a file becomes '?'.
std::string printable_json(std::string_view text) { return json_quoted(printable(text, true)); }

std::string flag(bool value) { return value ? "true" : "false"; }

std::string number(double value) { return std::isfinite(value) ? shortest_text(value) : "null"; }

std::string probe_json(const bench::ProbeResult& probe) {
  return "{\"clock_step_ns\": " + number(probe.clock.step_ns) + ", \"clock_read_ns\": " + number(probe.clock.read_ns) +
         ", \"seconds\": " + number(probe.seconds) + ", \"slices\": " + std::to_string(probe.slices.slices) +
         ", \"slice_median_ns\": " + number(probe.slices.median_ns) + ", \"spread\": " + number(probe.slices.spread) +
         ", \"lost\": " + number(probe.slices.lost) + ", \"longest\": " + number(probe.slices.longest) +
         ", \"involuntary_switches\": " + std::to_string(probe.involuntary_switches) +
         ", \"steal\": " + (probe.steal ? number(*probe.steal) : "null") + ", \"throttled_periods\": " +
         (probe.throttled_periods ? std::to_string(*probe.throttled_periods) : std::string("null")) + '}';
}

std::string calibration_json(const Calibration& calibration) {
  const CalibratedBenchmark* largest = largest_copies(calibration);
  return "{\"at_unix_s\": " + std::to_string(calibration.at_unix_s) +
         ", \"layout\": " + printable_json(to_text(calibration.layout)) + ", \"failed\": " + flag(calibration.failed) +
         ", \"largest_copies\": " +
         (largest == nullptr ? std::string("null")
                             : "{\"benchmark\": " + printable_json(largest->benchmark) +
                                   ", \"metric\": " + printable_json(largest->metric) +
                                   ", \"deviation\": " + number(*largest->copies) + '}') +
         '}';
}

std::string diagnosis_json(const bench::Finding& finding) {
  return "{\"id\": " + printable_json(finding.id) +
         ", \"severity\": " + printable_json(bench::to_text(finding.severity)) +
         ", \"found\": " + printable_json(finding.found) + ", \"cost\": " + printable_json(finding.cost) +
         ", \"mend\": " + printable_json(finding.fix) + ", \"mend_is_command\": " + flag(finding.fix_is_command) +
         ", \"needs_root\": " + flag(finding.needs_root) + ", \"fixable\": " + flag(finding.fixable) + '}';
}

// One element a line.
template <class Item, class Write>
std::string list(const std::vector<Item>& items, Write write) {
  std::string text = "[";
  for (std::size_t i = 0; i < items.size(); ++i) text += (i == 0 ? "\n    " : ",\n    ") + write(items[i]);
  return text + (items.empty() ? "]" : "\n  ]");
}

}  // namespace

const CalibratedBenchmark* largest_copies(const Calibration& calibration) {
  const CalibratedBenchmark* largest = nullptr;
  for (const CalibratedBenchmark& benchmark : calibration.benchmarks) {
    if (benchmark.copies && (largest == nullptr || *benchmark.copies > *largest->copies)) largest = &benchmark;
  }
  return largest;
}

std::string terminal_diagnosis(const DoctorReport& report, const TerminalStyle& style) {
  std::string text = labelled("machine", machine_line(report.environment), Tone::dim, style);
  if (text.empty()) text = labelled("machine", "not named", Tone::dim, style);
  if (report.probe) text += labelled("clock", probe_line(*report.probe), Tone::dim, style);
  if (!report.program.empty()) text += labelled("program", program_line(report), Tone::dim, style);
  const std::string copies = copies_line(report.environment);
  if (!copies.empty()) text += labelled("copies", copies, Tone::dim, style);
  if (report.calibration) text += labelled("calibrated", calibration_line(*report.calibration), Tone::dim, style);
  const bench::Diagnosis& diagnosis = report.diagnosis;
  std::optional<bench::Severity> severity;
  for (const bench::Finding& finding : diagnosis.findings) {
    if (severity != finding.severity) text += '\n' + std::string(bench::to_text(finding.severity)) + '\n';
    severity = finding.severity;
    text += finding_block(finding, style);
  }
  if (!diagnosis.unseen.empty()) text += "\nnot visible here\n";
  for (const bench::Unseen& unseen : diagnosis.unseen) text += labelled(unseen.id, unseen.why, Tone::plain, style);
  text += '\n' + judgement(diagnosis, style);
  const auto fixable = std::count_if(diagnosis.findings.begin(), diagnosis.findings.end(),
                                     [](const bench::Finding& finding) { return finding.fixable; });
  if (fixable > 0) {
    text += std::to_string(fixable) +
            " of these can be fixed for the length of a command: sudo steelyard doctor --fix -- COMMAND\n";
  }
  return text;
}

std::string json_diagnosis(const DoctorReport& report) {
  const bench::Diagnosis& diagnosis = report.diagnosis;
  const std::string fingerprint = report.environment.fingerprint();
  return "{\n  \"schema\": \"steelyard.doctor/1\",\n  \"fitness\": " +
         printable_json(bench::to_text(diagnosis.fitness)) +
         ",\n  \"program\": " + (report.program.empty() ? std::string("null") : printable_json(report.program)) +
         ",\n  \"fingerprint\": " + (fingerprint.empty() ? std::string("null") : printable_json(fingerprint)) +
         ",\n  \"probe\": " + (report.probe ? probe_json(*report.probe) : "null") +
         ",\n  \"calibration\": " + (report.calibration ? calibration_json(*report.calibration) : "null") +
         ",\n  \"findings\": " + list(diagnosis.findings, diagnosis_json) + ",\n  \"not_visible\": " +
         list(diagnosis.unseen,
              [](const bench::Unseen& unseen) {
                return "{\"id\": " + printable_json(unseen.id) + ", \"why\": " + printable_json(unseen.why) + '}';
              }) +
         ",\n  \"facts\": " +
         list(report.environment.facts,
              [](const Fact& fact) {
                return "{\"name\": " + printable_json(fact.name) + ", \"value\": " + printable_json(fact.value) +
                       ", \"decisive\": " + flag(fact.decisive) + '}';
              }) +
         "\n}\n";
}

namespace {

constexpr std::size_t kMaxNameColumns = 48;

std::string observed_rate_text(const ObservedRate& rate, const std::string& noun) {
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
  std::vector<std::string> calibrated;
  for (const CalibratedBenchmark& benchmark : benchmarks) calibrated.push_back(benchmark.benchmark);
  const ShownNames names(calibrated, style, kMaxNameColumns);
  std::vector<std::vector<std::string>> rows{{"benchmark", "metric", "noise floor", "detects", "within", "between"}};
  if (has_copies) rows.front().insert(rows.front().end(), {"copies", "processes"});
  rows.front().push_back("p <= .05");
  for (const CalibratedBenchmark& benchmark : benchmarks) {
    std::vector<std::string>& row = rows.emplace_back();
    row = {names.of(benchmark.benchmark), benchmark.metric,
           share_text(benchmark.floor),   or_dash(benchmark.minimum_detectable_effect),
           or_dash(benchmark.within),     or_dash(benchmark.between)};
    if (has_copies) row.insert(row.end(), {or_dash(benchmark.copies), or_dash(benchmark.processes)});
    row.push_back(std::to_string(benchmark.alarms.count) + " of " + std::to_string(benchmark.alarms.tries));
  }
  std::vector<Align> aligns(rows.front().size(), Align::right);
  aligns[0] = aligns[1] = Align::left;
  return aligned_rows(rows, aligns, "");
}

std::string advice_of(const std::vector<CalibratedBenchmark>& benchmarks, const TerminalStyle& style) {
  const std::size_t room = style.columns() - 4;
  std::string text;
  for (const CalibratedBenchmark& benchmark : benchmarks) {
    if (benchmark.advice.empty()) continue;
    text += printable(name_as_given(benchmark.benchmark), style.unicode) + '\n';
    for (const std::string& line : wrapped(benchmark.advice, room)) {
      text += "    " + paint(line, Tone::dim, style.color) + '\n';
    }
  }
  return text;
}

// Whose floor no margin may have: they are called changed or inconclusive, and nothing else.
std::string beyond_of(const std::vector<CalibratedBenchmark>& benchmarks, const TerminalStyle& style) {
  std::string names;
  for (const CalibratedBenchmark& benchmark : benchmarks) {
    if (!(benchmark.floor > kMaxCalibratedMargin)) continue;
    names += (names.empty() ? "" : ", ") + printable(benchmark.benchmark, style.unicode) + " (" +
             share_text(benchmark.floor) + ')';
  }
  if (names.empty()) return "";
  const std::string words =
      "a noise floor above " + share_text(kMaxCalibratedMargin) + " is no margin; never called unchanged: " + names;
  std::string text;
  for (const std::string& line : wrapped(words, style.columns())) {
    text += paint(line, Tone::doubtful, style.color) + '\n';
  }
  return text + '\n';
}

std::string verdict_of(const Calibration& calibration, const TerminalStyle& style) {
  std::string text = "false gates   " + observed_rate_text(calibration.false_gates, "A/A gate") + ", where at most " +
                     share_text(calibration.level) + " are promised\n";
  text += "false alarms  " + observed_rate_text(calibration.false_alarms, "comparison") +
          " with p at most .05, where at most 5 % are expected\n";
  if (calibration.drift_sequential) {
    text += "drift         " + share_text(*calibration.drift_sequential) +
            " (standard deviation) between sides measured one after the other\n";
  }
  if (calibration.failed) {
    const std::string words =
        "failed: " + calibration.reason +
        "; comparisons on this machine give no verdicts until a calibration passes. Run steelyard "
        "doctor and fix what it names first.";
    for (const std::string& line : wrapped(words, style.columns())) {
      text += paint(line, Tone::bad, style.color) + '\n';
    }
  }
  return text;
}

std::string contradiction(const std::string& what, const ObservedRate& rate, double level) {
  return std::to_string(rate.count) + " of " + plural_text(rate.tries, what) + ", at least " +
         share_text(rate.interval.low) + " where " + share_text(level) + " were promised";
}

std::string cause_text(const CalibratedBenchmark& benchmark, const regress::NoiseAdvice& advice) {
  using Cause = regress::NoiseAdvice::Cause;
  switch (advice.cause) {
    case Cause::unknown:
      return "";
    case Cause::copies:
      return "copies of the program differ by " + share_text(*benchmark.copies) + ", processes of one copy by " +
             share_text(*benchmark.processes) +
             ": its speed depends on which physical pages its code lies in: more rounds help, longer samples do not";
    case Cause::samples:
      return "samples of one process differ by " + share_text(benchmark.within.value_or(0)) + ", processes by " +
             share_text(benchmark.between.value_or(0)) + ": longer samples (--min-time " + advice.longer_time + ")" +
             (advice.repetitions ? " or more of them (--repetitions " + std::to_string(*advice.repetitions) + ")"
                                 : "") +
             " help first";
    case Cause::processes:
      return "processes differ by " + share_text(benchmark.between.value_or(0)) +
             " whatever their samples do: only more rounds help, longer samples do not";
  }
  return "";
}

}  // namespace

std::string failure_text(const Calibration& calibration) {
  if (!calibration.failed) return "";
  if (regress::contradicts(calibration.false_gates, calibration.level)) {
    return "equal builds were called changed in " + contradiction("gate", calibration.false_gates, calibration.level);
  }
  return "equal builds had p at most .05 in " +
         contradiction("comparison", calibration.false_alarms, regress::kNominalLevel);
}

std::string advice_text(const CalibratedBenchmark& benchmark, const regress::NoiseAdvice& advice) {
  std::string text;
  const auto add = [&text](const std::string& more) { text += (text.empty() || more.empty() ? "" : "; ") + more; };
  if (advice.has_false_alarms) {
    add("p was at most .05 in " + std::to_string(benchmark.alarms.count) + " of " +
        plural_text(benchmark.alarms.tries, "gate") +
        " of equal builds: something within a round favours one slot; run steelyard doctor, and do not gate on it");
  }
  if (!advice.is_noisy) return text;
  if (advice.threads) {
    add("it runs " + std::to_string(*advice.threads) + " threads on " + plural_text(advice.cores, "core") +
        ": they wait for each other and for other processes; fewer threads or more cores help");
  }
  add(cause_text(benchmark, advice));
  if (advice.machine_drift) {
    add("the machine itself drifts by " + share_text(*advice.machine_drift) +
        " from round to round: run steelyard doctor");
  }
  if (advice.rounds) {
    add("--rounds " + std::to_string(*advice.rounds) + " would bring the floor to " + share_text(advice.margin));
  } else {
    add("no sensible number of rounds brings the floor to " + share_text(advice.margin) +
        ": let it do more work an iteration, or gate its instructions instead (--metric instructions)");
  }
  return text;
}

std::string terminal_calibration(const Calibration& calibration, const CalibrationCircumstances& circumstances,
                                 const TerminalStyle& style) {
  const std::vector<CalibratedBenchmark> benchmarks = noisiest_first(calibration);
  std::string text = table_of(benchmarks, style) + '\n';
  const std::string advice = advice_of(benchmarks, style);
  if (!advice.empty()) text += advice + '\n';
  text += beyond_of(benchmarks, style);
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
  if (!regress::is_used(calibration)) {
    for (const std::string& line : wrapped(
             "not kept: " + too_few_gates_text(calibration.false_gates) + "; ask for more with --gates and --budget",
             style.columns())) {
      text += paint(line, Tone::doubtful, style.color) + '\n';
    }
  }
  return text;
}

}  // namespace steelyard::ci
