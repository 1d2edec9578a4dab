#include "bench/suites/cpu/suite_options.hpp"

#include <string_view>

namespace steelyard::cpu_suite {

SuiteOptions take_suite_options(int& argc, char** argv) {
  constexpr std::string_view kSpans = "--steelyard_spans=";
  SuiteOptions options;
  int kept = 0;
  for (int i = 0; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (i > 0 && argument == "--steelyard_large") {
      options.large = true;
    } else if (i > 0 && argument == "--steelyard_native") {
      options.native = true;
    } else if (i > 0 && argument.starts_with(kSpans) && argument.size() > kSpans.size()) {
      options.spans_file = argument.substr(kSpans.size());
    } else {
      argv[kept++] = argv[i];
    }
  }
  argc = kept;
  argv[kept] = nullptr;
  return options;
}

}  // namespace steelyard::cpu_suite
