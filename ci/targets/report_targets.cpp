#include "ci/targets/report_targets.hpp"

#include <algorithm>
#include <set>

#include "bench/ceilings/datasheet.hpp"
#include "ci/targets/kept_ceilings.hpp"
#include "regress/targets/parse_target.hpp"
#include "storage/archive/archive.hpp"
#include "storage/store.hpp"

namespace steelyard {
namespace {

constexpr const char* kHowToMeasure = "`steelyard targets ceilings` measures them";

// What the programs themselves declare; a label that promises something unreadable is a target that nobody can judge.
void take_labels(const Run& run, TargetQuestion& question) {
  for (const auto& [benchmark, label] : run.labels) {
    const std::optional<Result<Target>> target = target_of_label(label, "the label of " + benchmark);
    if (!target) continue;
    if (*target) {
      question.of_program.push_back({benchmark, **target});
      continue;
    }
    TargetRow row;
    row.benchmark = benchmark;
    row.target.text = label;
    row.target.where = "the label of " + benchmark;
    row.reason = target->error().text();
    question.unreadable.push_back(std::move(row));
  }
}

// Of the devices that benchmarks name; one that no sheet knows has none.
void take_datasheets(const std::vector<BenchmarkRates>& rates, std::vector<DeviceCeilings>& devices) {
  std::set<std::string> names;
  for (const BenchmarkRates& one : rates) names.insert(one.id.device);
  for (const std::string& name : names) {
    if (name.empty()) continue;
    std::optional<DeviceCeilings> sheet = datasheet_ceilings(name);
    if (!sheet) continue;
    sheet->device = name;  // as the benchmark calls it
    devices.push_back(std::move(*sheet));
  }
}

// The samples stay where they are kept: a report needs none.
DeviceCeilings without_samples(DeviceCeilings device) {
  for (Ceiling& ceiling : device.ceilings) {
    ceiling.samples.clear();
    ceiling.clock_samples.clear();
  }
  return device;
}

Result<DeviceCeilings> named_ceilings(const std::filesystem::path& archive, const Run& run,
                                      std::vector<std::string>& trouble) {
  STEELYARD_TRY(const Run kept, read_archive(archive));
  DeviceCeilings device = without_samples(ceilings_of_run(kept));
  if (device.ceilings.empty()) {
    return input_error(archive.string(), "a run without ceilings", "ceilings",
                       "write them with `steelyard targets ceilings --output FILE.syrun`");
  }
  const std::string fingerprint = run.environment.fingerprint();
  if (device.fingerprint != fingerprint) {
    trouble.push_back(archive.string() + " has the ceilings of machine " + device.fingerprint.substr(0, 8) +
                      ", the run is of " + (fingerprint.empty() ? "an unknown one" : fingerprint.substr(0, 8)) +
                      ": the two were taken as one machine");
  }
  return device;
}

bool wants_ceilings(const AskedTargets& asked) {
  return std::any_of(asked.rates.begin(), asked.rates.end(), [](const BenchmarkRates& one) {
    return one.id.device.empty() && (!one.flops.empty() || !one.bandwidth.empty());
  });
}

}  // namespace

Result<AskedTargets> ask_targets(const Run& run, const Configuration& configuration, const CeilingSource& source) {
  AskedTargets asked;
  asked.rates = rates_of(run);
  asked.question.configured = configuration.targets;
  asked.question.beside_another = run.header.layout == Layout::duet;
  take_labels(run, asked.question);
  if (!source.archive.empty()) {
    STEELYARD_TRY(DeviceCeilings device, named_ceilings(source.archive, run, asked.trouble));
    asked.question.devices.push_back(std::move(device));
  } else {
    const Result<std::optional<DeviceCeilings>> kept = read_ceilings(source.state, run.environment.fingerprint());
    if (!kept) asked.trouble.push_back(kept.error().text());
    if (kept && *kept) asked.question.devices.push_back(without_samples(**kept));
  }
  asked.knows_the_machine = !asked.question.devices.empty();
  take_datasheets(asked.rates, asked.question.devices);
  return asked;
}

TargetReport report_targets(const AskedTargets& asked) {
  TargetReport report = judge_targets(asked.rates, asked.question);
  report.warnings.insert(report.warnings.begin(), asked.trouble.begin(), asked.trouble.end());
  if (!asked.knows_the_machine && wants_ceilings(asked)) {
    report.hint =
        std::string("no ceilings of this run's machine are kept, so utilization is unknown: ") + kHowToMeasure;
  }
  return report;
}

TargetReport report_targets(const Run& run, const Configuration& configuration, bool expect_every_target) {
  const Result<AskedTargets> asked = ask_targets(run, configuration, {state_folder(), {}});
  if (!asked) {
    TargetReport report;
    report.warnings.push_back(asked.error().text());
    return report;
  }
  TargetReport report = report_targets(*asked);
  if (expect_every_target) {
    for (TargetRow& row : unmatched_targets(configuration.targets, asked->rates)) {
      report.targets.push_back(std::move(row));
    }
    sort_worst_first(report.targets);
  }
  return report;
}

}  // namespace steelyard
