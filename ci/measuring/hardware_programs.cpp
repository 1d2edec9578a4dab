#include "ci/measuring/hardware_programs.hpp"

#include <algorithm>
#include <utility>

#include "bench/counting/counters/hardware_count.hpp"

namespace steelyard {

void read_hardware(const std::vector<CountPair>& pairs, const MeasuringSettings& settings, const Limits& limits,
                   ProgressLine& progress, std::vector<std::string>& warnings) {
  if (!settings.counters.hardware) return;
  HardwareOptions options;
  options.progress = [&progress](const std::string& benchmark, double done) {
    progress.show("reading counters of " + benchmark, done, Nanoseconds(0));
  };
  for (const CountPair& pair : pairs) {
    std::vector<CountSide> sides;
    for (const CountSide* side : {&pair.baseline, &pair.candidate}) {
      if (side->program != nullptr && !side->program->benchmarks().empty()) sides.push_back(*side);
    }
    if (sides.empty()) continue;
    std::vector<std::string> more;
    if (const auto counted = count_hardware(sides, settings, limits, options, more); !counted)
      more.push_back(counted.error().text());
    for (std::string& warning : more) {
      if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end())
        warnings.push_back(std::move(warning));
    }
  }
  progress.clear();
}

}  // namespace steelyard
