#include "ci/report/roofline.hpp"

#include <algorithm>
#include <cmath>

#include "regress/targets/find_ceiling.hpp"
#include "regress/targets/target_wording.hpp"

namespace steelyard {
namespace {

struct Range {
  double least = HUGE_VAL;
  double most = 0;
  void hold(double value) {
    if (!(value > 0) || !std::isfinite(value)) return;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  bool is_empty() const { return most == 0; }
};

}  // namespace

RooflineFrame frame_of(const Roofline& roofline) {
  Range intensity;
  Range rate;
  for (const RooflinePoint& point : roofline.points) {
    intensity.hold(point.intensity);
    rate.hold(point.rate);
    // The bar of two wild processes may reach to nothing; it is cut at the frame.
    if (point.interval) rate.hold(std::max(point.interval->low, point.rate / 10));
  }
  for (const Ceiling& top : roofline.arithmetic) {
    rate.hold(top.value);
    for (const Ceiling& slope : roofline.bandwidth) intensity.hold(top.value / slope.value);
  }
  RooflineFrame frame;
  // Room on each side keeps marks off the frame and leaves a place for the names of the slopes, which all begin at the
  // left border.
  if (!intensity.is_empty()) {
    frame.least_intensity = intensity.least / 10;
    frame.most_intensity = intensity.most * 6;
  }
  for (const Ceiling& slope : roofline.bandwidth) rate.hold(slope.value * frame.least_intensity * 2);
  if (!rate.is_empty()) {
    frame.least_rate = rate.least / 3;
    frame.most_rate = rate.most * 3;
  }
  return frame;
}

std::string roof_label(const Ceiling& ceiling) {
  const bool is_arithmetic = ceiling.kind == CeilingKind::arithmetic;
  Ceiling alone = ceiling;
  alone.threads = 1;
  std::string rate = rate_text(ceiling.value, is_arithmetic ? "flops" : "bandwidth");
  // Integers are no floating-point operations.
  if (is_arithmetic && ceiling.dtype.starts_with('i')) rate.erase(rate.find("fl"), 2);
  return name_of(alone) + ' ' + rate + (ceiling.threads > 1 ? ", " + std::to_string(ceiling.threads) + " threads" : "");
}

std::vector<double> decades_between(double least, double most) {
  std::vector<double> decades;
  for (int power = static_cast<int>(std::ceil(std::log10(least) - 1e-9)); std::pow(10.0, power) <= most * (1 + 1e-9);
       ++power) {
    decades.push_back(std::pow(10.0, power));
  }
  return decades;
}

}  // namespace steelyard
