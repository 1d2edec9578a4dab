#include "ci/report/flame/stack_files.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

namespace steelyard::ci {
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

namespace {

using Json = nlohmann::ordered_json;

Json frames_json(const JoinedProfile& profile) {
  Json frames = Json::array();
  for (const JoinedFunction& function : profile.functions) {
    Json frame{{"name", function.name.empty() ? "???" : function.name}};
    if (!function.file.empty() && function.file != "???") {
      frame["file"] = function.file;
      if (function.line > 0) frame["line"] = function.line;
    }
    frames.push_back(std::move(frame));
  }
  frames.push_back({{"name", "(other)"}});
  return frames;
}

Json profile_json(const JoinedProfile& profile, const StackTree& tree, std::size_t side, const std::string& name) {
  Json samples = Json::array();
  Json weights = Json::array();
  std::vector<std::uint32_t> stack;
  for (const StackFrame& frame : tree.frames) {
    if (frame.depth == 0) continue;
    stack.resize(frame.depth - 1);
    const auto other = static_cast<std::uint32_t>(profile.functions.size());
    stack.push_back(std::min(frame.function, other));
    if (frame.self.at(side) == 0) continue;
    samples.push_back(stack);
    weights.push_back(frame.self.at(side));
  }
  return {{"type", "sampled"},
          {"name", name},
          {"unit", "none"},
          {"startValue", 0},
          {"endValue", profile.totals.at(side)},
          {"samples", std::move(samples)},
          {"weights", std::move(weights)}};
}

}  // namespace

std::string speedscope_json(const JoinedProfile& profile, const StackTree& tree, const std::string& title) {
  Json json;
  json["$schema"] = "https://www.speedscope.app/file-format-schema.json";
  json["exporter"] = "steelyard";
  json["name"] = title;
  json["activeProfileIndex"] = profile.has_baseline ? 1 : 0;
  json["shared"] = {{"frames", frames_json(profile)}};
  json["profiles"] = Json::array();
  const std::string of = profile.event + " of ";
  if (profile.has_baseline) {
    json["profiles"].push_back(profile_json(profile, tree, kBaselineSide, of + "the baseline"));
  }
  const std::string name = profile.has_baseline ? of + "the candidate" : of + title;
  json["profiles"].push_back(profile_json(profile, tree, kCandidateSide, name));
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace steelyard::ci
