// What is different with programs that use a device: the sides take turns on it, and nobody counts their instructions,
// as Callgrind cannot run what talks to a device's driver.
#pragma once

#include <string>
#include <vector>

#include "ci/config/configuration.hpp"
#include "ci/measuring/count_plan.hpp"
#include "ci/measuring/measure_programs.hpp"

namespace steelyard {

class DevicePrograms {
 public:
  explicit DevicePrograms(const std::vector<ProgramPair>& programs);
  // One program without another side.
  explicit DevicePrograms(const Program& alone);

  bool any() const;
  // One sentence for each program that uses a device.
  void tell(bool counting, std::vector<std::string>& warnings) const;
  // `pairs`, one for each program, without those that use a device. Counts that were demanded of these are failures.
  std::vector<CountPair> without(std::vector<CountPair> pairs, CountChoice counts) const;

 private:
  struct Use {
    std::string program;
    std::string how;  // empty: none is seen
  };
  std::vector<Use> uses_;
  bool is_alone_ = false;
};

}  // namespace steelyard
