#include "bench/doctor/diagnose.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

#include "bench/doctor/checks.hpp"

namespace steelyard {

std::string FactReader::text(std::string_view name) const {
  const std::string* value = environment_.find(name);
  return value == nullptr ? "" : *value;
}

std::optional<double> FactReader::number(std::string_view name) const {
  const std::string* value = environment_.find(name);
  if (value == nullptr) return std::nullopt;
  double number = 0;
  const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), number);
  if (error != std::errc() || end != value->data() + value->size()) return std::nullopt;
  return number;
}

std::string percent(double share) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), share < 0.1 ? "%.2g %%" : "%.0f %%", 100 * share);
  return text.data();
}

std::string_view to_text(Severity severity) {
  switch (severity) {
    case Severity::severe:
      return "severe";
    case Severity::warning:
      return "warning";
    case Severity::note:
      return "note";
  }
  return "";
}

std::string_view to_text(Fitness fitness) {
  switch (fitness) {
    case Fitness::fit:
      return "fit";
    case Fitness::unknown:
      return "unknown";
    case Fitness::with_care:
      return "with care";
    case Fitness::not_fit:
      return "not fit";
  }
  return "";
}

namespace {

// Without these a machine cannot be called fit, whatever the rest looks like.
bool shows_enough(const FactReader& facts) {
  for (const char* fact : {"cpu.model", "cpu.threads", "cpu.governor", "load", "kernel.clocksource"}) {
    if (!facts.has(fact)) return false;
  }
  return true;
}

Fitness fitness_of(const FactReader& facts, const Findings& worst_first) {
  const Severity worst = worst_first.empty() ? Severity::note : worst_first.front().severity;
  if (worst == Severity::severe) return Fitness::not_fit;
  if (worst == Severity::warning) return Fitness::with_care;
  return shows_enough(facts) ? Fitness::fit : Fitness::unknown;
}

}  // namespace

Diagnosis diagnose(const Environment& environment, const std::optional<ProbeResult>& probe) {
  const FactReader facts(environment);
  Diagnosis diagnosis;
  Findings& findings = diagnosis.findings;
  // By the size of what each is known to do to a timing.
  check_program(facts, findings);
  check_copies(facts, findings);
  if (probe) check_probe(*probe, findings);
  check_power(facts, findings);
  check_load(facts, findings);
  check_hypervisor(facts, findings);
  check_frequency(facts, findings);
  check_threads(facts, findings);
  check_memory(facts, findings);
  check_kernel(facts, findings);
  check_devices(facts, findings);
  list_unseen(facts, diagnosis.unseen);
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.severity < b.severity; });
  diagnosis.fitness = fitness_of(facts, findings);
  return diagnosis;
}

}  // namespace steelyard
