#include "bench/harness/bench.hpp"

#include <array>
#include <charconv>

namespace steelyard {
namespace {

std::string three_digits(double value) {
  std::array<char, 32> digits{};
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::general, 3).ptr;
  return {digits.data(), end};
}

}  // namespace

BenchReport report_of(TaskMeasurement measurement) {
  BenchReport report;
  report.interval = median_interval(measurement.times_in_order());
  report.measurement = std::move(measurement);
  return report;
}

std::string BenchReport::text() const {
  const TimeUnit unit = time_unit(interval.median);
  const auto scaled = [&unit](double seconds) { return three_digits(seconds / unit.seconds); };
  const std::string name(unit.name);
  const std::size_t n = measurement.raw_times.size();
  std::string line = measurement.task.title() + ": median " + scaled(interval.median) + ' ' + name + " of " +
                     std::to_string(n) + (n == 1 ? " trial" : " trials");
  if (!interval.bounds) return line + ", no interval: " + interval.reason;
  return line + ", 95 % interval " + scaled(interval.bounds->low) + " to " + scaled(interval.bounds->high) + ' ' + name;
}

}  // namespace steelyard
