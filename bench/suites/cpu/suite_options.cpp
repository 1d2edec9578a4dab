#include "bench/suites/cpu/suite_options.hpp"

#include <string>

namespace steelyard::cpu_suite {

Result<SuiteOptions> take_suite_options(int& argc, char** argv) {
  SuiteOptions options;
  int kept = 0;
  for (int i = 0; i < argc; ++i) {
    const std::string argument = i == 0 ? "" : argv[i];
    if (argument == "--steelyard_large") {
      options.large = true;
    } else if (argument == "--steelyard_native") {
      options.native = true;
    } else {
      STEELYARD_TRY(const bool is_of_spans, take_span_option(argument, options.spans));
      if (!is_of_spans) argv[kept++] = argv[i];
    }
  }
  STEELYARD_CHECK(check_span_options(options.spans));
  argc = kept;
  argv[kept] = nullptr;
  return options;
}

}  // namespace steelyard::cpu_suite
