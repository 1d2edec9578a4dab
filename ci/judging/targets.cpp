#include "ci/judging/targets.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <string_view>

#include "bench/ceilings/datasheet.hpp"
#include "bench/model/text.hpp"
#include "ci/app/keeping.hpp"
#include "ci/judging/kept_ceilings.hpp"
#include "ci/report/target_text.hpp"
#include "ci/report/warning_text.hpp"
#include "regress/targets/declared_target.hpp"
#include "regress/targets/utilization.hpp"
#include "storage/archive/archive.hpp"
#include "storage/place/store_address.hpp"
#include "storage/run_store.hpp"

namespace steelyard::ci {
namespace {

constexpr std::string_view kCpu = "CPU";

// What the programs themselves declare; a label that promises something unreadable is a target that nobody can judge.
void take_labels(const Run& run, regress::TargetQuestion& question) {
  for (const auto& [benchmark, label] : run.labels) {
    const std::optional<Result<Target>> target = regress::target_of_label(label, "the label of " + benchmark);
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
double max_clock_hz(const Environment& environment) {
  const std::string* const text = environment.find("gpu.max_sm_clock_hz");
  double hertz = 0;
  if (text != nullptr) std::from_chars(text->data(), text->data() + text->size(), hertz);
  return std::isfinite(hertz) && hertz > 0 ? hertz : 0;
}

void name_clock(DeviceCeilings& sheet, double max_hz) {
  for (Ceiling& ceiling : sheet.ceilings) {
    if (ceiling.kind == CeilingKind::arithmetic && ceiling.at_clock_hz == 0) ceiling.at_clock_hz = max_hz;
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
  for (const regress::BenchmarkRates& one : asked.rates) names.insert(one.id.device);
  names.erase("");
  if (!names.empty() && is_an_instance(run.environment)) {
    asked.trouble.push_back(warning::instance_without_datasheet(*run.environment.find("gpu.mig")));
    return;
  }
  for (const std::string& name : names) {
    std::optional<DeviceCeilings> sheet = bench::datasheet_ceilings(name);
    if (!sheet) continue;
    name_clock(*sheet, max_clock_hz(run.environment));
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
  STEELYARD_TRY(const Run kept, storage::read_archive(archive));
  DeviceCeilings device = without_samples(ceilings_of_run(kept));
  if (device.ceilings.empty()) {
    return input_error(archive.string(), "a run without ceilings", "ceilings",
                       "write them with `steelyard targets ceilings --output FILE.syrun`");
  }
  const std::string fingerprint = run.environment.fingerprint();
  if (device.fingerprint != fingerprint) {
    trouble.push_back(warning::ceilings_of_other_machine({archive.string(), device.fingerprint, fingerprint}));
  }
  return device;
}

bool wants_ceilings(const AskedTargets& asked) {
  return std::any_of(asked.rates.begin(), asked.rates.end(), [](const regress::BenchmarkRates& one) {
    return one.id.device.empty() && (!one.flops.empty() || !one.bandwidth.empty());
  });
}

// Devices and numbers of threads that the points are of; 0 threads: a device as a whole.
using Scopes = std::set<std::pair<std::string, int>>;

// Of the same dtype, or level, and threads the highest: the roof over all of them.
void take_highest(std::vector<Ceiling>& kept, const Ceiling& ceiling) {
  const auto same = std::find_if(kept.begin(), kept.end(), [&](const Ceiling& other) {
    return other.dtype == ceiling.dtype && other.level == ceiling.level && other.threads == ceiling.threads;
  });
  if (same == kept.end()) {
    kept.push_back(ceiling);
  } else if (ceiling.value > same->value) {
    *same = ceiling;
  }
}

void take_ceilings(Roofline& roofline, const std::vector<DeviceCeilings>& devices, const Scopes& scopes) {
  for (const DeviceCeilings& device : devices) {
    for (const Ceiling& ceiling : device.ceilings) {
      const bool is_wanted = std::any_of(scopes.begin(), scopes.end(), [&](const auto& scope) {
        return scope.first == device.device && (ceiling.threads == 0 || ceiling.threads == scope.second);
      });
      if (!is_wanted || !(ceiling.value > 0)) continue;
      take_highest(ceiling.kind == CeilingKind::arithmetic ? roofline.arithmetic : roofline.bandwidth, ceiling);
    }
  }
}

}  // namespace

Result<AskedTargets> ask_targets(const Run& run, const Configuration& configuration, const CeilingSource& source) {
  AskedTargets asked;
  asked.rates = regress::rates_of(run);
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
  TargetReport report = regress::judge_targets(asked.rates, asked.question);
  for (TargetRow& row : report.targets) row.reason = reason_text(row);
  report.warnings = target_warnings(report);
  report.warnings.insert(report.warnings.begin(), asked.trouble.begin(), asked.trouble.end());
  if (!asked.knows_the_machine && wants_ceilings(asked)) report.hint = no_ceilings_text();
  return report;
}

void add_unmatched_targets(const Configuration& configuration, const std::vector<regress::BenchmarkRates>& rates,
                           const std::vector<DeviceCeilings>& devices, std::vector<TargetRow>& rows) {
  for (TargetRow& row : regress::unmatched_targets(configuration.targets, rates, devices)) {
    row.reason = reason_text(row);
    rows.push_back(std::move(row));
  }
  regress::sort_worst_first(rows);
}

TargetReport report_targets(const Run& run, const Configuration& configuration, bool expect_every_target) {
  const Result<AskedTargets> asked = ask_targets(run, configuration, {storage::state_folder(), {}});
  if (!asked) {
    TargetReport report;
    report.warnings.push_back(asked.error().text());
    return report;
  }
  TargetReport report = report_targets(*asked);
  if (expect_every_target) {
    add_unmatched_targets(configuration, asked->rates, asked->question.devices, report.targets);
  }
  return report;
}

Roofline roofline_of_run(const Run& run, const AskedTargets& asked) {
  Roofline roofline;
  Scopes scopes;
  for (const regress::BenchmarkRates& rates : asked.rates) {
    if (rates.flops.empty() && rates.bandwidth.empty()) continue;
    if (rates.id.name == "ceiling") continue;  // it is a roof, not a point below
    if (!rates.intensity) {
      roofline.excluded.push_back(rates.benchmark);
      continue;
    }
    regress::CeilingChoice choice = regress::ceiling_choice(
        rates.id, regress::targets_of(rates.benchmark, asked.question.configured, asked.question.of_program,
                                      regress::names_of_device(rates.id, asked.question.devices)));
    choice.clock_hz = rates.clock_hz;
    scopes.emplace(choice.device, choice.threads);
    const regress::RateEstimate rate = regress::estimate_rate(rates.flops);
    roofline.points.push_back({rates.benchmark, *rates.intensity, rate.value, rate.interval,
                               point_text(regress::utilization_row(rates, choice, asked.question.devices))});
  }
  take_ceilings(roofline, asked.question.devices, scopes);
  roofline.title = title_text(run);
  roofline.subtitle = subtitle_text(run, roofline);
  return roofline;
}

void keep_target_verdicts(const Configuration& configuration, const std::string& run, const TargetReport& targets,
                          const App& app) {
  if (targets.targets.empty()) return;
  const auto keep = [&]() -> Result<bool> {
    STEELYARD_TRY(const storage::StoreAddress address, store_address(configuration));
    STEELYARD_TRY(storage::Store store, connect(address));
    return storage::RunStore(store).put_target_verdicts(run, targets.targets);
  };
  if (const Result<bool> kept = keep(); !kept) app.report(kept.error());
}

}  // namespace steelyard::ci
