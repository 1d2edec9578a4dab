// One parameter of a fuzzer: how it is drawn. The counterpart of PyTorch's FuzzedParameter and ParameterAlias; the same
// draws from the same stream (docs/guide/fuzzing.md says where the behaviour differs on purpose).
//
//     FuzzedParameter::log_uniform("n", 1, 10'000)
//     FuzzedParameter::choice("y_n", {{FuzzAlias{"n"}, 0.8}, {1, 0.2}}).strict()
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "bench/harness/numpy_random.hpp"
#include "bench/model/result.hpp"

namespace steelyard {

using FuzzValue = std::variant<std::int64_t, double>;
std::string to_text(const FuzzValue& value);  // the shortest text that reads back as the same value

// "Whatever the parameter of that name has in this item". Chains are followed.
struct FuzzAlias {
  std::string name;
  bool operator==(const FuzzAlias&) const = default;
};
using FuzzDraw = std::variant<std::int64_t, double, FuzzAlias>;

struct FuzzChoice {
  FuzzDraw value;
  double probability = 0;
};

// The parameters of one item, in the order of the fuzzer.
class FuzzValues {
 public:
  void add(std::string name, FuzzValue value) { values_.emplace_back(std::move(name), value); }
  const FuzzValue* find(std::string_view name) const;
  // A whole number; absent: there is none of that name, or it is another.
  std::optional<std::int64_t> whole(std::string_view name) const;
  // Whole numbers too; absent: there is none of that name.
  std::optional<double> real(std::string_view name) const;
  const std::vector<std::pair<std::string, FuzzValue>>& all() const { return values_; }
  bool operator==(const FuzzValues&) const = default;

 private:
  std::vector<std::pair<std::string, FuzzValue>> values_;
};

struct FuzzedParameter {
  enum class Distribution { uniform, uniform_real, log_uniform, choice };

  std::string name;
  Distribution distribution = Distribution::uniform;
  std::int64_t least = 0;  // of uniform and log_uniform; both ends are drawn
  std::int64_t most = 0;
  double min_real = 0;  // of uniform_real
  double max_real = 0;
  std::vector<FuzzChoice> choices;
  // Drawn once per item and kept while other draws of the item are rejected, so that rejection does not bias it.
  bool is_strict = false;
  // Part of the benchmark's identity; false for what only feeds other parameters.
  bool is_named = true;

  static FuzzedParameter uniform(std::string name, std::int64_t least, std::int64_t most);
  static FuzzedParameter uniform_real(std::string name, double least, double most);
  // Whole numbers, each octave as likely as any other. Precondition of a draw: 1 <= least <= most.
  static FuzzedParameter log_uniform(std::string name, std::int64_t least, std::int64_t most);
  // Any of the values by its probability; the probabilities sum to 1.
  static FuzzedParameter choice(std::string name, std::vector<FuzzChoice> choices);
  FuzzedParameter strict() &&;
  FuzzedParameter unnamed() &&;

  // Error (input): a name that check_fuzzed_name() refuses, an empty range, one below 1 for log_uniform, no choices,
  // two equal ones, probabilities that are negative or do not sum to 1 within 1e-5.
  Result<void> check() const;
  // Precondition: check() passed.
  FuzzDraw draw(NumpyRandom& random) const;
};

// What a parameter or a tensor may be called: its name becomes a part of the benchmark's, "k0:64/x_order:1-0". Error
// (input), in the place `what`: no such name, or one that means something else there ("threads", "draw").
Result<void> check_fuzzed_name(const std::string& what, const std::string& name);

// Every alias of every choice leads to a value whatever is drawn. Error (input): an alias of an unknown parameter, or a
// cycle that some draw would close; the message names the chain, "a -> b -> a".
Result<void> check_aliases(const std::vector<FuzzedParameter>& parameters);

// Precondition: check_aliases() passed; drawn[i] is of parameters[i].
FuzzValues resolve_aliases(const std::vector<FuzzedParameter>& parameters, const std::vector<FuzzDraw>& drawn);

}  // namespace steelyard
