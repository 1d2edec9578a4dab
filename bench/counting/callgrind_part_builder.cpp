#include "bench/counting/callgrind_part_builder.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <unordered_map>

#include "bench/counting/call_cycles.hpp"
#include "bench/counting/callgrind_positions.hpp"
#include "bench/counting/costs.hpp"
#include "bench/counting/derived_events.hpp"

namespace steelyard {
namespace {

std::uint64_t pair_of(std::uint32_t first, std::uint32_t second) { return (std::uint64_t{first} << 32) | second; }

// What malloc takes for a string or a vector of so many bytes.
std::size_t bytes_on_heap(std::size_t size) { return std::max<std::size_t>(32, size + 16); }

std::uint32_t hash_of(const CallgrindFunctionKey& key) {
  return spread_hash(pair_of(key.file, key.name) + (std::uint64_t{key.object} << 48));
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

CallgrindPartBuilder::CallgrindPartBuilder(const CallgrindNameSpaces& names, CallgrindPart part,
                                           const CallgrindReadOptions& options)
    : names_(names), part_(std::move(part)), keeps_positions_(options.keep_positions) {
  for (const std::vector<std::string>* lines : {&part_.event_definitions, &part_.other_headers}) {
    for (const std::string& line : *lines) bytes_ += sizeof line + bytes_on_heap(line.size());
  }
}

std::size_t CallgrindPartBuilder::bytes_of_costs() const {
  // An event: line may derive one more.
  return bytes_on_heap((part_.events.size() + part_.event_definitions.size()) * sizeof(std::int64_t));
}

std::uint32_t CallgrindPartBuilder::find_or_add(const CallgrindFunctionKey& key) {
  const std::uint32_t hash = hash_of(key);
  const std::uint32_t known = function_by_key_.find(hash, [&](std::uint32_t i) { return added_[i].key == key; });
  if (known != IndexTable::kNone) return known;
  const auto index = static_cast<std::uint32_t>(part_.functions.size());
  ProfiledFunction& function = part_.functions.emplace_back();
  function.object = names_.objects.name(key.object);
  function.file = names_.files.name(key.file);
  function.name = names_.functions.name(key.name);
  function.self.assign(part_.events.size(), 0);
  added_.push_back({key, false});
  function_by_key_.insert(hash, index);
  // Twice the costs: inclusive is added in the end.
  bytes_ += sizeof function + sizeof(Added) + 2 * bytes_of_costs();
  for (const std::string* name : {&function.object, &function.file, &function.name})
    bytes_ += bytes_on_heap(name->size());
  return index;
}

std::uint32_t CallgrindPartBuilder::begin_record(const CallgrindFunctionKey& key) {
  const std::uint32_t function = find_or_add(key);
  if (!added_[function].is_recorded) ++part_.recorded_functions;
  added_[function].is_recorded = true;
  return function;
}

std::uint32_t CallgrindPartBuilder::inlined_index(std::uint32_t function, std::uint32_t file) {
  const auto is_wanted = [&](std::uint32_t i) {
    return part_.inlined[i].function == function && inlined_file_[i] == file;
  };
  if (last_inlined_ != IndexTable::kNone && is_wanted(last_inlined_)) return last_inlined_;
  const std::uint32_t hash = spread_hash(pair_of(function, file));
  last_inlined_ = inlined_by_pair_.find(hash, is_wanted);
  if (last_inlined_ != IndexTable::kNone) return last_inlined_;
  last_inlined_ = static_cast<std::uint32_t>(part_.inlined.size());
  InlinedCost& piece = part_.inlined.emplace_back();
  piece.function = function;
  piece.file = names_.files.name(file);
  piece.self.assign(part_.events.size(), 0);
  inlined_file_.push_back(file);
  inlined_by_pair_.insert(hash, last_inlined_);
  bytes_ += sizeof piece + bytes_on_heap(piece.file.size()) + bytes_of_costs();
  return last_inlined_;
}

bool CallgrindPartBuilder::add_self(std::uint32_t function, std::uint32_t file, const CallgrindPlace& place,
                                    CallgrindCost cost) {
  if (keeps_positions_) {
    part_.position_costs.push_back({function, file, place.address, line_number(place.line), {}});
    part_.position_costs.back().self.assign(part_.events.size(), 0);
    add_costs(part_.position_costs.back().self, cost);
    bytes_ += sizeof(PositionCost) + bytes_of_costs();
  }
  ProfiledFunction& owner = part_.functions[function];
  if (file != added_[function].key.file) {
    if (!add_costs(part_.inlined[inlined_index(function, file)].self, cost)) return false;
  } else if (owner.line == 0) {
    owner.line = line_number(place.line);
  }
  return add_costs(owner.self, cost);
}

bool CallgrindPartBuilder::add_call(std::uint32_t caller, std::uint32_t callee, std::int64_t calls,
                                    std::uint64_t callee_line, CallgrindCost cost) {
  const std::uint32_t hash = spread_hash(pair_of(caller, callee));
  std::uint32_t index = arc_by_pair_.find(
      hash, [&](std::uint32_t i) { return part_.arcs[i].caller == caller && part_.arcs[i].callee == callee; });
  if (index == IndexTable::kNone) {
    index = static_cast<std::uint32_t>(part_.arcs.size());
    part_.arcs.push_back({caller, callee, 0, std::vector<std::int64_t>(part_.events.size(), 0)});
    arc_by_pair_.insert(hash, index);
    bytes_ += sizeof(CallArc) + bytes_of_costs();
  }
  CallArc& arc = part_.arcs[index];
  ProfiledFunction& called = part_.functions[callee];
  if (called.line == 0) called.line = line_number(callee_line);
  return add_cost(arc.calls, calls) && add_cost(called.calls, calls) && add_costs(arc.inclusive, cost);
}

void CallgrindPartBuilder::sort_inlined() {
  // A piece without cost says nothing: the compiler put a line of another file there and it was never run.
  std::erase_if(part_.inlined, [](const InlinedCost& piece) { return is_zero(piece.self); });
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
  part_.unbalanced = find_unbalanced_costs(part_.functions, part_.arcs, part_.events.size());
  return std::move(part_);
}

}  // namespace steelyard
