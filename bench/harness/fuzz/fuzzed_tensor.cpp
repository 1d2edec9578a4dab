#include "bench/harness/fuzz/fuzzed_tensor.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace steelyard {
namespace {

std::string place_of(const std::string& tensor) { return "fuzzed tensor " + tensor; }

// Exact; absent: more than 2^63 - 1. A product with a zero is zero, however large the rest is.
std::optional<std::int64_t> product(const std::vector<std::int64_t>& factors) {
  if (std::find(factors.begin(), factors.end(), 0) != factors.end()) return 0;
  std::int64_t result = 1;
  for (const std::int64_t factor : factors) {
    if (__builtin_mul_overflow(result, factor, &result)) return std::nullopt;
  }
  return result;
}

std::vector<std::int64_t> allocated_shape(const TensorPlan& plan) {
  std::vector<std::int64_t> shape = plan.shape;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    // Saturated: what does not fit is beyond every bound.
    if (__builtin_mul_overflow(shape[i], plan.steps[i], &shape[i])) shape[i] = INT64_MAX;
  }
  return shape;
}

Result<std::int64_t> whole_value(const FuzzExtent& extent, const FuzzValues& values, const std::string& place) {
  if (const auto* number = std::get_if<std::int64_t>(&extent)) return *number;
  const std::string& name = std::get<std::string>(extent);
  if (const auto number = values.whole(name)) return *number;
  const FuzzValue* const value = values.find(name);
  return input_error(place, value == nullptr ? "no parameter " + name : name + " = " + to_text(*value),
                     "a whole number");
}

// Exactly `dimensions` numbers: what is beyond is dropped, what is missing is 1.
Result<std::vector<std::int64_t>> resolve(const std::vector<FuzzExtent>& extents, const FuzzValues& values,
                                          std::size_t dimensions, const std::string& place) {
  std::vector<std::int64_t> numbers(dimensions, 1);
  for (std::size_t i = 0; i < std::min(dimensions, extents.size()); ++i) {
    STEELYARD_TRY(numbers[i], whole_value(extents[i], values, place));
  }
  return numbers;
}

Result<TensorPlan::Sparsity> plan_sparsity(const FuzzedTensor& tensor, const FuzzedSparsity& sparsity,
                                           const TensorPlan& plan, const FuzzValues& values) {
  const std::string place = place_of(tensor.name);
  const auto rank = static_cast<std::int64_t>(plan.shape.size());
  TensorPlan::Sparsity planned;
  planned.dimensions = rank;
  if (!sparsity.dimensions.empty()) {
    STEELYARD_TRY(const std::int64_t wanted, whole_value(sparsity.dimensions, values, place));
    if (wanted < 1) return input_error(place, std::to_string(wanted) + " sparse dimensions", "at least 1");
    planned.dimensions = std::min(wanted, rank);
  }
  const std::optional<double> density = values.real(sparsity.density);
  if (!density || !(*density >= 0 && *density <= 1)) {
    return input_error(place, "the density " + (density ? to_text(FuzzValue(*density)) : sparsity.density),
                       "a share from 0 to 1");
  }
  planned.density = *density;
  if (!sparsity.coalesced.empty()) {
    STEELYARD_TRY(const std::int64_t coalesced, whole_value(sparsity.coalesced, values, place));
    planned.is_coalesced = coalesced != 0;
  }
  planned.repeats_cells = sparsity.entries_from_sum;
  double cells = sparsity.entries_from_sum ? 0 : 1;
  if (sparsity.entries_from_sum) {
    for (const std::int64_t size : plan.shape) cells += static_cast<double>(size);
  } else {
    for (std::int64_t i = 0; i < planned.dimensions; ++i)
      cells *= static_cast<double>(plan.shape[static_cast<std::size_t>(i)]);
  }
  const double entries = std::ceil(cells * planned.density);
  // Only a tensor without bounds gets there; its storage is refused.
  planned.entries = entries < 9e18 ? static_cast<std::int64_t>(entries) : INT64_MAX;
  return planned;
}

}  // namespace

Result<void> FuzzedTensor::check(const std::vector<FuzzedParameter>& parameters) const {
  STEELYARD_CHECK(check_fuzzed_name("fuzzed tensor", name));
  const std::string place = place_of(name);
  if (sizes.empty()) return input_error(place, "no sizes", "at least one");
  if (!(probability_contiguous >= 0 && probability_contiguous <= 1)) {
    return input_error(place, "probability_contiguous " + to_text(FuzzValue(probability_contiguous)), "0 to 1");
  }
  if (min_elements.value_or(0) < 0 || max_elements.value_or(0) < 0 || max_allocation_bytes.value_or(0) < 0) {
    return input_error(place, "a negative bound", "none below 0");
  }
  if (min_elements && max_elements && *min_elements > *max_elements) {
    return input_error(
        place, "min_elements " + std::to_string(*min_elements) + " above max_elements " + std::to_string(*max_elements),
        "bounds that some tensor keeps");
  }
  if (min_elements && max_allocation_bytes && *min_elements > *max_allocation_bytes / bytes_of(dtype)) {
    return input_error(place,
                       "min_elements " + std::to_string(*min_elements) + " of " + std::to_string(bytes_of(dtype)) +
                           " bytes above max_allocation_bytes " + std::to_string(*max_allocation_bytes),
                       "bounds that some tensor keeps");
  }
  if (sparsity && (!steps.empty() || max_allocation_bytes)) {
    return input_error(place, "steps or max_allocation_bytes of a sparse tensor", "bounds of elements");
  }
  std::vector<std::string> names;
  for (const std::vector<FuzzExtent>* extents : {&sizes, &steps}) {
    for (const FuzzExtent& extent : *extents) {
      if (const auto* reference = std::get_if<std::string>(&extent)) names.push_back(*reference);
    }
  }
  if (!dimensions.empty()) names.push_back(dimensions);
  if (sparsity) names.push_back(sparsity->density);
  if (sparsity && !sparsity->dimensions.empty()) names.push_back(sparsity->dimensions);
  if (sparsity && !sparsity->coalesced.empty()) names.push_back(sparsity->coalesced);
  for (const std::string& wanted : names) {
    const auto is_it = [&](const FuzzedParameter& parameter) { return parameter.name == wanted; };
    if (std::none_of(parameters.begin(), parameters.end(), is_it)) {
      return input_error(place, '"' + wanted + '"', "the name of a parameter");
    }
  }
  return {};
}

std::int64_t TensorPlan::elements() const { return product(shape).value_or(INT64_MAX); }

Result<TensorPlan> plan_tensor(const FuzzedTensor& tensor, const FuzzValues& values) {
  constexpr std::int64_t kMaxDimensions = 64;
  const std::string place = place_of(tensor.name);
  TensorPlan plan;
  plan.name = tensor.name;
  plan.dtype = tensor.dtype;
  auto rank = static_cast<std::int64_t>(tensor.sizes.size());
  if (!tensor.dimensions.empty()) {
    STEELYARD_TRY(rank, whole_value(tensor.dimensions, values, place));
  }
  if (rank < 0 || rank > kMaxDimensions) {
    return input_error(place, std::to_string(rank) + " dimensions", "0 to " + std::to_string(kMaxDimensions));
  }
  STEELYARD_TRY(plan.shape, resolve(tensor.sizes, values, static_cast<std::size_t>(rank), place));
  STEELYARD_TRY(plan.steps, resolve(tensor.steps, values, static_cast<std::size_t>(rank), place));
  for (const std::int64_t size : plan.shape) {
    if (size < 0) return input_error(place, "the size " + std::to_string(size), "none below 0");
  }
  for (const std::int64_t step : plan.steps) {
    if (step < 1) return input_error(place, "the step " + std::to_string(step), "at least 1");
  }
  if (tensor.sparsity) {
    STEELYARD_TRY(plan.sparsity, plan_sparsity(tensor, *tensor.sparsity, plan, values));
  }
  return plan;
}

std::string broken_bound(const FuzzedTensor& tensor, const TensorPlan& plan) {
  const std::optional<std::int64_t> elements = product(plan.shape);
  if (tensor.max_elements && (!elements || *elements > *tensor.max_elements)) {
    return tensor.name + ": at most " + std::to_string(*tensor.max_elements) + " elements";
  }
  if (tensor.min_elements && elements && *elements < *tensor.min_elements) {
    return tensor.name + ": at least " + std::to_string(*tensor.min_elements) + " elements";
  }
  const std::optional<std::int64_t> bytes = storage_bytes_of(plan);
  if (tensor.max_allocation_bytes && (!bytes || *bytes > *tensor.max_allocation_bytes)) {
    return tensor.name + ": at most " + std::to_string(*tensor.max_allocation_bytes) + " bytes allocated";
  }
  return "";
}

void draw_layout(const FuzzedTensor& tensor, TensorPlan& plan, NumpyRandom& random) {
  const std::size_t rank = plan.shape.size();
  plan.order.resize(rank);
  for (std::size_t i = 0; i < rank; ++i) plan.order[i] = static_cast<std::int64_t>(i);
  if (plan.sparsity) return;
  const std::vector<std::int64_t> identity = plan.order;
  if (random.real() > tensor.probability_contiguous) {
    while (rank > 1 && plan.order == identity) {
      const std::vector<std::size_t> drawn = random.permutation(rank);
      std::transform(drawn.begin(), drawn.end(), plan.order.begin(),
                     [](std::size_t at) { return static_cast<std::int64_t>(at); });
    }
  }
  const std::vector<std::int64_t> allocated = allocated_shape(plan);
  plan.strides.assign(rank, 1);
  plan.storage_elements = product(allocated).value_or(0);
  if (plan.storage_elements == 0) return;  // nothing to stride over, and the other sizes may be of any size
  std::int64_t stride = 1;
  for (std::size_t i = rank; i-- > 0;) {
    const auto dimension = static_cast<std::size_t>(plan.order[i]);
    plan.strides[dimension] = stride * plan.steps[dimension];
    stride *= allocated[dimension];
  }
  plan.is_contiguous = is_contiguous(plan.shape, plan.strides);
}

std::optional<std::int64_t> storage_bytes_of(const TensorPlan& plan) {
  std::vector<std::int64_t> factors = allocated_shape(plan);
  factors.push_back(bytes_of(plan.dtype));
  return product(factors);
}

std::vector<std::int64_t> row_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  if (product(shape).value_or(0) == 0) return strides;
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

bool is_contiguous(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides) {
  assert(shape.size() == strides.size());
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return true;
  std::int64_t wanted = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (shape[i] == 1) continue;
    if (strides[i] != wanted) return false;
    wanted *= shape[i];
  }
  return true;
}

}  // namespace steelyard
