#include "bench/counting/derived_events.hpp"

#include <algorithm>
#include <optional>

#include "bench/counting/callgrind_numbers.hpp"
#include "bench/counting/costs.hpp"

namespace steelyard {
namespace {

struct Term {
  std::int64_t factor = 1;
  std::size_t event = 0;
};
using Formula = std::vector<Term>;
constexpr std::size_t kMaximumTerms = 64;  // each is one more multiplication for every cost

std::string_view trimmed(std::string_view text) {
  text = without_leading_blanks(text);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

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

}  // namespace steelyard
