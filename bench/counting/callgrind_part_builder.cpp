#include "bench/counting/callgrind_part_builder.hpp"

#include <algorithm>
#include <limits>

#include "bench/counting/call_cycles.hpp"
#include "bench/counting/callgrind_numbers.hpp"
#include "bench/counting/callgrind_positions.hpp"
#include "bench/counting/derived_events.hpp"

namespace steelyard {
namespace {

std::uint64_t pair_of(std::uint32_t first, std::uint32_t second) { return (std::uint64_t{first} << 32) | second; }

bool add_costs(std::vector<std::int64_t>& sum, const std::vector<std::int64_t>& cost) {
  for (std::size_t event = 0; event < cost.size(); ++event) {
    if (!add_cost(sum[event], cost[event])) return false;
  }
  return true;
}

std::int32_t line_number(std::uint64_t line) {
  return line > std::uint64_t{std::numeric_limits<std::int32_t>::max()} ? 0 : static_cast<std::int32_t>(line);
}

std::string join(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (const std::int64_t number : numbers) text += (text.empty() ? "" : " ") + std::to_string(number);
  return text;
}

Error too_large() {
  return input_error("", "costs that add up to more than 63 bits can hold", "a profile of a program that can have run");
}

}  // namespace

std::size_t CallgrindPartBuilder::KeyHash::operator()(const CallgrindFunctionKey& key) const {
  // Multiplying by an odd constant (2^64 over the golden ratio) spreads neighbouring indices over the buckets.
  constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15u;
  return static_cast<std::size_t>((pair_of(key.file, key.name) * kSpread) ^ (key.object * kSpread >> 7));
}

CallgrindPartBuilder::CallgrindPartBuilder(const CallgrindNameSpaces& names, CallgrindPart part,
                                           const CallgrindReadOptions& options)
    : names_(names), part_(std::move(part)), keeps_positions_(options.keep_positions) {}

std::uint32_t CallgrindPartBuilder::find_or_add(const CallgrindFunctionKey& key) {
  const auto next = static_cast<std::uint32_t>(part_.functions.size());
  const auto [entry, is_new] = function_by_key_.try_emplace(key, next);
  if (is_new) {
    ProfiledFunction& function = part_.functions.emplace_back();
    function.object = names_.objects.name(key.object);
    function.file = names_.files.name(key.file);
    function.name = names_.functions.name(key.name);
    function.self.assign(part_.events.size(), 0);
    file_of_.push_back(key.file);
    is_recorded_.push_back(0);
  }
  return entry->second;
}

std::uint32_t CallgrindPartBuilder::begin_record(const CallgrindFunctionKey& key) {
  const std::uint32_t function = find_or_add(key);
  if (is_recorded_[function] == 0) ++part_.recorded_functions;
  is_recorded_[function] = 1;
  return function;
}

std::vector<std::int64_t>& CallgrindPartBuilder::inlined_cost(std::uint32_t function, std::uint32_t file) {
  const auto next = static_cast<std::uint32_t>(part_.inlined.size());
  const auto [entry, is_new] = inlined_by_pair_.try_emplace(pair_of(function, file), next);
  if (is_new) {
    const std::vector<std::int64_t> nothing(part_.events.size(), 0);
    part_.inlined.push_back({function, std::string(names_.files.name(file)), nothing});
  }
  return part_.inlined[entry->second].self;
}

bool CallgrindPartBuilder::add_self(std::uint32_t function, std::uint32_t file, const CallgrindPlace& place,
                                    const std::vector<std::int64_t>& cost) {
  if (keeps_positions_) {
    part_.position_costs.push_back({function, file, place.address, line_number(place.line), cost});
    part_.position_costs.back().self.resize(part_.events.size(), 0);
  }
  ProfiledFunction& owner = part_.functions[function];
  if (file != file_of_[function]) {
    if (!add_costs(inlined_cost(function, file), cost)) return false;
  } else if (owner.line == 0) {
    owner.line = line_number(place.line);
  }
  return add_costs(owner.self, cost);
}

bool CallgrindPartBuilder::add_call(std::uint32_t caller, std::uint32_t callee, std::int64_t calls,
                                    std::uint64_t callee_line, const std::vector<std::int64_t>& cost) {
  const auto next = static_cast<std::uint32_t>(part_.arcs.size());
  const auto [entry, is_new] = arc_by_pair_.try_emplace(pair_of(caller, callee), next);
  if (is_new) {
    const std::vector<std::int64_t> nothing(part_.events.size(), 0);
    part_.arcs.push_back({caller, callee, 0, nothing});
  }
  CallArc& arc = part_.arcs[entry->second];
  ProfiledFunction& called = part_.functions[callee];
  if (called.line == 0) called.line = line_number(callee_line);
  return add_cost(arc.calls, calls) && add_cost(called.calls, calls) && add_costs(arc.inclusive, cost);
}

void CallgrindPartBuilder::sort_inlined() {
  // A piece without cost says nothing: the compiler put a line of another file there and it was never run.
  std::erase_if(part_.inlined, [](const InlinedCost& piece) {
    return std::all_of(piece.self.begin(), piece.self.end(), [](std::int64_t cost) { return cost == 0; });
  });
  std::stable_sort(part_.inlined.begin(), part_.inlined.end(),
                   [](const InlinedCost& a, const InlinedCost& b) { return a.function < b.function; });
}

bool CallgrindPartBuilder::merge_positions() {
  std::unordered_map<std::uint32_t, std::uint32_t> new_index;  // of a file: in the names, and in position_files
  for (PositionCost& cost : part_.position_costs) {
    const auto next = static_cast<std::uint32_t>(part_.position_files.size());
    const auto [entry, is_new] = new_index.try_emplace(cost.file, next);
    if (is_new) part_.position_files.emplace_back(names_.files.name(cost.file));
    cost.file = entry->second;
  }
  return merge_equal_positions(part_.position_costs);
}

Result<CallgrindPart> CallgrindPartBuilder::finish(const std::vector<std::int64_t>& totals) && {
  std::vector<std::int64_t> sum(part_.events.size(), 0);
  for (const ProfiledFunction& function : part_.functions) {
    if (!add_costs(sum, function.self)) return too_large();
  }
  part_.totals = totals;
  part_.totals.resize(part_.events.size(), 0);
  if (sum != part_.totals) {
    return input_error("", "totals " + join(part_.totals), "the sum of all self costs, " + join(sum),
                       "the file is damaged or was cut: collect it again");
  }
  sort_inlined();
  if (!merge_positions()) return too_large();
  STEELYARD_CHECK(append_derived_events(part_));
  if (!set_inclusive_costs(part_.functions, part_.arcs, part_.events.size())) return too_large();
  return std::move(part_);
}

}  // namespace steelyard
