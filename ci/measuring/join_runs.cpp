#include "ci/measuring/join_runs.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "bench/environment/gpu_facts.hpp"
#include "bench/runner/fresh_copy.hpp"

namespace steelyard {
namespace {

template <class Items>
void append(Items& to, Items& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

// What is said of a comparison must hold of all its programs.
void keep_worse_pages(const std::map<std::string, std::string>& from, std::map<std::string, std::string>& to) {
  constexpr std::array kWorseLast{PagesOf::copied, PagesOf::reread, PagesOf::kept};
  const auto rank = [&](const std::map<std::string, std::string>& settings) {
    const auto at = settings.find(std::string(kPagesSetting));
    if (at == settings.end()) return std::size_t{0};
    return static_cast<std::size_t>(std::find_if(kWorseLast.begin(), kWorseLast.end(),
                                                 [&](PagesOf pages) { return to_text(pages) == at->second; }) -
                                    kWorseLast.begin());
  };
  if (rank(from) <= rank(to)) return;
  for (const std::string& name : {std::string(kPagesSetting), std::string("fresh_copies")}) {
    if (const auto at = from.find(name); at != from.end()) to[name] = at->second;
  }
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
  keep_worse_pages(part.header.settings, whole.header.settings);
  for (auto& [name, value] : part.header.settings) whole.header.settings.emplace(name, std::move(value));
}

}  // namespace steelyard
