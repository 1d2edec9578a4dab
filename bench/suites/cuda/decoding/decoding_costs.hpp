// What decoding costs by its published definition: a generation reads every parameter of the model once for each new
// token. So bytes over time is the published rate, and over the time one that a memory's read bandwidth bounds.
//
//     constexpr OperatorCost cost = generation_cost(llama_7b(), {.is_whole = true});
//     static_assert(cost.read == parameter_bytes(llama_7b(), {.is_whole = true}) * kNewTokens);
//
// Of the definition:
// - the embedding is left out, of which a step reads one row, and of experts' matrices all but the active ones;
// - the prompt's steps read the parameters as well: they are in the time, but not in the bytes;
// - the cache of keys and values is no parameter: cache_bytes() is told apart.
// Published figures divide to 13.33, 6.65 and 6.46 GB a token (Llama-2-7B in bf16 and in 8 bits, half of Mixtral 8x7B
// in 8 bits), which count the buffers too, of which the cache is the largest.
#pragma once

#include "bench/harness/operator_cost.hpp"
#include "bench/suites/cuda/decoding/decoding_model.hpp"

namespace steelyard::cuda_suite {

struct WeightFormat {
  bool is_whole = false;  // 8-bit integers with a scale in bf16 a row, where the tensor is quantized; else bf16
};

// Every layer has one of its own.
constexpr bool is_of_layer(ModelTensor tensor) {
  return tensor != ModelTensor::embedding && tensor != ModelTensor::final_norm && tensor != ModelTensor::head;
}
constexpr bool is_of_expert(ModelTensor tensor) {
  return tensor == ModelTensor::gate_up || tensor == ModelTensor::down;
}

// What of a tensor one token meets, of one layer.
constexpr TensorExtent active_extent(const DecodingModel& model, ModelTensor tensor) {
  TensorExtent extent = extent_of(model, tensor);
  if (is_of_expert(tensor)) extent.rows = extent.rows / model.stacked() * model.active;
  return extent;
}

inline constexpr ModelTensor kReadTensors[] = {
    ModelTensor::attention_norm, ModelTensor::qkv,  ModelTensor::output,     ModelTensor::mlp_norm, ModelTensor::router,
    ModelTensor::gate_up,        ModelTensor::down, ModelTensor::final_norm, ModelTensor::head};

// Of one token.
constexpr Bytes parameter_bytes(const DecodingModel& model, WeightFormat format) {
  Bytes bytes(0);
  for (const ModelTensor tensor : kReadTensors) {
    const TensorExtent extent = active_extent(model, tensor);
    const Bytes of_one = format.is_whole && is_quantized(tensor)
                             ? bytes_of(extent.values(), 1) + bytes_of(extent.rows, sizeof(Bf16))
                             : bytes_of(extent.values(), sizeof(Bf16));
    bytes += of_one * static_cast<std::int64_t>(is_of_layer(tensor) ? model.layers : 1);
  }
  return bytes;
}

// Keys and values of `positions` tokens.
constexpr Bytes cache_bytes(const DecodingModel& model, std::size_t positions) {
  return bytes_of(positions * model.layers * 2 * model.kv_heads * kHeadSize, sizeof(Bf16));
}

// Of the step of one token, which attends to `positions`, its own with them: the products' and the attention's.
constexpr Flops step_flops(const DecodingModel& model, std::size_t positions) {
  Flops flops = attention_cost({.heads = model.heads,
                                .queries = 1,
                                .keys = positions,
                                .dim = kHeadSize,
                                .value_dim = kHeadSize,
                                .value_bytes = sizeof(Bf16)})
                    .flops *
                static_cast<std::int64_t>(model.layers);
  for (const ModelTensor tensor : kReadTensors) {
    if (is_norm(tensor)) continue;
    const std::size_t values = active_extent(model, tensor).values();
    flops += operations(2 * values * (is_of_layer(tensor) ? model.layers : 1));
  }
  return flops;
}

// Of one generation: the operations of all its steps, and the bytes of the definition.
constexpr OperatorCost generation_cost(const DecodingModel& model, WeightFormat format) {
  Flops flops(0);
  for (std::size_t step = 0; step < kGenerationSteps; ++step) flops += step_flops(model, step + 1);
  return {flops, parameter_bytes(model, format) * std::int64_t{kNewTokens}, Bytes(0)};
}

}  // namespace steelyard::cuda_suite
