#include "bench/counting/algebra/name_folding.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "bench/counting/reader/call_cycles.hpp"
#include "bench/counting/reader/callgrind_part_builder.hpp"

namespace steelyard::bench {
namespace {

constexpr std::string_view kOpening = " [clone ";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// In brackets whatever the compiler put there, else only marks that are known.
std::string_view without_clones(std::string_view name) {
  while (true) {
    const std::size_t start = name.ends_with(']') ? name.rfind(kOpening) : std::string_view::npos;
    const bool is_bracketed = start != std::string_view::npos && start > 0;
    const std::string_view rest = is_bracketed ? name.substr(0, start) : last_clone_mark(name).rest;
    if (rest == name) return name;
    name = rest;
  }
}

// Functions, arcs and inlined pieces of a part, added up under their new names.
class Folding {
 public:
  explicit Folding(const NameFolding& folding) : folding_(folding) {}

  bool add(const CallgrindPart& part) {
    bool fits = true;
    for (const ProfiledFunction& function : part.functions) fits = add_function(function) && fits;
    for (const CallArc& arc : part.arcs) fits = add_arc(arc) && fits;
    for (const InlinedCost& piece : part.inlined) fits = add_piece(piece) && fits;
    position_costs_ = part.position_costs;
    for (PositionCost& cost : position_costs_) cost.function = index_of_[cost.function];
    fits = merge_equal_positions(position_costs_) && fits;
    return fits && set_inclusive_costs(functions_, arcs_, part.events.size());
  }

  void move_into(CallgrindPart& part) && {
    part.functions = std::move(functions_);
    part.arcs = std::move(arcs_);
    part.inlined = std::move(inlined_);
    part.position_costs = std::move(position_costs_);
  }

 private:
  using Costs = std::vector<std::int64_t>;

  bool add_function(const ProfiledFunction& function) {
    const std::string name = fold_name(function.name, folding_);
    const auto next = static_cast<std::uint32_t>(functions_.size());
    const auto [entry, is_new] = index_by_key_.try_emplace({function.object, function.file, name}, next);
    index_of_.push_back(entry->second);
    if (is_new) {
      functions_.push_back(function);
      functions_.back().name = name;
      return true;
    }
    ProfiledFunction& sum = functions_[entry->second];
    if (sum.line == 0) sum.line = function.line;
    return add_cost(sum.calls, function.calls) && add_costs(sum.self, function.self);
  }

  bool add_arc(const CallArc& arc) {
    const std::pair<std::uint32_t, std::uint32_t> pair{index_of_[arc.caller], index_of_[arc.callee]};
    const auto [entry, is_new] = arc_by_pair_.try_emplace(pair, arcs_.size());
    if (is_new) arcs_.push_back({pair.first, pair.second, 0, Costs(arc.inclusive.size(), 0)});
    CallArc& sum = arcs_[entry->second];
    return add_cost(sum.calls, arc.calls) && add_costs(sum.inclusive, arc.inclusive);
  }

  bool add_piece(const InlinedCost& piece) {
    const std::pair<std::uint32_t, std::string> key{index_of_[piece.function], piece.file};
    const auto [entry, is_new] = piece_by_key_.try_emplace(key, inlined_.size());
    if (is_new) inlined_.push_back({key.first, key.second, Costs(piece.self.size(), 0)});
    return add_costs(inlined_[entry->second].self, piece.self);
  }

  const NameFolding& folding_;
  std::vector<std::uint32_t> index_of_;  // old index to new
  std::vector<ProfiledFunction> functions_;
  std::vector<CallArc> arcs_;
  std::vector<InlinedCost> inlined_;
  std::vector<PositionCost> position_costs_;
  std::map<std::tuple<std::string, std::string, std::string>, std::uint32_t> index_by_key_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> arc_by_pair_;
  std::map<std::pair<std::uint32_t, std::string>, std::size_t> piece_by_key_;
};

}  // namespace

// A digit separator inside a template argument is followed by more than digits.
RecursionLevel recursion_level(std::string_view name) {
  const std::size_t quote = name.rfind('\'');
  if (quote == std::string_view::npos || quote == 0 || quote + 1 == name.size()) return {name, ""};
  const std::string_view level = name.substr(quote);
  if (!std::all_of(level.begin() + 1, level.end(), is_digit)) return {name, ""};
  return {name.substr(0, quote), level};
}

CloneMark last_clone_mark(std::string_view name) {
  constexpr std::array<std::string_view, 6> kMarks{".isra", ".constprop", ".lto_priv", ".llvm", ".part", ".cold"};
  std::string_view text = name;
  const bool in_brackets = text.ends_with(']');
  if (in_brackets) text.remove_suffix(1);
  while (!text.empty() && is_digit(text.back())) text.remove_suffix(1);
  if (text.ends_with('.')) text.remove_suffix(1);
  for (const std::string_view mark : kMarks) {
    if (!text.ends_with(mark)) continue;
    std::string_view rest = text.substr(0, text.size() - mark.size());
    if (in_brackets && !rest.ends_with(kOpening)) continue;
    if (in_brackets) rest.remove_suffix(kOpening.size());
    if (!rest.empty()) return {rest, mark};
  }
  return {name, ""};
}

std::string fold_name(std::string_view name, const NameFolding& folding) {
  // Callgrind writes the level behind everything else: f(int) [clone .isra.0]'2.
  const auto [rest, level] = recursion_level(name);
  std::string folded(folding.clones ? without_clones(rest) : rest);
  return folding.recursion_levels ? folded : folded.append(level);
}

Result<CallgrindPart> fold_names(const CallgrindPart& part, const NameFolding& folding) {
  Folding sum(folding);
  if (!sum.add(part)) return input_error("", "costs that add up to more than 63 bits", "a profile that can have run");
  CallgrindPart folded = part;
  std::move(sum).move_into(folded);
  return folded;
}

namespace {

using FoldedKey = std::tuple<std::string, std::string, std::string>;
using FoldedSourceKey = std::tuple<std::uint32_t, std::string, std::string, std::int32_t>;

bool is_consistent(const CountedProfile& profile) {
  const std::size_t n = profile.functions.size();
  const std::size_t events = profile.events.size();
  return std::all_of(profile.functions.begin(), profile.functions.end(),
                     [&](const ProfiledFunction& function) { return function.self.size() == events; }) &&
         std::all_of(
             profile.arcs.begin(), profile.arcs.end(),
             [&](const CallArc& arc) { return arc.caller < n && arc.callee < n && arc.inclusive.size() == events; }) &&
         std::all_of(profile.sources.begin(), profile.sources.end(),
                     [&](const SourceCost& source) { return source.function < n && source.self.size() == events; });
}

// The lines of `profile` under the functions of `folded`; false where a sum does not fit.
bool fold_sources(const CountedProfile& profile, const NameFolding& folding, CountedProfile& folded) {
  std::map<FoldedKey, std::uint32_t> index_of;
  for (std::uint32_t i = 0; i < folded.functions.size(); ++i) {
    const ProfiledFunction& function = folded.functions[i];
    index_of.emplace(FoldedKey{function.object, function.file, function.name}, i);
  }
  std::map<FoldedSourceKey, std::vector<std::int64_t>> sums;
  for (const SourceCost& source : profile.sources) {
    const ProfiledFunction& function = profile.functions[source.function];
    const std::uint32_t index = index_of.at({function.object, function.file, fold_name(function.name, folding)});
    std::vector<std::int64_t>& sum = sums[{index, source.file, fold_name(source.origin, folding), source.line}];
    sum.resize(profile.events.size(), 0);
    if (!add_costs(sum, source.self)) return false;
  }
  folded.sources.clear();
  for (auto& [key, sum] : sums) {
    const auto& [index, file, origin, line] = key;
    folded.sources.push_back({index, file, origin, line, std::move(sum)});
  }
  return true;
}

}  // namespace

Result<CountedProfile> fold_names(const CountedProfile& profile, const NameFolding& folding) {
  if (!is_consistent(profile)) {
    return input_error("profile", "costs without an event, or an arc or line of a function that is not there",
                       "a profile of one program");
  }
  const auto stays = [&](const ProfiledFunction& f) { return fold_name(f.name, folding) == f.name; };
  if (std::all_of(profile.functions.begin(), profile.functions.end(), stays)) return profile;
  CallgrindPart part;
  part.events = profile.events;
  part.functions = profile.functions;
  part.arcs = profile.arcs;
  STEELYARD_TRY(CallgrindPart folded_part, fold_names(part, folding));
  CountedProfile folded = profile;
  folded.functions = std::move(folded_part.functions);
  folded.arcs = std::move(folded_part.arcs);
  if (!fold_sources(profile, folding, folded)) {
    return input_error("profile", "costs that add up to more than 63 bits", "a profile that can have run");
  }
  return folded;
}

}  // namespace steelyard::bench
