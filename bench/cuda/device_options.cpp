#include "bench/cuda/device_options.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "bench/model/extended_expression.hpp"
#include "bench/model/parse_number.hpp"

namespace steelyard::cuda {
namespace {

struct Option {
  std::string name;
  std::string value;
  bool has_value = false;

  Error refuse(std::string_view wanted) const {
    return input_error(name, has_value ? '"' + value + '"' : "no value", std::string(wanted));
  }
};

Option split(const std::string& argument) {
  const std::size_t equal = argument.find('=');
  if (equal == std::string::npos) return {argument, "", false};
  return {argument.substr(0, equal), argument.substr(equal + 1), true};
}

// Flags as Google Benchmark reads them: a name alone is true.
Result<bool> truth(const Option& option) {
  constexpr std::array<std::string_view, 5> kTrue{"true", "yes", "on", "1", "t"};
  constexpr std::array<std::string_view, 5> kFalse{"false", "no", "off", "0", "f"};
  if (!option.has_value || std::find(kTrue.begin(), kTrue.end(), option.value) != kTrue.end()) return true;
  if (std::find(kFalse.begin(), kFalse.end(), option.value) != kFalse.end()) return false;
  return option.refuse("true or false");
}

Result<std::int64_t> count(const Option& option, std::int64_t least, std::int64_t most) {
  const auto number = parse_as<std::int64_t>(option.value);
  if (!number || *number < least || *number > most) {
    return option.refuse("a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return *number;
}

// "0.5" and "0.5s": both forms are in use.
Result<Nanoseconds> min_time(const Option& option) {
  const bool is_number =
      !option.value.empty() && option.value.find_first_not_of("0123456789.eE+-") == std::string::npos;
  return parse_duration(is_number ? option.value + "s" : option.value, option.name);
}

// No more than thirty times the least time, so that a short look stays short.
constexpr double kTimeBound = 30;

Result<void> set_min_time(const Option& option, SamplingLimits& limits) {
  STEELYARD_TRY(limits.stopping.min_time, min_time(option));
  limits.stopping.max_time = std::min(limits.stopping.max_time, limits.stopping.min_time * kTimeBound);
  return {};
}

// Google Benchmark's own that change nothing here: there are no aggregates, no colours, no processor time.
bool is_ignored(std::string_view name) {
  constexpr std::array<std::string_view, 10> kIgnored{"--benchmark_report_aggregates_only",
                                                      "--benchmark_display_aggregates_only",
                                                      "--benchmark_color",
                                                      "--benchmark_counters_tabular",
                                                      "--benchmark_enable_random_interleaving",
                                                      "--benchmark_time_unit",
                                                      "--benchmark_min_warmup_time",
                                                      "--benchmark_perf_counters",
                                                      "--benchmark_dry_run",
                                                      "--v"};
  return std::find(kIgnored.begin(), kIgnored.end(), name) != kIgnored.end();
}

Result<bool> take_google_option(const Option& option, DeviceOptions& options) {
  if (option.name == "--benchmark_list_tests") {
    STEELYARD_TRY(options.list_tests, truth(option));
  } else if (option.name == "--benchmark_filter") {
    options.filter = option.value;
  } else if (option.name == "--benchmark_format") {
    if (option.value != "json" && option.value != "console") return option.refuse("console or json");
    options.json_on_stdout = option.value == "json";
  } else if (option.name == "--benchmark_out") {
    options.out = option.value;
  } else if (option.name == "--benchmark_out_format") {
    if (option.value != "json") return option.refuse("json");
  } else if (option.name == "--benchmark_repetitions") {
    STEELYARD_TRY(const std::int64_t least, count(option, 1, 1'000'000));
    auto& stopping = options.limits.stopping;
    stopping.min_samples = std::max(stopping.min_samples, least);
  } else if (option.name == "--benchmark_min_time") {
    STEELYARD_CHECK(set_min_time(option, options.limits));
  } else if (option.name == "--benchmark_context") {
    const Option fact = split(option.value);
    if (!fact.has_value || fact.name.empty()) return option.refuse("key=value");
    options.context.emplace_back(fact.name, fact.value);
  } else {
    return is_ignored(option.name);
  }
  return true;
}

Result<bool> take_own_option(const Option& option, DeviceOptions& options) {
  if (option.name == "--steelyard_large") {
    STEELYARD_TRY(options.choice.large, truth(option));
  } else if (option.name == "--steelyard_axis") {
    STEELYARD_TRY(AxisOverride given, parse_axis_override(option.value));
    options.choice.axes.push_back(std::move(given));
  } else if (option.name == "--steelyard_device") {
    if (option.value.empty()) return option.refuse("a number or a UUID of --steelyard_list_devices");
    options.device = option.value;
  } else if (option.name == "--steelyard_list_devices") {
    STEELYARD_TRY(options.list_devices, truth(option));
  } else if (option.name == "--steelyard_verify") {
    STEELYARD_TRY(options.verify, truth(option));
  } else if (option.name == "--steelyard_launch_latency") {
    STEELYARD_TRY(options.launch_latency, truth(option));
  } else if (option.name == "--steelyard_seed") {
    STEELYARD_TRY(const std::int64_t seed, count(option, 0, INT64_MAX));
    options.seed = static_cast<std::uint64_t>(seed);
  } else if (option.name == "--steelyard_timeout") {
    STEELYARD_TRY(options.timeout, parse_duration(option.value, option.name));
  } else if (option.name == "--steelyard_warm_up") {
    STEELYARD_TRY(options.limits.least_warm_up, parse_duration(option.value, option.name));
    options.limits.longest_warm_up = std::max(options.limits.longest_warm_up, options.limits.least_warm_up);
  } else if (option.name == "--steelyard_most_samples") {
    STEELYARD_TRY(options.limits.stopping.max_samples, count(option, 2, 1'000'000));
  } else if (option.name == "--steelyard_profile") {
    if (option.value.empty()) return option.refuse("the file that is recorded into");
    options.profile = option.value;
  } else if (option.name == "--steelyard_profile_iterations") {
    STEELYARD_TRY(options.profile_iterations, count(option, 1, 1'000'000));
  } else if (option.name == "--steelyard_worker") {
    options.worker_report = option.value;
  } else if (option.name == "--steelyard_worker_first") {
    STEELYARD_TRY(const std::int64_t first, count(option, 0, INT64_MAX));
    options.worker_first = static_cast<std::size_t>(first);
  } else {
    return false;
  }
  return true;
}

}  // namespace

Result<DeviceOptions> parse_device_options(const std::vector<std::string>& arguments) {
  DeviceOptions options;
  for (const std::string& argument : arguments) {
    const Option option = split(argument);
    if (option.name == "--help") {
      options.help = true;
      continue;
    }
    STEELYARD_TRY(bool known, take_google_option(option, options));
    if (!known) {
      STEELYARD_TRY(known, take_own_option(option, options));
    }
    if (!known) return input_error("command line", '"' + argument + '"', "an option of --help");
  }
  auto& stopping = options.limits.stopping;
  stopping.max_samples = std::max(stopping.max_samples, stopping.min_samples);
  return options;
}

std::string device_options_help(const std::string& program) {
  return program +
         R"( measures on one CUDA device and writes what Google Benchmark would have written.

  --benchmark_list_tests           names, one a line; needs no device
  --benchmark_filter=REGEX         those whose name it matches; with "-" before it, the others
  --benchmark_out=FILE             the result as JSON
  --benchmark_format=console|json  what stdout gets: a table, or the JSON
  --benchmark_min_time=0.5s        of sampling before a result may be called precise; 30 times of it is the bound
  --benchmark_repetitions=10       samples at least
  --benchmark_context=KEY=VALUE    a fact for the result's context
  --steelyard_device=0             number, or the beginning of a UUID, of a device or a MIG instance
  --steelyard_list_devices         what there is
  --steelyard_large                also what takes long or much memory
  --steelyard_axis=AXIS=VALUES     other values of an axis: d=4096, d=[1024,4096], rows=[10:12:1]
  --steelyard_verify=false         times without checking the answers first
  --steelyard_launch_latency       leaves the host's part of a launch in the cold times
  --steelyard_seed=N               of the inputs of the check; drawn anew where it is not given
  --steelyard_warm_up=0.5s         of the benchmark itself, at least, before it is timed
  --steelyard_most_samples=1000    that are kept of one benchmark
  --steelyard_timeout=120s         of one benchmark, after which its process is ended
  --steelyard_profile=FILE         measures nothing: plain iterations, recorded for steelyard profile --read spans FILE
  --steelyard_profile_iterations=N  of each pass; as many as take 5 ms where it is not given

Ends with 0 where rows could be written, failed ones too, as Google Benchmark does; 3: the command line; 6: there is no
device that can be used; 4: the result could not be written.

Example: )" +
         program + " --benchmark_filter=layer_norm --benchmark_out=layer_norm.json\n";
}

Result<std::vector<DeviceCase>> matching(std::vector<DeviceCase> cases, const std::string& filter) {
  if (filter.empty() || filter == "all") return cases;
  const bool inverted = filter.front() == '-';
  STEELYARD_TRY(const ExtendedExpression expression,
                ExtendedExpression::compile(filter.substr(inverted ? 1 : 0), "--benchmark_filter", filter));
  std::erase_if(cases, [&](const DeviceCase& one) { return expression.finds_in(one.name) == inverted; });
  return cases;
}

}  // namespace steelyard::cuda
