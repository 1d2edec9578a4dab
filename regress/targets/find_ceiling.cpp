#include "regress/targets/find_ceiling.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "bench/model/dtype.hpp"
#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"

namespace steelyard::regress {
namespace {

const DeviceCeilings* find_device(const std::vector<DeviceCeilings>& devices, const std::string& name) {
  const auto at =
      std::find_if(devices.begin(), devices.end(), [&](const DeviceCeilings& device) { return device.device == name; });
  return at == devices.end() ? nullptr : &*at;
}

template <class Of>
std::vector<std::string> listed(const std::vector<Ceiling>& ceilings, const Of& of) {
  std::set<std::string> names;
  for (const Ceiling& ceiling : ceilings) names.insert(of(ceiling));
  return {names.begin(), names.end()};
}

FoundCeiling none(MissingCeiling missing, MissingCeiling::Why why, std::vector<std::string> known = {}) {
  missing.why = why;
  missing.known = std::move(known);
  return {std::nullopt, std::move(missing)};
}

// What is looked for.
MissingCeiling wanted(CeilingKind kind, const CeilingChoice& choice) {
  const bool is_bandwidth = kind == CeilingKind::bandwidth;
  MissingCeiling wanted;
  wanted.kind = kind;
  wanted.device = choice.device;
  wanted.name = is_bandwidth ? choice.level : choice.dtype;
  if (is_bandwidth) wanted.access = choice.access;
  wanted.source = choice.source;
  wanted.threads = choice.threads;
  return wanted;
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

// Of those of the source, those of the threads; the fastest of them.
FoundCeiling fastest_of(const std::vector<Ceiling>& ceilings, const MissingCeiling& missing) {
  using Why = MissingCeiling::Why;
  const std::vector<Ceiling> asked = of_source(ceilings, missing.source);
  if (asked.empty()) return none(missing, Why::source);
  const std::vector<Ceiling> kept =
      those(asked, [&](const Ceiling& c) { return c.threads == 0 || c.threads == missing.threads; });
  if (kept.empty()) {
    return none(missing, Why::threads, listed(asked, [](const Ceiling& c) { return std::to_string(c.threads); }));
  }
  const auto fastest =
      std::max_element(kept.begin(), kept.end(), [](const Ceiling& a, const Ceiling& b) { return a.value < b.value; });
  return fastest->value > 0 ? FoundCeiling{*fastest, {}} : none(missing, Why::rate);
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
  const MissingCeiling missing = wanted(CeilingKind::bandwidth, choice);
  const DeviceCeilings* device = find_device(devices, choice.device);
  if (device == nullptr) return none(missing, MissingCeiling::Why::device);
  const std::vector<Ceiling> all =
      those(device->ceilings, [](const Ceiling& c) { return c.kind == CeilingKind::bandwidth; });
  const std::vector<Ceiling> level = those(all, [&](const Ceiling& c) { return c.level == choice.level; });
  if (level.empty()) {
    return none(missing, MissingCeiling::Why::name, listed(all, [](const Ceiling& c) { return c.level; }));
  }
  if (choice.access.empty()) return fastest_of(level, missing);
  if (of_source(level, choice.source).empty()) return none(missing, MissingCeiling::Why::source);
  const std::vector<Ceiling> kept = those(level, [&](const Ceiling& c) { return c.access == choice.access; });
  if (kept.empty()) {
    return none(missing, MissingCeiling::Why::access, listed(level, [](const Ceiling& c) { return c.access; }));
  }
  return fastest_of(kept, missing);
}

FoundCeiling find_arithmetic(const std::vector<DeviceCeilings>& devices, const CeilingChoice& choice) {
  const MissingCeiling missing = wanted(CeilingKind::arithmetic, choice);
  const DeviceCeilings* device = find_device(devices, choice.device);
  if (device == nullptr) return none(missing, MissingCeiling::Why::device);
  if (choice.dtype.empty()) return none(missing, MissingCeiling::Why::unnamed);
  const std::vector<Ceiling> all =
      those(device->ceilings, [](const Ceiling& c) { return c.kind == CeilingKind::arithmetic; });
  const std::vector<Ceiling> dtype = those(all, [&](const Ceiling& c) { return c.dtype == choice.dtype; });
  if (dtype.empty()) {
    return none(missing, MissingCeiling::Why::name, listed(all, [](const Ceiling& c) { return c.dtype; }));
  }
  FoundCeiling found = fastest_of(dtype, missing);
  if (found.ceiling) scale_to_clock(*found.ceiling, choice.clock_hz);
  return found;
}

std::string name_of(const Ceiling& ceiling) {
  std::string name = ceiling.kind == CeilingKind::arithmetic ? ceiling.dtype : ceiling.level;
  if (!ceiling.access.empty()) name += ' ' + ceiling.access;
  if (ceiling.threads > 1) name += ", " + plural_text(ceiling.threads, "thread");
  constexpr double kGiga = 1e9;
  if (ceiling.scaled_to_hz > 0) name += " at " + decimals_text(ceiling.scaled_to_hz / kGiga, 2) + " GHz";
  if (ceiling.threads == 0) name += ceiling.source == kMeasured ? ", measured" : ", datasheet";
  return name;
}

}  // namespace steelyard::regress
