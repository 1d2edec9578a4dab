// Draws inputs for a benchmark: parameters by their distributions, tensors by the parameters, rejected until every
// constraint holds. Seeded: the same seed gives the same items on every machine, and those of PyTorch's Fuzzer.
//
//     FuzzerSpec spec;
//     spec.parameters = {FuzzedParameter::log_uniform("k0", 1, 10'000), FuzzedParameter::log_uniform("k1", 1, 10'000)};
//     FuzzedTensor x;
//     x.name = "x";
//     x.sizes = {"k0", "k1"};
//     spec.tensors = {x};
//     STEELYARD_TRY(const FuzzedItems items, take(spec, 10));
//
// What is drawn here has no content yet: fuzz_item.hpp makes the buffers, one item at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "bench/harness/fuzz/fuzzed_parameter.hpp"
#include "bench/harness/fuzz/fuzzed_tensor.hpp"

namespace steelyard {

struct FuzzConstraint {
  std::string name;  // for messages: "k0 below k1"
  std::function<bool(const FuzzValues& values)> holds;
};

struct FuzzerSpec {
  std::uint32_t seed = 0;
  std::vector<FuzzedParameter> parameters;
  std::vector<FuzzedTensor> tensors;
  std::vector<FuzzConstraint> constraints;
};

struct ItemPlan {
  std::uint32_t seed = 0;  // of the fuzzer
  int index = 0;           // of the item, from 0
  FuzzValues values;
  std::vector<TensorPlan> tensors;
  // "/k0:64/k1:473/x_order:1-0", for the name of a benchmark: sizes in use, steps other than 1, orders other than the
  // dimensions' own, every other parameter that is_named. Items of one take() that would have the same text get
  // "/draw:2" and so on.
  std::string identity;
  bool operator==(const ItemPlan&) const = default;
};

struct FuzzedItems {
  std::vector<ItemPlan> items;
  // How often sets of parameters were drawn, and rejected: by which constraint first.
  std::int64_t generated = 0;
  std::map<std::string, std::int64_t> rejections_by_constraint;
  std::int64_t rejections() const;
  // Rejections over generated: how far what is not strict may be from its stated distribution. 0 where nothing was.
  double rejection_rate() const;
};

inline constexpr int kMaxItems = 100'000;  // as many as a grid of axes has points: all are held, and registered

// The first n items of the seed. Errors (input): a specification that FuzzedParameter::check, check_aliases or
// FuzzedTensor::check refuses; a name that two things share; a constraint without a name or function, or one that
// throws; n below 0 or above kMaxItems; an item that a thousand draws did not yield: its message names the constraints
// that rejected most, and the rejection rate.
Result<FuzzedItems> take(const FuzzerSpec& spec, int n);

}  // namespace steelyard
