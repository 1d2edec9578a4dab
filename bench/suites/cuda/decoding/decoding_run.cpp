#include "bench/suites/cuda/decoding/decoding_run.hpp"

#include <cuda_runtime_api.h>

#include <cassert>
#include <type_traits>

#include "bench/cuda/cuda_handles.hpp"
#include "bench/suites/cuda/arithmetic/current_device.hpp"

namespace steelyard::cuda_suite {
namespace {

// Programmatic dependent launch came with compute capability 9.0.
bool has_dependent_launch() {
  int device = 0;
  int major = 0;
  cuda::check(cudaGetDevice(&device), "asking for the current device");
  cuda::check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "asking for its capability");
  return major >= 9;
}

template <class T>
void fill_bytes(cuda::DeviceArray<T>& array, cudaStream_t stream) {
  cuda::check(cudaMemsetAsync(array.data(), 0xff, array.bytes(), stream), "poisoning what a step writes");
}

}  // namespace

template <class Weight>
DecodingRun<Weight>::DecodingRun(const ModelWeights& weights, const DecodingSetting& setting)
    : weights_(weights),
      setting_(setting),
      multiprocessors_(cuda_suite::multiprocessors()),
      can_overlap_(has_dependent_launch()),
      embedding_(small({ModelTensor::embedding, 0})),
      final_norm_(small({ModelTensor::final_norm, 0})),
      step_(1),
      tokens_(setting.positions),
      picks_(weights.model.active),
      stream_(weights.model.dim),
      queries_(weights.model.heads * kHeadSize),
      shares_(weights.model.active),
      logits_(weights.model.vocab),
      rotary_(setting.positions * kHeadSize) {
  const DecodingModel& model = weights.model;
  assert(weights.is_whole == (std::is_same_v<Weight, std::int8_t>));
  head_ = matrix({ModelTensor::head, 0}, head_scales_);
  for (std::size_t i = 0; i < model.layers; ++i) {
    Layer layer;
    layer.attention_norm = small({ModelTensor::attention_norm, i});
    layer.mlp_norm = small({ModelTensor::mlp_norm, i});
    if (model.experts > 0) layer.router = small({ModelTensor::router, i});
    layer.qkv = matrix({ModelTensor::qkv, i}, layer.qkv_scales);
    layer.output = matrix({ModelTensor::output, i}, layer.output_scales);
    layer.gate_up = matrix({ModelTensor::gate_up, i}, layer.gate_up_scales);
    layer.down = matrix({ModelTensor::down, i}, layer.down_scales);
    layers_.push_back(std::move(layer));
  }
  const std::size_t cached = model.layers * model.kv_heads * setting.positions * kHeadSize;
  keys_ = cuda::DeviceArray<Bf16>(cached);
  values_ = cuda::DeviceArray<Bf16>(cached);
  attended_ = cuda::DeviceArray<Bf16>(model.heads * kHeadSize);
  activated_ = cuda::DeviceArray<Bf16>(model.active * model.hidden);
  rotary_.upload(rotary_table(model, setting.positions));
  poison(nullptr);
  poison_cache(nullptr);
  wait_until_done("filling a model");
}

template <class Weight>
cuda::DeviceArray<Bf16> DecodingRun<Weight>::small(TensorPlace place) const {
  const std::size_t n = extent_of(weights_.model, place.tensor).values();
  cuda::DeviceArray<Bf16> values(n);
  if (is_norm(place.tensor)) {
    fill_norm_weights(values.data(), n, weights_.seed_of(place), weights_.limit_of(place.tensor), nullptr);
  } else {
    fill_seeded(values.data(), n, weights_.seed_of(place), nullptr, weights_.limit_of(place.tensor));
  }
  return values;
}

template <class Weight>
cuda::DeviceArray<Weight> DecodingRun<Weight>::matrix(TensorPlace place, cuda::DeviceArray<Bf16>& scales) const {
  const TensorExtent extent = extent_of(weights_.model, place.tensor);
  cuda::DeviceArray<Weight> values(extent.values());
  fill_seeded(values.data(), extent.values(), weights_.seed_of(place), nullptr, weights_.limit_of(place.tensor));
  if constexpr (std::is_same_v<Weight, std::int8_t>) {
    scales = cuda::DeviceArray<Bf16>(extent.rows);
    fill_row_scales(scales.data(), extent.rows, weights_.scale_seed_of(place), weights_.limit_of(place.tensor),
                    nullptr);
  }
  return values;
}

template <class Weight>
EndWeights<Weight> DecodingRun<Weight>::ends() const {
  return {embedding_.data(), final_norm_.data(), {head_.data(), head_scales_.data()}};
}

template <class Weight>
DecodingLaunch DecodingRun<Weight>::launch(cudaStream_t stream) {
  const DecodingBuffers buffers{.positions = setting_.positions,
                                .given = given_,
                                .step = step_.data(),
                                .tokens = tokens_.data(),
                                .stream = stream_.data(),
                                .queries = queries_.data(),
                                .keys = keys_.data(),
                                .values = values_.data(),
                                .attended = attended_.data(),
                                .activated = activated_.data(),
                                .picks = picks_.data(),
                                .shares = shares_.data(),
                                .logits = logits_.data(),
                                .rotary = rotary_.data()};
  DecodingPlan plan = setting_.plan;
  plan.overlaps = plan.overlaps && can_overlap_;
  return {
      .model = weights_.model, .buffers = buffers, .plan = plan, .multiprocessors = multiprocessors_, .stream = stream};
}

template <class Weight>
void DecodingRun<Weight>::give(std::span<const int> tokens) {
  assert(!tokens.empty() && tokens.size() <= setting_.positions);
  for ([[maybe_unused]] const int token : tokens) {
    assert(token >= 0 && static_cast<std::size_t>(token) < weights_.model.vocab);
  }
  tokens_.fill_bytes(0xff);
  tokens_.upload(tokens);
  given_ = static_cast<int>(tokens.size());
  wait_until_done("giving the first tokens");
}

template <class Weight>
void DecodingRun<Weight>::restart(cudaStream_t stream) {
  launch_begin(launch(stream), ends());
  steps_ = 0;
}

template <class Weight>
void DecodingRun<Weight>::step(cudaStream_t stream) {
  assert(steps_ < setting_.positions);
  ++steps_;
  const DecodingLaunch how = launch(stream);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const Layer& layer = layers_[i];
    launch_layer<Weight>(how,
                         {.attention_norm = layer.attention_norm.data(),
                          .qkv = {layer.qkv.data(), layer.qkv_scales.data()},
                          .output = {layer.output.data(), layer.output_scales.data()},
                          .mlp_norm = layer.mlp_norm.data(),
                          .router = layer.router.data(),
                          .gate_up = {layer.gate_up.data(), layer.gate_up_scales.data()},
                          .down = {layer.down.data(), layer.down_scales.data()}},
                         i);
  }
  launch_end(how, ends(), setting_.draw_seed);
}

template <class Weight>
void DecodingRun<Weight>::poison_cache(cudaStream_t stream) {
  fill_bytes(keys_, stream);
  fill_bytes(values_, stream);
}

template <class Weight>
void DecodingRun<Weight>::poison(cudaStream_t stream) {
  fill_bytes(queries_, stream);
  fill_bytes(attended_, stream);
  fill_bytes(activated_, stream);
  fill_bytes(picks_, stream);
  fill_bytes(shares_, stream);
  fill_bytes(logits_, stream);
}

template <class Weight>
std::vector<float> DecodingRun<Weight>::logits() const {
  std::vector<float> found(logits_.size());
  logits_.download(found);
  return found;
}

template <class Weight>
std::vector<int> DecodingRun<Weight>::tokens() const {
  std::vector<int> found(tokens_.size());
  tokens_.download(found);
  return found;
}

template class DecodingRun<Bf16>;
template class DecodingRun<std::int8_t>;

}  // namespace steelyard::cuda_suite
