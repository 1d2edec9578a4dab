#include "ci/report/flame/stack_files.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/profile/protobuf.hpp"

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

namespace {

// Numbers of fields: github.com/google/pprof, proto/profile.proto, commit b9395ee1.
namespace profile_field {
constexpr unsigned kSampleType = 1, kSample = 2, kLocation = 4, kFunction = 5, kText = 6, kTime = 9, kPeriodType = 11,
                   kPeriod = 12;
constexpr unsigned kType = 1, kUnit = 2;                   // ValueType
constexpr unsigned kLocations = 1, kValues = 2;            // Sample
constexpr unsigned kLocationId = 1, kLine = 4;             // Location
constexpr unsigned kLineFunction = 1, kLineNumber = 2;     // Line
constexpr unsigned kFunctionId = 1, kName = 2, kFile = 4;  // Function
}  // namespace profile_field

class PprofTexts {
 public:
  std::uint64_t id_of(const std::string& text) {
    const auto [known, is_new] = ids_.try_emplace(text, texts_.size());
    if (is_new) texts_.push_back(text);
    return known->second;
  }
  void write(bench::ProtoMessage& profile) const {
    for (const std::string& text : texts_) profile.text(profile_field::kText, text);
  }

 private:
  std::vector<std::string> texts_{""};  // number 0, as the format wants it
  std::unordered_map<std::string, std::uint64_t> ids_{{"", 0}};
};

// The functions, each with one place of its own; (other) is the last.
void add_functions(const JoinedProfile& profile, PprofTexts& texts, bench::ProtoMessage& written) {
  using namespace profile_field;
  for (std::size_t i = 0; i <= profile.functions.size(); ++i) {
    const bool is_other = i == profile.functions.size();
    const std::string& name = is_other ? "(other)" : profile.functions[i].name;
    bench::ProtoMessage function, line, location;
    function.number(kFunctionId, i + 1).number(kName, texts.id_of(name.empty() ? "???" : name));
    line.number(kLineFunction, i + 1);
    if (!is_other) {
      function.number(kFile, texts.id_of(profile.functions[i].file));
      line.number(kLineNumber, static_cast<std::uint64_t>(profile.functions[i].line));
    }
    location.number(kLocationId, i + 1).message(kLine, line);
    written.message(kFunction, function).message(kLocation, location);
  }
}

}  // namespace

std::string pprof_profile(const JoinedProfile& profile, const StackTree& tree, std::int64_t start_unix_ns) {
  using namespace profile_field;
  PprofTexts texts;
  bench::ProtoMessage written, type;
  const bool is_time = profile.event == "ns";
  type.number(kType, texts.id_of(is_time ? "time" : profile.event));
  type.number(kUnit, texts.id_of(is_time ? "nanoseconds" : "count"));
  written.message(kSampleType, type).message(kPeriodType, type).number(kPeriod, 1);
  if (start_unix_ns > 0) written.number(kTime, static_cast<std::uint64_t>(start_unix_ns));
  add_functions(profile, texts, written);
  std::vector<std::uint64_t> stack;
  for (const StackFrame& frame : tree.frames) {
    if (frame.depth == 0) continue;
    stack.resize(frame.depth - 1);
    stack.push_back(std::min<std::uint64_t>(frame.function, profile.functions.size()) + 1);
    if (frame.self.at(kCandidateSide) == 0) continue;
    bench::ProtoMessage locations, values, sample;
    for (auto function = stack.rbegin(); function != stack.rend(); ++function) locations.add_varint(*function);
    values.add_varint(static_cast<std::uint64_t>(frame.self.at(kCandidateSide)));
    sample.message(kLocations, locations).message(kValues, values);
    written.message(kSample, sample);
  }
  texts.write(written);
  return written.bytes();
}

namespace {

std::string callgrind_name(const std::string& name) {
  std::string text = name.empty() ? "???" : name;
  for (char& c : text) c = static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  return text;
}

struct CallgrindFunction {
  std::int64_t self = 0;
  std::map<std::uint32_t, std::pair<std::int64_t, std::int64_t>> callees;  // calls, cost
};

// By function; (other) is the last.
std::vector<CallgrindFunction> callgrind_functions(const JoinedProfile& profile, const StackTree& tree,
                                                   const std::vector<std::int64_t>& calls) {
  std::vector<CallgrindFunction> functions(profile.functions.size() + 1);
  const auto other = static_cast<std::uint32_t>(profile.functions.size());
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> open;  // arcs around the frame, how often
  std::vector<std::uint32_t> stack;
  const auto close_to = [&](std::size_t depth) {
    for (; stack.size() > depth; stack.pop_back()) {
      if (stack.size() > 1) --open[{stack[stack.size() - 2], stack.back()}];
    }
  };
  for (std::size_t i = 0; i < tree.frames.size(); ++i) {
    const StackFrame& frame = tree.frames[i];
    if (frame.depth == 0) continue;
    close_to(frame.depth - 1);
    const std::uint32_t function = std::min(frame.function, other);
    functions[function].self += frame.self.at(kCandidateSide);
    if (!stack.empty()) {
      auto& [count, cost] = functions[stack.back()].callees[function];
      count += calls[i];
      if (open[{stack.back(), function}]++ == 0) cost += frame.total.at(kCandidateSide);
    }
    stack.push_back(function);
  }
  return functions;
}

}  // namespace

std::string callgrind_file(const JoinedProfile& profile, const StackTree& tree, const std::vector<std::int64_t>& calls,
                           const std::string& title) {
  const std::vector<CallgrindFunction> functions = callgrind_functions(profile, tree, calls);
  const std::string total = std::to_string(profile.totals.at(kCandidateSide));
  std::string text = "# callgrind format\nversion: 1\ncreator: steelyard\ncmd: " + callgrind_name(title) +
                     "\npositions: line\nevents: " + profile.event + "\nsummary: " + total +
                     "\n\nfl=(1) ???\n";  // callgrind_annotate takes no function without a file
  std::vector<bool> is_named(functions.size());
  const auto name_of = [&](std::size_t i) {
    const std::string number = "(" + std::to_string(i + 1) + ")";
    if (is_named[i]) return number;
    is_named[i] = true;
    return number + " " + (i == profile.functions.size() ? "(other)" : callgrind_name(profile.functions[i].name));
  };
  for (std::size_t i = 0; i < functions.size(); ++i) {
    if (functions[i].self == 0 && functions[i].callees.empty()) continue;
    text += "\nfn=" + name_of(i) + "\n0 " + std::to_string(functions[i].self) + "\n";
    for (const auto& [callee, costs] : functions[i].callees) {
      text += "cfn=" + name_of(callee) + "\ncalls=" + std::to_string(costs.first) + " 0\n0 " +
              std::to_string(costs.second) + "\n";
    }
  }
  return text + "\ntotals: " + total + "\n";
}

}  // namespace steelyard::ci
