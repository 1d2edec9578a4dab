#include "ci/attribution/changed_kernels.hpp"

#include <algorithm>
#include <map>

#include "bench/cuda/kernel_name.hpp"

namespace steelyard {
namespace {

constexpr std::string_view kKernels = "kernels:";
constexpr std::size_t kMostKernels = 1000;      // of one benchmark: a graph of more is no kernel's name's business
constexpr std::size_t kMostChangesTold = 3;     // of one benchmark
constexpr std::size_t kMostBenchmarksTold = 5;  // in the warning

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<std::string> split_names(std::string_view list) {
  std::vector<std::string> names;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= list.size() && names.size() < kMostKernels; ++i) {
    const char c = i < list.size() ? list[i] : ',';
    if (c == '<' || c == '(') ++depth;
    if ((c == '>' || c == ')') && depth > 0) --depth;
    const bool separates = i == list.size() || (c == ',' && depth == 0);
    if (!separates) continue;
    const std::string_view name = trimmed(list.substr(begin, i - begin));
    if (!name.empty()) names.emplace_back(name);
    begin = i + 1;
  }
  return names;
}

std::string sentence(const std::vector<std::string>& changes) {
  std::string text;
  for (std::size_t i = 0; i < std::min(changes.size(), kMostChangesTold); ++i)
    text += (i == 0 ? "" : "; ") + changes[i];
  if (changes.size() > kMostChangesTold) {
    text += "; and " + std::to_string(changes.size() - kMostChangesTold) + " more changes of kernels";
  }
  return text;
}

// By benchmark, as rows name it; none without changes.
using KernelChanges = std::map<std::string, std::vector<std::string>>;

KernelChanges changes_by_benchmark(const Run& baseline, const Run& candidate) {
  KernelChanges changes;
  for (const auto& [benchmark, label] : candidate.labels) {
    const auto before = baseline.labels.find(benchmark);
    if (before == baseline.labels.end()) continue;
    const std::vector<std::string> was = kernels_of_label(before->second);
    const std::vector<std::string> is = kernels_of_label(label);
    if (was.empty() || is.empty()) continue;
    std::vector<std::string> found = kernel_changes(was, is);
    if (!found.empty()) changes.emplace(benchmark, std::move(found));
  }
  return changes;
}

bool was_judged(const ComparisonRow& row) {
  return row.verdict == Verdict::regression || row.verdict == Verdict::improvement ||
         row.verdict == Verdict::unchanged || row.verdict == Verdict::inconclusive;
}

std::string warning_of(const KernelChanges& changes) {
  std::string text = "other kernels ran than before in " + std::to_string(changes.size()) +
                     (changes.size() == 1 ? " benchmark: " : " benchmarks: ");
  std::size_t told = 0;
  for (const auto& [benchmark, change] : changes) {
    if (told == kMostBenchmarksTold) return text + "; and others";
    text += (told++ == 0 ? "" : "; ") + benchmark + " (" + sentence(change) + ")";
  }
  return text;
}

}  // namespace

std::vector<std::string> kernels_of_label(std::string_view label) {
  while (!label.empty()) {
    const std::size_t end = std::min(label.find(';'), label.size());
    const std::string_view part = trimmed(label.substr(0, end));
    if (part.starts_with(kKernels)) return split_names(part.substr(kKernels.size()));
    label.remove_prefix(std::min(end + 1, label.size()));
  }
  return {};
}

void tell_changed_kernels(Comparison& comparison, const Run& baseline, const Run& candidate) {
  const KernelChanges changes = changes_by_benchmark(baseline, candidate);
  if (changes.empty()) return;
  for (ComparisonRow& row : comparison.rows) {
    const auto change = changes.find(row.benchmark);
    if (change == changes.end() || !was_judged(row)) continue;
    row.kernel_changes = change->second;
    row.reason = sentence(change->second) + "; " + row.reason;
  }
  comparison.warnings.push_back(warning_of(changes));
}

}  // namespace steelyard
