#include "ci/report/flame/folded_stacks.hpp"

#include <numeric>
#include <optional>
#include <vector>

namespace steelyard {
namespace {

std::string folded_name(const std::string& name) {
  std::string text;
  for (const char c : name) {
    const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    text += c == ';' ? ':' : is_control ? ' ' : c;
  }
  // A frame without a name would read as two separators in a row.
  return text.empty() ? "???" : text;
}

// By how much each side's costs are multiplied, so that both are of equally many iterations.
std::optional<BySide<std::int64_t>> factors(const JoinedProfile& profile) {
  if (!profile.has_baseline) return BySide<std::int64_t>{1, 1};
  const std::int64_t shared = std::gcd(profile.iterations.at(kBaselineSide), profile.iterations.at(kCandidateSide));
  BySide<std::int64_t> factor;
  for (const std::size_t side : {kBaselineSide, kCandidateSide}) {
    factor.at(side) = profile.iterations.at(1 - side) / shared;
    std::int64_t ignored = 0;
    if (__builtin_mul_overflow(profile.totals.at(side), factor.at(side), &ignored)) return std::nullopt;
  }
  return factor;
}

}  // namespace

Result<std::string> folded_stacks(const JoinedProfile& profile, const StackTree& tree) {
  const std::optional<BySide<std::int64_t>> factor = factors(profile);
  if (!factor) {
    return input_error("folded stacks of both sides", "costs beyond 63 bits at a common number of iterations",
                       "fewer iterations", "write the stacks of each side alone");
  }
  std::string text;
  std::string stack;
  std::vector<std::size_t> length_at;  // of `stack`, by depth
  for (const StackFrame& frame : tree.frames) {
    length_at.resize(frame.depth);
    stack.resize(length_at.empty() ? 0 : length_at.back());
    if (frame.depth > 0) {
      if (!stack.empty()) stack += ';';
      stack += folded_name(frame_name(profile, frame));
    }
    length_at.push_back(stack.size());
    if (frame.self == BySide<std::int64_t>{}) continue;
    text += stack;
    if (profile.has_baseline) text += ' ' + std::to_string(frame.self.at(kBaselineSide) * factor->at(kBaselineSide));
    text += ' ' + std::to_string(frame.self.at(kCandidateSide) * factor->at(kCandidateSide)) + '\n';
  }
  return text;
}

}  // namespace steelyard
