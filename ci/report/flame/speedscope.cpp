#include "ci/report/flame/speedscope.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace steelyard {
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

}  // namespace steelyard
