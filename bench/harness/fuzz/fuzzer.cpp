#include "bench/harness/fuzz/fuzzer.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <optional>
#include <set>

#include "bench/model/benchmark_id.hpp"

namespace steelyard {
namespace {

// What tells one fuzzed item from another in the name of a benchmark. Internal to bench/harness/fuzz.

// Fills ItemPlan::identity of all. The first k items get the same texts however many follow them.
void name_items(const FuzzerSpec& spec, std::vector<ItemPlan>& items);

struct Uses {
  std::set<std::string> dropped;  // by a number of dimensions below theirs
  std::set<std::string> sizes;    // in use, and whatever else a tensor takes from a parameter
  std::set<std::string> steps;
};

void note(const std::vector<FuzzExtent>& extents, std::size_t rank, std::set<std::string>& used,
          std::set<std::string>& dropped) {
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const auto* name = std::get_if<std::string>(&extents[i]);
    if (name != nullptr) (i < rank ? used : dropped).insert(*name);
  }
}

Uses uses_of(const FuzzerSpec& spec, const ItemPlan& item) {
  Uses uses;
  for (std::size_t i = 0; i < spec.tensors.size(); ++i) {
    const std::size_t rank = item.tensors[i].shape.size();
    note(spec.tensors[i].sizes, rank, uses.sizes, uses.dropped);
    note(spec.tensors[i].steps, rank, uses.steps, uses.dropped);
  }
  return uses;
}

std::string text_of(const FuzzerSpec& spec, const ItemPlan& item) {
  const Uses uses = uses_of(spec, item);
  std::string text;
  for (const FuzzedParameter& parameter : spec.parameters) {
    if (!parameter.is_named) continue;
    const std::string& name = parameter.name;
    const std::string value = to_text(*item.values.find(name));
    const bool is_size = uses.sizes.contains(name);
    const bool is_step = uses.steps.contains(name) && !is_size;
    if (is_step && value == "1") continue;
    if (!is_size && !is_step && uses.dropped.contains(name)) continue;
    text += '/' + name + ':' + value;
  }
  for (const TensorPlan& tensor : item.tensors) {
    std::string order;
    bool is_own = true;
    for (std::size_t i = 0; i < tensor.order.size(); ++i) {
      order += (i == 0 ? "" : "-") + std::to_string(tensor.order[i]);
      is_own = is_own && tensor.order[i] == static_cast<std::int64_t>(i);
    }
    if (!is_own) text += '/' + tensor.name + "_order:" + order;
  }
  return text;
}

void name_items(const FuzzerSpec& spec, std::vector<ItemPlan>& items) {
  std::map<std::string, int> draws_by_text;
  for (ItemPlan& item : items) {
    item.identity = text_of(spec, item);
    const int draw = ++draws_by_text[item.identity];
    if (draw > 1) item.identity += '/' + std::string(kRepeatedDraw) + ':' + std::to_string(draw);
  }
}

constexpr int kMaxTries = 1000;  // of one item, as PyTorch's

Result<void> check_names(const FuzzerSpec& spec) {
  std::set<std::string> names;
  const auto take_name = [&](const std::string& name, const char* what) -> Result<void> {
    if (names.insert(name).second) return {};
    return input_error("fuzzer", std::string(what) + " \"" + name + "\" under a name that is taken",
                       "one name for each parameter, tensor and constraint");
  };
  for (const FuzzedParameter& parameter : spec.parameters) STEELYARD_CHECK(take_name(parameter.name, "the parameter"));
  for (const FuzzedTensor& tensor : spec.tensors) STEELYARD_CHECK(take_name(tensor.name, "the tensor"));
  for (const FuzzConstraint& constraint : spec.constraints) {
    if (constraint.name.empty() || !constraint.holds) {
      return input_error("fuzzer", "a constraint without a name or a function", "both");
    }
    STEELYARD_CHECK(take_name(constraint.name, "the constraint"));
  }
  return {};
}

Result<void> check(const FuzzerSpec& spec) {
  for (const FuzzedParameter& parameter : spec.parameters) STEELYARD_CHECK(parameter.check());
  STEELYARD_CHECK(check_names(spec));
  STEELYARD_CHECK(check_aliases(spec.parameters));
  for (const FuzzedTensor& tensor : spec.tensors) STEELYARD_CHECK(tensor.check(spec.parameters));
  return {};
}

// The function is the user's, and is called before main: what it threw would end the program without a word.
Result<bool> asked(const FuzzConstraint& constraint, const FuzzValues& values) {
  std::string thrown = "an exception that is no std::exception";
  try {
    return constraint.holds(values);
  } catch (const std::exception& exception) {
    thrown = exception.what();
  } catch (...) {
  }
  return input_error("fuzzer, the constraint \"" + constraint.name + '"', "that it threw: " + thrown, "true or false");
}

std::string percent(double share) {
  const double tenths = std::round(1000 * share) / 10;
  return to_text(FuzzValue(tenths)) + " %";
}

// "\"k0 above 9\" rejected 700 of them, \"k0 below 3\" 300": most first, as contradictions take two; three at most.
std::string rejecters(const std::map<std::string, std::int64_t>& rejections) {
  constexpr std::size_t kMaxNamed = 3;
  std::vector<std::pair<std::string, std::int64_t>> sorted(rejections.begin(), rejections.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (std::size_t i = 0; i < std::min(sorted.size(), kMaxNamed); ++i) {
    const auto& [name, count] = sorted[i];
    text += (i == 0 ? "\"" : ", \"") + name + (i == 0 ? "\" rejected " : "\" ") + std::to_string(count) +
            (i == 0 ? " of them" : "");
  }
  return text;
}

class Draws {
 public:
  explicit Draws(const FuzzerSpec& spec) : spec_(spec), random_(spec.seed) {
    // PyTorch seeds the generator of its tensors from this stream first; so do we.
    content_seed_ = static_cast<std::uint64_t>(random_.bits63());
  }

  Result<ItemPlan> next(int index) {
    ItemPlan item;
    item.seed = spec_.seed;
    item.index = index;
    STEELYARD_CHECK(draw_valid(item));
    for (std::size_t i = 0; i < item.tensors.size(); ++i) {
      TensorPlan& plan = item.tensors[i];
      if (!plan.sparsity && !storage_bytes_of(plan)) {
        return input_error("fuzzed tensor " + plan.name, "a size beyond 2^63 bytes", "max_allocation_bytes");
      }
      draw_layout(spec_.tensors[i], plan, random_);
      plan.content_seed = content_seed_ + (static_cast<std::uint64_t>(index) << 32U) + i;
    }
    return item;
  }

  FuzzedItems& counts() { return counts_; }

 private:
  // Each item starts anew, with its strict parameters not yet drawn.
  Result<void> draw_valid(ItemPlan& item) {
    std::vector<std::optional<FuzzDraw>> strict(spec_.parameters.size());
    std::map<std::string, std::int64_t> rejections;
    for (int attempt = 0; attempt < kMaxTries; ++attempt) {
      item.values = draw_values(strict);
      ++counts_.generated;
      STEELYARD_TRY(const std::string broken, first_broken(item));
      if (broken.empty()) return {};
      ++counts_.rejections_by_constraint[broken];
      ++rejections[broken];
    }
    return input_error("fuzzer with seed " + std::to_string(spec_.seed) + ", item " + std::to_string(item.index),
                       "no valid parameters in " + std::to_string(kMaxTries) + " draws; " + rejecters(rejections) +
                           " (rejection rate so far " + percent(counts_.rejection_rate()) + ")",
                       "constraints that some parameters keep", "widen the ranges or one of these constraints");
  }

  FuzzValues draw_values(std::vector<std::optional<FuzzDraw>>& strict) {
    std::vector<FuzzDraw> drawn;
    for (std::size_t i = 0; i < spec_.parameters.size(); ++i) {
      const FuzzedParameter& parameter = spec_.parameters[i];
      if (!parameter.is_strict) {
        drawn.push_back(parameter.draw(random_));
        continue;
      }
      if (!strict[i]) strict[i] = parameter.draw(random_);
      drawn.push_back(*strict[i]);
    }
    return resolve_aliases(spec_.parameters, drawn);
  }

  // The name of the constraint or bound that rejects the values; empty: none. Fills item.tensors.
  Result<std::string> first_broken(ItemPlan& item) {
    for (const FuzzConstraint& constraint : spec_.constraints) {
      STEELYARD_TRY(const bool holds, asked(constraint, item.values));
      if (!holds) return constraint.name;
    }
    item.tensors.clear();
    for (const FuzzedTensor& tensor : spec_.tensors) {
      STEELYARD_TRY(TensorPlan plan, plan_tensor(tensor, item.values));
      if (std::string broken = broken_bound(tensor, plan); !broken.empty()) return broken;
      item.tensors.push_back(std::move(plan));
    }
    return std::string();
  }

  const FuzzerSpec& spec_;
  NumpyRandom random_;
  std::uint64_t content_seed_ = 0;
  FuzzedItems counts_;
};

}  // namespace

std::int64_t FuzzedItems::rejections() const {
  std::int64_t sum = 0;
  for (const auto& [constraint, count] : rejections_by_constraint) sum += count;
  return sum;
}

double FuzzedItems::rejection_rate() const {
  return generated == 0 ? 0 : static_cast<double>(rejections()) / static_cast<double>(generated);
}

Result<FuzzedItems> take(const FuzzerSpec& spec, int n) {
  if (n < 0 || n > kMaxItems) {
    return input_error("fuzzer", std::to_string(n) + " items", "0 to " + std::to_string(kMaxItems));
  }
  STEELYARD_CHECK(check(spec));
  Draws draws(spec);
  std::vector<ItemPlan> items;
  for (int index = 0; index < n; ++index) {
    STEELYARD_TRY(ItemPlan item, draws.next(index));
    items.push_back(std::move(item));
  }
  name_items(spec, items);
  FuzzedItems taken = std::move(draws.counts());
  taken.items = std::move(items);
  return taken;
}

}  // namespace steelyard
