#include "bench/harness/fuzz/fuzzed_parameter.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "bench/model/benchmark_id.hpp"
#include "bench/model/text.hpp"

namespace steelyard {
namespace {

constexpr double kSumTolerance = 1e-5;  // of probabilities written by hand, such as three times 0.33333

std::string draw_text(const FuzzDraw& value) {
  if (const auto* alias = std::get_if<FuzzAlias>(&value)) return "the alias of " + alias->name;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return to_text(FuzzValue(*whole));
  return to_text(FuzzValue(std::get<double>(value)));
}

std::string place_of(const FuzzedParameter& parameter) { return "fuzzed parameter " + parameter.name; }

Result<void> check_range(const FuzzedParameter& parameter) {
  const bool is_real = parameter.distribution == FuzzedParameter::Distribution::uniform_real;
  const FuzzValue least = is_real ? FuzzValue(parameter.min_real) : FuzzValue(parameter.least);
  const FuzzValue most = is_real ? FuzzValue(parameter.max_real) : FuzzValue(parameter.most);
  const std::string range = "the range " + to_text(least) + " to " + to_text(most);
  // The ends' distance has to be finite too, or no draw is.
  if (is_real && !std::isfinite(parameter.max_real - parameter.min_real)) {
    return input_error(place_of(parameter), range, "two finite numbers a finite distance apart");
  }
  if (most < least) {
    return input_error(place_of(parameter), range + ", which is empty", "the smaller number first");
  }
  if (parameter.distribution == FuzzedParameter::Distribution::log_uniform && parameter.least < 1) {
    return input_error(place_of(parameter), range,
                       "a range from 1 on: log_uniform has no zero and no negative numbers");
  }
  return {};
}

Result<void> check_choices(const FuzzedParameter& parameter) {
  if (parameter.choices.empty()) return input_error(place_of(parameter), "no choices", "at least one");
  double sum = 0;
  for (std::size_t i = 0; i < parameter.choices.size(); ++i) {
    const FuzzChoice& choice = parameter.choices[i];
    if (!(choice.probability >= 0)) {
      return input_error(place_of(parameter),
                         "the probability " + shortest_text(choice.probability) + " of " + draw_text(choice.value),
                         "one from 0 to 1");
    }
    const auto same = [&](const FuzzChoice& other) { return other.value == choice.value; };
    const auto rest = parameter.choices.begin() + static_cast<std::ptrdiff_t>(i) + 1;
    if (std::any_of(rest, parameter.choices.end(), same)) {
      return input_error(place_of(parameter), draw_text(choice.value) + " twice among the choices", "each once",
                         "add their probabilities");
    }
    sum += choice.probability;
  }
  if (std::fabs(sum - 1) > kSumTolerance) {
    return input_error(place_of(parameter), "probabilities that sum to " + shortest_text(sum), "a sum of 1");
  }
  return {};
}

std::optional<std::size_t> index_of(const std::vector<FuzzedParameter>& parameters, const std::string& name) {
  const auto at =
      std::find_if(parameters.begin(), parameters.end(), [&](const FuzzedParameter& one) { return one.name == name; });
  if (at == parameters.end()) return std::nullopt;
  return static_cast<std::size_t>(at - parameters.begin());
}

// Depth first; `path` holds the parameters between the start and here.
class CycleSearch {
 public:
  explicit CycleSearch(const std::vector<FuzzedParameter>& parameters)
      : parameters_(parameters), is_done_(parameters.size(), false) {}

  Result<void> visit(std::size_t index) {
    const auto seen = std::find(path_.begin(), path_.end(), index);
    if (seen != path_.end()) {
      std::string chain;
      for (auto at = seen; at != path_.end(); ++at) chain += parameters_[*at].name + " -> ";
      return input_error("fuzzed parameter aliases", "the cycle " + chain + parameters_[index].name,
                         "chains that end at a value", "let one of them be drawn");
    }
    if (is_done_[index]) return {};
    path_.push_back(index);
    for (const FuzzChoice& choice : parameters_[index].choices) {
      const auto* alias = std::get_if<FuzzAlias>(&choice.value);
      if (alias == nullptr) continue;
      const auto target = index_of(parameters_, alias->name);
      if (!target) return input_error(place_of(parameters_[index]), "an alias of " + alias->name, known_names());
      STEELYARD_CHECK(visit(*target));
    }
    path_.pop_back();
    is_done_[index] = true;
    return {};
  }

 private:
  std::string known_names() const {
    std::string names = "one of";
    for (const FuzzedParameter& parameter : parameters_) names += ' ' + parameter.name;
    return names;
  }

  const std::vector<FuzzedParameter>& parameters_;
  std::vector<bool> is_done_;
  std::vector<std::size_t> path_;
};

}  // namespace

std::string to_text(const FuzzValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  return shortest_text(std::get<double>(value));
}

const FuzzValue* FuzzValues::find(std::string_view name) const {
  const auto at = std::find_if(values_.begin(), values_.end(), [&](const auto& one) { return one.first == name; });
  return at == values_.end() ? nullptr : &at->second;
}

std::optional<std::int64_t> FuzzValues::whole(std::string_view name) const {
  const FuzzValue* const value = find(name);
  if (value == nullptr || !std::holds_alternative<std::int64_t>(*value)) return std::nullopt;
  return std::get<std::int64_t>(*value);
}

std::optional<double> FuzzValues::real(std::string_view name) const {
  const FuzzValue* const value = find(name);
  if (value == nullptr) return std::nullopt;
  if (const auto* whole_number = std::get_if<std::int64_t>(value)) return static_cast<double>(*whole_number);
  return std::get<double>(*value);
}

FuzzedParameter FuzzedParameter::uniform(std::string name, std::int64_t least, std::int64_t most) {
  FuzzedParameter parameter;
  parameter.name = std::move(name);
  parameter.least = least;
  parameter.most = most;
  return parameter;
}

FuzzedParameter FuzzedParameter::uniform_real(std::string name, double least, double most) {
  FuzzedParameter parameter;
  parameter.name = std::move(name);
  parameter.distribution = Distribution::uniform_real;
  parameter.min_real = least;
  parameter.max_real = most;
  return parameter;
}

FuzzedParameter FuzzedParameter::log_uniform(std::string name, std::int64_t least, std::int64_t most) {
  FuzzedParameter parameter = uniform(std::move(name), least, most);
  parameter.distribution = Distribution::log_uniform;
  return parameter;
}

FuzzedParameter FuzzedParameter::choice(std::string name, std::vector<FuzzChoice> choices) {
  FuzzedParameter parameter;
  parameter.name = std::move(name);
  parameter.distribution = Distribution::choice;
  parameter.choices = std::move(choices);
  return parameter;
}

FuzzedParameter FuzzedParameter::strict() && {
  is_strict = true;
  return std::move(*this);
}

FuzzedParameter FuzzedParameter::unnamed() && {
  is_named = false;
  return std::move(*this);
}

Result<void> check_fuzzed_name(const std::string& what, const std::string& name) {
  if (!can_name_parameter(name)) {
    return input_error(what, name.empty() ? "one without a name" : "the name \"" + name + '"',
                       "a name of letters, digits and _ . -, a letter first");
  }
  if (is_measuring_word(name) || name == kRepeatedDraw) {
    return input_error(what, "the name \"" + name + "\", which has a meaning of its own in names of benchmarks",
                       "another name");
  }
  return {};
}

Result<void> FuzzedParameter::check() const {
  STEELYARD_CHECK(check_fuzzed_name("fuzzed parameter", name));
  return distribution == Distribution::choice ? check_choices(*this) : check_range(*this);
}

FuzzDraw FuzzedParameter::draw(NumpyRandom& random) const {
  switch (distribution) {
    case Distribution::uniform:
      return random.integer(least, most);
    case Distribution::uniform_real:
      return random.uniform(min_real, max_real);
    case Distribution::log_uniform: {
      const double low = std::log2(static_cast<double>(least));
      const double high = std::log2(static_cast<double>(most));
      const double drawn = std::pow(2.0, random.uniform(low, high));
      // Compared as reals first: 2^63 has no 64-bit whole number.
      if (drawn >= static_cast<double>(most)) return most;
      return std::max(static_cast<std::int64_t>(drawn), least);
    }
    case Distribution::choice: {
      std::vector<double> probabilities;
      for (const FuzzChoice& one : choices) probabilities.push_back(one.probability);
      return choices[random.choice(probabilities)].value;
    }
  }
  assert(false);
  return least;
}

Result<void> check_aliases(const std::vector<FuzzedParameter>& parameters) {
  CycleSearch search(parameters);
  for (std::size_t i = 0; i < parameters.size(); ++i) STEELYARD_CHECK(search.visit(i));
  return {};
}

FuzzValues resolve_aliases(const std::vector<FuzzedParameter>& parameters, const std::vector<FuzzDraw>& drawn) {
  assert(parameters.size() == drawn.size());
  FuzzValues values;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const FuzzDraw* at = &drawn[i];
    while (const auto* alias = std::get_if<FuzzAlias>(at)) at = &drawn[*index_of(parameters, alias->name)];
    const auto* whole = std::get_if<std::int64_t>(at);
    values.add(parameters[i].name, whole != nullptr ? FuzzValue(*whole) : FuzzValue(std::get<double>(*at)));
  }
  return values;
}

}  // namespace steelyard
