#include "bench/counting/reader/callgrind_part_builder.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <tuple>
#include <utility>

#include "bench/counting/reader/call_cycles.hpp"
#include "bench/counting/reader/callgrind_numbers.hpp"
#include "bench/model/text.hpp"

namespace steelyard::bench {
namespace {

// Of a name beside its text: the view, its slot in the table, its number, and room for these to grow.
constexpr std::size_t kBytesPerName = 80;
constexpr std::size_t kNameBlockBytes = std::size_t{64} << 10;
constexpr std::uint32_t kUndefined = IndexTable::kNone;
// Numbers below this have a place of four bytes each, however few of them there are: Callgrind numbers without gaps,
// but in another order than it writes. A profile of cc1plus with chains of four callers has some three million.
constexpr std::uint64_t kNearNumbers = std::uint64_t{1} << 23;

bool has_digits_alone(std::string_view text) { return !text.empty() && is_decimal(text); }

}  // namespace

CallgrindNames::CallgrindNames() { index_of(""); }

Result<std::uint32_t> CallgrindNames::resolve(std::string_view text) {
  const std::size_t close = text.starts_with('(') ? text.find(')') : std::string_view::npos;
  std::uint64_t number = 0;
  // "(below main)" is a name: only digits between the parentheses make a number.
  if (close == std::string_view::npos || !has_digits_alone(text.substr(1, close - 1))) return index_of(text);
  if (!read_decimal(text.substr(1, close - 1), number)) {
    return input_error("", "name number " + quoted(text.substr(0, close + 1)), "a number of at most 64 bits");
  }
  const std::string_view name = without_leading_blanks(text.substr(close + 1));
  const std::uint32_t known = index_of_number(number);
  if (name.empty()) {
    if (known != kUndefined) return known;
    return input_error("", "a reference to name (" + std::to_string(number) + ")", "one that was defined before");
  }
  const std::uint32_t index = index_of(name);
  if (known != kUndefined && known != index) {
    return input_error("", "name (" + std::to_string(number) + ") defined anew as " + quoted(name),
                       quoted(names_[known]) + " as before");
  }
  if (known == kUndefined) define(number, index);
  return index;
}

std::uint32_t CallgrindNames::index_of(std::string_view name) {
  const std::uint32_t hash = spread_hash(std::hash<std::string_view>()(name));
  const std::uint32_t found = index_by_name_.find(hash, [&](std::uint32_t index) { return names_[index] == name; });
  if (found != IndexTable::kNone) return found;
  const auto index = static_cast<std::uint32_t>(names_.size());
  names_.push_back(keep(name));
  index_by_name_.insert(hash, index);
  bytes_ += kBytesPerName + name.size();
  return index;
}

std::string_view CallgrindNames::keep(std::string_view name) {
  if (name.size() > left_) {
    left_ = std::max(kNameBlockBytes, name.size());
    free_ = blocks_.emplace_back(std::make_unique_for_overwrite<char[]>(left_)).get();
  }
  const std::string_view kept(free_, name.size());
  std::copy(name.begin(), name.end(), free_);
  free_ += name.size();
  left_ -= name.size();
  return kept;
}

std::uint32_t CallgrindNames::index_of_number(std::uint64_t number) const {
  if (number < index_by_number_.size()) return index_by_number_[static_cast<std::size_t>(number)];
  const auto far = index_by_far_number_.find(number);
  return far != index_by_far_number_.end() ? far->second : kUndefined;
}

void CallgrindNames::define(std::uint64_t number, std::uint32_t index) {
  if (number >= kNearNumbers) {
    index_by_far_number_.emplace(number, index);
    bytes_ += kBytesPerName;
    return;
  }
  if (number >= index_by_number_.size()) {
    const std::size_t before = index_by_number_.size();
    index_by_number_.resize(static_cast<std::size_t>(number) + 1, kUndefined);
    bytes_ += (index_by_number_.size() - before) * sizeof(std::uint32_t);
  }
  index_by_number_[static_cast<std::size_t>(number)] = index;
}

namespace {

auto place_of(const PositionCost& cost) { return std::tie(cost.function, cost.file, cost.address, cost.line); }

}  // namespace

bool merge_equal_positions(std::vector<PositionCost>& costs) {
  std::erase_if(costs, [](const PositionCost& cost) { return is_zero(cost.self); });
  const auto is_before = [](const PositionCost& a, const PositionCost& b) { return place_of(a) < place_of(b); };
  // Callgrind writes the addresses of a function in ascending order, so there is often nothing to do.
  if (!std::is_sorted(costs.begin(), costs.end(), is_before)) std::stable_sort(costs.begin(), costs.end(), is_before);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (kept == 0 || place_of(costs[kept - 1]) != place_of(costs[i])) {
      if (kept != i) costs[kept] = std::move(costs[i]);
      ++kept;
      continue;
    }
    if (!add_costs(costs[kept - 1].self, costs[i].self)) return false;
  }
  costs.resize(kept);
  return true;
}

namespace {

struct Term {
  std::int64_t factor = 1;
  std::size_t event = 0;
};
using Formula = std::vector<Term>;
constexpr std::size_t kMaximumTerms = 64;  // each is one more multiplication for every cost

// "Ir", "10 Ir", "10*Ir", "10 * Ir".
std::optional<Term> read_term(std::string_view text, const std::vector<std::string>& events) {
  text = trimmed(text);
  Term term;
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits > 0) {
    if (!read_cost(text.substr(0, digits), term.factor)) return std::nullopt;
    text = without_leading_blanks(text.substr(digits));
    if (text.starts_with('*')) text = without_leading_blanks(text.substr(1));
  }
  const auto event = std::find(events.begin(), events.end(), text);
  if (event == events.end()) return std::nullopt;
  term.event = static_cast<std::size_t>(event - events.begin());
  return term;
}

std::optional<Formula> read_formula(std::string_view text, const std::vector<std::string>& events) {
  Formula formula;
  while (true) {
    const std::size_t plus = text.find('+');
    const std::optional<Term> term = read_term(text.substr(0, plus), events);
    if (!term || formula.size() == kMaximumTerms) return std::nullopt;
    formula.push_back(*term);
    if (plus == std::string_view::npos) return formula;
    text.remove_prefix(plus + 1);
  }
}

bool append_value(std::vector<std::int64_t>& costs, const Formula& formula) {
  std::int64_t value = 0;
  for (const Term& term : formula) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(costs[term.event], term.factor, &product) || !add_cost(value, product)) return false;
  }
  costs.push_back(value);
  return true;
}

bool append_to_all(CallgrindPart& part, const Formula& formula) {
  bool fits = append_value(part.totals, formula);
  for (ProfiledFunction& function : part.functions) fits = append_value(function.self, formula) && fits;
  for (CallArc& arc : part.arcs) fits = append_value(arc.inclusive, formula) && fits;
  for (InlinedCost& piece : part.inlined) fits = append_value(piece.self, formula) && fits;
  for (PositionCost& cost : part.position_costs) fits = append_value(cost.self, formula) && fits;
  return fits;
}

}  // namespace

Result<void> append_derived_events(CallgrindPart& part) {
  for (const std::string& definition : part.event_definitions) {
    const std::string_view without_long_name = std::string_view(definition).substr(0, definition.find(':'));
    const std::size_t equals = without_long_name.find('=');
    const std::string_view name = trimmed(without_long_name.substr(0, equals));
    const bool is_counted = std::find(part.events.begin(), part.events.end(), name) != part.events.end();
    if (equals == std::string_view::npos || is_counted) continue;
    const std::optional<Formula> formula = read_formula(without_long_name.substr(equals + 1), part.events);
    if (!formula) {
      return input_error("", "event: " + definition, "a sum of at most 64 known events, each with a factor or none");
    }
    if (!append_to_all(part, *formula)) {
      return input_error("", "event: " + definition, "a formula whose values fit into 63 bits");
    }
    part.events.emplace_back(name);
  }
  return {};
}

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
  return joined_text(numbers, " ", [](std::int64_t number) { return std::to_string(number); });
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
  const std::uint32_t known = function_by_key_.find(hash, [&](std::uint32_t i) { return keys_[i] == key; });
  if (known != IndexTable::kNone) return known;
  const auto index = static_cast<std::uint32_t>(part_.functions.size());
  ProfiledFunction& function = part_.functions.emplace_back();
  function.object = names_.objects.name(key.object);
  function.file = names_.files.name(key.file);
  function.name = names_.functions.name(key.name);
  function.self.assign(part_.events.size(), 0);
  keys_.push_back(key);
  function_by_key_.insert(hash, index);
  // Twice the costs: inclusive is added in the end.
  bytes_ += sizeof function + sizeof(CallgrindFunctionKey) + 2 * bytes_of_costs();
  for (const std::string* name : {&function.object, &function.file, &function.name})
    bytes_ += bytes_on_heap(name->size());
  return index;
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
  if (file != keys_[function].file) {
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

}  // namespace steelyard::bench
