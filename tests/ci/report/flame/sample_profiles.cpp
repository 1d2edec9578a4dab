#include "tests/ci/report/flame/sample_profiles.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "bench/counting/algebra/profile_sum.hpp"
#include "bench/counting/reader/call_cycles.hpp"

namespace steelyard::testkit {

CountedProfile sample_profile(const std::vector<SampleFunction>& functions, const std::vector<SampleArc>& arcs,
                              std::int64_t iterations) {
  CountedProfile profile;
  profile.benchmark.name = "BM_sample";
  profile.iterations = iterations;
  profile.events = {"Ir"};
  profile.totals = {0};
  for (const SampleFunction& function : functions) {
    profile.functions.push_back({"/build/bench", "/src/sample.cpp", function.name, 7, 0, {function.self}, {0}});
    profile.totals.front() += function.self;
  }
  const auto index = [&](const std::string& name) {
    const auto at = std::find_if(functions.begin(), functions.end(), [&](const auto& f) { return f.name == name; });
    if (at == functions.end()) throw std::invalid_argument("no function " + name);
    return static_cast<std::uint32_t>(at - functions.begin());
  };
  for (const SampleArc& arc : arcs) {
    profile.arcs.push_back({index(arc.caller), index(arc.callee), arc.calls, {arc.inclusive}});
    profile.functions[index(arc.callee)].calls += arc.calls;
  }
  bench::set_inclusive_costs(profile.functions, profile.arcs, 1);
  return profile;
}

CountedProfile diamond() {
  return sample_profile({{"main", 10}, {"left", 20}, {"right", 30}, {"shared", 100}},
                        {{"main", "left", 95}, {"main", "right", 55}, {"left", "shared", 75}, {"right", "shared", 25}});
}

ci::JoinedProfile joined(const CountedProfile& candidate) {
  Result<ci::JoinedProfile> profile = ci::join_profiles({}, {&candidate}, "");
  if (!profile) throw std::runtime_error(profile.error().text());
  return *std::move(profile);
}

ci::JoinedProfile joined(const CountedProfile& baseline, const CountedProfile& candidate) {
  Result<ci::JoinedProfile> profile = ci::join_profiles({&baseline}, {&candidate}, "");
  if (!profile) throw std::runtime_error(profile.error().text());
  return *std::move(profile);
}

std::vector<CountedProfile> corpus(const std::string& file) {
  const auto path = std::filesystem::path(STEELYARD_SOURCE_FOLDER) / "tests/golden/callgrind" / file;
  Result<std::vector<bench::CallgrindPart>> parts = bench::read_callgrind(path);
  if (!parts) throw std::runtime_error(parts.error().text());
  std::vector<CountedProfile> profiles;
  for (const bench::CallgrindPart& part : *parts) profiles.push_back(bench::whole_profile(part));
  return profiles;
}

std::string stack_of(const ci::JoinedProfile& profile, const ci::StackTree& tree, std::size_t frame) {
  if (frame == 0) return "";
  const ci::StackFrame& shown = tree.frames[frame];
  const std::string below = stack_of(profile, tree, shown.parent);
  return (below.empty() ? "" : below + ";") + ci::frame_name(profile, shown);
}

}  // namespace steelyard::testkit
