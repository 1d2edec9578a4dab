#include "ci/report/target_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "bench/environment/gpu_facts.hpp"
#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"
#include "ci/report/targets.hpp"
#include "regress/targets/find_ceiling.hpp"

namespace steelyard::ci {
namespace {

// Nobody waits for more.
constexpr double kMaxInvocations = 500;
constexpr double kMinInvocations = 6;  // below, the interval rests on an assumption
constexpr std::size_t kMaxPointsShown = 12;

bool is_share(const TargetRow& row) { return row.target.of != Target::Of::rate; }

std::string amount(const TargetRow& row, double value) {
  return is_share(row) ? share_text(value) : rate_text(value, row.metric);
}

// "61.3 % of DRAM read (60.4 % to 62.1 %)".
std::string what_was_found(const TargetRow& row) {
  const double value = is_share(row) ? row.utilization.value_or(0) : row.achieved.value_or(0);
  const Interval interval =
      (is_share(row) ? row.utilization_interval : row.achieved_interval).value_or(Interval{value, value});
  return amount(row, value) + (is_share(row) && row.ceiling ? " of " + regress::name_of(*row.ceiling) : "") + " (" +
         amount(row, interval.low) + " to " + amount(row, interval.high) + ")";
}

double log_distance(double a, double b) { return std::abs(std::log(a / b)); }

std::string what_would_do(const TargetRow& row) {
  const bool above = (is_share(row) ? *row.utilization : *row.achieved) >= row.target.least;
  const double distance = log_distance(is_share(row) ? *row.utilization : *row.achieved, row.target.least);
  const double width = log_distance(above ? row.achieved_interval->low : row.achieved_interval->high, *row.achieved);
  double of_ceiling = 0;
  if (is_share(row) && row.ceiling && row.ceiling->low && row.ceiling->high) {
    of_ceiling = log_distance(above ? *row.ceiling->high : *row.ceiling->low, row.ceiling->value);
  }
  if (of_ceiling > 0 && of_ceiling >= distance) {
    return "the ceiling itself is not known that well; measure it again on a quiet machine (steelyard targets "
           "ceilings)";
  }
  // The width of an interval falls with the square root of the invocations; the ceiling's stays.
  const double share = (distance * distance - of_ceiling * of_ceiling) / (width * width);
  const double wanted = std::ceil(static_cast<double>(row.invocations) / std::max(share, 1e-12));
  if (!(wanted <= kMaxInvocations)) return "the rate lies too near the target to be told from it; move the target";
  const double least = std::max({wanted, static_cast<double>(row.invocations) + 1, kMinInvocations});
  return "about " + plural_text(static_cast<std::int64_t>(least), "invocation") + " would decide, there are " +
         std::to_string(row.invocations);
}

std::string interval_reason(const TargetRow& row) {
  if (row.verdict == TargetVerdict::undecided && !row.why.beside_another) {
    return what_was_found(row) + " holds the target of " + amount(row, row.target.least) + "; " + what_would_do(row);
  }
  const bool is_assumed = static_cast<double>(row.invocations) < kMinInvocations;
  return what_was_found(row) + (row.verdict == TargetVerdict::met ? ", at least " : ", below ") +
         amount(row, row.target.least) +
         (is_assumed ? "; of " + std::to_string(row.invocations) + " invocations, if their scatter is normal" : "");
}

std::string no_rate_text(const TargetReason& why) {
  if (!why.failure.empty()) return "it yielded nothing: " + why.failure;
  if (why.metric == "flops") {
    return "the benchmark reports no flops; add a counter \"flops\", a rate (kIsIterationInvariantRate)";
  }
  return "the benchmark reports no bandwidth; call state.SetBytesProcessed, or add a counter \"bandwidth\", a rate";
}

std::string cause_text(const TargetRow& row) {
  using Kind = TargetReason::Kind;
  switch (row.why.kind) {
    case Kind::unsaid:
      return row.reason;
    case Kind::interval:
      return interval_reason(row);
    case Kind::one_invocation:
      return "one invocation: how much processes differ is not in the data; measure at least 2, better 6 "
             "(steelyard run --rounds 6)";
    case Kind::unknown_spread:
      return "the ceiling was measured too few times to know its spread; measure it in full (steelyard targets "
             "ceilings)";
    case Kind::measurement_error:
      return utilization_doubt(*row.utilization, *row.ceiling);
    case Kind::no_rate:
      return no_rate_text(row.why);
    case Kind::no_ceiling:
      return row.why.missing ? missing_text(*row.why.missing) : "";
    case Kind::no_axis:
      return "the benchmark has no axis \"" + row.target.over + "\" to take a mean over; correct `over` of the target";
    case Kind::mean_of_rooflines:
      return "the roofline of a mean is none of its points'; hold bandwidth or flops over an axis";
    case Kind::ceilings_differ:
      return "its points have different ceilings, and a mean over \"" + row.target.over +
             "\" is a share of none of them; hold a rate over it, or each benchmark alone";
    case Kind::no_time:
      return "it reports no real_time, which weighs it";
    case Kind::no_benchmark:
      return "no benchmark of this run has a name like this; correct the pattern, or measure what it means";
  }
  return "";
}

// "; by columns: 1024 at 35.1 %, 4096 at 61.0 %": of the row's ceiling where it has one.
std::string points_text(const TargetRow& row) {
  const std::vector<TargetReason::Point>& points = row.why.points;
  if (points.empty()) return "";
  const bool is_of_ceiling = is_share(row) && row.ceiling;
  return "; by " + row.target.over + ": " +
         some_joined(points, kMaxPointsShown, ", ", ", and ", [&](const TargetReason::Point& point) {
           return point.value + " at " +
                  (is_of_ceiling ? share_text(point.rate / row.ceiling->value) : rate_text(point.rate, row.metric));
         });
}

// "f32 arithmetic", "DRAM triad bandwidth".
std::string looked_for(const MissingCeiling& missing) {
  if (missing.kind == CeilingKind::arithmetic) return missing.name + " arithmetic";
  return missing.name + ' ' + (missing.access.empty() ? "" : missing.access + ' ') + "bandwidth";
}

std::string no_device_text(const std::string& device) {
  if (device == "CPU") return "no ceilings of this machine are kept; " + std::string(kMeasureCeilings);
  return "no ceilings of the device \"" + device +
         "\" are known; `steelyard targets datasheet` lists those that are, and benchmarks ceiling/... of the same run "
         "measure them";
}

std::string no_source_text(const MissingCeiling& missing) {
  if (missing.source == kMeasured) {
    return "no measured ceiling of " + looked_for(missing) +
           " is known of this device; benchmarks ceiling/... of the same run measure them, and `steelyard targets "
           "ceilings --from RUN` keeps them";
  }
  return "no datasheet with a ceiling of " + looked_for(missing) +
         " is known for this device; `steelyard targets datasheet` lists them";
}

// That a rate passes DRAM where nobody said which level the data are in is no error: it is one line for all such
// benchmarks.
std::string cached_line(const std::vector<std::string>& benchmarks) {
  return some_joined(benchmarks, 3, ", ", " and ") +
         ": more bytes than DRAM gives, so the data stay in a cache (declare its level with the target) or the cost "
         "is counted high";
}

std::vector<std::string> doubts_of(const std::vector<UtilizationRow>& rows) {
  constexpr std::size_t kMax = 6;
  std::vector<std::string> doubts;
  std::vector<std::string> cached;
  for (const UtilizationRow& row : rows) {
    for (const auto& rate : {row.flops, row.bandwidth}) {
      if (!rate || !rate->utilization) continue;
      const std::string doubt = utilization_doubt(*rate->utilization, *rate->ceiling);
      if (doubt.empty()) continue;
      if (rate->ceiling->level == "DRAM" && !row.level_is_declared) {
        cached.push_back(row.benchmark);
      } else {
        doubts.push_back(row.benchmark + ": " + doubt);
      }
    }
  }
  const std::size_t more = doubts.size() > kMax ? doubts.size() - kMax : 0;
  doubts.resize(doubts.size() - more);
  if (more > 0) doubts.push_back(plural_text(more, "more utilization") + " above 100 %");
  if (!cached.empty()) doubts.push_back(cached_line(cached));
  return doubts;
}

}  // namespace

std::string rate_text(double rate, const std::string& metric) {
  constexpr std::array<const char*, 6> kPrefixes{"", "k", "M", "G", "T", "P"};
  std::size_t scale = 0;
  for (; scale + 1 < kPrefixes.size() && std::abs(rate) >= 999.5; ++scale) rate /= 1000;
  const double size = std::abs(rate);
  const std::string number = decimals_text(rate, size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
  return number + ' ' + kPrefixes.at(scale) + (metric == "flops" ? "flop/s" : "B/s");
}

std::string missing_text(const MissingCeiling& missing) {
  const bool is_arithmetic = missing.kind == CeilingKind::arithmetic;
  const std::string known = joined_text(missing.known, ", ");
  switch (missing.why) {
    case MissingCeiling::Why::device:
      return no_device_text(missing.device);
    case MissingCeiling::Why::unnamed:
      return "the benchmark does not say which dtype it calculates in; declare dtype beside the target, "
             "or name it in the benchmark (/f32, <float>)";
    case MissingCeiling::Why::name:
      return std::string(is_arithmetic ? "no arithmetic ceiling of " : "no bandwidth of ") + missing.name +
             " is known of this device" + (known.empty() ? "; " + std::string(kMeasureCeilings) : ", only of " + known);
    case MissingCeiling::Why::access:
      return "no " + missing.name + " bandwidth of the access " + missing.access + " is known, only of " + known;
    case MissingCeiling::Why::source:
      return no_source_text(missing);
    case MissingCeiling::Why::threads:
      return "the ceiling of " + looked_for(missing) + " was measured with " + known + " threads, not with " +
             std::to_string(missing.threads) + "; run the benchmark with one of these, or declare threads";
    case MissingCeiling::Why::rate:
      return "the ceiling of " + looked_for(missing) + " is no rate above 0; " + std::string(kMeasureCeilings);
  }
  return "";
}

std::string reason_text(const TargetRow& row) {
  using Kind = TargetReason::Kind;
  std::string text = (row.why.point.empty() ? "" : row.why.point + ": ") + cause_text(row);
  const bool has_result = row.why.kind == Kind::interval || row.why.kind == Kind::one_invocation;
  if (has_result && is_share(row)) {
    const std::string doubt = utilization_doubt(*row.utilization, *row.ceiling);
    if (!doubt.empty()) text += "; " + doubt;
  }
  text += points_text(row);
  if (row.why.beside_another) {
    text +=
        "; but the other side worked beside it (duet) and may have taken the rest: measure alone (--layout "
        "interleaved)";
  }
  return text;
}

std::string utilization_doubt(double utilization, const Ceiling& ceiling) {
  const UtilizationJudgement judgement = judge_utilization(utilization);
  if (judgement == UtilizationJudgement::plausible) return "";
  const std::string what = share_text(utilization) + " of the ceiling (" + regress::name_of(ceiling) + ")";
  const std::string level = ceiling.level == "DRAM" ? "the data stay in a cache (declare its level), " : "";
  if (judgement == UtilizationJudgement::above_ceiling) {
    return what + " is more than there can be: " + level + "the ceiling was measured low, or the cost is counted high";
  }
  return what + " is an error of measurement: " + level +
         "the cost is counted high, or the ceiling was measured low or on another machine";
}

std::string no_ceilings_text() {
  return "no ceilings of this run's machine are kept, so utilization is unknown: " + std::string(kMeasureCeilings);
}

std::string point_text(const UtilizationRow& row) {
  const auto share = [](const std::optional<RateUtilization>& rate) {
    return rate && rate->utilization ? *rate->utilization : 0.0;
  };
  const auto& larger = share(row.bandwidth) >= share(row.flops) ? row.bandwidth : row.flops;
  if (!larger || !larger->utilization) return "";
  if (judge_utilization(*larger->utilization) == UtilizationJudgement::measurement_error) {
    return no_result_text(*larger->ceiling);
  }
  Ceiling roof = *larger->ceiling;
  roof.threads = std::max(roof.threads, 1);  // which sheet a device's roofs are of stands above the picture
  return share_text(*larger->utilization) + " of " + regress::name_of(roof) +
         (row.bound.empty() ? "" : ", " + bound_text(row.bound));
}

std::string title_text(const Run& run) {
  return "Roofline of " + (run.header.program.empty() ? run.header.tool : run.header.program);
}

std::string subtitle_text(const Run& run, const Roofline& roofline) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  const std::string* const device = run.environment.find(bench::kGpuDevice);
  const std::string* const model = run.environment.find("cpu.model");
  if (device != nullptr && run.environment.find(bench::kGpuUuid) != nullptr) {
    add(*device);
  } else if (model != nullptr) {
    add(*model);
  }
  const std::string fingerprint = run.environment.fingerprint();
  if (!fingerprint.empty()) add("machine " + shown_id(fingerprint));
  if (!run.header.id.empty()) add("run " + run.header.id.substr(0, 12));
  for (const Ceiling& ceiling : roofline.bandwidth) {
    if (ceiling.threads != 0) continue;
    add("ceilings " + std::string(ceiling.source == kMeasured ? "measured" : "of the " + ceiling.source));
    break;
  }
  if (roofline.arithmetic.empty() && roofline.bandwidth.empty()) add("no ceilings are known of this machine");
  return text;
}

std::vector<std::string> target_warnings(const TargetReport& report) {
  std::vector<std::string> warnings = doubts_of(report.utilizations);
  if (const std::int64_t count = report.other_device_targets; count > 0) {
    warnings.push_back(plural_text(count, "target is", "targets are") + " for other devices (" +
                       joined_text(report.other_devices, ", ") + ") and not held here");
  }
  if (report.beside_another && !report.utilizations.empty()) {
    warnings.push_back(
        "both sides were measured at once (duet), so utilization is that beside another process; alone it may be "
        "higher");
  }
  return warnings;
}

}  // namespace steelyard::ci
