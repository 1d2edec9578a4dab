#include "regress/targets/find_ceiling.hpp"

#include <algorithm>
#include <set>

#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"
#include "regress/targets/declared_target.hpp"

namespace steelyard::regress {
namespace {

const DeviceCeilings* find_device(const std::vector<DeviceCeilings>& devices, const std::string& name) {
  const auto at =
      std::find_if(devices.begin(), devices.end(), [&](const DeviceCeilings& device) { return device.device == name; });
  return at == devices.end() ? nullptr : &*at;
}

std::string no_device(const std::string& name) {
  if (name == "CPU") return "no ceilings of this machine are kept; " + std::string(kMeasureCeilings);
  return "no ceilings of the device \"" + name +
         "\" are known; `steelyard targets datasheet` lists those that are, and benchmarks ceiling/... of the same run "
         "measure them";
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

// Ceilings of the source that is asked for; unasked, a device's datasheet before what was measured.
std::vector<Ceiling> of_source(const std::vector<Ceiling>& ceilings, const std::string& source) {
  const auto is_sheets = [](const Ceiling& c) { return c.source != kMeasured; };
  if (source.empty()) {
    std::vector<Ceiling> sheets = those(ceilings, is_sheets);
    return sheets.empty() ? ceilings : sheets;
  }
  return those(ceilings, [&](const Ceiling& c) { return is_sheets(c) == (source == "datasheet"); });
}

std::string no_source(const std::string& what, const std::string& source) {
  if (source == "measured") {
    return "no measured ceiling of " + what +
           " is known of this device; benchmarks ceiling/... of the same run measure them, and `steelyard targets "
           "ceilings --from RUN` keeps them";
  }
  return "no datasheet with a ceiling of " + what +
         " is known for this device; `steelyard targets datasheet` lists them";
}

// What is beyond has been read wrongly: no device runs at a twentieth of its clock, or at twice.
constexpr double kMinClockRatio = 0.05;
constexpr double kMaxClockRatio = 2;

void scale_to_clock(Ceiling& ceiling, const std::optional<double>& clock_hz) {
  if (!clock_hz || !(ceiling.at_clock_hz > 0)) return;
  const double ratio = *clock_hz / ceiling.at_clock_hz;
  if (!(ratio >= kMinClockRatio && ratio <= kMaxClockRatio)) return;
  ceiling.value *= ratio;
  if (ceiling.low) *ceiling.low *= ratio;
  if (ceiling.high) *ceiling.high *= ratio;
  ceiling.scaled_to_hz = *clock_hz;
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
  if (const auto at = first([](const Target& t) { return !t.source.empty(); }); at != none) choice.source = at->source;
  return choice;
}

std::vector<std::string> names_of_device(const BenchmarkId& id, const std::vector<DeviceCeilings>& devices) {
  if (id.device.empty()) return {};
  std::vector<std::string> names{id.device};
  const DeviceCeilings* device = find_device(devices, id.device);
  if (device != nullptr && !device->sheet.empty()) names.push_back(device->sheet);
  return names;
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
  if (choice.access.empty()) {
    const std::vector<Ceiling> kept = of_source(level, choice.source);
    if (kept.empty()) return {std::nullopt, no_source(choice.level + " bandwidth", choice.source)};
    return of_threads(kept, choice.threads, choice.level + " bandwidth");
  }
  const std::vector<Ceiling> kept = those(level, [&](const Ceiling& c) { return c.access == choice.access; });
  if (kept.empty()) {
    return {std::nullopt, "no " + choice.level + " bandwidth of the access " + choice.access + " is known, only of " +
                              listed(level, [](const Ceiling& c) { return c.access; })};
  }
  const std::string what = choice.level + ' ' + choice.access + " bandwidth";
  const std::vector<Ceiling> asked = of_source(kept, choice.source);
  if (asked.empty()) return {std::nullopt, no_source(what, choice.source)};
  return of_threads(asked, choice.threads, what);
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
  const std::vector<Ceiling> kept = of_source(dtype, choice.source);
  if (kept.empty()) return {std::nullopt, no_source(choice.dtype + " arithmetic", choice.source)};
  FoundCeiling found = of_threads(kept, choice.threads, choice.dtype + " arithmetic");
  if (found.ceiling) scale_to_clock(*found.ceiling, choice.clock_hz);
  return found;
}

std::string name_of(const Ceiling& ceiling) {
  std::string name = ceiling.kind == CeilingKind::arithmetic ? ceiling.dtype : ceiling.level;
  if (!ceiling.access.empty()) name += ' ' + ceiling.access;
  if (ceiling.threads > 1) name += ", " + threads_text(ceiling.threads);
  constexpr double kGiga = 1e9;
  if (ceiling.scaled_to_hz > 0) name += " at " + decimals_text(ceiling.scaled_to_hz / kGiga, 2) + " GHz";
  if (ceiling.threads == 0) name += ceiling.source == kMeasured ? ", measured" : ", datasheet";
  return name;
}

}  // namespace steelyard::regress
