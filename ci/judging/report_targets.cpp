#include "ci/judging/report_targets.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <string_view>

#include "bench/ceilings/datasheet.hpp"
#include "ci/judging/kept_ceilings.hpp"
#include "regress/targets/dtype_name.hpp"
#include "regress/targets/parse_target.hpp"
#include "storage/archive/archive.hpp"
#include "storage/store.hpp"

namespace steelyard {
namespace {

constexpr std::string_view kCpu = "CPU";
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

// A part of a device has a part of its peaks, and no sheet says which.
bool is_an_instance(const Environment& environment) {
  const std::string* const mig = environment.find("gpu.mig");
  if (mig == nullptr) return false;
  const std::string word = lower_case(*mig);
  return !word.empty() && word != "off" && word != "no" && word != "0" && word != "disabled";
}

// The fastest clock of the device, for what a sheet does not name a clock of.
double most_clock_hz(const Environment& environment) {
  const std::string* const text = environment.find("gpu.max_sm_clock_hz");
  double hertz = 0;
  if (text != nullptr) std::from_chars(text->data(), text->data() + text->size(), hertz);
  return std::isfinite(hertz) && hertz > 0 ? hertz : 0;
}

void name_clock(DeviceCeilings& sheet, double most_hz) {
  for (Ceiling& ceiling : sheet.ceilings) {
    if (ceiling.kind == CeilingKind::arithmetic && ceiling.at_clock_hz == 0) ceiling.at_clock_hz = most_hz;
  }
}

DeviceCeilings& entry(std::vector<DeviceCeilings>& devices, const std::string& name) {
  const auto at = std::find_if(devices.begin(), devices.end(), [&](const auto& one) { return one.device == name; });
  if (at != devices.end()) return *at;
  devices.emplace_back().device = name;
  return devices.back();
}

// Of the devices that benchmarks name; one that no sheet knows has none.
void take_datasheets(const Run& run, AskedTargets& asked) {
  std::set<std::string> names;
  for (const BenchmarkRates& one : asked.rates) names.insert(one.id.device);
  names.erase("");
  if (!names.empty() && is_an_instance(run.environment)) {
    asked.trouble.push_back("the device is an instance (MIG " + *run.environment.find("gpu.mig") +
                            "), which has a part of its device's peaks: no datasheet holds for it, only ceilings that "
                            "were measured on it");
    return;
  }
  for (const std::string& name : names) {
    std::optional<DeviceCeilings> sheet = datasheet_ceilings(name);
    if (!sheet) continue;
    name_clock(*sheet, most_clock_hz(run.environment));
    DeviceCeilings& device = entry(asked.question.devices, name);  // as the benchmark calls it
    device.sheet = sheet->sheet;
    device.ceilings.insert(device.ceilings.end(), sheet->ceilings.begin(), sheet->ceilings.end());
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
    DeviceCeilings own = without_samples(ceilings_of_run(run));
    // What the run itself measured on its device comes before what was kept.
    if (own.device != kCpu && !own.ceilings.empty()) {
      asked.question.devices.push_back(std::move(own));
    } else {
      const Result<std::optional<DeviceCeilings>> kept = read_ceilings(source.state, run.environment.fingerprint());
      if (!kept) asked.trouble.push_back(kept.error().text());
      if (kept && *kept) asked.question.devices.push_back(without_samples(**kept));
    }
  }
  asked.knows_the_machine = !asked.question.devices.empty();
  take_datasheets(run, asked);
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
    for (TargetRow& row : unmatched_targets(configuration.targets, asked->rates, asked->question.devices)) {
      report.targets.push_back(std::move(row));
    }
    sort_worst_first(report.targets);
  }
  return report;
}

}  // namespace steelyard
