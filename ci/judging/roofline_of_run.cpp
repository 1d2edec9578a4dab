#include "ci/judging/roofline_of_run.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "bench/environment/gpu_facts.hpp"
#include "ci/app/terminal_text.hpp"
#include "ci/report/number_text.hpp"
#include "regress/targets/rate_interval.hpp"
#include "regress/targets/utilization.hpp"

namespace steelyard {
namespace {

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

// The larger share: that of the bound that matters.
std::string note_of(const UtilizationRow& row) {
  const auto share = [](const std::optional<RateUtilization>& rate) {
    return rate && rate->utilization ? *rate->utilization : 0.0;
  };
  const auto& larger = share(row.bandwidth) >= share(row.flops) ? row.bandwidth : row.flops;
  if (!larger || !larger->utilization) return "";
  if (judge_utilization(*larger->utilization) == UtilizationJudgement::measurement_error) {
    return larger->ceiling->level == "DRAM" ? "above DRAM: in a cache" : "above " + name_of(*larger->ceiling);
  }
  const double percent = *larger->utilization * 100;
  Ceiling roof = *larger->ceiling;
  roof.threads = std::max(roof.threads, 1);  // which sheet a device's roofs are of stands above the picture
  return decimal_text(percent, percent < 9.95 ? 1 : 0) + " % of " + name_of(roof) +
         (row.bound.empty() ? "" : ", bound by " + row.bound);
}

std::string subtitle_of(const Run& run, const Roofline& roofline) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  const std::string* const device = run.environment.find(kGpuDevice);
  const std::string* const model = run.environment.find("cpu.model");
  if (device != nullptr && run.environment.find(kGpuUuid) != nullptr) {
    add(*device);
  } else if (model != nullptr) {
    add(*model);
  }
  const std::string fingerprint = run.environment.fingerprint();
  if (!fingerprint.empty()) add("machine " + fingerprint.substr(0, 8));
  if (!run.header.id.empty()) add("run " + run.header.id.substr(0, 12));
  for (const Ceiling& ceiling : roofline.bandwidth) {
    if (ceiling.threads != 0) continue;
    add("ceilings " + std::string(ceiling.source == kMeasured ? "measured" : "of the " + ceiling.source));
    break;
  }
  if (roofline.arithmetic.empty() && roofline.bandwidth.empty()) add("no ceilings are known of this machine");
  return text;
}

}  // namespace

Roofline roofline_of_run(const Run& run, const AskedTargets& asked) {
  Roofline roofline;
  Scopes scopes;
  for (const BenchmarkRates& rates : asked.rates) {
    if (rates.flops.empty() && rates.bandwidth.empty()) continue;
    if (rates.id.name == "ceiling") continue;  // it is a roof, not a point below
    if (!rates.intensity) {
      roofline.left_out.push_back(rates.benchmark);
      continue;
    }
    CeilingChoice choice =
        ceiling_choice(rates.id, targets_of(rates.benchmark, asked.question.configured, asked.question.of_program,
                                            names_of_device(rates.id, asked.question.devices)));
    choice.clock_hz = rates.clock_hz;
    scopes.emplace(choice.device, choice.threads);
    const RateEstimate rate = estimate_rate(rates.flops);
    roofline.points.push_back({without_device(rates.benchmark), *rates.intensity, rate.value, rate.interval,
                               note_of(utilization_row(rates, choice, asked.question.devices))});
  }
  take_ceilings(roofline, asked.question.devices, scopes);
  roofline.title = "Roofline of " + (run.header.program.empty() ? run.header.tool : run.header.program);
  roofline.subtitle = subtitle_of(run, roofline);
  return roofline;
}

}  // namespace steelyard
