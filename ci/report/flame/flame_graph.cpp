#include "ci/report/flame/flame_graph.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/counting/count.hpp"
#include "bench/model/number_text.hpp"
#include "bench/model/text.hpp"
#include "ci/attribution/own_source.hpp"
#include "ci/report/flame/flame_page.hpp"
#include "ci/report/markup.hpp"

namespace steelyard::ci {
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
  return change_text(ratio);
}

// Frames from the top down, as wide as they cost; each is a rectangle with a title, which browsers show as a tooltip.

namespace {

constexpr double kFlameWidth = 1200, kMargin = 10;  // pixels
constexpr double kHeader = 64, kRow = 18, kFooterRow = 17;
constexpr double kMinPixels = 0.5;
constexpr double kMinInlinedPixels = 2;  // one of many pictures in a page
constexpr double kCharacter = 6.7;       // of the monospaced font at 11 px, a little wide
constexpr std::size_t kLongestTitle = 110;
constexpr std::size_t kLongestFrameName = 300;
constexpr std::size_t kMaxGone = 8;

constexpr const char* kSvgStyle = R"css(
 .flame text { font: 11px ui-monospace, "DejaVu Sans Mono", monospace; fill: var(--ink) }
 .flame text.title { font: 600 15px system-ui, "DejaVu Sans", sans-serif }
 .flame text.note { font: 12px system-ui, "DejaVu Sans", sans-serif; fill: var(--dim) }
 .flame rect { stroke: var(--edge); stroke-width: .6 }
 .flame g > rect, .flame .swatch { fill: var(--fill) }
 .flame .back { fill: var(--back); stroke: none }
)css";

std::string escaped(const std::string& text) { return markup_text(printable(text, true)); }

// "1,234", of an iteration with two decimals where that is not whole.
std::string cost_text(const JoinedProfile& profile, std::int64_t cost, std::size_t side) {
  const std::int64_t iterations = profile.iterations.at(side);
  return cost % iterations == 0 ? grouped_text(cost / iterations)
                                : decimal_text(cost_an_iteration(profile, cost, side), 2);
}

std::string short_name_of(const JoinedFunction& function) {
  return function.is_span ? function.name : short_function_name(function.name);
}

class FlameDrawing {
 public:
  FlameDrawing(const JoinedProfile& profile, const StackTree& tree, const FlameCaption& caption, SvgForm form)
      : profile_(profile), tree_(tree), caption_(caption), form_(form) {}

  std::string draw() {
    const std::string frames = frames_text();
    const double chart = kRow * (deepest_ + 1);
    const std::vector<std::string> gone = only_in_baseline();
    const double height = kHeader + chart + kFooterRow * static_cast<double>(2 + gone.size()) + 8;
    const bool is_inlined = form_ == SvgForm::inlined;
    std::string text = fmt::format(
        "<svg class=\"flame\"{0} viewBox=\"0 0 {1:.0f} {2:.0f}\" role=\"img\" aria-label=\"{3}\">\n{4}"
        "<rect class=\"back\" width=\"{1:.0f}\" height=\"{2:.0f}\"/>\n",
        is_inlined ? ""
                   : fmt::format(" xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0f}\" height=\"{:.0f}\"",
                                 kFlameWidth, height),
        kFlameWidth, height, escaped("Flame graph of " + caption_.title),
        is_inlined ? "" : "<style>" + std::string(flame_style()) + "</style>\n");
    text += line(kMargin, 24, "title", shortened(caption_.title, kLongestTitle, true));
    text += line(kMargin, 44, "note", totals_text());
    text += legend() + frames;
    double y = kHeader + chart + kFooterRow;
    text += line(kMargin, y, "note",
                 "Where a function has several callers its cost is split in proportion to what their calls cost; costs "
                 "of whole functions are exact.");
    for (const std::string& name : gone) text += line(kMargin, y += kFooterRow, "note", name);
    return text + "</svg>\n";
  }

 private:
  static std::string line(double x, double y, const char* kind, const std::string& words) {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">{}</text>\n", x, y, kind, escaped(words));
  }

  std::string unit() const {
    const bool one_each = profile_.iterations == BySide<std::int64_t>{1, 1};
    return profile_.event + (one_each ? "" : " an iteration");
  }

  std::string totals_text() const {
    const StackFrame& all = tree_.frames.front();
    const std::string to = cost_text(profile_, all.total.at(kCandidateSide), kCandidateSide);
    if (!profile_.has_baseline) return to + " " + unit();
    const std::string mark = change_mark(profile_, all);
    return unit() + ": " + cost_text(profile_, all.total.at(kBaselineSide), kBaselineSide) + " in the baseline, " + to +
           " in the candidate, " + (mark.empty() ? "unchanged" : mark) + "; width by the candidate";
  }

  std::string legend() const {
    if (!profile_.has_baseline) return "";
    std::string text;
    double x = kFlameWidth - kMargin - 330;
    const auto swatch = [&](std::string_view tone) {
      text += fmt::format("<rect x=\"{:.1f}\" y=\"34\" width=\"14\" height=\"12\" class=\"swatch {}\"/>\n", x, tone);
      x += 14;
    };
    for (const char* tone : {"shrank-5", "shrank-4", "shrank-3", "shrank-2", "shrank-1"}) swatch(tone);
    text += line(x + 4, 44, "note", "- shrank");
    x += 70;
    for (const char* tone : {"grew-1", "grew-2", "grew-3", "grew-4", "grew-5"}) swatch(tone);
    return text + line(x + 4, 44, "note", "+ grew");
  }

  std::string frames_text() {
    const std::int64_t whole = tree_.frames.front().total.at(kCandidateSide);
    if (whole <= 0) return "";
    const double pixels = (kFlameWidth - 2 * kMargin) / static_cast<double>(whole);
    std::vector<std::int64_t> next(1, 0);  // where the next frame of each depth starts, in cost
    std::string text;
    for (const StackFrame& frame : tree_.frames) {
      next.resize(frame.depth + 2);
      const std::int64_t start = next[frame.depth];
      const std::int64_t cost = frame.total.at(kCandidateSide);
      next[frame.depth] += cost;
      next[frame.depth + 1] = start;
      const double width = static_cast<double>(cost) * pixels;
      if (width < (form_ == SvgForm::document ? kMinPixels : kMinInlinedPixels)) continue;
      text += frame_text(frame, kMargin + static_cast<double>(start) * pixels, width);
      deepest_ = std::max(deepest_, static_cast<double>(frame.depth));
    }
    return text;
  }

  std::string frame_text(const StackFrame& frame, double x, double width) const {
    const double y = kHeader + kRow * frame.depth;
    std::string text = fmt::format(
        "<g><title>{}</title><rect x=\"{:.2f}\" y=\"{:.0f}\" width=\"{:.2f}\" height=\"{:.0f}\" class=\"{}\"/>",
        tooltip(frame), x, y, width, kRow, flame_tones()[flame_tone(profile_, frame)]);
    const auto room = static_cast<std::size_t>(std::max(0.0, (width - 6) / kCharacter));
    if (room >= 5) text += fmt::format("<text x=\"{:.2f}\" y=\"{:.0f}\">{}</text>", x + 3, y + 13, label(frame, room));
    return text + "</g>\n";
  }

  // The change stands behind the name where both have room.
  std::string label(const StackFrame& frame, std::size_t room) const {
    const bool is_function = frame.function < profile_.functions.size();
    const std::string& full = frame_name(profile_, frame);
    const std::string name = printable(is_function ? short_name_of(profile_.functions[frame.function]) : full, true);
    const std::string mark = change_mark(profile_, frame);
    const bool has_room = !mark.empty() && columns_of(name) + 2 + mark.size() <= room;
    return markup_text(shortened(name, room, true) + (has_room ? "  " + mark : ""));
  }

  // In markup already: its lines are what `escaped` would replace.
  std::string tooltip(const StackFrame& frame) const {
    const auto named = [](const std::string& name) { return escaped(shortened(name, kLongestFrameName, true)); };
    std::string text = named(frame_name(profile_, frame));
    const bool is_function = frame.function < profile_.functions.size();
    if (is_function) {
      const JoinedFunction& function = profile_.functions[frame.function];
      if (!function.renamed_from.empty()) text += "\nwas " + named(function.renamed_from);
      if (const std::string place = place_text(function); !place.empty()) text += "\n" + named(place);
    }
    const auto costs = [&](const std::string& what, std::int64_t baseline, std::int64_t candidate) {
      text += "\n" + what + ": " + cost_text(profile_, candidate, kCandidateSide);
      if (!profile_.has_baseline) return;
      const double change =
          cost_an_iteration(profile_, candidate, kCandidateSide) - cost_an_iteration(profile_, baseline, kBaselineSide);
      text += ", baseline " + cost_text(profile_, baseline, kBaselineSide) + ", change " + cost_change_text(change);
    };
    costs("this frame", frame.total.at(kBaselineSide), frame.total.at(kCandidateSide));
    const std::string mark = change_mark(profile_, frame);
    if (!mark.empty()) text += " (" + markup_text(mark) + ")";
    if (!is_function) return text;
    const BySide<FunctionCosts>& of = profile_.functions[frame.function].costs;
    costs("function, self", of.at(kBaselineSide).self, of.at(kCandidateSide).self);
    costs("function, inclusive", of.at(kBaselineSide).inclusive, of.at(kCandidateSide).inclusive);
    costs("calls", of.at(kBaselineSide).calls, of.at(kCandidateSide).calls);
    return text;
  }

  // What has no width in this picture.
  std::vector<std::string> only_in_baseline() const {
    std::vector<const JoinedFunction*> gone;
    for (const JoinedFunction& function : profile_.functions) {
      const bool had_cost = function.costs.at(kBaselineSide).self > 0;
      if (had_cost && !function.costs.at(kCandidateSide).present) gone.push_back(&function);
    }
    std::stable_sort(gone.begin(), gone.end(), [](const JoinedFunction* a, const JoinedFunction* b) {
      return a->costs.at(kBaselineSide).self > b->costs.at(kBaselineSide).self;
    });
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < std::min(gone.size(), kMaxGone); ++i) {
      lines.push_back("Only in the baseline: " + shortened(gone[i]->name, 120, true) + ", self " +
                      cost_text(profile_, gone[i]->costs.at(kBaselineSide).self, kBaselineSide));
    }
    if (gone.size() > kMaxGone) lines.push_back("and " + std::to_string(gone.size() - kMaxGone) + " more");
    return lines;
  }

  const JoinedProfile& profile_;
  const StackTree& tree_;
  const FlameCaption& caption_;
  SvgForm form_;
  double deepest_ = 0;
};

}  // namespace

std::string svg_flame_graph(const JoinedProfile& profile, const StackTree& tree, const FlameCaption& caption,
                            SvgForm form) {
  return FlameDrawing(profile, tree, caption, form).draw();
}

std::string_view flame_style() {
  static const std::string kStyle = std::string(kFlameColors) + kSvgStyle;
  return kStyle;
}

namespace {

constexpr std::size_t kLongestShown = 500;

std::string frame_shown(const std::string& text) { return shortened(printable(text, true), kLongestShown, true); }

Json costs_json(const FunctionCosts& costs) {
  return costs.present ? Json::array({costs.self, costs.inclusive, costs.calls}) : Json(nullptr);
}

Json function_json(const JoinedFunction& function, bool has_baseline) {
  const std::string name = function.name.empty() ? "???" : frame_shown(function.name);
  const std::string short_name = frame_shown(short_name_of(function));
  Json json{{"name", name},
            {"short", short_name == name ? "" : short_name},
            {"place", frame_shown(place_text(function))},
            {"costs", Json::array({has_baseline ? costs_json(function.costs.at(kBaselineSide)) : Json(nullptr),
                                   costs_json(function.costs.at(kCandidateSide))})}};
  if (!function.renamed_from.empty()) json["was"] = frame_shown(function.renamed_from);
  return json;
}

Json side_json(const JoinedProfile& profile, std::size_t side, const std::string& name) {
  return {{"name", frame_shown(name)},
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

}  // namespace

std::string html_flame_graph(const JoinedProfile& profile, const StackTree& tree, const FlameCaption& caption) {
  const std::string style = std::string(kFlameColors) + std::string(kFlameStyle);
  return html::filled(kFlamePage, {{"@title@", html::text(caption.title, kLongestShown)},
                                   {"@policy@", html::content_security_policy(style, kFlameScript)},
                                   {"@style@", style},
                                   {"@data@", html::script_text(data_json(profile, tree, caption))},
                                   {"@script@", std::string(kFlameScript)}});
}

namespace {

const CountedProfile* profile_of(const Run& run, const std::string& benchmark) {
  const auto at = std::find_if(run.profiles.begin(), run.profiles.end(), [&](const CountedProfile& profile) {
    return profile.benchmark.canonical() == benchmark;
  });
  return at == run.profiles.end() ? nullptr : &*at;
}

std::string side_name(const RunHeader& header, const char* otherwise) {
  if (!header.commit.sha.empty()) return shown_sha(header.commit.sha);
  return header.program.empty() ? otherwise : header.program;
}

}  // namespace

Result<std::optional<JoinedProfile>> changed_profile(const std::string& benchmark, const Run& baseline,
                                                     const Run& candidate) {
  const CountedProfile* before = profile_of(baseline, benchmark);
  const CountedProfile* after = profile_of(candidate, benchmark);
  if (before == nullptr || after == nullptr) return std::optional<JoinedProfile>();
  const bool is_shifted = bench::has_shifted_lines(baseline) || bench::has_shifted_lines(candidate);
  const KnownPlaces places = is_shifted ? KnownPlaces::functions : KnownPlaces::lines;
  STEELYARD_TRY(JoinedProfile joined, join_profiles({before}, {after}, "Ir", places));
  return std::optional(std::move(joined));
}

FlameCaption change_caption(const std::string& title, const RunHeader& baseline, const RunHeader& candidate) {
  return {title, side_name(baseline, "baseline"), side_name(candidate, "candidate")};
}

}  // namespace steelyard::ci
