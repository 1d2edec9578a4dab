#include "bench/model/task_measurement.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numeric>

#include "bench/model/number_text.hpp"
#include "bench/model/quantile.hpp"
#include "bench/model/text.hpp"

namespace steelyard {
namespace {

// The clock's own doubt about one time: below it, agreement between times supports no further digit.
constexpr double kMinUncertaintySeconds = 25e-9;
constexpr double kNormalQuantile95 = 1.645;  // one-sided 95 %
constexpr int kMaxSignificantFigures = 4;
constexpr double kWarningRatio = 0.1;  // IQR over median
constexpr std::size_t kFewestForSpread = 4;

std::optional<double> quantile(const std::vector<double>& ascending, double p) {
  if (ascending.empty()) return std::nullopt;
  return quantile_of_sorted(ascending, p);
}

// Divided by n: the middle half is described, not a population estimated from it.
double population_deviation(const double* begin, const double* end) {
  const auto n = static_cast<double>(end - begin);
  const double mean = std::accumulate(begin, end, 0.0) / n;
  const double squares =
      std::accumulate(begin, end, 0.0, [mean](double sum, double x) { return sum + (x - mean) * (x - mean); });
  return std::sqrt(squares / n);
}

std::string machine_of(const TaskMeasurement& measurement) {
  return measurement.fingerprint.empty() ? "an unknown machine" : "machine " + measurement.fingerprint;
}

// Joins `next` to `all`, whose runs_per_time is 1.
void append(TaskMeasurement& all, const TaskMeasurement& next) {
  const std::vector<double> times = next.times_in_order();
  all.raw_times.insert(all.raw_times.end(), times.begin(), times.end());
  if (all.fingerprint != next.fingerprint) all.fingerprint.clear();
  std::erase_if(all.metadata, [&](const auto& entry) {
    const auto other = next.metadata.find(entry.first);
    return other == next.metadata.end() || other->second != entry.second;
  });
}

}  // namespace

std::string TaskMeasurement::flaw() const {
  if (task.threads < 1) return std::to_string(task.threads) + " threads";
  if (runs_per_time < 1) return std::to_string(runs_per_time) + " runs per time";
  if (!runs_of_times.empty() && runs_of_times.size() != raw_times.size()) {
    return "runs of " + std::to_string(runs_of_times.size()) + " times beside " + std::to_string(raw_times.size());
  }
  for (const std::int64_t runs : runs_of_times) {
    if (runs < 1) return "a time of " + std::to_string(runs) + " runs";
  }
  for (const double raw : raw_times) {
    if (!std::isfinite(raw) || raw < 0) return "a time that is below 0 or not finite";
  }
  return "";
}

std::vector<double> TaskMeasurement::times_in_order() const {
  assert(runs_of_times.empty() || runs_of_times.size() == raw_times.size());
  std::vector<double> per_run;
  per_run.reserve(raw_times.size());
  for (std::size_t i = 0; i < raw_times.size(); ++i) {
    const std::int64_t runs = runs_of_times.empty() ? runs_per_time : runs_of_times[i];
    per_run.push_back(raw_times[i] / static_cast<double>(runs));
  }
  return per_run;
}

std::vector<double> TaskMeasurement::times() const {
  std::vector<double> ascending = times_in_order();
  std::sort(ascending.begin(), ascending.end());
  return ascending;
}

std::optional<double> TaskMeasurement::median() const { return quantile(times(), 0.5); }
std::optional<double> TaskMeasurement::p25() const { return quantile(times(), 0.25); }
std::optional<double> TaskMeasurement::p75() const { return quantile(times(), 0.75); }

std::optional<double> TaskMeasurement::mean() const {
  if (raw_times.empty()) return std::nullopt;
  const std::vector<double> ascending = times();
  return std::accumulate(ascending.begin(), ascending.end(), 0.0) / static_cast<double>(ascending.size());
}

std::optional<double> TaskMeasurement::interquartile_range() const {
  const std::vector<double> ascending = times();
  if (ascending.empty()) return std::nullopt;
  return *quantile(ascending, 0.75) - *quantile(ascending, 0.25);
}

int TaskMeasurement::significant_figures() const {
  const std::vector<double> ascending = times();
  if (ascending.empty()) return 1;
  const std::size_t n = ascending.size();
  const double* begin = ascending.data() + n / 4;
  const double* end = ascending.data() + (3 * n + 3) / 4;
  const double deviation = population_deviation(begin, end);
  const double half_width = kNormalQuantile95 * deviation / std::sqrt(static_cast<double>(end - begin));
  const double digits =
      std::floor(std::log10(*quantile(ascending, 0.5) / std::max(half_width, kMinUncertaintySeconds)));
  // Written so that the NaN of a median below 0 counts as one digit.
  return digits >= 1 ? static_cast<int>(std::min<double>(digits, kMaxSignificantFigures)) : 1;
}

bool TaskMeasurement::has_warning() const {
  if (raw_times.size() < kFewestForSpread) return false;
  const double middle = *median();
  return middle > 0 && *interquartile_range() / middle >= kWarningRatio;
}

Result<std::vector<TaskMeasurement>> merge(const std::vector<TaskMeasurement>& measurements, MergeOptions options) {
  std::vector<TaskMeasurement> merged;
  std::map<TaskSpec, std::size_t> places;
  for (const TaskMeasurement& measurement : measurements) {
    const auto [place, is_new] = places.try_emplace(measurement.task, merged.size());
    if (is_new) {
      merged.push_back({measurement.task, 1, {}, {}, measurement.fingerprint, measurement.metadata});
    }
    TaskMeasurement& all = merged[place->second];
    if (all.fingerprint != measurement.fingerprint && !options.across_machines) {
      return input_error("merge of \"" + measurement.task.title() + "\"",
                         "times of " + machine_of(all) + " and of " + machine_of(measurement), "times of one machine",
                         "compare them side by side, or ask for a merge across machines");
    }
    append(all, measurement);
  }
  return merged;
}

// How a task and its times read.

namespace {

constexpr double kSevereRatio = 0.25;  // IQR over median
constexpr std::array<TimeUnit, 6> kTimeUnits{{{"min", "minutes", 60},
                                              {"s", "seconds", 1},
                                              {"ms", "milliseconds", 1e-3},
                                              {"us", "microseconds", 1e-6},
                                              {"ns", "nanoseconds", 1e-9},
                                              {"ps", "picoseconds", 1e-12}}};

bool has_lines(const std::string& text) { return text.find('\n') != std::string::npos; }

// Two blanks before every line that is not empty.
std::string indented(const std::string& text) {
  std::string result;
  bool at_start = true;
  for (const char c : text) {
    if (at_start && c != '\n') result += "  ";
    result += c;
    at_start = c == '\n';
  }
  return result;
}

// "100 runs", "100 to 120 runs".
std::string runs_text(const TaskMeasurement& measurement) {
  const auto& runs = measurement.runs_of_times;
  if (runs.empty()) return plural_text(measurement.runs_per_time, "run");
  const auto [least, most] = std::minmax_element(runs.begin(), runs.end());
  return (*least == *most ? "" : std::to_string(*least) + " to ") + plural_text(*most, "run");
}

// A part of several lines is set off by an empty one.
void append_section(std::string& text, const std::string& section) {
  if (section.empty()) return;
  if (!text.empty()) text += '\n';
  text += section;
  if (has_lines(section)) text += '\n';
}

std::string heading(const TaskSpec& task) {
  std::string text;
  append_section(text, task.title());
  append_section(text, task.description);
  if (!task.setup.empty()) {
    append_section(text, has_lines(task.setup) ? "setup:\n" + indented(task.setup) : "setup: " + task.setup);
  }
  return text;
}

double round_half_to_even(double value) {
  const double floor = std::floor(value);
  const double rest = value - floor;
  if (rest != 0.5) return rest < 0.5 ? floor : floor + 1;
  return std::fmod(floor, 2) == 0 ? floor : floor + 1;
}

constexpr const char* kBlanks = " \t\n\r\f\v";

// Calls use(line) for each line, without its end.
template <class Use>
void for_each_line(std::string_view text, const Use& use) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    use(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

// The blanks and tabs that all lines open with, but for those that hold nothing else.
std::string_view shared_margin(std::string_view text) {
  std::optional<std::string_view> shared;
  for_each_line(text, [&shared](std::string_view line) {
    const std::size_t depth = line.find_first_not_of(" \t");
    if (depth == std::string_view::npos) return;
    const std::string_view margin = line.substr(0, depth);
    if (!shared) shared = margin;
    const auto differ = std::mismatch(shared->begin(), shared->end(), margin.begin(), margin.end()).first;
    shared = shared->substr(0, static_cast<std::size_t>(differ - shared->begin()));
  });
  return shared.value_or("");
}

std::string dedented_text(const std::string& text) {
  const std::size_t depth = shared_margin(text).size();
  std::string result;
  for_each_line(text, [&](std::string_view line) {
    const bool is_blank = line.find_first_not_of(" \t") == std::string_view::npos;
    if (!is_blank) result += line.substr(depth);
    result += '\n';
  });
  if (result.starts_with('\n')) result.erase(0, 1);
  result.resize(result.find_last_not_of(kBlanks) + 1);
  return result;
}

}  // namespace

TaskSpec dedented(TaskSpec task) {
  for (std::string* text : {&task.statement, &task.setup, &task.global_setup}) *text = dedented_text(*text);
  return task;
}

std::string TaskSpec::title() const {
  const std::string& head = label.empty() ? statement : label;
  if (!label.empty() || !has_lines(statement)) return sub_label.empty() ? head : head + ": " + sub_label;
  return (sub_label.empty() ? "stmt:" : "stmt: (" + sub_label + ")") + '\n' + indented(statement);
}

std::string TaskMeasurement::warning_text() const {
  if (!has_warning()) return "";
  const double ratio = *interquartile_range() / *median();
  return "  WARNING: Interquartile range is " + decimals_text(ratio * 100, 1) + "% of the median measurement.\n" +
         std::string(11, ' ') +
         (ratio >= kSevereRatio ? "This suggests significant environmental influence."
                                : "This could indicate system fluctuation.");
}

std::string TaskMeasurement::text() const {
  std::string lines = heading(task) + '\n';
  const std::size_t n = raw_times.size();
  if (n == 0) return lines + "  no measurement";
  const double middle = *median();
  const TimeUnit unit = time_unit(middle);
  const auto scaled = [&unit](double seconds) { return decimals_text(seconds / unit.seconds, 2); };
  const std::string name(unit.name);
  lines += std::string("  ") + (n > 1 ? "Median: " : "") + scaled(middle) + ' ' + name + '\n';
  if (n >= kFewestForSpread) {
    lines += "  IQR:    " + scaled(*interquartile_range()) + ' ' + name + " (" + scaled(*p25()) + " to " +
             scaled(*p75()) + ")\n";
  }
  lines += "  " + plural_text(n, "measurement") + ", " + runs_text(*this) + (n > 1 ? " per measurement" : "") + ", " +
           plural_text(task.threads, "thread");
  const std::string warning = warning_text();
  return warning.empty() ? lines : lines + '\n' + warning;
}

TimeUnit time_unit(double seconds) {
  for (const TimeUnit& unit : kTimeUnits) {
    if (seconds >= unit.seconds) return unit;
  }
  return kTimeUnits.back();
}

double trim_to_significant_figures(double value, int n) {
  if (value == 0 || !std::isfinite(value)) return value;
  const int exponent = static_cast<int>(std::ceil(std::log10(std::abs(value)))) - n;
  // Multiplied by a whole power of ten rather than divided by a broken one, so that 1.25 is a tie as it reads.
  const double power = std::pow(10.0, std::abs(exponent));
  if (!std::isfinite(power)) return value;  // more digits were asked for than a double has
  return exponent >= 0 ? round_half_to_even(value / power) * power : round_half_to_even(value * power) / power;
}

}  // namespace steelyard
