#include "regress/targets/target_wording.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"
#include "regress/targets/find_ceiling.hpp"

namespace steelyard::regress {
namespace {

// Nobody waits for more.
constexpr double kMaxInvocations = 500;
constexpr double kMinInvocations = 6;  // below, the interval rests on an assumption

bool is_share(const TargetRow& row) { return row.target.of != Target::Of::rate; }

std::string amount(const TargetRow& row, double value) {
  return is_share(row) ? share_text(value) : rate_text(value, row.metric);
}

// "61.3 % of DRAM read (60.4 % to 62.1 %)".
std::string what_was_found(const TargetRow& row) {
  const double value = is_share(row) ? row.utilization.value_or(0) : row.achieved.value_or(0);
  const Interval interval =
      (is_share(row) ? row.utilization_interval : row.achieved_interval).value_or(Interval{value, value});
  return amount(row, value) + (is_share(row) && row.ceiling ? " of " + name_of(*row.ceiling) : "") + " (" +
         amount(row, interval.low) + " to " + amount(row, interval.high) + ")";
}

double log_distance(double a, double b) { return std::abs(std::log(a / b)); }

}  // namespace

std::string rate_text(double rate, const std::string& metric) {
  constexpr std::array<const char*, 6> kPrefixes{"", "k", "M", "G", "T", "P"};
  std::size_t scale = 0;
  for (; scale + 1 < kPrefixes.size() && std::abs(rate) >= 999.5; ++scale) rate /= 1000;
  const double size = std::abs(rate);
  const std::string number = decimals_text(rate, size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
  return number + ' ' + kPrefixes.at(scale) + (metric == "flops" ? "flop/s" : "B/s");
}

std::string no_rate_reason(const BenchmarkRates& rates, const std::string& metric) {
  if (!rates.failure.empty()) return "it yielded nothing: " + rates.failure;
  if (metric == "flops") {
    return "the benchmark reports no flops; add a counter \"flops\", a rate (kIsIterationInvariantRate)";
  }
  return "the benchmark reports no bandwidth; call state.SetBytesProcessed, or add a counter \"bandwidth\", a rate";
}

std::string one_invocation_reason() {
  return "one invocation: how much processes differ is not in the data; measure at least 2, better 6 "
         "(steelyard run --rounds 6)";
}

std::string unknown_spread_reason() {
  return "the ceiling was measured too few times to know its spread; measure it in full (steelyard targets ceilings)";
}

std::string beside_another_reason() {
  return "; but the other side worked beside it (duet) and may have taken the rest: measure alone (--layout "
         "interleaved)";
}

std::string beside_another_warning() {
  return "both sides were measured at once (duet), so utilization is that beside another process; alone it may be "
         "higher";
}

std::string decided_reason(const TargetRow& row) {
  const bool is_assumed = static_cast<double>(row.invocations) < kMinInvocations;
  return what_was_found(row) + (row.verdict == TargetVerdict::met ? ", at least " : ", below ") +
         amount(row, row.target.least) +
         (is_assumed ? "; of " + std::to_string(row.invocations) + " invocations, if their scatter is normal" : "");
}

std::string undecided_reason(const TargetRow& row, const std::string& would_do) {
  return what_was_found(row) + " holds the target of " + amount(row, row.target.least) + "; " + would_do;
}

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

}  // namespace steelyard::regress
