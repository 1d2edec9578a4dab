// Fills the device's second-level cache with other data, so that a cold sample finds nothing of its own there.
//
// It reads a buffer of twice the cache's size instead of writing one: lines that were written would have to go back to
// memory while the next kernel is timed, and cost it bandwidth that is not its own.
#pragma once

#include "bench/cuda/cuda_handles.hpp"
#include "bench/cuda/device_memory.hpp"
#include "bench/model/quantity.hpp"

namespace steelyard::cuda {

class CacheFlush {
 public:
  // `l2`: as the device says; 0: there is nothing to flush.
  CacheFlush(Bytes l2, int multiprocessors);
  void enqueue(const Stream& stream);

 private:
  DeviceBlock buffer_;
  DeviceArray<unsigned> sink_;  // one word that is never written, so that the reads cannot be left out
  int blocks_;
};

}  // namespace steelyard::cuda
