#include "bench/cuda/device_options.hpp"

#include <algorithm>
#include <regex>
#include <utility>

namespace steelyard::cuda {

Result<DeviceOptions> parse_device_options(const std::vector<std::string>& arguments) {
  DeviceOptions options;
  for (const std::string& argument : arguments) {
    const std::size_t equal = argument.find('=');
    const std::string name = argument.substr(0, equal);
    const std::string value = equal == std::string::npos ? "true" : argument.substr(equal + 1);
    if (name == "--help") {
      options.help = true;
    } else if (name == "--benchmark_list_tests") {
      options.list_tests = value == "true";
    } else if (name == "--benchmark_filter") {
      options.filter = value;
    } else if (name == "--steelyard_large") {
      options.choice.large = value == "true";
    } else if (name == "--steelyard_axis") {
      STEELYARD_TRY(AxisOverride given, parse_axis_override(value));
      options.choice.axes.push_back(std::move(given));
    } else if (!name.starts_with("--benchmark_")) {
      return input_error("command line", "\"" + argument + "\"", "an option of --help");
    }
  }
  return options;
}

std::string device_options_help(const std::string& program) {
  return program +
         " [--benchmark_list_tests={true|false}]\n"
         "          [--benchmark_filter=<regex>]\n"
         "          [--steelyard_large]           also what takes long or much memory\n"
         "          [--steelyard_axis=<axis>=<values>]  other values of an axis: d=4096, d=[1024,4096], d=[10:12:1]\n";
}

Result<std::vector<DeviceCase>> matching(std::vector<DeviceCase> cases, const std::string& filter) {
  if (filter.empty() || filter == "all") return cases;
  const bool inverted = filter.front() == '-';
  try {
    const std::regex expression(filter.substr(inverted ? 1 : 0), std::regex::extended);
    std::erase_if(cases, [&](const DeviceCase& one) { return std::regex_search(one.name, expression) == inverted; });
  } catch (const std::regex_error& error) {
    return input_error("--benchmark_filter", "\"" + filter + "\" (" + error.what() + ")", "a regular expression");
  }
  return cases;
}

}  // namespace steelyard::cuda
