// A model on the device: its weights of a seed, and the memory of one generation.
//
//     DecodingRun<Bf16> run({.model = tiny_llama(), .seed = 1, .is_whole = false}, {.positions = 16});
//     run.give(tokens);                         // each below vocab
//     run.restart(stream);
//     run.step(stream);                         // once a position: logits, and the next token
//
// Throws cuda::CudaError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/cuda/device_memory.hpp"
#include "bench/suites/cuda/decoding/decoding_kernels.hpp"

namespace steelyard::cuda_suite {

struct DecodingSetting {
  std::size_t positions = 0;       // room of the cache
  std::uint64_t draw_seed = 1234;  // the published figure's
  DecodingPlan plan;
};

template <class Weight>
class DecodingRun {
 public:
  DecodingRun(const ModelWeights& weights, const DecodingSetting& setting);

  // The tokens that are fed before any that is drawn, at least one. Waits.
  void give(std::span<const int> tokens);
  // Position 0, the first given token. Enqueues.
  void restart(cudaStream_t stream);
  // One token through the model. Enqueues. Precondition: fewer steps since restart() than there are positions, those of
  // a graph that was captured of it too.
  void step(cudaStream_t stream);
  // NaN, or a number out of every range, into what a step has to write before it reads it. Enqueues.
  void poison(cudaStream_t stream);
  // The same into the keys and values of all positions.
  void poison_cache(cudaStream_t stream);

  // What was computed; wait for the stream first.
  std::vector<float> logits() const;
  std::vector<int> tokens() const;

  const DecodingModel& model() const { return weights_.model; }
  DecodingPlan& plan() { return setting_.plan; }

 private:
  struct Layer {
    cuda::DeviceArray<Bf16> attention_norm, mlp_norm, router;
    cuda::DeviceArray<Weight> qkv, output, gate_up, down;
    cuda::DeviceArray<Bf16> qkv_scales, output_scales, gate_up_scales, down_scales;
  };

  DecodingLaunch launch(cudaStream_t stream);
  cuda::DeviceArray<Bf16> small(TensorPlace place) const;
  cuda::DeviceArray<Weight> matrix(TensorPlace place, cuda::DeviceArray<Bf16>& scales) const;
  EndWeights<Weight> ends() const;

  ModelWeights weights_;
  DecodingSetting setting_;
  int multiprocessors_ = 1;
  bool can_overlap_ = false;
  std::vector<Layer> layers_;
  cuda::DeviceArray<Bf16> embedding_, final_norm_, head_scales_;
  cuda::DeviceArray<Weight> head_;
  cuda::DeviceArray<int> step_, tokens_, picks_;
  cuda::DeviceArray<float> stream_, queries_, shares_, logits_, rotary_;
  cuda::DeviceArray<Bf16> keys_, values_, attended_, activated_;
  int given_ = 0;
  std::size_t steps_ = 0;  // since restart(), of those that were enqueued here
};

}  // namespace steelyard::cuda_suite
