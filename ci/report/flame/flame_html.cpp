#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "bench/model/text.hpp"
#include "ci/app/terminal_text.hpp"
#include "ci/attribution/own_source.hpp"
#include "ci/report/flame/flame_graph.hpp"
#include "ci/report/flame/flame_page.hpp"
#include "ci/report/flame/flame_tone.hpp"

namespace steelyard {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::size_t kLongestName = 500;

std::string shown(const std::string& text) { return shortened(printable(text, true), kLongestName, true); }

Json costs_json(const FunctionCosts& costs) {
  return costs.present ? Json::array({costs.self, costs.inclusive, costs.calls}) : Json(nullptr);
}

Json function_json(const JoinedFunction& function, bool has_baseline) {
  const std::string name = function.name.empty() ? "???" : shown(function.name);
  const std::string short_name = shown(short_function_name(function.name));
  Json json{{"name", name},
            {"short", short_name == name ? "" : short_name},
            {"place", shown(place_text(function))},
            {"costs", Json::array({has_baseline ? costs_json(function.costs.at(kBaselineSide)) : Json(nullptr),
                                   costs_json(function.costs.at(kCandidateSide))})}};
  if (!function.renamed_from.empty()) json["was"] = shown(function.renamed_from);
  return json;
}

Json side_json(const JoinedProfile& profile, std::size_t side, const std::string& name) {
  return {{"name", shown(name)},
          {"iterations", profile.iterations.at(side)},
          {"total", profile.totals.at(side)},
          {"negative", profile.negative.at(side)}};
}

// Functions that no frame shows are left out; frames are five numbers each (four without a baseline), in one list.
Json data_json(const JoinedProfile& profile, const StackTree& tree, const FlameCaption& caption) {
  Json data;
  data["event"] = profile.event;
  data["sides"] =
      Json::array({profile.has_baseline ? side_json(profile, kBaselineSide, caption.baseline_name) : Json(nullptr),
                   side_json(profile, kCandidateSide, caption.candidate_name)});
  data["tones"] = Json::array();
  for (const std::string_view tone : flame_tones()) data["tones"].push_back(tone);
  data["functions"] = Json::array();
  Json frames = Json::array();
  std::vector<int> index_of(profile.functions.size(), -1);
  for (const StackFrame& frame : tree.frames) {
    int function = frame.function == kAllFunctions ? -1 : -2;
    if (frame.function < index_of.size()) {
      int& index = index_of[frame.function];
      if (index < 0) {
        index = static_cast<int>(data["functions"].size());
        data["functions"].push_back(function_json(profile.functions[frame.function], profile.has_baseline));
      }
      function = index;
    }
    for (Json number :
         {Json(frame.depth), Json(function), Json(flame_tone(profile, frame)), Json(frame.total.at(kCandidateSide))}) {
      frames.push_back(std::move(number));
    }
    if (profile.has_baseline) frames.push_back(frame.total.at(kBaselineSide));
  }
  data["frames"] = std::move(frames);
  return data;
}

// Inside a script element nothing is an entity, and a '<' could end it.
std::string script_text(const Json& json) {
  std::string text;
  for (const char c : json.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

// Each @word@ of the page by its text, in one pass: what is filled in is not looked at again.
std::string filled(std::string_view page, const std::vector<std::pair<std::string_view, std::string>>& texts) {
  std::string result;
  while (!page.empty()) {
    std::size_t first = page.size();
    const std::pair<std::string_view, std::string>* found = nullptr;
    for (const auto& text : texts) {
      const std::size_t at = page.find(text.first);
      if (at < first) first = at, found = &text;
    }
    result += page.substr(0, first);
    if (found == nullptr) break;
    result += found->second;
    page.remove_prefix(first + found->first.size());
  }
  return result;
}

}  // namespace

std::string html_flame_graph(const JoinedProfile& profile, const StackTree& tree, const FlameCaption& caption) {
  return filled(kFlamePage, {{"@title@", markup_text(shown(caption.title))},
                             {"@style@", std::string(kFlameColors) + std::string(kFlameStyle)},
                             {"@data@", script_text(data_json(profile, tree, caption))},
                             {"@script@", std::string(kFlameScript)}});
}

}  // namespace steelyard
