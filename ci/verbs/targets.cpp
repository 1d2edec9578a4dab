// steelyard targets: what this machine can reach, what devices promise, and whether runs met what was promised of them.
#include <memory>
#include <utility>

#include "bench/ceilings/measure_ceilings.hpp"
#include "bench/environment/read_environment.hpp"
#include "bench/model/elapsed.hpp"
#include "bench/model/run.hpp"
#include "ci/app/app.hpp"
#include "ci/app/keeping.hpp"
#include "ci/app/settings.hpp"
#include "ci/app/sides.hpp"
#include "ci/config/written_value.hpp"
#include "ci/grammar/verb.hpp"
#include "ci/judging/judge.hpp"
#include "ci/judging/kept_ceilings.hpp"
#include "ci/judging/targets.hpp"
#include "ci/report/targets.hpp"
#include "storage/archive/archive.hpp"

namespace steelyard::ci {
namespace {

constexpr Nanoseconds kCeilingsBudget = seconds(18);
constexpr Nanoseconds kQuickCeilingsBudget = seconds(3.6);

struct TargetsOptions {
  enum class Action { ceilings, datasheet, check, roofline };
  Action action = Action::ceilings;
  std::vector<std::string> names;  // what follows the action: devices, runs
  std::filesystem::path output;    // .syrun: an archive; anything else: JSON; empty: none
  // With ceilings:
  bool quick = false;         // a fifth of the time
  bool normal_pages = false;  // memory as a program gets it that asks for no huge pages
  std::string only;           // a part of the names: these alone are measured, and nothing is kept
  bool no_store = false;
  std::string from;  // a run that measured them, as one side of compare; empty: measure this machine
  // With check and roofline:
  std::filesystem::path ceilings;  // an archive of ceilings; empty: those kept of the run's machine
  // With roofline:
  std::filesystem::path svg;  // empty: none
};

Result<DeviceCeilings> measure(const TargetsOptions& options, const Environment& environment, const App& app,
                               const Cancellation& cancellation) {
  ProgressLine progress = app.progress();
  bench::CeilingOptions wanted;
  wanted.budget = options.quick ? kQuickCeilingsBudget : kCeilingsBudget;
  wanted.only = options.only;
  wanted.huge_pages = !options.normal_pages;
  wanted.fingerprint = environment.fingerprint();
  wanted.cancelled = cancellation.flag();
  wanted.progress = [&](const std::string& what, double done) {
    progress.show(what, done, wanted.budget * (done < 1 ? 1 - done : 0));
  };
  return bench::measure_ceilings(wanted);
}

Run sealed_run(const TargetsOptions& options, const Configuration& configuration, const DeviceCeilings& ceilings,
               const Environment& environment, std::int64_t started_at_unix_ns) {
  Run run = run_of_ceilings(ceilings, environment);
  run.header.created_at_unix_ns = started_at_unix_ns;
  run.header.tool = kToolName;
  run.header.project = project_name(configuration);
  run.header.program = "steelyard targets ceilings";
  run.header.settings["pages"] = options.normal_pages ? "normal" : "huge where the system gives them";
  run.header.settings["budget"] = options.quick ? "quick" : "full";
  run.invocations.front().started_at_unix_ns = started_at_unix_ns;
  run.invocations.front().duration_ns = now_unix_ns() - started_at_unix_ns;
  storage::seal(run);
  return run;
}

ExitCode write_output(const TargetsOptions& options, const Run& run, const std::string& json, const App& app) {
  if (options.output.empty()) return ExitCode::success;
  const Result<void> written = options.output.extension() == ".syrun"
                                   ? storage::write_named_archive(options.output, run, LinkInPlace::replaced)
                                   : write_text_file(options.output, json);
  return written ? ExitCode::success : app.report(written.error());
}

// The ceilings that a run holds, and nothing else of it.
Result<Run> ceilings_in(const TargetsOptions& options, const Configuration& configuration, const App& app) {
  STEELYARD_TRY(Run run, load_side(options.from, configuration, app));
  std::erase_if(run.measurements, [](const Measurement& one) { return one.benchmark.name != "ceiling"; });
  run.profiles.clear();
  run.failures.clear();
  run.labels.clear();
  if (ceilings_of_run(run).ceilings.empty()) {
    return input_error(options.from, "a run without ceilings", "benchmarks ceiling/... with flops or bandwidth",
                       "measure them on the device: --benchmark_filter=^ceiling/");
  }
  if (run.environment.fingerprint().empty()) {
    return input_error(options.from, "a run that does not name its machine",
                       "one with a fingerprint to keep them under");
  }
  run.header.project = project_name(configuration);
  storage::seal(run);
  return run;
}

Result<ExitCode> keep_ceilings_of(const TargetsOptions& options, const Configuration& configuration, const App& app) {
  STEELYARD_TRY(const Run run, ceilings_in(options, configuration, app));
  const DeviceCeilings ceilings = ceilings_of_run(run);
  ExitCode code = ExitCode::success;
  if (!options.no_store) {
    const Result<void> kept = keep_ceilings(storage::state_folder(), run);
    if (!kept) code = app.report(kept.error());
  }
  const std::string json = json_ceilings(ceilings);
  code = worse(code, write_output(options, run, json, app));
  app.print(app.common.json ? json : terminal_ceilings(ceilings, app.style()));
  return code;
}

// With --from those that a run measured, else this machine's. Prints them, keeps them under the machine's fingerprint
// in the state folder, and delivers the run to the store.
Result<ExitCode> measure_and_keep_ceilings(const TargetsOptions& options, const App& app) {
  STEELYARD_TRY(const Configuration configuration, effective_configuration(app));
  STEELYARD_CHECK(check_project_to_write(configuration));
  if (!options.from.empty()) return keep_ceilings_of(options, configuration, app);
  // A part of the ceilings must not take the place of all.
  const bool keeps = !options.no_store && options.only.empty();
  if (keeps) STEELYARD_CHECK(store_address(configuration));
  const Cancellation cancellation;
  const std::int64_t started_at = now_unix_ns();
  const Environment environment = bench::read_environment();
  STEELYARD_TRY(const DeviceCeilings ceilings, measure(options, environment, app, cancellation));
  const Run run = sealed_run(options, configuration, ceilings, environment, started_at);
  ExitCode code = ExitCode::success;
  if (keeps) {
    keep_in_spool(configuration, {&run}, app);
    const Result<void> kept = keep_ceilings(storage::state_folder(), run);
    if (!kept) code = worse(code, app.report(kept.error()));
  }
  const std::string json = json_ceilings(ceilings);
  code = worse(code, write_output(options, run, json, app));
  app.print(app.common.json ? json : terminal_ceilings(ceilings, app.style()));
  if (!keeps) return code;
  return worse(code, deliver_to_store(configuration, nullptr, app, {&run}));
}

Result<ExitCode> print_datasheet(const TargetsOptions& options, const App& app) {
  std::vector<const bench::DatasheetRow*> rows;
  for (const std::string& name : options.names) {
    const bench::DatasheetRow* row = bench::find_datasheet_row(name);
    if (row == nullptr) {
      std::vector<std::string> known;
      for (const bench::DatasheetRow& other : bench::datasheet_rows()) known.emplace_back(other.device);
      const auto nearest = nearest_name(name, known);
      return input_error(
          "steelyard targets datasheet", "unknown device \"" + name + '"', "a known one",
          (nearest ? "did you mean \"" + *nearest + "\"? " : "") + "all of them: steelyard targets datasheet");
    }
    rows.push_back(row);
  }
  if (rows.empty()) {
    for (const bench::DatasheetRow& row : bench::datasheet_rows()) rows.push_back(&row);
  }
  const std::string json = json_datasheet(rows);
  ExitCode code = ExitCode::success;
  if (!options.output.empty()) {
    const Result<void> written = write_text_file(options.output, json);
    if (!written) code = app.report(written.error());
  }
  app.print(app.common.json ? json : terminal_datasheet(rows, app.style()));
  return code;
}

struct Checked {
  std::string name;  // as the user wrote it
  Run run;
  TargetReport report;
  std::vector<DeviceCeilings> devices;
};

// A target that no benchmark of any of the runs has stands at the last of them.
void add_unmatched(std::vector<Checked>& checked, const Configuration& configuration) {
  std::vector<regress::BenchmarkRates> all;
  std::vector<DeviceCeilings> devices;
  for (const Checked& one : checked) {
    std::vector<regress::BenchmarkRates> rates = regress::rates_of(one.run);
    all.insert(all.end(), rates.begin(), rates.end());
    devices.insert(devices.end(), one.devices.begin(), one.devices.end());
  }
  add_unmatched_targets(configuration, all, devices, checked.back().report.targets);
}

std::string checked_text(const std::vector<Checked>& checked, const TerminalStyle& style) {
  std::string text;
  for (const Checked& one : checked) {
    if (checked.size() > 1) {
      text += (text.empty() ? "" : "\n") + paint(printable(one.name, style.unicode), Tone::strong, style.color) + '\n';
    }
    const std::string report = terminal_targets(one.report, style);
    text += report.empty() ? "no benchmark reports flops or bandwidth\n" : report;
  }
  return text;
}

// Holds runs, measured before, against their targets; prints verdicts and utilization. 1: missed; 2: undecided, or no
// target at all.
Result<ExitCode> check_targets(const TargetsOptions& options, const App& app) {
  STEELYARD_TRY(const Configuration configuration, effective_configuration(app));
  std::vector<Checked> checked;
  for (const std::string& name : options.names) {
    std::vector<std::string> warnings;
    STEELYARD_TRY(Run run, load_side(name, configuration, app, warnings));
    STEELYARD_TRY(const AskedTargets asked,
                  ask_targets(run, configuration, {storage::state_folder(), options.ceilings}));
    TargetReport report = report_targets(asked);
    report.warnings.insert(report.warnings.end(), warnings.begin(), warnings.end());
    checked.push_back({name, std::move(run), std::move(report), asked.question.devices});
  }
  add_unmatched(checked, configuration);
  ExitCode code = ExitCode::success;
  bool any_target = false;
  for (const Checked& one : checked) {
    code = worse(code, outcome_of(one.report));
    any_target = any_target || !one.report.targets.empty();
  }
  if (app.common.json) {
    std::vector<CheckedRun> runs;
    for (const Checked& one : checked) runs.push_back({&one.run, one.report});
    app.print(json_checked_targets(runs));
  } else {
    app.print(checked_text(checked, app.style()));
  }
  if (any_target) return code;
  // Nothing was held against anything: that is no pass.
  app.warn(
      "no target is declared for any of these benchmarks: write [[target]] in steelyard.toml, or "
      "state.SetLabel(\"target: 0.6 of bandwidth\") in the program");
  return worse(code, ExitCode::not_judged);
}

// Draws one run's benchmarks under the ceilings of its machine.
Result<ExitCode> draw_roofline(const TargetsOptions& options, const App& app) {
  STEELYARD_TRY(const Configuration configuration, effective_configuration(app));
  STEELYARD_TRY(const Run run, load_side(options.names[0], configuration, app));
  STEELYARD_TRY(const AskedTargets asked, ask_targets(run, configuration, {storage::state_folder(), options.ceilings}));
  app.notes(asked.trouble);
  const TargetReport report = report_targets(asked);
  if (!report.hint.empty()) app.note(report.hint);
  const Roofline roofline = roofline_of_run(run, asked);
  if (roofline.points.empty()) {
    return input_error(options.names[0], "no benchmark that reports both flops and bandwidth", "at least one",
                       "add the counters \"flops\" and \"bandwidth\", rates, to the benchmarks");
  }
  app.print(app.common.json ? json_checked_targets({{&run, report}}) : terminal_roofline(roofline, app.style()));
  if (options.svg.empty()) return ExitCode::success;
  STEELYARD_CHECK(write_text_file(options.svg, svg_roofline(roofline)));
  app.note("drawn: " + options.svg.string());
  return ExitCode::success;
}

Result<ExitCode> run_targets(const TargetsOptions& options, const App& app) {
  switch (options.action) {
    case TargetsOptions::Action::ceilings:
      return measure_and_keep_ceilings(options, app);
    case TargetsOptions::Action::datasheet:
      return print_datasheet(options, app);
    case TargetsOptions::Action::check:
      return check_targets(options, app);
    case TargetsOptions::Action::roofline:
      return draw_roofline(options, app);
  }
  return ExitCode::bug;
}

// What check and roofline alone take, and that they have their run.
Result<void> check_run_options(const TargetsOptions& targets, const std::string& action) {
  const std::string where = "steelyard targets " + action;
  const bool draws = targets.action == TargetsOptions::Action::roofline;
  const bool reads = draws || targets.action == TargetsOptions::Action::check;
  if (!reads && !targets.ceilings.empty()) return input_error(where, "--ceilings", "it with check or roofline only");
  if (!draws && !targets.svg.empty()) return input_error(where, "--svg", "it with steelyard targets roofline only");
  if (reads && !targets.output.empty()) {
    return input_error(where, "--output", "it with ceilings or datasheet only", "send the output to a file: > FILE");
  }
  if (reads && targets.names.empty()) {
    return input_error(where, "no run", "a .syrun archive, Google Benchmark's JSON, run:ID or commit:SHA",
                       where + " today.syrun");
  }
  if (draws && targets.names.size() > 1) return input_error(where, '"' + targets.names[1] + '"', "one run");
  return {};
}

// What ceilings alone takes, and that it takes no names.
Result<void> check_measuring_options(const TargetsOptions& targets, const std::string& action) {
  const bool measures = targets.action == TargetsOptions::Action::ceilings;
  if (measures && !targets.names.empty()) {
    return input_error("steelyard targets ceilings", '"' + targets.names[0] + '"', "options only");
  }
  const bool says_how = targets.quick || targets.normal_pages || !targets.only.empty();
  if (!targets.from.empty() && (!measures || says_how)) {
    return input_error("steelyard targets " + action, "--from",
                       "it with steelyard targets ceilings, without options of measuring");
  }
  if (measures || !(says_how || targets.no_store)) return {};
  return input_error("steelyard targets " + action,
                     targets.quick           ? "--quick"
                     : targets.normal_pages  ? "--normal-pages"
                     : !targets.only.empty() ? "--only"
                                             : "--no-store",
                     "it with steelyard targets ceilings only");
}

}  // namespace

Verb targets_verb() {
  const auto options = std::make_shared<TargetsOptions>();
  Verb verb = make_verb(
      options, run_targets, "targets",
      "Measures what this machine can reach, and prints what devices promise. ACTION: ceilings (arithmetic peaks and "
      "memory bandwidths of this machine, kept under its fingerprint), datasheet [DEVICE...] (of GPUs), check RUN... "
      "(were the targets met that steelyard.toml or the benchmarks declare?), roofline RUN (a plot). RUN: as one side "
      "of compare.",
      "  steelyard targets ceilings\n"
      "  steelyard targets datasheet \"A100 40G\" --json\n"
      "  steelyard targets check today.syrun\n"
      "  steelyard targets roofline today.syrun --svg roofline.svg");
  verb.names = {"ACTION", "[NAME...]"};
  verb.min_names = 1;
  verb.first_names = {"ceilings", "datasheet", "check", "roofline"};
  verb.take = [options, actions = verb.first_names](Words words) -> Result<void> {
    const std::string& action = words.names[0];
    STEELYARD_TRY(const std::size_t index, read_word(WrittenValue{action, true}, "steelyard targets", actions));
    options->action = static_cast<TargetsOptions::Action>(index);
    options->names.assign(words.names.begin() + 1, words.names.end());
    STEELYARD_CHECK(check_measuring_options(*options, action));
    return check_run_options(*options, action);
  };
  verb.add(output_option("--output", "FILE", options->output,
                         "write there as well; a name in .syrun: an archive, else JSON"));
  verb.add(output_option("--svg", "FILE", options->svg, "with roofline: draw it there as well"));
  verb.add(path_option("--ceilings", "FILE.syrun", options->ceilings,
                       "with check and roofline: ceilings that were written with --output (default: "
                       "those kept of the run's machine)"));
  verb.add(flag_option("--quick", options->quick, "with ceilings: a fifth of the time, and wider intervals"));
  verb.add(text_option("--only", "PART", options->only,
                       "with ceilings: only f64, or L2, or DRAM/triad, ...; nothing is kept"));
  verb.add(flag_option("--normal-pages", options->normal_pages,
                       "with ceilings: memory as a program gets it that asks for no huge pages"));
  verb.add(text_option("--from", "RUN", options->from,
                       "with ceilings: keep those that a run measured, of a device too; as one side of "
                       "compare"));
  verb.add(flag_option("--no-store", options->no_store, "with ceilings: keep nothing but --output"));
  add_key_options(verb, {{"store", "project"}});
  add_common_options(verb);
  return verb;
}

}  // namespace steelyard::ci
