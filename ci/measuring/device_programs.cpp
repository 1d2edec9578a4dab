#include "ci/measuring/device_programs.hpp"

#include <algorithm>
#include <utility>

#include "bench/environment/device_use.hpp"
#include "bench/environment/gpu_facts.hpp"
#include "ci/measuring/unmeasured.hpp"

namespace steelyard {
namespace {

constexpr const char* kNotCounted =
    "instructions are not counted: the program uses a device, which Callgrind cannot run";

void fail_counts(const CountSide& side) {
  if (side.program == nullptr || side.run == nullptr) return;
  const std::size_t before = side.run->failures.size();
  fail_benchmarks(side.program->benchmarks(), {std::string(kInstructions), kNotCounted}, *side.run);
  const std::string* const device = side.run->environment.find(kGpuDevice);
  if (device == nullptr) return;
  for (std::size_t i = before; i < side.run->failures.size(); ++i) side.run->failures[i].benchmark.device = *device;
}

}  // namespace

DevicePrograms::DevicePrograms(const std::vector<ProgramPair>& programs) {
  for (const ProgramPair& pair : programs) {
    std::string how = device_use_of_file(pair.candidate.executable);
    if (how.empty()) how = device_use_of_file(pair.baseline.executable);
    uses_.push_back({pair.candidate.executable.filename().string(), std::move(how)});
  }
}

DevicePrograms::DevicePrograms(const Program& alone) : is_alone_(true) {
  uses_.push_back({alone.executable.filename().string(), device_use_of_file(alone.executable)});
}

bool DevicePrograms::any() const {
  return std::any_of(uses_.begin(), uses_.end(), [](const Use& use) { return !use.how.empty(); });
}

void DevicePrograms::tell(bool counting, std::vector<std::string>& warnings) const {
  for (const Use& use : uses_) {
    if (use.how.empty()) continue;
    const std::string turns = is_alone_ ? "" : "both sides share it, so they took turns instead of running at once";
    const std::string counts = counting ? "its instructions were not counted" : "";
    if (turns.empty() && counts.empty()) continue;
    warnings.push_back(use.program + " uses a device (" + use.how + "): " + turns +
                       (turns.empty() || counts.empty() ? "" : ", and ") + counts);
  }
}

std::vector<CountPair> DevicePrograms::without(std::vector<CountPair> pairs, CountChoice counts) const {
  std::vector<CountPair> kept;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (i >= uses_.size() || uses_[i].how.empty()) {
      kept.push_back(std::move(pairs[i]));
    } else if (counts == CountChoice::always) {
      fail_counts(pairs[i].baseline);
      fail_counts(pairs[i].candidate);
    }
  }
  return kept;
}

}  // namespace steelyard
