#include "bench/counting/name_folding.hpp"

#include <map>
#include <tuple>
#include <utility>

#include "bench/counting/call_cycles.hpp"
#include "bench/counting/callgrind_numbers.hpp"
#include "bench/counting/callgrind_positions.hpp"

namespace steelyard {
namespace {

std::string_view without_clones(std::string_view name) {
  while (name.ends_with(']')) {
    const std::size_t start = name.rfind(" [clone .");
    if (start == std::string_view::npos || start == 0) break;
    name = name.substr(0, start);
  }
  return name;
}

// "f'2" -> "f". A digit separator inside a template argument is followed by more than digits.
std::string_view without_level(std::string_view name) {
  const std::size_t quote = name.rfind('\'');
  std::uint64_t level = 0;
  const bool is_level = quote != std::string_view::npos && quote > 0 && read_decimal(name.substr(quote + 1), level);
  return is_level ? name.substr(0, quote) : name;
}

bool add_costs(std::vector<std::int64_t>& sum, const std::vector<std::int64_t>& costs) {
  if (sum.empty()) sum.assign(costs.size(), 0);
  for (std::size_t event = 0; event < costs.size(); ++event) {
    if (!add_cost(sum[event], costs[event])) return false;
  }
  return true;
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
    if (is_new) arcs_.push_back({pair.first, pair.second, 0, {}});
    CallArc& sum = arcs_[entry->second];
    return add_cost(sum.calls, arc.calls) && add_costs(sum.inclusive, arc.inclusive);
  }

  bool add_piece(const InlinedCost& piece) {
    const std::pair<std::uint32_t, std::string> key{index_of_[piece.function], piece.file};
    const auto [entry, is_new] = piece_by_key_.try_emplace(key, inlined_.size());
    if (is_new) inlined_.push_back({key.first, key.second, {}});
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

std::string fold_name(std::string_view name, const NameFolding& folding) {
  // Callgrind writes the level behind everything else: f(int) [clone .isra.0]'2.
  if (folding.recursion_levels) name = without_level(name);
  if (folding.clones) name = without_clones(name);
  return std::string(name);
}

Result<CallgrindPart> fold_names(const CallgrindPart& part, const NameFolding& folding) {
  Folding sum(folding);
  if (!sum.add(part)) return input_error("", "costs that add up to more than 63 bits", "a profile that can have run");
  CallgrindPart folded = part;
  std::move(sum).move_into(folded);
  return folded;
}

}  // namespace steelyard
