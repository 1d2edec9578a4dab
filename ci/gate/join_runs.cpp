#include "ci/gate/join_runs.hpp"

#include <iterator>
#include <utility>

#include "bench/environment/gpu_facts.hpp"

namespace steelyard {
namespace {

template <class Items>
void append(Items& to, Items& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace

void join_run(Run& whole, Run part) {
  const auto offset = static_cast<std::uint32_t>(whole.invocations.size());
  for (Measurement& measurement : part.measurements) {
    for (InvocationSamples& samples : measurement.invocations) samples.invocation += offset;
    for (InvocationSamples& samples : measurement.set_aside) samples.invocation += offset;
  }
  append(whole.invocations, part.invocations);
  append(whole.measurements, part.measurements);
  append(whole.profiles, part.profiles);
  append(whole.failures, part.failures);
  whole.labels.merge(part.labels);
  if (whole.header.session.empty() && !part.header.session.empty()) {
    whole.header.session = part.header.session;
    whole.header.layout = part.header.layout;
    whole.environment = std::move(part.environment);
    whole.header.settings.swap(part.header.settings);
  } else if (whole.header.layout != part.header.layout && is_concurrent(whole.header.layout) &&
             is_concurrent(part.header.layout)) {
    whole.header.layout = Layout::interleaved;
  }
  // The facts of a device that some of the programs use, wherever these stand among the programs.
  if (whole.environment.find(kGpuUuid) == nullptr && part.environment.find(kGpuUuid) != nullptr) {
    take_device_facts(part.environment, whole.environment);
  }
  for (auto& [name, value] : part.header.settings) whole.header.settings.emplace(name, std::move(value));
}

}  // namespace steelyard
