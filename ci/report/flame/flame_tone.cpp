#include "ci/report/flame/flame_tone.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "bench/model/number_text.hpp"

namespace steelyard {
namespace {

constexpr std::size_t kPlain = 0, kOther = 1, kOwn = 2, kLibrary = 5, kGrew = 8, kShrank = 13;
constexpr std::array<double, 3> kSteps{0.01, 0.05, 0.2};  // between the tones 1 to 4

// FNV-1a, so that a function has its shade on every machine.
std::size_t shade_of(std::string_view name) {
  std::uint32_t hash = 2166136261U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return (hash >> 16U) % 3;
}

bool is_library(const std::string& object) {
  const std::string name = std::filesystem::path(object).filename().string();
  return name.ends_with(".so") || name.find(".so.") != std::string::npos;
}

double change_of(const JoinedProfile& profile, const StackFrame& frame) {
  const double from = cost_an_iteration(profile, frame.total.at(kBaselineSide), kBaselineSide);
  const double to = cost_an_iteration(profile, frame.total.at(kCandidateSide), kCandidateSide);
  // A frame's cost is exact to one instruction of all iterations; at different numbers of them that can differ.
  const auto fewest = std::min(profile.iterations.at(kBaselineSide), profile.iterations.at(kCandidateSide));
  const bool same_count = profile.iterations.at(kBaselineSide) == profile.iterations.at(kCandidateSide);
  const double rounding = same_count ? 0 : 1 / static_cast<double>(fewest);
  return std::abs(to - from) <= rounding ? 0 : to - from;
}

bool is_of_one_side(const StackFrame& frame) {
  return frame.total.at(kBaselineSide) == 0 || frame.total.at(kCandidateSide) == 0;
}

}  // namespace

const std::vector<std::string_view>& flame_tones() {
  static const std::vector<std::string_view> kTones{
      "plain",  "other",  "own-0",  "own-1",  "own-2",    "lib-0",    "lib-1",    "lib-2",    "grew-1",
      "grew-2", "grew-3", "grew-4", "grew-5", "shrank-1", "shrank-2", "shrank-3", "shrank-4", "shrank-5"};
  return kTones;
}

double cost_an_iteration(const JoinedProfile& profile, std::int64_t cost, std::size_t side) {
  return static_cast<double>(cost) / static_cast<double>(profile.iterations.at(side));
}

std::size_t flame_tone(const JoinedProfile& profile, const StackFrame& frame) {
  if (profile.has_baseline) {
    const double change = change_of(profile, frame);
    if (change == 0) return kPlain;
    const std::size_t first = change > 0 ? kGrew : kShrank;
    if (is_of_one_side(frame)) return first + 4;
    const double larger = std::max(cost_an_iteration(profile, frame.total.at(kBaselineSide), kBaselineSide),
                                   cost_an_iteration(profile, frame.total.at(kCandidateSide), kCandidateSide));
    const double part = std::abs(change) / larger;
    return first + static_cast<std::size_t>(
                       std::count_if(kSteps.begin(), kSteps.end(), [&](double step) { return part >= step; }));
  }
  if (frame.function >= profile.functions.size()) return kOther;
  const JoinedFunction& function = profile.functions[frame.function];
  return (is_library(function.object) ? kLibrary : kOwn) + shade_of(function.name);
}

std::string change_mark(const JoinedProfile& profile, const StackFrame& frame) {
  if (!profile.has_baseline || flame_tone(profile, frame) == kPlain) return "";
  if (is_of_one_side(frame)) return frame.total.at(kBaselineSide) == 0 ? "new" : "gone";
  const double ratio = cost_an_iteration(profile, frame.total.at(kCandidateSide), kCandidateSide) /
                       cost_an_iteration(profile, frame.total.at(kBaselineSide), kBaselineSide);
  // Too small for digits that anyone reads, but not nothing.
  if (std::abs(ratio - 1) < 1e-4) return ratio > 1 ? "+<0.01 %" : "-<0.01 %";
  return change_cell(ratio);
}

}  // namespace steelyard
