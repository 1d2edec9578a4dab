#include "regress/targets/declared_target.hpp"

#include <algorithm>

#include "regress/targets/dtype_name.hpp"

namespace steelyard {
namespace {

bool matches_whole(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;  // where the text goes on when the last '*' takes one character more
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || (pattern[p] == text[t] && pattern[p] != '*'))) {
      ++p, ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace

bool matches_pattern(std::string_view pattern, std::string_view benchmark) {
  if (matches_whole(pattern, benchmark)) return true;
  const std::size_t suffix = benchmark.rfind(" [");
  return suffix != std::string_view::npos && benchmark.ends_with(']') &&
         matches_whole(pattern, benchmark.substr(0, suffix));
}

bool is_for_device(const Target& target, const std::vector<std::string>& device_names) {
  if (target.device.empty()) return true;
  const std::string pattern = lower_case(target.device);
  return std::any_of(device_names.begin(), device_names.end(),
                     [&](const std::string& name) { return matches_whole(pattern, lower_case(name)); });
}

std::vector<Target> targets_of(std::string_view benchmark, const std::vector<DeclaredTarget>& configured,
                               const std::vector<DeclaredTarget>& of_program,
                               const std::vector<std::string>& device_names) {
  std::vector<Target> targets;
  const auto take = [&](const Target& one) {
    const bool has_kind = std::any_of(targets.begin(), targets.end(), [&](const Target& target) {
      return target.of == one.of && target.metric == one.metric;
    });
    if (!has_kind) targets.push_back(one);
  };
  for (const DeclaredTarget& one : configured) {
    if (matches_pattern(one.benchmark, benchmark) && is_for_device(one.target, device_names)) take(one.target);
  }
  for (const DeclaredTarget& one : of_program) {
    if (one.benchmark == benchmark) take(one.target);
  }
  return targets;
}

}  // namespace steelyard
