#include "regress/targets/find_ceiling.hpp"

#include <algorithm>
#include <set>

#include "regress/ab/wording.hpp"
#include "regress/targets/dtype_name.hpp"

namespace steelyard {
namespace {

const DeviceCeilings* find_device(const std::vector<DeviceCeilings>& devices, const std::string& name) {
  const auto at =
      std::find_if(devices.begin(), devices.end(), [&](const DeviceCeilings& device) { return device.device == name; });
  return at == devices.end() ? nullptr : &*at;
}

std::string no_device(const std::string& name) {
  if (name == "CPU") return "no ceilings of this machine are kept; " + std::string(kMeasureCeilings);
  return "no ceilings of the device \"" + name + "\" are known; `steelyard targets datasheet` lists those that are";
}

template <class Of>
std::string listed(const std::vector<Ceiling>& ceilings, const Of& of) {
  std::set<std::string> names;
  for (const Ceiling& ceiling : ceilings) names.insert(of(ceiling));
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

template <class Is>
std::vector<Ceiling> those(const std::vector<Ceiling>& ceilings, const Is& is) {
  std::vector<Ceiling> kept;
  std::copy_if(ceilings.begin(), ceilings.end(), std::back_inserter(kept), is);
  return kept;
}

std::string threads_text(int threads) { return plural_text(threads, "thread"); }

// Of what is left, those of the threads; the fastest of them.
FoundCeiling of_threads(const std::vector<Ceiling>& ceilings, int threads, const std::string& what) {
  const std::vector<Ceiling> kept =
      those(ceilings, [&](const Ceiling& c) { return c.threads == 0 || c.threads == threads; });
  if (kept.empty()) {
    return {std::nullopt, "the ceiling of " + what + " was measured with " +
                              listed(ceilings, [](const Ceiling& c) { return std::to_string(c.threads); }) +
                              " threads, not with " + std::to_string(threads) +
                              "; run the benchmark with one of these, or declare threads"};
  }
  const auto fastest =
      std::max_element(kept.begin(), kept.end(), [](const Ceiling& a, const Ceiling& b) { return a.value < b.value; });
  if (fastest->value > 0) return {*fastest, ""};
  return {std::nullopt, "the ceiling of " + what + " is no rate above 0; " + std::string(kMeasureCeilings)};
}

}  // namespace

CeilingChoice ceiling_choice(const BenchmarkId& id, const std::vector<Target>& targets) {
  CeilingChoice choice;
  if (!id.device.empty()) choice.device = id.device;
  choice.dtype = dtype_of(id).value_or("");
  choice.threads = std::max(1, id.threads.value_or(1));
  const auto first = [&](auto&& said) {
    return std::find_if(targets.begin(), targets.end(), [&](const Target& target) { return said(target); });
  };
  const auto none = targets.end();
  if (const auto at = first([](const Target& t) { return !t.level.empty(); }); at != none) choice.level = at->level;
  if (const auto at = first([](const Target& t) { return !t.access.empty(); }); at != none) choice.access = at->access;
  if (const auto at = first([](const Target& t) { return !t.dtype.empty(); }); at != none) choice.dtype = at->dtype;
  if (const auto at = first([](const Target& t) { return t.threads.has_value(); }); at != none) {
    choice.threads = *at->threads;
  }
  return choice;
}

FoundCeiling find_bandwidth(const std::vector<DeviceCeilings>& devices, const CeilingChoice& choice) {
  const DeviceCeilings* device = find_device(devices, choice.device);
  if (device == nullptr) return {std::nullopt, no_device(choice.device)};
  const std::vector<Ceiling> all =
      those(device->ceilings, [](const Ceiling& c) { return c.kind == CeilingKind::bandwidth; });
  const std::vector<Ceiling> level = those(all, [&](const Ceiling& c) { return c.level == choice.level; });
  if (level.empty()) {
    const std::string known = listed(all, [](const Ceiling& c) { return c.level; });
    return {std::nullopt, "no bandwidth of " + choice.level + " is known of this device" +
                              (known.empty() ? "; " + std::string(kMeasureCeilings) : ", only of " + known)};
  }
  if (choice.access.empty()) return of_threads(level, choice.threads, choice.level + " bandwidth");
  const std::vector<Ceiling> kept = those(level, [&](const Ceiling& c) { return c.access == choice.access; });
  if (kept.empty()) {
    return {std::nullopt, "no " + choice.level + " bandwidth of the access " + choice.access + " is known, only of " +
                              listed(level, [](const Ceiling& c) { return c.access; })};
  }
  return of_threads(kept, choice.threads, choice.level + ' ' + choice.access + " bandwidth");
}

FoundCeiling find_arithmetic(const std::vector<DeviceCeilings>& devices, const CeilingChoice& choice) {
  const DeviceCeilings* device = find_device(devices, choice.device);
  if (device == nullptr) return {std::nullopt, no_device(choice.device)};
  if (choice.dtype.empty()) {
    return {std::nullopt,
            "the benchmark does not say which dtype it calculates in; declare dtype beside the target, "
            "or name it in the benchmark (/f32, <float>)"};
  }
  const std::vector<Ceiling> all =
      those(device->ceilings, [](const Ceiling& c) { return c.kind == CeilingKind::arithmetic; });
  const std::vector<Ceiling> dtype = those(all, [&](const Ceiling& c) { return c.dtype == choice.dtype; });
  if (dtype.empty()) {
    const std::string known = listed(all, [](const Ceiling& c) { return c.dtype; });
    return {std::nullopt, "no arithmetic ceiling of " + choice.dtype + " is known of this device" +
                              (known.empty() ? "; " + std::string(kMeasureCeilings) : ", only of " + known)};
  }
  return of_threads(dtype, choice.threads, choice.dtype + " arithmetic");
}

std::string name_of(const Ceiling& ceiling) {
  std::string name = ceiling.kind == CeilingKind::arithmetic ? ceiling.dtype : ceiling.level;
  if (!ceiling.access.empty()) name += ' ' + ceiling.access;
  if (ceiling.threads > 1) name += ", " + threads_text(ceiling.threads);
  return name;
}

}  // namespace steelyard
