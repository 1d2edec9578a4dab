// One benchmark on a device at one point of its axes: its memory is allocated and its inputs are filled when it is
// made, and go when it goes. It is asked to prove its answer before it is timed.
//
//     class Add final : public Workload {
//      public:
//       explicit Add(std::size_t n) : x_(n), y_(n) {}
//       OperatorCost cost() const override { return add_cost(x_.size()); }
//       void launch(int, cudaStream_t stream) override { launch_add(x_.data(), y_.data(), x_.size(), stream); }
//       Result<void> verify(std::uint64_t seed) override;
//     };
//
// Members may throw CudaError: the row fails, and the message says which call, what was wanted and what was found.
#pragma once

#include <cstdint>
#include <string>

#include "bench/harness/operator_cost.hpp"
#include "bench/model/result.hpp"

// As CUDA's own headers have it; without them this header compiles all the same.
struct CUstream_st;
typedef struct CUstream_st* cudaStream_t;

namespace steelyard::cuda {

class Workload {
 public:
  virtual ~Workload() = default;

  // What one iteration costs, by definition; of all its replays.
  virtual OperatorCost cost() const = 0;
  // How many sets of inputs are taken in turn, at least 1, so that no input stays in a cache by accident.
  virtual int input_sets() const { return 1; }
  // Enqueues one iteration, or one of its replays, and returns. `input_set`: 0 to input_sets() - 1. It may be captured
  // into a graph: no synchronizing call, no allocation, no copy from memory that is not pinned.
  virtual void launch(int input_set, cudaStream_t stream) = 0;
  // How often launch() is replayed to make one iteration: 1: an iteration is one launch. Above 1, one captured launch
  // is replayed as a graph, and what it needs to know of its turn (position, token, state of a generator) lies on the
  // device. Such a workload has one set of inputs.
  virtual std::int64_t replays() const { return 1; }
  // Sets what the device keeps between replays back to where an iteration begins. Enqueues; before the first replay of
  // every iteration, outside its time.
  virtual void restart(cudaStream_t) {}
  // What one iteration makes, for a rate of it; 0: nothing that is counted.
  virtual std::int64_t tokens() const { return 0; }
  // Fresh random input of `seed`, outputs poisoned first, one launch, held against a float64 reference computed on the
  // host; of large shapes some rows. Error (program): where the worst element is, found, wanted, the bound.
  virtual Result<void> verify(std::uint64_t seed) = 0;
  // How many kernels one launch() asks for, those of a library one each; 0: not counted. Where the library launches
  // more the label says so (library_kernels_note).
  virtual std::int64_t expected_launches() const { return 0; }
  // A part of the row's label: "algorithm 31 of 8 heuristics". Empty: nothing to say. No ";".
  virtual std::string note() const { return {}; }

 protected:
  Workload() = default;
  Workload(const Workload&) = default;
  Workload& operator=(const Workload&) = default;
};

}  // namespace steelyard::cuda
